import Glibc
import LinuxSystem

/// A program that a test started, with what it prints.
final class Child {
    struct Outcome {
        let status: ProcessStatus?
        let output: String
        let errors: String

        var code: CInt? {
            if case .exited(let code) = status { return code }
            return nil
        }
    }

    let process: PidFD
    private let output: Descriptor
    private let errors: Descriptor
    private let input: Descriptor
    private var received: [UInt8] = []
    private var isOver = false

    /// `uid` runs it as another user.
    init(
        _ program: String, _ arguments: [String], environment: [String: String], directory: String = "/",
        uid: UInt32? = nil
    ) throws {
        let (ours, theirs) = try UnixSocket.pair()
        let (errors, theirErrors) = try UnixSocket.pair()
        let (input, theirInput) = try UnixSocket.pair()
        var spawn = Spawn(
            path: program, arguments: [program] + arguments,
            environment: environment.map { "\($0.key)=\($0.value)" }.sorted())
        spawn.directory = directory
        spawn.uid = uid
        spawn.descriptors = [(theirInput, 0), (theirs, 1), (theirErrors, 2)]
        process = try spawn.start()
        output = ours
        self.errors = errors
        self.input = input
    }

    deinit {
        if !isOver {
            try? process.send(SIGKILL)
            _ = process.waitUntilDead(milliseconds: 5_000)
            _ = process.reap()
        }
    }

    func write(_ text: String) throws { try input.writeAll(Array(text.utf8)) }

    /// The next line that it prints.
    func line(_ patience: Patience) throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return line
            }
            try Self.await(output, patience, "a line of the program \(process.pid)")
            guard case .bytes = try output.read(into: &received, upTo: 1 << 12) else {
                throw Trouble(
                    "the program \(process.pid) ended: \(String(decoding: try errors.readAll(), as: UTF8.self))")
            }
        }
    }

    /// Waits for its end and for everything that it printed.
    func outcome(_ patience: Patience = Patience()) throws -> Outcome {
        var printed = [received, []]
        var open = [output, errors]
        while !open.isEmpty {
            var entries = open.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&entries, nfds_t(entries.count), patience.milliseconds) > 0 else {
                throw Trouble("the program \(process.pid) does not end")
            }
            for (descriptor, entry) in zip(open, entries) where entry.revents != 0 {
                let index = descriptor === output ? 0 : 1
                guard case .bytes = try descriptor.read(into: &printed[index], upTo: 1 << 12) else {
                    open.removeAll { $0 === descriptor }
                    continue
                }
            }
        }
        guard process.waitUntilDead(milliseconds: patience.milliseconds) else {
            throw Trouble("the program \(process.pid) does not end")
        }
        isOver = true
        return Outcome(
            status: process.reap(), output: String(decoding: printed[0], as: UTF8.self),
            errors: String(decoding: printed[1], as: UTF8.self))
    }

    static func await(_ descriptor: Descriptor, _ patience: Patience, _ what: String) throws {
        var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, patience.milliseconds) > 0 else { throw Trouble("\(what) did not come") }
    }
}
