package import Model

/// The device's memory and who has it. What to do when it runs short is for the Core to say.
package struct Memory: Hashable, Sendable, Codable {
    private struct Resident: Hashable, Codable {
        let app: AppIndex
        var footprint: Footprint
        /// Dirty bytes that it gains a second.
        var growth: Int64 = 0

        func footprint(after span: Span) -> Footprint {
            var grown = footprint
            grown.dirty += Rate(numerator: growth, denominator: 1_000_000_000).amount(in: span)
            return grown
        }
    }

    /// For all apps together.
    package let budget: Int64
    /// A change is told whenever what is available crosses one of these.
    package let marks: [Int64]
    /// In the order of their indices.
    private var residents: [Resident] = []
    private var since = Instant.zero
    /// How many marks it is below.
    package private(set) var level = 0

    package init(budget: Int64, marks: [Int64] = []) {
        self.budget = budget
        self.marks = marks.sorted(by: >)
    }

    package func footprint(of app: AppIndex, at now: Instant) -> Footprint? {
        place(of: app).map { residents[$0].footprint(after: now - since) }
    }

    /// Everybody who has memory, in order.
    package func footprints(at now: Instant) -> [(app: AppIndex, footprint: Footprint)] {
        residents.map { ($0.app, $0.footprint(after: now - since)) }
    }

    package func used(at now: Instant) -> Int64 {
        residents.reduce(0) { $0 + $1.footprint(after: now - since).total }
    }

    /// Below zero when apps have more than there is.
    package func available(at now: Instant) -> Int64 { budget - used(at: now) }

    private func place(of app: AppIndex) -> Int? { residents.firstIndex { $0.app == app } }

    private func level(at now: Instant) -> Int {
        let available = available(at: now)
        return marks.reduce(0) { available < $1 ? $0 + 1 : $0 }
    }

    /// When growth crosses the next mark.
    func nextChange(after now: Instant) -> Instant? {
        let growth = residents.reduce(0) { $0 + $1.growth }
        guard growth > 0, level < marks.count else { return nil }
        let missing = available(at: since) - marks[level] + 1
        // Every app's growth is rounded down by itself, which makes the sum late by less than a byte each.
        let rate = Rate(numerator: growth, denominator: 1_000_000_000)
        guard let early = rate.time(for: missing),
            let late = rate.time(for: missing + Int64(residents.count))
        else { return nil }
        var low = max(now, since + early)
        var high = max(low, since + late)
        while low < high {
            let middle = Instant(nanoseconds: low.nanoseconds + (high - low).nanoseconds / 2)
            if level(at: middle) > level { high = middle } else { low = middle + Span(nanoseconds: 1) }
        }
        return high
    }

    mutating func pass(_ now: Instant, _ changes: inout [WorldChange]) {
        let new = level(at: now)
        guard new != level else { return }
        level = new
        changes.append(.memoryLevel(new))
    }

    /// From now on growth counts anew.
    private mutating func settle(to now: Instant) {
        for index in residents.indices {
            residents[index].footprint = residents[index].footprint(after: now - since)
        }
        since = now
    }

    /// What the app has now; zero when it is gone, which ends its growth as well.
    mutating func set(_ footprint: Footprint, of app: AppIndex, at now: Instant) {
        settle(to: now)
        let place = residents.firstIndex { $0.app >= app } ?? residents.count
        let isKnown = place < residents.count && residents[place].app == app
        if footprint == .zero {
            if isKnown { residents.remove(at: place) }
        } else if isKnown {
            residents[place].footprint = footprint
        } else {
            residents.insert(Resident(app: app, footprint: footprint), at: place)
        }
    }

    /// Dirty bytes a second from now on; nothing for an app that has no memory.
    mutating func setGrowth(_ bytesPerSecond: Int64, of app: AppIndex, at now: Instant) {
        settle(to: now)
        if let place = place(of: app) { residents[place].growth = max(0, bytesPerSecond) }
    }
}
