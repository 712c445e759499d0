internal import Commands
internal import Foundation
internal import ScenarioText
internal import Simulation
internal import Wire

/// Runs scenario files, one after another.
struct ScenarioSession {
    var seed: UInt64?
    var trace: String?
    var isJSON = false

    func run(_ arguments: [String], in context: CommandContext) throws(CommandFailure) {
        var results: [ScenarioResult] = []
        let writer = try trace.map { path throws(CommandFailure) in try TraceFile(path) }
        for path in try Self.files(arguments, in: context) {
            let result = run(path, writer)
            if !isJSON { context.write(result.text(context.style)) }
            results.append(result)
        }
        try writer?.close()
        let failed = results.count { !$0.passed }
        if isJSON {
            context.print(
                json: [
                    "scenarios": .array(results.map(\.json)), "passed": .int(Int64(results.count - failed)),
                    "failed": .int(Int64(failed)),
                ])
        } else if results.count > 1 {
            context.print("\(results.count - failed) passed, \(failed) failed")
        }
        if failed > 0 { throw .failed("\(failed) of \(results.count) scenarios failed") }
    }

    private func run(_ path: String, _ trace: TraceFile?) -> ScenarioResult {
        do throws(ScenarioErrors) {
            let scenario = try ScenarioReader.read(path: path)
            let run = ScenarioRun(scenario, seed: seed, models: .all)
            trace?.begin(path, run)
            let failures = run.run()
            return ScenarioResult(file: path, run: run, failures: failures)
        } catch {
            return ScenarioResult(file: path, mistakes: error)
        }
    }

    /// The files that the arguments mean; those of a folder in the order of their names.
    static func files(_ arguments: [String], in context: CommandContext) throws(CommandFailure) -> [String] {
        var files: [String] = []
        for argument in arguments {
            let full = URL(fileURLWithPath: argument, relativeTo: URL(fileURLWithPath: context.workingDirectory)).path
            guard FileManager.default.fileExists(atPath: full) else {
                throw .failed("\(argument): there is no such file or folder")
            }
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: full) else {
                files.append(argument)
                continue
            }
            let scenarios = names.filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.sorted()
            guard !scenarios.isEmpty else { throw .failed("\(argument): no file in it ends in .yaml or .yml") }
            let folder = argument.hasSuffix("/") ? argument : argument + "/"
            files += scenarios.map { folder + $0 }
        }
        return files
    }
}
