import AudioCore
import AudioSimulation
import Model
import Simulation
import Testing

@Suite("Storms with audio")
struct AudioStormTests {
    private static let models = ServiceModels(["audio": SimulatedAudio.self])

    @Test("Players, people and deaths leave nothing broken, and everything comes to rest", arguments: UInt64(1)...60)
    func storm(seed: UInt64) {
        let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
        guard scenario.services.contains(where: { $0.model != nil }) else { return }
        let run = ScenarioRun(scenario, models: Self.models)
        #expect(run.run().map(\.text) == [])
    }

    @Test("They hold plays, recordings, interruptions and wakes")
    func holds() {
        var (plays, recordings, interruptions, wakes) = (UInt64(0), 0, 0, 0)
        for seed in UInt64(21)...40 {
            let scenario = StormGenerator.scenario(seed: seed, length: .seconds(7200), models: Self.models)
            let run = ScenarioRun(scenario, models: Self.models)
            run.run()
            plays += run.device.logic("audio", as: SimulatedAudio.self)?.system.device.plays ?? 0
            for entry in run.device.log {
                let sentence = entry.reason.sentence
                if sentence.contains("the controls say") || sentence.contains("what interrupted its audio") {
                    wakes += 1
                }
            }
            for step in scenario.steps {
                switch step.action {
                case .input(.tellService("audio", "interruption begins")): interruptions += 1
                case .input(.app(_, .ask("audio", "record"))): recordings += 1
                default: continue
                }
            }
        }
        let seen = "\(plays) plays, \(recordings) recordings, \(interruptions) interruptions, \(wakes) wakes"
        #expect(plays > 20 && recordings > 0 && interruptions > 20 && wakes > 5, "\(seen)")
    }
}
