import Commands
import Foundation
import Glibc
import Model
import Wire

/// Collects what a command prints.
final class Page: Sink, @unchecked Sendable {  // `bytes` is touched under the condition's lock only.
    private let condition = NSCondition()
    private var bytes: [UInt8] = []

    func write(_ more: [UInt8]) {
        condition.withLock {
            bytes += more
            condition.broadcast()
        }
    }

    var text: String { condition.withLock { String(decoding: bytes, as: UTF8.self) } }

    /// Waits until the text is there.
    func wait(for text: String) throws {
        try condition.withLock {
            while !String(decoding: bytes, as: UTF8.self).contains(text) {
                guard condition.wait(until: Patience.end) else { throw Patience.Lost(what: "the output “\(text)”") }
            }
        }
    }
}

/// Runs `greenroom` in a home of its own and keeps what the user would read.
final class Tool {
    struct Outcome: Equatable {
        var code: Int32
        var output: String
        var errors: String
    }

    let home: String
    private let root: String
    var environment: [String: String] = [:]
    var isTerminal = false
    var input: Int32 = -1
    var patience = Span.seconds(5)
    var silence = Span.seconds(60)
    var libexec = ""
    /// 2026-11-21 12:03:09.5 in a place two hours ahead of UTC.
    var now = WallTime(nanoseconds: 1_795_255_389_500_000_000)

    init(home name: String = "home") throws {
        root = NSTemporaryDirectory() + "greenroom-commands-\(UUID().uuidString)"
        home = "\(root)/\(name)"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    /// A file beside or in the home.
    func path(_ name: String) -> String { "\(root)/\(name)" }

    func write(_ text: String, to name: String, executable: Bool = false) throws {
        let path = "\(home)/\(name)"
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        if executable { unsafe chmod(path, 0o755) }
    }

    func contents(_ name: String) -> String? { try? String(contentsOfFile: "\(home)/\(name)", encoding: .utf8) }

    func context(output: Page, errors: Page) -> CommandContext {
        var environment = self.environment
        environment["GREENROOM_HOME"] = environment["GREENROOM_HOME"] ?? home
        environment["GREENROOM_LIBEXEC"] = libexec
        let now = now
        return CommandContext(
            environment: environment, workingDirectory: root, programFolder: libexec, input: input, output: output,
            errors: errors, outputIsTerminal: isTerminal,
            clock: Moment.Clock(now: { now }, offset: { _ in 7200 }), patience: patience,
            silence: silence)
    }

    @discardableResult
    func run(_ arguments: String...) -> Outcome { run(arguments) }

    @discardableResult
    func run(_ arguments: [String]) -> Outcome {
        let (output, errors) = (Page(), Page())
        let code = GreenroomCommand.main(arguments: arguments, in: context(output: output, errors: errors))
        return Outcome(code: code, output: output.text, errors: errors.text)
    }

    /// Runs beside the test, which meanwhile does what the command waits for.
    func start(_ arguments: String...) -> Running {
        let running = Running()
        let boxed = Unchecked(context(output: running.output, errors: running.errors))
        Thread.detachNewThread {
            running.finish(GreenroomCommand.main(arguments: arguments, in: boxed.value))
        }
        return running
    }
}

/// A command that has not returned yet.
final class Running: @unchecked Sendable {  // `code` is touched under the condition's lock only.
    let output = Page()
    let errors = Page()
    private let condition = NSCondition()
    private var code: Int32?

    func finish(_ code: Int32) {
        condition.withLock {
            self.code = code
            condition.broadcast()
        }
    }

    func outcome() throws -> Tool.Outcome {
        let code = try condition.withLock {
            while true {
                if let code = self.code { return code }
                guard condition.wait(until: Patience.end) else { throw Patience.Lost(what: "the command's end") }
            }
        }
        return Tool.Outcome(code: code, output: output.text, errors: errors.text)
    }
}

/// A test that waits for what does not come fails instead of hanging. Nothing that works comes near this.
enum Patience {
    struct Lost: Error { let what: String }

    static var end: Date { Date(timeIntervalSinceNow: 60) }

    /// Waits for bytes or an end.
    static func wait(for descriptor: Int32, _ what: String) throws {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, 60_000) == 1 else { throw Lost(what: what) }
    }
}

/// Counts from one, for whoever asks.
final class Counter: @unchecked Sendable {  // `count` is touched under the lock only.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}

/// Handed to one thread and used there alone.
struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

enum Sample {
    static let journal = AppInfo(
        app: "org.greenroom.examples.journal", name: "Journal", state: "suspended", pid: 4711, pids: [4711, 4712],
        since: "2026-11-21T10:03:04.250000Z",
        memory: AppInfo.Memory(dirty: 10_485_760, purgeable: 1_048_576, clean: 524_288), kind: "application")
    static let vim = AppInfo(
        app: "vim", name: "Vi IMproved", state: "active", pid: 4800, pids: [4800], since: "2026-11-21T09:00:00.000000Z",
        visible: true, role: "primary", kind: "plain", front: true)
    static let radio = AppInfo(
        app: "org.example.radio", name: "Radio", state: "background", pid: 5000, pids: [5000],
        since: "2026-11-19T10:00:00.000000Z",
        assertions: [
            AppInfo.Assertion(
                id: 1, kind: "audio", name: "Evening show", reason: "it plays audio",
                since: "2026-11-21T09:00:00.000000Z", expires: nil)
        ], kind: "application")
    static let gone = AppInfo(app: "org.example.gone", name: "Gone", state: "not-running", kind: "application")

    static let apps: JSONValue = AppInfo.json(of: [journal, vim, radio, gone])
    static let status = StatusInfo(
        version: "0.1.0", protocolVersion: 1, pid: 77, profile: "linux", locked: true, asleep: false, front: "vim",
        switcher: false, interruptions: ["call"])

    static func entry(_ sequence: Int, app: String? = "vim", took: Double? = nil) -> JSONValue {
        LogEntry(
            seq: sequence, at: "2026-11-21T10:03:0\(sequence % 10).123456Z", app: app, event: "suspended",
            reason: "the user pressed Home", cause: sequence > 1 ? sequence - 1 : nil, took: took
        ).json
    }
}
