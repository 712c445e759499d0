internal import Commands
internal import Dispatch
internal import Foundation
internal import Model
internal import ScenarioText
internal import Simulation
internal import Synchronization
internal import Wire

/// Makes up scenarios from seeds and runs them, as many at a time as there are processors; writes down what fails.
struct StormSession {
    let count: Int
    let seed: UInt64
    let folder: String
    var trace: String?
    var isJSON = false
    var hours = 24

    private func scenario(_ seed: UInt64) -> Scenario {
        StormGenerator.scenario(seed: seed, length: .seconds(Double(hours) * 3600), models: .all)
    }

    /// Shrinking takes thousands of runs; a broken system fails in every storm.
    private static let shrunkAtMost = 3

    struct Outcome: Sendable {
        var seed: UInt64
        var events: Int
        var virtual: Span
        var failure: String?
        var at: Span?
    }

    func run(in context: CommandContext) throws(CommandFailure) {
        if trace != nil, count != 1 { throw .misuse("--trace writes down one storm: use it with --storm 1") }
        let started = context.clock.now()
        let outcomes = trace == nil ? runAll() : [try runTraced()]
        let failed = outcomes.filter { $0.failure != nil }
        var files: [UInt64: String] = [:]
        for outcome in failed.prefix(Self.shrunkAtMost) {
            let moment = outcome.at?.text ?? ""
            context.note("storm \(outcome.seed) failed at \(moment): \(outcome.failure ?? ""); it is being made small")
            files[outcome.seed] = try write(outcome)
        }
        let seconds = Double(context.clock.now().nanoseconds - started.nanoseconds) / 1e9
        if isJSON {
            context.print(json: json(outcomes, files, seconds))
        } else {
            context.write(text(outcomes, files, seconds, context.style))
        }
        if !failed.isEmpty { throw .failed("\(failed.count) of \(count) storms failed") }
    }

    private func runAll() -> [Outcome] {
        let outcomes = Mutex<[Int: Outcome]>([:])
        let next = Atomic<Int>(0)
        let workers = min(count, ProcessInfo.processInfo.activeProcessorCount)
        DispatchQueue.concurrentPerform(iterations: workers) { _ in
            while true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                guard number < count else { return }
                let outcome = run(seed &+ UInt64(number))
                outcomes.withLock { $0[number] = outcome }
            }
        }
        return outcomes.withLock { results in (0..<count).compactMap { results[$0] } }
    }

    private func run(_ seed: UInt64, _ prepare: (ScenarioRun) -> Void = { _ in }) -> Outcome {
        let run = ScenarioRun(scenario(seed), models: .all)
        prepare(run)
        let failure = run.run().first
        return Outcome(
            seed: seed, events: run.device.eventCount, virtual: run.device.elapsed, failure: failure?.text,
            at: failure?.at)
    }

    private func runTraced() throws(CommandFailure) -> Outcome {
        let file = try TraceFile(trace ?? "")
        let outcome = run(seed) { file.begin("storm", $0) }
        try file.close()
        return outcome
    }

    /// Makes the failing storm small and writes it as a scenario that runs by itself.
    private func write(_ outcome: Outcome) throws(CommandFailure) -> String {
        let small = Shrinker.shrink(scenario(outcome.seed), models: .all)
        let path = (folder.hasSuffix("/") ? folder : folder + "/") + "storm-\(outcome.seed).yaml"
        let text = ScenarioWriter.text(
            of: small,
            header: [
                "A storm that failed, made as small as it still fails: greenroom run --storm 1 --seed \(outcome.seed)"
                    + (hours == 24 ? "" : " --hours \(hours)"),
                outcome.failure ?? "",
            ])
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .failed("\(path) cannot be written: \(error.localizedDescription)")
        }
        return path
    }

    // MARK: Results

    private func text(_ outcomes: [Outcome], _ files: [UInt64: String], _ seconds: Double, _ style: Style) -> String {
        var text = ""
        for outcome in outcomes where outcome.failure != nil {
            text += "\(style(.red, "FAILED"))  storm \(outcome.seed), at \(outcome.at?.text ?? ""): "
            text += Visible.line(outcome.failure ?? "") + "\n"
            if let file = files[outcome.seed] { text += "  made small: greenroom run \(file)\n" }
        }
        let events = outcomes.reduce(0) { $0 + $1.events }
        let days = outcomes.reduce(0.0) { $0 + $1.virtual.seconds } / 86_400
        let failed = outcomes.count { $0.failure != nil }
        text += "\(outcomes.count - failed) storms passed, \(failed) failed; \(events) events, at least "
        text += "\(outcomes.map(\.events).min() ?? 0) a storm, "
        text += "\(rounded(days)) days of virtual time in \(rounded(seconds)) s\n"
        return text
    }

    private func rounded(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private func json(_ outcomes: [Outcome], _ files: [UInt64: String], _ seconds: Double) -> JSONValue {
        let failed = outcomes.filter { $0.failure != nil }
        return [
            "storms": .int(Int64(outcomes.count)), "seed": .string(String(seed)),
            "events": .int(Int64(outcomes.reduce(0) { $0 + $1.events })),
            "fewestEvents": .int(Int64(outcomes.map(\.events).min() ?? 0)),
            "virtualSeconds": .double(outcomes.reduce(0.0) { $0 + $1.virtual.seconds }), "seconds": .double(seconds),
            "failed": .array(
                failed.map { outcome in
                    [
                        "seed": .string(String(outcome.seed)), "at": .double(outcome.at?.seconds ?? 0),
                        "text": .string(outcome.failure ?? ""),
                        "file": files[outcome.seed].map { .string($0) } ?? .null,
                    ]
                }),
        ]
    }
}
