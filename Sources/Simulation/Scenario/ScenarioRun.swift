package import Model

/// A scenario on its device, from boot to its end.
package final class ScenarioRun {
    package let scenario: Scenario
    package let device: Device
    /// The command of the last input, if that was one.
    package private(set) var lastCommand: CommandID?
    /// Of each app by its name: how many of its calls were compared already.
    package var comparedCalls: [String: Int] = [:]
    var comparedChanges: [String: Int] = [:]
    var comparedWords: [String: Int] = [:]
    package private(set) var failures: [Failure] = []

    package struct Failure: Hashable, Sendable {
        package enum Kind: Hashable, Sendable {
            /// The scenario expected something else.
            case expectation
            /// An invariant or an oracle.
            case violation
        }

        package var kind: Kind
        /// Since boot.
        package var at: Span
        package var text: String
        package var line: Int?
        /// The log entries that led there, the last one first.
        package var chain: [LogEntry]

        package init(kind: Kind, at: Span, text: String, line: Int? = nil, chain: [LogEntry] = []) {
            self.kind = kind
            self.at = at
            self.text = text
            self.line = line
            self.chain = chain
        }
    }

    private let models: ServiceModels

    /// - Parameter models: services that run by the logic of real ones.
    package init(_ scenario: Scenario, seed: UInt64? = nil, models: ServiceModels = ServiceModels()) {
        self.scenario = scenario
        self.models = models
        device = Device(scenario.profile, seed: seed ?? scenario.seed, memory: scenario.memory, disk: scenario.disk)
        device.rates = scenario.rates
    }

    /// Installs, boots, and lets everything happen; what failed.
    @discardableResult
    package func run() -> [Failure] {
        device.declare(scenario.services, models)
        for app in scenario.apps { device.install(app) }
        device.boot()
        let start = device.now
        for step in scenario.steps {
            device.advance(to: start + step.at)
            if !device.violations.isEmpty { break }
            perform(step)
        }
        device.rates = FaultRates()
        device.advance(to: start + max(scenario.duration ?? .zero, scenario.steps.last?.at ?? .zero))
        for violation in device.violations {
            let chain = device.log.last.map(chain(to:)) ?? []
            failures.append(Failure(kind: .violation, at: violation.at - start, text: violation.text, chain: chain))
        }
        if device.violations.isEmpty {
            for expectation in scenario.expectations { judge(expectation.value, line: expectation.line) }
        }
        return failures
    }

    private func perform(_ step: Scenario.Step) {
        switch step.action {
        case .input(let input): lastCommand = device.perform(input) ?? lastCommand
        case .fault(let fault): device.inject(fault)
        case .expect(let expectation): judge(expectation, line: step.line)
        }
    }

    private func judge(_ expectation: Expectation, line: Int?) {
        guard let wrong = explain(expectation) else { return }
        failures.append(
            Failure(
                kind: .expectation, at: device.elapsed, text: wrong.text, line: line,
                chain: wrong.entry.map(chain(to:)) ?? []))
    }

    /// The entries that led to one, itself first: the shortest explanation that the log has.
    package func chain(to entry: LogEntry) -> [LogEntry] {
        var chain = [entry]
        var cause = entry.cause
        while let sequence = cause, let next = self.entry(sequence) {
            chain.append(next)
            cause = next.cause
        }
        return chain
    }

    func entry(_ sequence: LogSequence) -> LogEntry? {
        guard let first = device.log.first?.sequence.rawValue, sequence.rawValue >= first else { return nil }
        let place = Int(sequence.rawValue - first)
        return place < device.log.count ? device.log[place] : nil
    }
}
