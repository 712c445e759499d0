internal import LinuxSystem
internal import Wire

/// The floor: an app in a cgroup of its own, frozen, thawed and asked without any daemon.
struct RawProcess {
    private let group: Cgroup
    private let process: PidFD
    private let socket: Descriptor
    private let request = RPCMessage.request(id: .int(1), method: "ping", params: [:]).encoded()

    private static func prefix(of pid: CInt) -> String? {
        CgroupRoot.detect(isRoot: CurrentProcess.isRoot).map { "\($0)/greenroom-bench-\(pid)-" }
    }

    /// Ends what a measurement left that did not come to its end.
    static func removeAll(of pid: CInt) {
        guard let prefix = prefix(of: pid), let slash = prefix.lastIndex(of: "/") else { return }
        for group in Cgroup.children(of: String(prefix[..<slash])) where group.hasPrefix(prefix) {
            try? Cgroup.kill(at: group)
            for _ in 0..<200 {
                if (try? Cgroup.remove(at: group)) != nil { break }
                pause(milliseconds: 5)
            }
        }
    }

    /// The program is an app of Greenroom; without one it is the smallest.
    init(_ number: Int, program: String?, place: String) throws {
        guard let prefix = Self.prefix(of: CurrentProcess.pid) else {
            throw BenchError("no cgroup v2 can be written here: see greenroom doctor")
        }
        let group = try Cgroup(creating: "\(prefix)\(number)")
        let (ours, theirs) = try UnixSocket.pair()
        let container = "\(place)/raw"
        try FileSystem.makeDirectory(container + "/Documents")
        let own = CurrentProcess.executablePath ?? ""
        let environment = [
            "\(AppEnvironment.descriptor)=3", "\(AppEnvironment.socket)=\(place)/none",
            "\(AppEnvironment.app)=org.greenroom.bench.raw", "HOME=\(container)", "TMPDIR=\(container)",
        ]
        var spawn = Spawn(
            path: program ?? own, arguments: program.map { [$0] } ?? [own, "app"], environment: environment)
        spawn.cgroup = try group.directory
        spawn.directory = container
        let nothing = try Descriptor.open("/dev/null", .readWrite)
        spawn.descriptors = [(nothing, 0), (nothing, 1), (Descriptor(borrowing: 2), 2), (theirs, 3)]
        process = try spawn.start()
        (self.group, socket) = (group, ours)
        try greet(container)
        _ = try freeze()
    }

    /// As the daemon answers `hello`, so that the app answers.
    private func greet(_ container: String) throws {
        try receive()
        let result: JSONValue = [
            "protocol": 1, "app": "org.greenroom.bench.raw", "name": "Raw", "container": .string(container),
            "profile": "linux", "options": [:],
        ]
        try socket.writeAll(RPCMessage.response(id: .int(1), result: result).encoded() + request)
        try receive()
    }

    private func receive() throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4_096)
        guard case .bytes = try socket.read(into: &bytes, upTo: 4_096) else { throw BenchError("the app is silent") }
    }

    func end() {
        try? group.kill()
        _ = process.waitUntilDead(milliseconds: 5_000)
        _ = process.reap()
        try? Cgroup.remove(at: group.path)
    }

    /// From the thaw to the answer to one message.
    func wake() throws -> Int64 {
        let start = Clock.monotonic()
        try group.setFrozen(false)
        try socket.writeAll(request)
        try receive()
        return Clock.monotonic() - start
    }

    /// Of one that runs.
    func roundTrip() throws -> Int64 {
        let start = Clock.monotonic()
        try socket.writeAll(request)
        try receive()
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
