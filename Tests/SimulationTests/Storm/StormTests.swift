import Model
import Simulation
import Testing

@Suite("Simulated storms")
struct SimulatedStormTests {
    @Test("A day of faults ends at rest, with every invariant and every oracle satisfied", arguments: 1...30)
    func storm(seed: UInt64) {
        let run = ScenarioRun(StormGenerator.scenario(seed: seed))
        let failures = run.run()
        #expect(failures.map(\.text) == [], "greenroom run --storm 1 --seed \(seed) repeats this storm")
        #expect(run.device.eventCount > 300)
    }

    @Test("A failing run is made as small as it can be, and still fails the same way")
    func shrinking() throws {
        var scenario = StormGenerator.scenario(seed: 8)
        let name = try #require(scenario.apps.first?.name)
        scenario.expectations = [Placed(.never(LogPattern(app: name, event: .terminated)))]
        let end = scenario.steps.last?.at ?? .zero
        for input in [Input.boot, .install(name), .unlock, .open(name, role: .primary)] {
            scenario.steps.append(Scenario.Step(at: end, .input(input)))
        }
        scenario.steps.append(Scenario.Step(at: end + .seconds(100), .fault(.crash(name, signal: 11))))
        let before = try #require(ScenarioRun(scenario).run().first)
        let small = Shrinker.shrink(scenario)
        let after = try #require(ScenarioRun(small).run().first)
        #expect(Shrinker.signature(after.text) == Shrinker.signature(before.text))
        // Something launches it, and something ends it, perhaps another app.
        #expect(small.apps.count <= 2 && small.steps.count <= 3, "\(small)")
    }
}
