/// What the service may hold for an app: the names of `location.json`.
package enum LocationHold: String, Hashable, Comparable, Sendable, Codable, CaseIterable {
    /// It receives standard updates.
    case updating

    package static func < (a: LocationHold, b: LocationHold) -> Bool { a.rawValue < b.rawValue }
}
