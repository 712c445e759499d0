import LocationSimulation
import Model
import Simulation
import Testing

@Suite("Storms with location")
struct LocationStormTests {
    private static let models = ServiceModels(["location": SimulatedLocation.self])

    @Test("People who move, and deaths, leave nothing broken, and everything comes to rest", arguments: UInt64(1)...60)
    func storm(seed: UInt64) {
        let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
        guard scenario.services.contains(where: { $0.model != nil }) else { return }
        let run = ScenarioRun(scenario, models: Self.models)
        #expect(run.run().map(\.text) == [])
    }

    @Test("They hold wakes for regions and changes, and satellites that are received and are not")
    func holds() {
        var wakes = 0
        for seed in UInt64(21)...60 {
            let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
            let run = ScenarioRun(scenario, models: Self.models)
            run.run()
            wakes += run.device.log.count { $0.reason.sentence.contains("it is woken for where the device is") }
        }
        #expect(wakes > 5, "\(wakes)")
    }
}
