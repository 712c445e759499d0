internal import Model

/// Gives some storms a small disk, and apps that fill it. It draws numbers of its own, so that what else a seed makes
/// stays the same.
enum StormDisk {
    static func add(to scenario: inout Scenario) {
        var random = SplitMix64(seed: scenario.seed, for: 0xd15c)
        guard random.oneIn(3) else { return }
        func bytes(_ most: Int) -> Int64 { Int64(1 + random.below(most)) << 20 }
        scenario.disk = (128 << 20) + bytes(1024)
        let names = scenario.apps.map(\.name)
        var steps: [Scenario.Step] = []
        for step in scenario.steps {
            steps.append(step)
            guard random.oneIn(6), let name = random.pick(names) else { continue }
            let write = AppAction.write(bytes: bytes(random.oneIn(4) ? 600 : 60), isCache: random.oneIn(2))
            steps.append(Scenario.Step(at: step.at, .input(.app(name, write))))
        }
        scenario.steps = steps
    }
}
