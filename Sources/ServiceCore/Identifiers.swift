/// One of an app's connections. The host numbers them, and gives no number twice in one process.
package struct ConnectionID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.rawValue < b.rawValue }
}

/// Something that the daemon or the world waits for, or that the policy waits for.
package struct OrderID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: OrderID, b: OrderID) -> Bool { a.rawValue < b.rawValue }
}

/// The number of a message to an app. A service uses no number twice for the same app.
package typealias NewsNumber = Int64
