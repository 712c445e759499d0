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

    /// A daemon and what it said on its link.
    private struct Child {
        let process: PidFD
        let link: Descriptor
        let startedAt: Int64
        var buffer: [UInt8] = []
        var hasServed = false
        /// Why it ends, in its own words.
        var lastWords: String?
    }

    private let home: String
    private let daemon: String
    private let arguments: [String]
    private let signals: SignalFD
    private let epoll: Epoll
    private var listeners: Listeners
    private let lock: HomeLock
    private var launch: LaunchReport
    private var restarts: Restarts
    private var child: Child?
    private var isEnding = false
    /// When a daemon is started, while there is none.
    private var startsAt: Int64?
    /// When a daemon that was told to end is killed.
    private var killsAt: Int64?
    /// Why there is no daemon, for the tools that ask meanwhile.
    private var trouble: String?
    /// How orphans ended, for the present daemon and the next ones.
    private var statuses: [(pid: CInt, line: String)] = []
    private var homeWatch: HomeWatch?

    /// All apps of a large system may end while there is no daemon.
    private static let keptStatuses = 1 << 14
    /// More dead children may be there than one turn collected.
    private var leavesChildren = false
    private static let childrenPerTurn = 256
    private static let wordsLimit = 4096
    /// Apps have their limits for ending in order; together they take no longer than this.
    private static let longestEnd: Int64 = 60_000
    private static let (hangUp, interrupt, kill, terminate, childEnded): (CInt, CInt, CInt, CInt, CInt) =
        (1, 2, 9, 15, 17)
    private static let (signalToken, linkToken, toolsToken, homeToken): (UInt64, UInt64, UInt64, UInt64) = (0, 1, 2, 3)

    /// `listeners`: taken over from a daemon that becomes the keeper; made anew otherwise.
    package init(
        home: String, daemon: String, arguments: [String], lock: HomeLock, listeners: Listeners?, launch: LaunchReport
    ) throws(SystemError) {
        self.home = home
        self.daemon = daemon
        self.arguments = arguments
        self.lock = lock
        self.launch = launch
        // A daemon that became the keeper did serve.
        restarts = Restarts(hasServed: listeners != nil)
        CurrentProcess.setName("greenroom-keep")
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        try CurrentProcess.becomeSubreaper()
        signals = try SignalFD([Self.hangUp, Self.interrupt, Self.terminate, Self.childEnded])
        epoll = try Epoll()
        try epoll.add(signals.descriptor.rawValue, .readable, token: Self.signalToken)
        DiskReserve.use(home + "/reserve")
        let lines = ([daemon] + arguments).joined(separator: "\n")
        if let listeners {
            self.listeners = listeners
            // The apps need a keeper, whatever the disk says.
            try? Self.record(home, lock)
            try? FileSystem.replace(home + "/daemon.arguments", with: Array(lines.utf8))
        } else {
            // Before the sockets: whoever can connect can also find out who serves.
            try Self.record(home, lock)
            self.listeners = try Self.listen(home)
            try FileSystem.replace(home + "/daemon.arguments", with: Array(lines.utf8))
        }
    }

    private static func record(_ home: String, _ lock: HomeLock) throws(SystemError) {
        let start = ProcFS().stat(CurrentProcess.pid)?.startTime ?? 0
        try lock.name(CurrentProcess.pid, startTime: start)
        try FileSystem.replaceOrOverwrite(
            home + "/keeper.pid", with: Array("\(CurrentProcess.pid) \(start)\n".utf8))
    }

    /// The arguments that the dead keeper started its daemons with.
    package static func rememberedArguments(home: String) -> (daemon: String, arguments: [String])? {
        guard let bytes = FileSystem.read(home + "/daemon.arguments", limit: 1 << 16) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.first.map { (String($0), lines.dropFirst().map(String.init)) }
    }

    private static func listen(_ home: String) throws(SystemError) -> Listeners {
        let app = try listenToApps(home)
        return Listeners(control: try listenToTools(home), app: app)
    }

    private static func listenToApps(_ home: String) throws(SystemError) -> Descriptor {
        try FileSystem.makeDirectory(home + "/wire", mode: 0o711)
        let app = try UnixSocket.listen(at: home + "/wire/app", mode: 0o666)
        try FileSystem.link(to: "wire/app", at: home + "/app")
        return app
    }

    private static func listenToTools(_ home: String) throws(SystemError) -> Descriptor {
        try UnixSocket.listen(at: home + "/control", mode: 0o600)
    }

    /// A socket that was shut down stays so for every daemon that gets it: a new one takes its place, and the other
    /// socket keeps its waiting peers. Returns whether the tools' socket is a new one.
    @discardableResult
    private mutating func renewListeners() -> Bool {
        let (tools, apps) = (UnixSocket.isShutDown(listeners.control), UnixSocket.isShutDown(listeners.app))
        guard tools || apps else { return false }
        StandardError.write("greenroom-keeper: a listening socket was shut down: the system listens anew\n")
        if tools { epoll.remove(listeners.control.rawValue) }
        do throws(SystemError) {
            listeners = Listeners(
                control: tools ? try Self.listenToTools(home) : listeners.control,
                app: apps ? try Self.listenToApps(home) : listeners.app)
        } catch {
            StandardError.write("greenroom-keeper: the system cannot listen anew: \(error)\n")
        }
        return tools
    }

    /// Returns the exit status when the system is down.
    package mutating func run() throws(SystemError) -> CInt {
        // Whoever ended before this process had its signals is a child all the same.
        if let status = reapChildren() { return status }
        homeWatch = HomeWatch(home: home)
        homeWatch?.wake(epoll, token: Self.homeToken)
        startsAt = Clock.boot()
        var ready: [Epoll.Ready] = []
        while true {
            if let moment = startsAt, moment <= Clock.boot(), let status = startDaemon() { return status }
            try epoll.wait(milliseconds: pause, &ready)
            for event in ready {
                switch event.token {
                case Self.linkToken: readLink()
                case Self.toolsToken: answerTools()
                case Self.homeToken: homeWatch?.told(event.events)
                default: break
                }
            }
            while let signal = signals.next() {
                if signal != Self.childEnded, signal != Self.hangUp, let status = end() { return status }
            }
            if homeWatch?.look() == true, let status = homeRemoved() { return status }
            if let status = reapChildren() { return status }
            if let moment = killsAt, moment <= Clock.boot() {
                killsAt = nil
                try? child?.process.send(Self.kill)
            }
        }
    }

    /// Until the next moment at which something is to be done without being asked.
    private var pause: CInt? {
        if leavesChildren { return 0 }
        guard let next = [startsAt, killsAt, homeWatch?.nextLook].compactMap({ $0 }).min() else { return nil }
        return CInt(clamping: max(0, (next - Clock.boot() + 999_999) / 1_000_000))
    }

    private mutating func homeRemoved() -> CInt? {
        StandardError.write("greenroom-keeper: \(home) is gone: the system ends\n")
        homeWatch = nil
        return end()
    }

    /// In order: the daemon ends the apps, then itself, and then this process ends.
    private mutating func end() -> CInt? {
        isEnding = true
        guard let child else { return finish(1) }
        killsAt = killsAt ?? Clock.boot() + Self.longestEnd * 1_000_000
        try? child.process.send(Self.terminate)
        return nil
    }

    // MARK: Children

    /// Collects every dead child. Returns this process's own exit status if the daemon is among them and was the last.
    private mutating func reapChildren() -> CInt? {
        var daemonStatus: ProcessStatus?
        // Apps can leave orphans faster than they are collected: signals and tools have their turn between.
        var room = Self.childrenPerTurn
        while room > 0,
            CurrentProcess.reapAnyChild(tell: { pid, status in
                if pid == child?.process.pid {
                    daemonStatus = status
                    Children.endSession(of: pid)
                } else {
                    remember(pid, status)
                }
            })
        { room -= 1 }
        leavesChildren = room == 0
        guard let daemonStatus else { return nil }
        readLink()
        let ended = child
        child = nil
        killsAt = nil
        return daemonEnded(daemonStatus, ended, why: ended?.lastWords ?? "the daemon \(daemonStatus.sentence)")
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
        _ = try? child?.link.send(Array(line.utf8)[...])
    }

    // MARK: The daemon

    /// Returns this process's exit status if no daemon can ever be started.
    private mutating func startDaemon() -> CInt? {
        startsAt = nil
        trouble = nil
        epoll.remove(listeners.control.rawValue)
        renewListeners()
        do throws(SystemError) {
            child = try spawnDaemon()
            return nil
        } catch {
            return daemonEnded(nil, nil, why: "the daemon cannot be started: \(error)")
        }
    }

    /// What fits into a socket that nobody reads yet, the newest last. In one piece: each line by itself would take a
    /// kilobyte of its room.
    package static func newest(_ lines: [String], bytes: Int = 1 << 16) -> [UInt8] {
        var room = bytes
        let fitting = lines.reversed().prefix { line in
            room -= line.utf8.count
            return room >= 0
        }
        return fitting.reversed().flatMap { Array($0.utf8) }
    }

    private func spawnDaemon() throws(SystemError) -> Child {
        let (ours, theirs) = try UnixSocket.pair()
        try ours.setNonblocking(true)
        _ = try? ours.send(Self.newest(statuses.map(\.line))[...])
        var spawn = Spawn(
            path: daemon, arguments: [daemon, "--home", home] + arguments, environment: CurrentProcess.allEnvironment)
        let (input, output) = (try Descriptor.open("/dev/null", .read), Descriptor(borrowing: 2))
        spawn.descriptors = [
            (input, 0), (output, 1), (output, 2), (listeners.control, 3), (listeners.app, 4), (theirs, 5),
            (lock.descriptor, 6),
        ]
        do throws(SpawnError) {
            let process = try spawn.start()
            let start = ProcFS().stat(process.pid)?.startTime ?? 0
            try? FileSystem.replaceOrOverwrite(
                home + "/daemon.pid", with: Array("\(process.pid) \(start)\n".utf8))
            try? epoll.add(ours.rawValue, .readable, token: Self.linkToken)
            return Child(process: process, link: ours, startedAt: Clock.boot())
        } catch {
            throw SystemError("start", error.errno, path: daemon)
        }
    }

    /// Lines of the daemon: `serving`, and before an end of its own decision `failed SENTENCE`.
    private mutating func readLink() {
        guard var current = child else { return }
        reading: while current.buffer.count < Self.wordsLimit {
            switch try? current.link.read(into: &current.buffer, upTo: Self.wordsLimit) {
            case .bytes: continue
            case .wouldBlock: break reading
            case .end, nil:
                epoll.remove(current.link.rawValue)
                break reading
            }
        }
        while let end = current.buffer.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: current.buffer[..<end], as: UTF8.self)
            current.buffer.removeSubrange(...end)
            if line == "serving" {
                current.hasServed = true
                launch.served()
                CurrentProcess.forgetCode()
            } else if line.hasPrefix("failed ") {
                current.lastWords = String(line.dropFirst("failed ".count))
            }
        }
        // A line without an end is none of the daemon's.
        if current.buffer.count >= Self.wordsLimit { current.buffer = [] }
        child = current
    }

    /// Returns this process's own exit status unless another daemon follows.
    private mutating func daemonEnded(_ status: ProcessStatus?, _ ended: Child?, why: String) -> CInt? {
        let lived = ended.map { (Clock.boot() - $0.startedAt) / 1_000_000 } ?? 0
        let life = Restarts.Life(status: status, milliseconds: lived, hasServed: ended?.hasServed ?? false)
        guard case .start(let pause) = restarts.next(after: life), !isEnding else {
            if status != .exited(0) { launch.failed(why) }
            return finish(status?.code ?? 1)
        }
        startsAt = Clock.boot() + pause * 1_000_000
        if restarts.isTroubled { giveAppsUp(why) }
        return nil
    }

    /// Nobody knows whether a daemon will ever serve again: the apps do not wait for it, and the tools are told.
    private mutating func giveAppsUp(_ why: String) {
        Frozen.thaw(home: home)
        renewListeners()
        let sentence = "the daemon ended \(restarts.quickEnds) times soon after its start, the last time because \(why)"
        trouble = sentence
        try? epoll.add(listeners.control.rawValue, .readable, token: Self.toolsToken)
        StandardError.write("greenroom-keeper: \(sentence); every app runs, and it is tried again \(nextStart)\n")
    }

    private var nextStart: String {
        let seconds = max(0, (startsAt ?? 0) - Clock.boot()) / 1_000_000_000
        return seconds == 0 ? "now" : "in \(seconds) s"
    }

    /// While no daemon runs, tools need not wait to learn that.
    private mutating func answerTools() {
        guard let trouble else { return }
        if renewListeners() { try? epoll.add(listeners.control.rawValue, .readable, token: Self.toolsToken) }
        let sentence = "\(trouble); it is tried again \(nextStart), and until then every app runs. "
        let advice = "\(home)/daemon.log may say more; greenroom down ends everything"
        let line = Self.answer(sentence + advice)
        for _ in 0..<16 {
            guard let tool = try? UnixSocket.accept(listeners.control) else { return }
            _ = try? tool.send(line[...])
        }
    }

    /// An error with the code for “no daemon” (`docs/PROTOCOL.md`, section 1), to whatever was asked.
    static func answer(_ message: String) -> [UInt8] {
        var text: [UInt8] = []
        for byte in message.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
            text.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
        }
        return Array(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32007,"message":""#.utf8) + text
            + Array("\"}}\n".utf8)
    }

    // MARK: The end

    /// Everything that this process is responsible for goes, in order or not; what it cannot end it leaves to `down`.
    private func finish(_ code: CInt) -> CInt {
        if code != 0 { Frozen.thaw(home: home) }
        let left = Children.endAll(graceMilliseconds: code == 0 ? Self.holdersGrace : 0)
        if !left.isEmpty {
            let numbers = left.map(String.init).joined(separator: ", ")
            StandardError.write("greenroom-keeper: these processes do not end: \(numbers)\n")
        }
        Self.removeFiles(home)
        return code
    }

    /// The holders of terminals end by themselves, a moment after the last app.
    private static let holdersGrace: CInt = 500

    /// For the holder of the lock alone.
    package static func removeFiles(_ home: String) {
        for name in ["control", "app", "wire/app", "keeper.mark", "keeper.pid", "daemon.pid", "daemon.arguments"] {
            FileSystem.remove("\(home)/\(name)")
        }
        // Apps that an earlier system left are found by it.
        if let group = Frozen.cgroup(home: home) {
            guard Cgroup.processes(at: group).isEmpty else { return }
            try? Cgroup.remove(at: group)
        }
        FileSystem.remove("\(home)/cgroup")
    }
}
