internal import Model

/// One of an app's connections, numbered by the shell and never again for another one in the same process.
package struct ConnectionID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.rawValue < b.rawValue }
}

/// Somebody who waits for an answer.
package struct RequestID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: RequestID, b: RequestID) -> Bool { a.rawValue < b.rawValue }
}

/// Something that the daemon waits for.
package struct OrderID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: OrderID, b: OrderID) -> Bool { a.rawValue < b.rawValue }
}

/// Numbers what an app is told; never twice for an app.
package typealias NewsNumber = Int64

/// What the service may hold for an app: the names of `location.json`.
package enum LocationHold: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// It receives standard updates.
    case updating

    package static func < (a: LocationHold, b: LocationHold) -> Bool { a.rawValue < b.rawValue }
}
