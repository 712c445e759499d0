package import LinuxSystem

/// The supervisor: parent of last resort for the apps, holder of the listening sockets, starter of the daemon. Small
/// and without Foundation, because it must be there when everything else is not.
package struct Keeper {
    package struct Listeners {
        package let control: Descriptor
        package let app: Descriptor

        package init(control: Descriptor, app: Descriptor) {
            self.control = control
            self.app = app
        }
    }

    private let home: String
    private let daemon: String
    private let arguments: [String]
    private let signals: SignalFD
    private let epoll: Epoll
    private let listeners: Listeners
    private var child: PidFD?
    private var link: Descriptor?
    private var startedAt: Int64 = 0
    private var quickEnds = 0
    private var isEnding = false
    /// How orphans ended, for the present daemon and the next ones.
    private var statuses: [(pid: CInt, line: String)] = []

    private static let keptStatuses = 1024
    private static let (hangUp, interrupt, terminate, childEnded): (CInt, CInt, CInt, CInt) = (1, 2, 15, 17)

    /// `listeners`: taken over from a daemon that becomes the keeper; made anew otherwise.
    package init(home: String, daemon: String, arguments: [String], listeners: Listeners?) throws(SystemError) {
        self.home = home
        self.daemon = daemon
        self.arguments = arguments
        CurrentProcess.setName("greenroom-keep")
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        try CurrentProcess.becomeSubreaper()
        signals = try SignalFD([Self.hangUp, Self.interrupt, Self.terminate, Self.childEnded])
        epoll = try Epoll()
        try epoll.add(signals.descriptor.rawValue, .readable, token: 0)
        DiskReserve.use(home + "/reserve")
        // Before the sockets: whoever can connect can also find out who serves.
        let start = ProcFS().stat(CurrentProcess.pid)?.startTime ?? 0
        try FileSystem.replace(home + "/keeper.pid", with: Array("\(CurrentProcess.pid) \(start)\n".utf8))
        if let listeners {
            self.listeners = listeners
            for descriptor in [listeners.control, listeners.app] { try descriptor.setNonblocking(true) }
        } else {
            self.listeners = try Self.listen(home)
        }
        let lines = ([daemon] + arguments).joined(separator: "\n")
        try FileSystem.replace(home + "/daemon.arguments", with: Array(lines.utf8))
    }

    /// The arguments that the dead keeper started its daemons with.
    package static func rememberedArguments(home: String) -> (daemon: String, arguments: [String])? {
        guard let bytes = FileSystem.read(home + "/daemon.arguments", limit: 1 << 16) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.first.map { (String($0), lines.dropFirst().map(String.init)) }
    }

    private static func listen(_ home: String) throws(SystemError) -> Listeners {
        try FileSystem.makeDirectory(home + "/wire", mode: 0o711)
        let app = try UnixSocket.listen(at: home + "/wire/app", mode: 0o666)
        try FileSystem.link(to: "wire/app", at: home + "/app")
        let control = try UnixSocket.listen(at: home + "/control", mode: 0o600)
        return Listeners(control: control, app: app)
    }

    /// Returns the exit status when the system is down.
    package mutating func run() throws(SystemError) -> CInt {
        // Whoever ended before this process had its signals is a child all the same.
        reapChildren()
        try startDaemon()
        var ready: [Epoll.Ready] = []
        while true {
            try epoll.wait(milliseconds: nil, &ready)
            while let signal = signals.next() {
                if signal == Self.childEnded { continue }
                // In order: the daemon ends the apps, then itself, and then this process ends.
                if signal != Self.hangUp {
                    isEnding = true
                    try? child?.send(Self.terminate)
                }
            }
            if let status = reapChildren() {
                if isFinal(status) { return cleanUp(status) }
                try startDaemon()
            }
        }
    }

    private func isFinal(_ status: ProcessStatus) -> Bool {
        switch status {
        case .exited(0): true
        // Wrong arguments do not become right by repetition.
        case .exited(2): true
        case .exited, .signaled: isEnding
        }
    }

    /// Collects every dead child; the daemon's status if it is among them.
    @discardableResult
    private mutating func reapChildren() -> ProcessStatus? {
        var daemonStatus: ProcessStatus?
        while CurrentProcess.reapAnyChild(tell: { pid, status in
            if pid == child?.pid {
                daemonStatus = status
                child = nil
                link = nil
            } else {
                remember(pid, status)
            }
        }) {}
        return daemonStatus
    }

    private mutating func remember(_ pid: CInt, _ status: ProcessStatus) {
        let line: String
        switch status {
        case .exited(let code): line = "exit \(pid) code \(code)\n"
        case .signaled(let signal): line = "exit \(pid) signal \(signal)\n"
        }
        statuses.append((pid, line))
        if statuses.count > Self.keptStatuses { statuses.removeFirst(statuses.count - Self.keptStatuses) }
        // A daemon that does not read learns it when it asks the kernel, or after its restart.
        _ = try? link?.send(Array(line.utf8)[...])
    }

    private mutating func startDaemon() throws(SystemError) {
        pauseAfterQuickEnds()
        let (ours, theirs) = try UnixSocket.pair()
        for (_, line) in statuses { _ = try? ours.send(Array(line.utf8)[...]) }
        var spawn = Spawn(
            path: daemon, arguments: [daemon, "--home", home] + arguments, environment: CurrentProcess.allEnvironment)
        let (input, output) = (try Descriptor.open("/dev/null", .read), Descriptor(borrowing: 2))
        spawn.descriptors = [
            (input, 0), (output, 1), (output, 2), (listeners.control, 3), (listeners.app, 4), (theirs, 5),
        ]
        do throws(SpawnError) {
            let process = try spawn.start()
            child = process
            link = ours
            startedAt = Clock.boot()
            try? FileSystem.replace(home + "/daemon.pid", with: Array("\(process.pid)\n".utf8))
        } catch {
            throw SystemError("start \(daemon)", error.errno)
        }
    }

    /// One crash is mended at once; a daemon that cannot start does not eat the processor.
    private mutating func pauseAfterQuickEnds() {
        guard startedAt != 0 else { return }
        let lived = Clock.boot() - startedAt
        quickEnds = lived < 200_000_000 ? quickEnds + 1 : 0
        guard quickEnds > 3 else { return }
        var ready: [Epoll.Ready] = []
        let pause = min(1_000, 10 << min(7, quickEnds - 3))
        let idle = try? Epoll()
        try? idle?.wait(milliseconds: CInt(pause), &ready)
    }

    private func cleanUp(_ status: ProcessStatus) -> CInt {
        for name in ["control", "app", "wire/app", "keeper.pid", "daemon.pid", "daemon.arguments", "cgroup"] {
            FileSystem.remove("\(home)/\(name)")
        }
        switch status {
        case .exited(let code): return code
        case .signaled: return 1
        }
    }
}
