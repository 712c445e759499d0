/// Who energy is spent for: an app, or the system where none is named; and what for.
package struct Consumer: Hashable, Comparable, Sendable, Codable {
    package var app: AppIndex?
    package var purpose: Purpose

    package init(app: AppIndex?, _ purpose: Purpose = .use) {
        self.app = app
        self.purpose = purpose
    }

    package static let system = Consumer(app: nil)

    package static func < (a: Consumer, b: Consumer) -> Bool { a.order < b.order }

    private var order: (UInt64, UInt8) { (app.map { UInt64($0.rawValue) + 1 } ?? 0, purpose.rawValue) }
}

/// A part of the device whose energy a real device can measure or model.
package enum EnergyPart: UInt8, Sendable, Codable, CaseIterable {
    case cellular, wifi, gps, processor

    package var name: String { "\(self)" }
}

/// Names bytes on their way while a radio is open for them.
package struct TrafficID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: TrafficID, b: TrafficID) -> Bool { a.rawValue < b.rawValue }
}

package enum Direction: UInt8, Sendable, Codable, CaseIterable {
    case up, down
}
