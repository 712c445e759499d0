internal import Model

/// Some apps of a storm choose how long their connections stand. It draws numbers of its own, so that what else a seed
/// makes stays the same.
enum StormConnections {
    static func add(to scenario: inout Scenario) {
        var random = SplitMix64(seed: scenario.seed, for: 0xc0_77ec7)
        for i in scenario.apps.indices where random.oneIn(4) {
            scenario.apps[i].manifest.connectionLimit = random.pick([
                .zero, .milliseconds(1), .seconds(20), .seconds(900),
            ])
        }
    }
}
