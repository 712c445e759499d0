internal import Commands
internal import Model
internal import ScenarioText
internal import Simulation
internal import Wire

/// What came of a scenario file, for people and as JSON.
struct ScenarioResult {
    let file: String
    private let outcome: Outcome

    private enum Outcome {
        case ran(ScenarioRun, [ScenarioRun.Failure])
        case unreadable(ScenarioErrors)
    }

    init(file: String, run: ScenarioRun, failures: [ScenarioRun.Failure]) {
        self.file = file
        outcome = .ran(run, failures)
    }

    init(file: String, mistakes: ScenarioErrors) {
        self.file = file
        outcome = .unreadable(mistakes)
    }

    var passed: Bool {
        switch outcome {
        case .ran(_, let failures): failures.isEmpty
        case .unreadable: false
        }
    }

    // MARK: For people

    func text(_ style: Style) -> String {
        switch outcome {
        case .unreadable(let mistakes):
            return "\(style(.red, "FAILED"))  \(Visible.line(file))\n\(Visible.lines(mistakes.description))\n"
        case .ran(let run, let failures):
            let size = "\(Self.length(run.device.elapsed)), \(run.device.eventCount) events"
            guard !failures.isEmpty else {
                return "\(style(.green, "ok"))      \(Visible.line(run.scenario.name)) \(style(.dim, "(\(size))"))\n"
            }
            var text = "\(style(.red, "FAILED"))  \(Visible.line(run.scenario.name)) \(style(.dim, "(\(size))"))\n"
            for failure in failures { text += Self.text(failure, file, run) }
            text += "  seed \(run.device.seed); again: greenroom run \(Visible.line(file)) --seed \(run.device.seed)\n"
            return text
        }
    }

    static func text(_ failure: ScenarioRun.Failure, _ file: String, _ run: ScenarioRun) -> String {
        let place = failure.line.map { "\(file):\($0): " } ?? ""
        var text = "  \(Visible.line(place + "at \(time(failure.at)): \(failure.text)"))\n"
        for (number, entry) in failure.chain.enumerated() {
            let lead = number == 0 ? "the last that led there" : "which came from"
            text += "  \(String(repeating: "  ", count: number + 1))\(lead): \(Visible.line(sentence(entry, run)))\n"
        }
        return text
    }

    private static func sentence(_ entry: Model.LogEntry, _ run: ScenarioRun) -> String {
        let subject = entry.app.map { run.device.name(of: $0) + " " } ?? ""
        return "\(subject)\(entry.event.name), because \(entry.reason.sentence)"
    }

    /// Seconds with three digits, enough to find the moment in a trace.
    private static func time(_ span: Span) -> String {
        let milliseconds = span.nanoseconds / 1_000_000
        let rest = String(milliseconds % 1000)
        return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest) s"
    }

    private static func length(_ span: Span) -> String {
        let seconds = span.nanoseconds / 1_000_000_000
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    // MARK: As JSON

    var json: JSONValue {
        switch outcome {
        case .unreadable(let mistakes):
            return [
                "file": .string(file), "passed": false,
                "mistakes": .array(
                    mistakes.errors.map { mistake in
                        [
                            "line": .int(Int64(mistake.line)), "column": .int(Int64(mistake.column)),
                            "problem": .string(mistake.problem), "expected": .string(mistake.expected),
                        ]
                    }),
            ]
        case .ran(let run, let failures):
            return [
                "file": .string(file), "name": .string(run.scenario.name), "passed": .bool(failures.isEmpty),
                "seed": .string(String(run.device.seed)), "virtualSeconds": .double(run.device.elapsed.seconds),
                "events": .int(Int64(run.device.eventCount)),
                "failures": .array(failures.map { Self.json($0, run) }),
            ]
        }
    }

    static func json(_ failure: ScenarioRun.Failure, _ run: ScenarioRun) -> JSONValue {
        [
            "at": .double(failure.at.seconds), "text": .string(failure.text),
            "line": failure.line.map { .int(Int64($0)) } ?? .null,
            "kind": failure.kind == .expectation ? "expectation" : "invariant",
            "because": .array(
                failure.chain.map { entry in
                    [
                        "seq": .int(Int64(clamping: entry.sequence.rawValue)),
                        "app": entry.app.map { .string(run.device.name(of: $0)) } ?? .null,
                        "event": .string(entry.event.name), "reason": .string(entry.reason.sentence),
                        "at": .string(entry.at.iso8601),
                    ]
                }),
        ]
    }
}
