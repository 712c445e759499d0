import Host
import Model
import PolicyCore
import Simulation

/// A device in virtual time, of which every event goes through the daemon's own journal.
struct RecordedStorm {
    let scenario: Scenario

    init(seed: UInt64, length: Span) { scenario = StormGenerator.scenario(seed: seed, length: length) }

    /// Returns what went wrong.
    func play(in folder: String, segment bytes: Int) throws -> [String] {
        let run = ScenarioRun(scenario)
        var limits = Journal.Limits()
        limits.segment = bytes
        let journal = try RecordedDevice(of: scenario.profile, in: folder, limits: limits)
        var problems: [String] = []
        run.device.observer = { event, effects in
            do {
                switch event {
                case .adopted: try journal.takeOver()
                case .clockChanged where journal.events > 0 && run.device.system.allApps.isEmpty:
                    try journal.beginSystem()
                default: break
                }
            } catch {
                problems.append("\(event): \(error)")
            }
            if journal.record(event, at: run.device.now) != effects { problems.append("\(event) has other effects") }
        }
        let failures = run.run()
        // The next daemon cuts off the space behind the last record.
        try journal.takeOver()
        return failures.map(\.text) + problems
    }
}
