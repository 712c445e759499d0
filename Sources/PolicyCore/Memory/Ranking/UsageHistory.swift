package import Model

/// What somebody's use of the device tells about which app is used next.
///
/// Two things are kept. *Habit*: how often and how recently each app was used. A use counts less the longer ago it is,
/// by the power law that memory and habits are known to follow: as one over the square root of its age. Age is counted
/// in switches from app to app, so a night is no longer than a minute. *Succession*: which apps followed each lately.
///
/// In whole numbers throughout: the same uses give the same history on every machine.
package struct UsageHistory: Hashable, Sendable, Codable {
    /// What one use counts for, and a likelihood of one.
    package static let one: UInt64 = 1 << 20

    private struct Record: Hashable, Codable {
        let app: AppIndex
        /// The number of the last switch to it.
        var lastSwitch: UInt64 = 0
        /// Its uses, each fading with one of four half-lives.
        var uses = SIMD4<UInt64>()
        /// What followed it, with what share; together one at most.
        var successors: [Successor] = []
    }

    private struct Successor: Hashable, Codable {
        let app: AppIndex
        var share: UInt64
    }

    /// In the order of the apps' indices.
    private var records: [Record] = []
    /// The app that is being used.
    private var current: AppIndex?
    /// How many switches there were.
    package private(set) var switches: UInt64 = 0

    package init() {}

    // MARK: Learning

    /// What is left of a use after one switch, in parts of 2³²: half-lives of 2, 16, 128 and 1024 switches.
    private static let fading = SIMD4<UInt64>(3_037_000_500, 4_112_874_773, 4_271_771_996, 4_292_061_010)
    /// Weights as one over the square root of the half-lives: the four curves together follow the power law closely.
    private static let weights = SIMD4<UInt64>(5793, 2048, 724, 256)
    /// What followed an app's last use takes a third of all; that of ten uses ago has a hundredth.
    private static let third = one / 3
    /// A share below this is forgotten, so no app has more than ten successors.
    private static let leastShare = one / 128

    /// Somebody turned to the app. Turning to the one that is being used already tells nothing.
    package mutating func used(_ app: AppIndex) {
        guard app != current else { return }
        if let current { follow(current, with: app) }
        // Of every app, so by its parts: what the vector's operators do is not inlined.
        let fading = Self.fading
        for place in records.indices {
            let uses = records[place].uses
            records[place].uses = SIMD4(
                (uses.x &* fading.x) >> 32, (uses.y &* fading.y) >> 32, (uses.z &* fading.z) >> 32,
                (uses.w &* fading.w) >> 32)
        }
        let place = insertionPlace(of: app)
        if place == records.count || records[place].app != app { records.insert(Record(app: app), at: place) }
        switches += 1
        records[place].uses &+= SIMD4(repeating: Self.one)
        records[place].lastSwitch = switches
        current = app
    }

    /// The device went down: whatever is used next follows nothing.
    package mutating func wentDown() { current = nil }

    /// The app is no longer installed.
    package mutating func forget(_ app: AppIndex) {
        records.removeAll { $0.app == app }
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
        let total = max(1, records.reduce(0) { $1.app == current ? $0 : $0 + Self.habit($1.uses) })
        let successors = current.flatMap { place(of: $0) }.map { records[$0].successors } ?? []
        return apps.map { app in
            guard let place = place(of: app) else { return 1 }
            let habit = min(Self.one, Self.habit(records[place].uses) * Self.one / total)
            let succession = successors.first { $0.app == app }?.share ?? 0
            return 1 + habit + succession / 2
        }
    }

    /// Below 2⁴⁰, since no curve adds up to more than 1478 uses.
    private static func habit(_ uses: SIMD4<UInt64>) -> UInt64 { (uses &* weights).wrappedSum() }

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
}
