/// Amounts that only grow, as long as what they are of is there.
package protocol GrowingCount: Hashable, Sendable {
    static var zero: Self { get }
    static func + (a: Self, b: Self) -> Self
    static func - (a: Self, b: Self) -> Self
    func precedes(_ later: Self) -> Bool
}

/// What an app's connections moved, or its processes read and wrote, together, found out by looking at each of them now
/// and then. What one of them did after the last look before it was gone is missing.
package struct CountsSeen<Key: Hashable & Sendable, Count: GrowingCount>: Sendable {
    private var known: [Key: Count] = [:]
    package private(set) var total = Count.zero
    /// What the first look finds was before it mattered.
    private var isFirst: Bool

    /// - Parameter isNew: the app has done nothing yet.
    package init(isNew: Bool) { isFirst = !isNew }

    package mutating func note(_ found: [Key: Count]) {
        for (key, count) in found {
            // The number of one that is gone may be another one's by now.
            let before = known[key].flatMap { $0.precedes(count) ? $0 : nil }
            if !isFirst { total = total + count - (before ?? .zero) }
        }
        known = found
        isFirst = false
    }
}
