package import Model

/// What somebody's use of the device tells about which app is used next.
///
/// Two things are kept. *Habit*: how often and how recently each app was used. A use counts less the longer ago it is,
/// by the power law that memory and habits are known to follow: as one over the square root of its age. Age is counted
/// in switches from app to app, so a night is no longer than a minute. *Succession*: which apps followed each lately.
///
/// In whole numbers throughout: the same uses give the same history on every machine.
package struct UsageHistory: Hashable, Sendable {
    /// What one use counts for, and a likelihood of one.
    package static let one: UInt64 = 1 << 20

    private struct Record: Hashable {
        let app: AppIndex
        /// The number of the last switch to it.
        var lastSwitch: UInt64 = 0
        /// What followed it, with what share; together one at most.
        var successors: [Successor] = []
    }

    private struct Successor: Hashable, Codable {
        let app: AppIndex
        var share: UInt64
    }

    /// In the order of the apps' indices.
    private var records: [Record] = []
    /// Their uses, fading with half-lives of 2, 16, 128 and 1024 switches.
    private var curves = [3_037_000_500, 4_112_874_773, 4_271_771_996, 4_292_061_010].map(FadingUses.init(fading:))
    /// The app that is being used.
    private var current: AppIndex?
    /// How many switches there were.
    package private(set) var switches: UInt64 = 0

    package init() {}

    // MARK: Learning

    /// Weights as one over the square root of the half-lives: the four curves together follow the power law closely.
    private static let weights: [UInt64] = [5793, 2048, 724, 256]
    /// What followed an app's last use takes a third of all; that of ten uses ago has a hundredth.
    private static let third = one / 3
    /// A share below this is forgotten, so no app has more than ten successors.
    private static let leastShare = one / 128

    /// Somebody turned to the app. Turning to the one that is being used already tells nothing.
    package mutating func used(_ app: AppIndex) {
        guard app != current else { return }
        if let current { follow(current, with: app) }
        for curve in curves.indices { curves[curve].fade() }
        let place = insertionPlace(of: app)
        if place == records.count || records[place].app != app { insert(Record(app: app), at: place) }
        switches += 1
        for curve in curves.indices { curves[curve].add(Self.one, at: place) }
        records[place].lastSwitch = switches
        current = app
    }

    /// The device went down: whatever is used next follows nothing.
    package mutating func wentDown() { current = nil }

    /// The app is no longer installed.
    package mutating func forget(_ app: AppIndex) {
        if let place = place(of: app) {
            for curve in curves.indices { curves[curve].remove(at: place, of: records.count) }
            records.remove(at: place)
        }
        for place in records.indices { records[place].successors.removeAll { $0.app == app } }
        if current == app { current = nil }
    }

    private mutating func follow(_ app: AppIndex, with next: AppIndex) {
        guard let place = place(of: app) else { return }
        var isKnown = false
        for index in records[place].successors.indices {
            let share = records[place].successors[index].share
            records[place].successors[index].share = share - share / 3
            if records[place].successors[index].app == next {
                records[place].successors[index].share += Self.third
                isKnown = true
            }
        }
        records[place].successors.removeAll { $0.share < Self.leastShare }
        if !isKnown { records[place].successors.append(Successor(app: next, share: Self.third)) }
    }

    // MARK: Telling

    /// The number of the last switch to the app; zero for one that was never used.
    package func lastSwitch(to app: AppIndex) -> UInt64 { place(of: app).map { records[$0].lastSwitch } ?? 0 }

    /// How likely each of the apps is to be used next, never zero. Habit weighs twice as much as succession, so for all
    /// but the one in use it comes to one and a half at most.
    package func likelihoods(of apps: [AppIndex]) -> [UInt64] {
        // The app that is being used is not turned to.
        let habits = habits
        var total: UInt64 = 0
        for place in records.indices where records[place].app != current { total += habits[place] }
        total = max(1, total)
        let successors = current.flatMap { place(of: $0) }.map { records[$0].successors } ?? []
        return apps.map { app in
            guard let place = place(of: app) else { return 1 }
            let habit = min(Self.one, habits[place] * Self.one / total)
            let succession = successors.first { $0.app == app }?.share ?? 0
            return 1 + habit + succession / 2
        }
    }

    /// By place; each below 2⁴⁰, since no curve adds up to more than 1478 uses.
    private var habits: [UInt64] {
        var habits = [UInt64](repeating: 0, count: records.count)
        for (curve, weight) in zip(curves, Self.weights) { curve.weigh(weight, into: &habits) }
        return habits
    }

    private func insertionPlace(of app: AppIndex) -> Int {
        // Where every app was used, an app's number is its place.
        if app.rawValue < records.count, records[Int(app.rawValue)].app == app { return Int(app.rawValue) }
        var (low, high) = (0, records.count)
        while low < high {
            let middle = (low + high) / 2
            if records[middle].app < app { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func place(of app: AppIndex) -> Int? {
        let place = insertionPlace(of: app)
        return place < records.count && records[place].app == app ? place : nil
    }

    private mutating func insert(_ record: Record, at place: Int) {
        for curve in curves.indices { curves[curve].insert(at: place, of: records.count) }
        records.insert(record, at: place)
    }
}

// MARK: In checkpoints

// Each record with its uses, as checkpoints always had them.
extension UsageHistory: Codable {
    private struct Stored: Codable {
        let app: AppIndex
        let lastSwitch: UInt64
        let uses: SIMD4<UInt64>
        let successors: [Successor]
    }

    private static let mostUses = 1478 * one

    private enum CodingKeys: String, CodingKey { case records, current, switches }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        for stored in try container.decode([Stored].self, forKey: .records) {
            let place = records.count
            insert(
                Record(app: stored.app, lastSwitch: stored.lastSwitch, successors: stored.successors), at: place)
            // A damaged file may say more than can add up.
            for curve in curves.indices { curves[curve].add(min(stored.uses[curve], Self.mostUses), at: place) }
        }
        current = try container.decodeIfPresent(AppIndex.self, forKey: .current)
        switches = try container.decode(UInt64.self, forKey: .switches)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let stored = records.indices.map { place in
            Stored(
                app: records[place].app, lastSwitch: records[place].lastSwitch,
                uses: SIMD4(curves[0][place], curves[1][place], curves[2][place], curves[3][place]),
                successors: records[place].successors)
        }
        try container.encode(stored, forKey: .records)
        try container.encodeIfPresent(current, forKey: .current)
        try container.encode(switches, forKey: .switches)
    }
}
