internal import LinuxSystem
internal import Wire

/// The floor: the same app in a cgroup of its own, frozen, thawed and asked without any daemon.
struct RawProcess {
    private let group: Cgroup
    private let process: PidFD
    private let socket: Descriptor
    private let request = RPCMessage.request(id: .int(1), method: "ping", params: [:]).encoded()

    init(_ number: Int) throws {
        guard let root = CgroupRoot.detect(isRoot: CurrentProcess.isRoot) else {
            throw BenchError("no cgroup v2 can be written here: see greenroom doctor")
        }
        group = try Cgroup(creating: "\(root)/greenroom-bench-\(CurrentProcess.pid)-\(number)")
        let (ours, theirs) = try UnixSocket.pair()
        socket = ours
        let own = CurrentProcess.executablePath ?? ""
        let environment = CurrentProcess.allEnvironment + ["\(AppEnvironment.descriptor)=3"]
        var spawn = Spawn(path: own, arguments: [own, "app"], environment: environment)
        spawn.cgroup = group.directory
        spawn.descriptors = [(theirs, 3), (Descriptor(borrowing: 2), 2)]
        process = try spawn.start()
        var hello: [UInt8] = []
        guard case .bytes = try socket.read(into: &hello, upTo: 4_096) else { throw BenchError("the app is silent") }
    }

    func end() {
        try? group.kill()
        _ = process.waitUntilDead(milliseconds: 5_000)
        _ = process.reap()
        try? Cgroup.remove(at: group.path)
    }

    /// From the thaw to the answer to one message.
    func wake() throws -> Int64 {
        var answer: [UInt8] = []
        answer.reserveCapacity(4_096)
        let start = Clock.monotonic()
        try group.setFrozen(false)
        try socket.writeAll(request)
        guard case .bytes = try socket.read(into: &answer, upTo: 4_096) else { throw BenchError("the app is silent") }
        return Clock.monotonic() - start
    }

    /// From the write to the moment when the kernel says frozen.
    func freeze() throws -> Int64 {
        let start = Clock.monotonic()
        try group.setFrozen(true)
        while !group.readEvents().isFrozen {}
        return Clock.monotonic() - start
    }
}

struct Floor {
    var wake = Samples()
    var freeze = Samples()

    /// With as many processes and the same pauses as the real thing, so that caches are as cold and the processor sleeps
    /// as deep.
    init(processes: Int, rounds: Int) throws {
        var raw: [RawProcess] = []
        defer { for process in raw { process.end() } }
        for number in 0..<processes {
            raw.append(try RawProcess(number))
            _ = try raw[number].freeze()
        }
        for round in 0..<rounds {
            let process = raw[round % processes]
            pause(milliseconds: Switching.rest)
            wake.append(try process.wake())
            pause(milliseconds: Switching.rest)
            freeze.append(try process.freeze())
        }
    }
}
