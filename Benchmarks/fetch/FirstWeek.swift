internal import Model
internal import PolicyCore
internal import Simulation

/// The first week with a device that knows nothing of its user: apps fetch from when they are opened first.
struct FirstWeek {
    private let days: FetchDays
    private let costs: FetchCosts

    init(_ trace: UsageTrace, _ costs: FetchCosts) {
        days = FetchDays(trace, first: .seconds(7 * 86_400))
        self.costs = costs
    }

    func text(_ name: String) -> String {
        let hour = Span.seconds(3600)
        let schedules: [(String, FetchOutcome)] = [
            ("every 1 h", FetchSchedules.polled(days, costs, every: hour)),
            ("every 2 h", FetchSchedules.polled(days, costs, every: hour * 2)),
            ("without a prior, 40 J", planned(.joules(40)) { $0.prior = nil }),
            ("ours, 40 J", planned(.joules(40)) { _ in }),
        ]
        let rows = schedules.map { name, outcome in
            [
                name, Text.percent(outcome.share), String(outcome.fetches), String(outcome.batches),
                Text.joules(outcome.energy),
            ]
        }
        return "\(name), the first week, \(costs.radio.name): \(days.visitCount) visits\n"
            + Text.table([["", "fresh", "fetches", "wakings", "J"]] + rows)
    }

    private func planned(_ worth: Energy, _ change: (inout FetchRules) -> Void) -> FetchOutcome {
        var rules = FetchRules()
        rules.worth = worth
        (rules.usualSent, rules.usualReceived, rules.usualLength) = (costs.sent, costs.received, costs.length)
        change(&rules)
        return FetchSchedules.planned(days, costs, rules)
    }
}
