internal import Model

/// Apps that compute, load and draw in one storm of four. Drawn from numbers of its own, so that everything else of a
/// storm is as it is without them.
struct StormUsage {
    private var random: SplitMix64

    static func add(to scenario: inout Scenario) {
        var storm = StormUsage(random: SplitMix64(seed: scenario.seed, for: 0xb057))
        guard storm.random.oneIn(4) else { return }
        for place in scenario.apps.indices where storm.random.oneIn(2) { storm.teach(&scenario.apps[place]) }
        let names = scenario.apps.map(\.name)
        let last = scenario.steps.last?.at ?? .zero
        // Calm is at the end.
        let busy = Span(nanoseconds: max(0, last.nanoseconds - 1))
        let steps = (0..<max(8, scenario.steps.count / 10)).map { _ in
            Scenario.Step(
                at: storm.random.span(.zero, busy), .input(.app(storm.random.pick(names) ?? "", storm.action())))
        }
        scenario.steps = (scenario.steps + steps).enumerated()
            .sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    private mutating func action() -> AppAction {
        switch random.below(5) {
        case 0, 1: .work(.milliseconds(Int64(random.below(random.oneIn(4) ? 120_000 : 3_000))))
        case 2: .useGPU
        default: .transfer(bytes: Int64(1 + random.below(random.oneIn(4) ? 200 : 5)) << 20)
        }
    }

    /// Most draw only on screen, as they should.
    private mutating func teach(_ app: inout AppScript) {
        app.reactions[.didBecomeActive, default: []].append(action())
        guard random.oneIn(3) else { return }
        let later = Span.milliseconds(Int64(random.below(60_000)))
        app.reactions[.didEnterBackground, default: []].append(.after(later, action()))
    }
}
