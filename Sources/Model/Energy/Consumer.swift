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

/// What an app does with energy, as far as the account tells apart (E1).
package enum Purpose: UInt8, Sendable, Codable, CaseIterable {
    /// What it does by itself, seen or unseen.
    case use
    case transfer, streaming, browsing, keepAlive, push, fetch, location

    /// What a provider sends, and the user is told of.
    package static let notification = Purpose.push

    package var name: String { "\(self)" }

    /// What a service may say that an app, or the service itself, moves. The policy finds out the others.
    package static let ofServices: [Purpose] = [.transfer, .streaming, .push, .location, .keepAlive]

    package var phrase: String {
        switch self {
        case .use: "its own use"
        case .transfer: "transfers"
        case .streaming: "streaming"
        case .browsing: "browsing"
        case .keepAlive: "keep-alives"
        case .push: "push"
        case .fetch: "background fetch"
        case .location: "location"
        }
    }
}

/// What of the device spends it.
package enum EnergyPart: UInt8, Sendable, Codable, CaseIterable {
    case cellular, wifi, gps, screen, processor, idle

    /// What a provider sends, and the user is told of.
    package static let notification = Purpose.push

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
