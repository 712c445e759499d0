internal import Commands
internal import Recording
internal import ReplayCommands
internal import ScenarioText
internal import Simulation

/// `--as-scenario`: the scenario on standard output, and beside it what is not the same when it runs.
enum ScenarioPrinter: ScenarioMaking {
    static func printScenario(of path: String, in context: CommandContext) throws(CommandFailure) {
        let scenario: Scenario
        do throws(RecordingError) {
            let files = try RecordingFiles(context.absolute(path))
            scenario = try ScenarioMaker.scenario(of: files, named: "What \(path) recorded")
        } catch {
            throw .failed(error.description)
        }
        let header = [
            "Made by greenroom replay --as-scenario. A recording tells what reached the daemon; what apps did within is",
            "guessed from that.",
        ]
        context.write(ScenarioWriter.text(of: scenario, header: header))
        let failures = ScenarioRun(scenario, models: .all).run()
        guard !failures.isEmpty else { return }
        let differences = failures.map { "  \($0.text)" }.joined(separator: "\n")
        context.note("in virtual time it does not come out quite as it was recorded:\n\(differences)")
    }
}
