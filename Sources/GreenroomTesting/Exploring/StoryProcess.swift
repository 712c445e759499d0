internal import Foundation
internal import Glibc
internal import Testing

/// Runs this test again in a process of its own, which only tells stories: one that crashes or hangs ends nothing else.
@MainActor
final class StoryProcess {
    /// What came of it.
    struct Outcome {
        /// The stories that were told to their end.
        var told = 0
        /// The one that failed: its number, its steps with whether each was refused, and how.
        var failed: (attempt: Int, steps: [(step: StoryStep, isRefused: Bool)], failure: Failure)?
    }

    private let folder: URL
    private let telling: Telling
    private let exploration: TestDevice.Exploration
    private var pid: pid_t = 0

    init(
        _ attempts: [Telling.Attempt], call: String, _ exploration: TestDevice.Exploration
    ) throws(TestDeviceError) {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("greenroom-telling-\(UUID().uuidString)")
        self.exploration = exploration
        telling = Telling(
            call: call, attempts: attempts, progress: folder.appendingPathComponent("progress").path,
            output: folder.appendingPathComponent("output").path)
        do {
            try FileManager.default.createDirectory(at: itsTemporaryFiles, withIntermediateDirectories: true)
            try JSONEncoder().encode(telling).write(to: folder.appendingPathComponent("telling"))
            try Data().write(to: URL(fileURLWithPath: telling.progress))
        } catch {
            throw .unsupported("the stories could not be written: \(error.localizedDescription)")
        }
    }

    /// A process that crashes or is killed leaves its apps' folders behind: they go with this one.
    private var itsTemporaryFiles: URL { folder.appendingPathComponent("tmp") }

    func run() async throws(TestDeviceError) -> Outcome {
        // It lies among temporary files: what cannot be removed harms nobody.
        defer { try? FileManager.default.removeItem(at: folder) }
        try start()
        let end = await end()
        return try outcome(end)
    }

    // MARK: The process

    private enum End {
        case exited(Int32), signaled(Int32)
        /// It said nothing for too long; `isIdle`: it did not use a processor either.
        case hung(isIdle: Bool)
    }

    private func start() throws(TestDeviceError) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, telling.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var environment = ProcessInfo.processInfo.environment
        environment[Telling.variable] = folder.appendingPathComponent("telling").path
        environment["TMPDIR"] = itsTemporaryFiles.path
        // A backtrace takes seconds, and what the runtime says before it is enough.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let code = unsafe Self.withStrings(Self.arguments) { arguments in
            unsafe Self.withStrings(environment.map { "\($0)=\($1)" }) { variables in
                unsafe posix_spawn(&pid, "/proc/self/exe", &actions, nil, arguments, variables)
            }
        }
        guard code == 0 else { throw .unsupported("a process for the stories could not be started: error \(code)") }
    }

    /// Those of this process, but for the one test.
    private static var arguments: [String] {
        guard let test = Test.current else { return CommandLine.arguments }
        let name = NSRegularExpression.escapedPattern(for: "\(test.id)")
        return [CommandLine.arguments.first ?? "tests", "--testing-library", "swift-testing", "--filter", name]
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe pointers.forEach { unsafe free($0) } }
        unsafe pointers.append(nil)
        return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            // It has the terminator at least.
            guard let base = buffer.baseAddress else { preconditionFailure("an array without storage") }
            return unsafe body(base)
        }
    }

    /// Waits for its end; makes one if it hangs. There is no event for its silence: it is looked for.
    private func end() async -> End {
        let clock = ContinuousClock()
        var (size, usedBefore, idleSince) = (-1, Duration.zero, clock.now)
        while true {
            var status: Int32 = 0
            if unsafe waitpid(pid, &status, WNOHANG) == pid {
                let signal = status & 0x7f
                return signal == 0 ? .exited((status >> 8) & 0xff) : .signaled(signal)
            }
            let now = (try? FileManager.default.attributesOfItem(atPath: telling.progress))?[.size] as? Int ?? 0
            // On a machine with much else to do it gets little of a processor: what it used counts, and no time passes.
            let used = processorTime
            if now != size { (size, usedBefore, idleSince) = (now, used, clock.now) }
            if !isIdle { idleSince = clock.now }
            // Until the first story begins, a process of many tests takes its time.
            let (idle, busy) =
                size > 0 ? (exploration.idlePatience, exploration.patience) : (.seconds(60), .seconds(120))
            let waits = clock.now - idleSince > idle
            if waits || used - usedBefore > busy {
                kill(pid, SIGKILL)
                unsafe waitpid(pid, &status, 0)
                return .hung(isIdle: waits)
            }
            // Nothing tells that a process stands still: it is looked at. Cancelled or not, it is waited for.
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Whether none of its threads runs, or could.
    private var isIdle: Bool {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return threads.allSatisfy { thread in
            guard let fields = Self.fields("/proc/\(pid)/task/\(thread)/stat") else { return true }
            return ["S", "Z", "X"].contains(fields.first)
        }
    }

    /// What all its threads used so far.
    private var processorTime: Duration {
        guard let fields = Self.fields("/proc/\(pid)/stat"), fields.count > 12, let user = Int64(fields[11]),
            let system = Int64(fields[12])
        else { return .zero }
        return .seconds(1) * (user + system) / sysconf(Int32(_SC_CLK_TCK))
    }

    /// Those behind the name, which is in parentheses: the state is the first.
    private static func fields(_ path: String) -> [Substring]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ")
    }

    // MARK: What it said

    private func outcome(_ end: End) throws(TestDeviceError) -> Outcome {
        var outcome = Outcome()
        var (number, steps): (Int?, [(step: StoryStep, isRefused: Bool)]) = (nil, [])
        for line in telling.lines {
            switch line {
            case .begins(let attempt): (number, steps) = (attempt, [])
            case .step(let step): steps.append((step, false))
            case .refused: if !steps.isEmpty { steps[steps.count - 1].isRefused = true }
            case .fails(let failure):
                outcome.failed = (number ?? 0, steps, failure)
                return outcome
            case .ends: (outcome.told, number) = (outcome.told + 1, nil)
            case .done: return outcome
            }
        }
        guard let number else {
            throw .unsupported(
                "a process that runs this test again came to no story (\(end)); it said: \(output.suffix(2000))")
        }
        outcome.failed = (number, steps, failure(end))
        return outcome
    }

    private func failure(_ end: End) -> Failure {
        let said = output.split(separator: "\n").last { $0.contains("Fatal error") || $0.contains("fatal error") }
        return switch end {
        case .exited(let status): Failure(problem: .crash, reason: "the app's process ended with status \(status)")
        case .signaled(let signal):
            Failure(problem: .crash, reason: "the app crashed: \(said.map(String.init) ?? "signal \(signal)")")
        case .hung(true): Failure(problem: .hang, reason: "the app's main thread waits, and nothing wakes it")
        case .hung(false):
            Failure(problem: .hang, reason: "the app's main thread is busy, and does not come back")
        }
    }

    private var output: String {
        String(decoding: FileManager.default.contents(atPath: telling.output) ?? Data(), as: UTF8.self)
    }
}
