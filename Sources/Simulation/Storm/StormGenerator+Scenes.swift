internal import Model

/// Gives some of a storm's apps scenes. It draws numbers of its own, so that what else a seed makes stays the same.
struct StormScenes {
    private var random: SplitMix64
    private let names: [String]

    static func add(to scenario: inout Scenario) {
        var random = SplitMix64(seed: scenario.seed, for: 0x5ce7e)
        guard !random.oneIn(3) else { return }
        var names: [String] = []
        for place in scenario.apps.indices where scenario.apps[place].manifest.kind != .plain && !random.oneIn(3) {
            scenario.apps[place].manifest.scenes = random.oneIn(4) ? .one : .several
            names.append(scenario.apps[place].name)
        }
        guard !names.isEmpty else { return }
        var maker = StormScenes(random: random, names: names)
        for place in scenario.apps.indices where names.contains(scenario.apps[place].name) {
            maker.teach(&scenario.apps[place])
        }
        maker.live(&scenario)
    }

    private init(random: SplitMix64, names: [String]) {
        self.random = random
        self.names = names
    }

    private mutating func number() -> SceneNumber { SceneNumber(UInt32(1 + random.below(4))) }

    private mutating func role() -> ScreenRole { random.pick(ScreenRole.allCases) ?? .primary }

    private mutating func action() -> AppAction {
        random.oneIn(3) ? .destroyScene(number()) : .activateScene(random.oneIn(2) ? nil : number())
    }

    /// What an app does when one of its scenes hears something.
    private mutating func teach(_ app: inout AppScript) {
        if random.oneIn(4) {
            app.callbackTimes[.scene] = .milliseconds(Int64(random.below(random.oneIn(8) ? 6_000 : 200)))
        }
        if random.oneIn(6) {
            app.reactions[.scene, default: []].append(
                .after(.milliseconds(Int64(random.below(60_000))), action()))
        }
    }

    /// Beside what the person does anyway: after every seventh step, about.
    private mutating func live(_ scenario: inout Scenario) {
        var steps: [Scenario.Step] = []
        for step in scenario.steps {
            steps.append(step)
            guard case .input = step.action, random.oneIn(7) else { continue }
            steps.append(Scenario.Step(at: step.at, happening(to: random.pick(names) ?? "")))
        }
        scenario.steps = steps
    }

    private mutating func happening(to app: String) -> Scenario.Action {
        switch random.below(10) {
        case 0...3: .input(.openScene(app, nil, role: random.oneIn(2) ? .primary : role()))
        case 4...6: .input(.openScene(app, number(), role: random.oneIn(2) ? .primary : role()))
        case 7: .input(.closeScene(app, number()))
        case 8: .fault(.hang(app, .scene))
        default: .input(.app(app, action()))
        }
    }
}
