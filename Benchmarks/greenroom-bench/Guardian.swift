internal import Glibc
internal import LinuxSystem

/// Runs the measurement in a child and cleans up after it, however it ends: a crash and Ctrl-C included.
struct Guardian {
    private var options: Options
    private static let timeLimit: Int64 = 30 * 60 * 1_000_000_000

    init(_ options: Options) throws {
        self.options = options
        self.options.place = try Self.makePlace()
    }

    private static func makePlace() throws -> String {
        // As root's apps they have a /tmp of their own, and would not find their program there.
        let parent = CurrentProcess.environment("TMPDIR") ?? (CurrentProcess.isRoot ? "/var/lib" : "/tmp")
        var template = Array("\(parent)/greenroom-bench-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw BenchError("no temporary folder in \(parent)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Apps run under users of their own and have to reach their program.
        try FileSystem.changeMode(path, to: 0o755)
        return path
    }

    func run() throws -> CInt {
        let signals = try SignalFD([SIGHUP, SIGINT, SIGTERM])
        let own = CurrentProcess.executablePath ?? ""
        let child = try Processes.start([own, "measure"] + options.arguments)
        defer { cleanUp(after: child) }
        let epoll = try Epoll()
        try epoll.add(signals.descriptor.rawValue, .readable, token: 1)
        try epoll.add(child.descriptor.rawValue, .readable, token: 2)
        let end = Clock.monotonic() + Self.timeLimit
        var ready: [Epoll.Ready] = []
        while Clock.monotonic() < end {
            try epoll.wait(milliseconds: 1_000, &ready)
            if ready.contains(where: { $0.token == 2 }) {
                if case .exited(let code) = child.reap() { return code }
                throw BenchError("the measurement crashed")
            }
            guard ready.contains(where: { $0.token == 1 }) else { continue }
            try stop(child)
            return 130
        }
        try stop(child)
        throw BenchError("the measurement took too long")
    }

    private func stop(_ child: PidFD) throws {
        try child.send(SIGKILL)
        _ = child.waitUntilDead(milliseconds: 5_000)
        _ = child.reap()
    }

    private func cleanUp(after child: PidFD) {
        RawProcess.removeAll(of: child.pid)
        let problems = RunningSystem.all(options).flatMap { $0.takeDown() }
        for problem in problems { StandardError.write("greenroom-bench: left behind: \(problem)\n") }
        if problems.isEmpty { try? FileSystem.removeTree(options.place) }
    }
}

enum Processes {
    /// Starts a program with this one's output and, beside its own, these variables.
    static func start(_ arguments: [String], _ variables: [String] = [], quiet: Bool = false) throws -> PidFD {
        let names = variables.map { $0.prefix { $0 != "=" } + "=" }
        let inherited = CurrentProcess.allEnvironment.filter { entry in !names.contains { entry.hasPrefix($0) } }
        var spawn = Spawn(path: arguments[0], arguments: arguments, environment: inherited + variables)
        let nothing = try Descriptor.open("/dev/null", .readWrite)
        spawn.descriptors = [
            (nothing, 0), (quiet ? nothing : Descriptor(borrowing: 1), 1), (Descriptor(borrowing: 2), 2),
        ]
        return try spawn.start()
    }

    static func run(_ arguments: [String], _ variables: [String], milliseconds: CInt = 30_000) throws {
        let child = try start(arguments, variables, quiet: true)
        guard child.waitUntilDead(milliseconds: milliseconds), case .exited(0) = child.reap() else {
            throw BenchError("\(arguments.joined(separator: " ")) failed")
        }
    }
}
