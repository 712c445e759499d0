package import Model

/// What fetching is taken to cost.
package struct FetchCosts: Hashable, Sendable {
    package var radio = RadioModel.threeG
    package var link = Link.threeG
    /// Of one fetch.
    package var sent: Int64 = 2_000
    package var received: Int64 = 30_000
    /// Of what else wakes the radio.
    package var traffic: Int64 = 1_000

    package init() {}

    /// The time that the bytes of one fetch take.
    package var length: Span { length(sent: sent, received: received) }

    private func length(sent: Int64, received: Int64) -> Span {
        let up = sent.scaled(by: 1_000_000_000, over: link.sentBytesPerSecond)
        let down = received.scaled(by: 1_000_000_000, over: link.receivedBytesPerSecond)
        return Span(nanoseconds: up + down)
    }

    /// So many fetches, one after the other.
    package func fetches(_ count: Int, at moment: Instant) -> RadioTransfer {
        let count = Int64(count)
        return RadioTransfer(
            at: moment, lasts: link.latency + length * count, sent: sent * count, received: received * count)
    }

    package func traffic(at moment: Instant) -> RadioTransfer {
        RadioTransfer(
            at: moment, lasts: link.latency + length(sent: 0, received: traffic), received: traffic)
    }
}

/// What came of fetching by some schedule.
package struct FetchOutcome: Hashable, Sendable {
    /// Openings of apps that were not on screen in the hour before: all others find fresh what was seen then.
    package var visits = 0
    /// Those that found what was fetched in the hour before.
    package var fresh = 0
    package var fetches = 0
    /// How often some went together.
    package var batches = 0
    /// What the radio spent beyond what it would have spent anyway.
    package var energy = Energy.zero

    package var share: Double { visits == 0 ? 0 : Double(fresh) / Double(visits) }

    package init() {}
}

/// Counts what a schedule came to.
struct FetchTally {
    private let days: FetchDays
    private let costs: FetchCosts
    private let freshness: Span
    private var radio: RadioTimeline
    private var nextTraffic = 0
    private var ends: [[Instant]]
    private var outcome = FetchOutcome()

    init(_ days: FetchDays, _ costs: FetchCosts, freshness: Span = .seconds(3600)) {
        self.days = days
        self.costs = costs
        self.freshness = freshness
        radio = RadioTimeline(costs.radio)
        ends = days.apps.map { _ in [] }
    }

    mutating func radio(at moment: Instant) -> RadioState {
        passTraffic(until: moment)
        return RadioState(radio, at: moment)
    }

    /// These fetch together, in this order; returns when each has ended. Never earlier than the batch before.
    mutating func fetch(_ apps: [Int], at moment: Instant) -> [Instant] {
        guard !apps.isEmpty else { return [] }
        passTraffic(until: moment)
        let end = radio.add(costs.fetches(apps.count, at: moment))
        outcome.batches += 1
        outcome.fetches += apps.count
        return apps.enumerated().map { number, app in
            let own = end + (Span.zero - costs.length * Int64(apps.count - 1 - number))
            ends[app].append(own)
            return own
        }
    }

    private mutating func passTraffic(until moment: Instant) {
        while nextTraffic < days.traffic.count, days.traffic[nextTraffic] <= moment {
            radio.add(costs.traffic(at: days.traffic[nextTraffic]))
            nextTraffic += 1
        }
    }

    mutating func finish() -> FetchOutcome {
        passTraffic(until: days.end)
        let anyway = costs.radio.energy(of: days.traffic.map { costs.traffic(at: $0) })
        outcome.energy = radio.energy - anyway
        for app in days.apps.indices {
            let fetched = ends[app].sorted()
            var next = 0
            for visit in days.visits(app, after: freshness) {
                while next < fetched.count, fetched[next] <= visit { next += 1 }
                outcome.visits += 1
                if next > 0, visit - fetched[next - 1] <= freshness { outcome.fresh += 1 }
            }
        }
        return outcome
    }
}
