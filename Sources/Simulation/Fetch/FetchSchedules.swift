package import Model
package import PolicyCore

/// Ways to decide when apps fetch, each played on the same days. An app that is on screen is not fetched for: whatever
/// falls into that time waits until it is left.
package enum FetchSchedules {
    /// By the planner, which learns as the days go by, and knows nothing of what comes.
    package static func planned(_ days: FetchDays, _ costs: FetchCosts, _ rules: FetchRules) -> FetchOutcome {
        var run = PlannedRun(days, costs, rules)
        return run.play()
    }

    /// All apps every so often, all at the same moments: the cheapest way to poll.
    package static func polled(_ days: FetchDays, _ costs: FetchCosts, every interval: Span) -> FetchOutcome {
        var batches: [Instant: [Int]] = [:]
        var moment = Instant.zero
        while moment < days.end {
            for app in days.apps.indices where days.asked[app] <= moment {
                batches[days.onScreen(app, at: moment) ?? moment, default: []].append(app)
            }
            moment = moment + interval
        }
        return play(batches, days, costs)
    }

    /// Each app with a timer of its own, as apps have them that know nothing of each other.
    package static func polledApart(_ days: FetchDays, _ costs: FetchCosts, every interval: Span) -> FetchOutcome {
        var batches: [Instant: [Int]] = [:]
        for app in days.apps.indices {
            let part = Int64(app).scaled(by: interval.nanoseconds, over: Int64(days.apps.count))
            var moment = Instant.zero + Span(nanoseconds: part)
            while moment < days.end {
                batches[days.onScreen(app, at: moment) ?? moment, default: []].append(app)
                moment = moment + interval
            }
        }
        return play(batches, days, costs)
    }

    /// With the future known: each visit has a fetch of its own, and all wait for each other, or for a radio that is
    /// awake, as long as they can; where fewer than so many come together, there is none. Close to the least that
    /// energy can be, and not strictly a bound.
    package static func clairvoyant(_ days: FetchDays, _ costs: FetchCosts, leastTogether: Int = 1) -> FetchOutcome {
        let freshness = Span.seconds(3600)
        // Promotion, latency, and the bytes of all that may go before it.
        let lead = (costs.radio.promotion?.lasts ?? .zero) + costs.link.latency + costs.length * Int64(days.apps.count)
        var windows: [(from: Instant, to: Instant, app: Int)] = []
        for app in days.apps.indices {
            for visit in days.visits(app, after: freshness) {
                let to = max(.zero, visit + (Span.zero - lead))
                windows.append((min(max(.zero, visit + (Span.zero - freshness)), to), to, app))
            }
        }
        windows.sort { ($0.to, $0.app) < ($1.to, $1.app) }
        var batches: [Instant: [Int]] = [:]
        var rest = windows[...]
        while let urgent = rest.first {
            let ride = days.traffic.last { $0 >= urgent.from && $0 <= urgent.to }
            let moment = ride ?? urgent.to
            let together = rest.filter { $0.from <= moment }.map(\.app)
            if together.count >= leastTogether { batches[moment, default: []] += together }
            rest.removeAll { $0.from <= moment }
        }
        return play(batches, days, costs)
    }

    private static func play(_ batches: [Instant: [Int]], _ days: FetchDays, _ costs: FetchCosts) -> FetchOutcome {
        var tally = FetchTally(days, costs)
        for (moment, apps) in batches.sorted(by: { $0.key < $1.key }) { _ = tally.fetch(apps, at: moment) }
        return tally.finish()
    }
}

/// The planner's days.
private struct PlannedRun {
    private let days: FetchDays
    private var tally: FetchTally
    private var planner: FetchPlanner
    private var now = Instant.zero
    private var front: Int?
    /// Fetches under way, in the order of their ends.
    private var underWay: [(ends: Instant, app: Int)] = []

    init(_ days: FetchDays, _ costs: FetchCosts, _ rules: FetchRules) {
        self.days = days
        tally = FetchTally(days, costs, freshness: rules.freshness)
        planner = FetchPlanner(rules: rules)
        for app in days.apps.indices where days.asked[app] <= .zero {
            planner.setMinimumInterval(AppIndex(UInt32(app)), .zero)
        }
    }

    mutating func play() -> FetchOutcome {
        look(at: .zero)
        for entry in days.entries {
            passTime(until: entry.at)
            now = entry.at
            let wall = days.wall(entry.at)
            switch entry.kind {
            case .present: planner.userIsPresent(true, at: wall)
            case .absent:
                planner.userIsPresent(false, at: wall)
                front = nil
            case .left:
                if front == entry.app { front = nil }
                if let app = entry.app { planner.left(AppIndex(UInt32(app)), at: wall) }
            case .opened:
                front = entry.app
                guard let app = entry.app else { break }
                planner.opened(AppIndex(UInt32(app)), at: wall, utcOffset: 0)
                if days.asked[app] == entry.at { planner.setMinimumInterval(AppIndex(UInt32(app)), .zero) }
            case .radio: break
            }
            look(at: entry.at)
        }
        return tally.finish()
    }

    /// Fetches end, and the planner looks again when it wanted to.
    private mutating func passTime(until end: Instant) {
        while true {
            let wall = planner.nextLook(at: days.wall(now), radio: tally.radio(at: now))
            let look = wall.map { Instant.zero + ($0 - days.begin) }
            let ends = underWay.first?.ends
            guard let next = [look, ends].compactMap({ $0 }).min(), next < end else { return }
            now = max(now, next)
            if ends == next { endFirst() }
            if look == next { self.look(at: next) }
        }
    }

    private mutating func endFirst() {
        let first = underWay.removeFirst()
        planner.ended(AppIndex(UInt32(first.app)), at: days.wall(first.ends), result: .newData, cost: nil)
    }

    private mutating func look(at now: Instant) {
        let wall = days.wall(now)
        let radio = tally.radio(at: now)
        let apps = planner.due(at: wall, radio: radio).map { Int($0.rawValue) }.filter { $0 != front }
        for app in apps { planner.began(AppIndex(UInt32(app)), at: wall) }
        for (app, end) in zip(apps, tally.fetch(apps, at: now)) { underWay.append((end, app)) }
    }
}
