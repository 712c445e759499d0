package import Model

/// Network work that can wait: it goes when the radio is awake anyway, or when some of it can wait no longer, and then
/// all of it goes that may (E2).
package struct WorkCoalescer: Hashable, Sendable, Codable {
    package struct Work: Hashable, Sendable, Codable {
        package var app: AppIndex
        /// Chosen by whoever asks; together with the app it names the work.
        package var number: UInt64
        package var earliest: Instant
        package var latest: Instant

        package init(_ app: AppIndex, _ number: UInt64 = 0, earliest: Instant, latest: Instant) {
            self.app = app
            self.number = number
            self.earliest = earliest
            self.latest = max(earliest, latest)
        }
    }

    /// In the order of their ends.
    package private(set) var waiting: [Work] = []

    package init() {}

    /// Work of the same app and number takes the place of the earlier one.
    package mutating func add(_ work: Work) {
        remove(work.app, work.number)
        waiting.insert(work, at: waiting.firstIndex { Self.isBefore(work, $0) } ?? waiting.count)
    }

    package mutating func remove(_ app: AppIndex, _ number: UInt64 = 0) {
        waiting.removeAll { $0.app == app && $0.number == number }
    }

    private static func isBefore(_ a: Work, _ b: Work) -> Bool {
        (a.latest, a.app, a.number) < (b.latest, b.app, b.number)
    }

    /// What goes now, all together; it waits no longer.
    package mutating func due(at now: Instant, radio: RadioState) -> [Work] {
        guard radio.model != nil else { return [] }
        guard radio.isWarm || waiting.contains(where: { $0.latest <= now }) else { return [] }
        let due = waiting.filter { $0.earliest <= now }
        waiting.removeAll { $0.earliest <= now }
        return due
    }

    /// When to ask again at the latest; earlier if the radio wakes. With a radio that is awake, when something may
    /// begin.
    package func nextLook(radio: RadioState) -> Instant? {
        guard radio.model != nil else { return nil }
        return radio.isWarm ? waiting.lazy.map(\.earliest).min() : waiting.first?.latest
    }
}
