import Model
import NotificationsSimulation
import Simulation
import Testing

@Suite("Storms with notifications and pushes")
struct NotificationStormTests {
    private static let models = ServiceModels(["notifications": SimulatedNotifications.self])

    @Test("Providers, people and deaths leave nothing broken, and everything comes to rest", arguments: UInt64(1)...60)
    func storm(seed: UInt64) {
        let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
        guard scenario.services.contains(where: { $0.model != nil }) else { return }
        let run = ScenarioRun(scenario, models: Self.models)
        #expect(run.run().map(\.text) == [])
    }

    @Test("They hold pushes, openings by notifications and answers")
    func holds() {
        var (wakes, openings) = (0, 0)
        for seed in UInt64(1)...40 {
            let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
            let run = ScenarioRun(scenario, models: Self.models)
            run.run()
            for entry in run.device.log {
                let sentence = entry.reason.sentence
                if sentence.contains("for a push") || sentence.contains("of a push:") { wakes += 1 }
                if entry.reason.sentence.contains("the user tapped a notification") { openings += 1 }
            }
        }
        #expect(wakes > 30 && openings > 0, "\(wakes) \(openings)")
    }
}
