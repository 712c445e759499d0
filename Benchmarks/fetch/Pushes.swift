internal import Model
internal import NotificationsSimulation
internal import Simulation

/// A month with silent pushes: with and without their budget, and with and without waiting for the radio.
struct Pushes {
    private let month: PushMonth

    init(_ trace: UsageTrace) { month = PushMonth(trace) }

    func text(_ name: String) -> String {
        let outcomes = PushMonth.Way.allCases.map { ($0, month.run($0)) }
        let anyway = outcomes.first { $0.0 == .none }?.1.energy ?? .zero
        let rows = outcomes.map { way, outcome in
            [
                way.title, String(outcome.sent), String(outcome.waits.count), String(outcome.wakings),
                Text.joules(outcome.energy), Text.joules(outcome.energy - anyway),
            ] + [0.5, 0.9, 0.99, 1].map { Text.minutes(outcome.wait($0)) }
        }
        let head = [
            "silent pushes", "sent", "wake an app", "radio wakes", "J", "J for them", "wait p50", "p90", "p99",
            "longest",
        ]
        let faults = outcomes.flatMap(\.1.violations)
        return "\(name), \(month.pushesADay) silent pushes a day, 3G\n" + Text.table([head] + rows)
            + faults.prefix(3).map { "\nfault: \($0)" }.joined()
    }
}

extension PushMonth.Way {
    fileprivate var title: String {
        switch self {
        case .none: "none of them"
        case .atOnce: "each at once"
        case .budget: "with the budget"
        case .alignment: "each waits for the radio"
        case .both: "both, as shipped"
        }
    }
}

extension Text {
    /// Of a span, in the unit that suits it.
    static func minutes(_ span: Span) -> String {
        span < .seconds(120) ? decimals(span.seconds, 1) + " s" : decimals(span.seconds / 60, 1) + " min"
    }
}
