import LinuxSystem
import ServiceTesting
import Testing
import Wire

@Suite("Apps that pass for tools")
struct AppAsToolTests {
    /// Where a group can be made.
    private static let groups = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)

    /// Says hello, and ends with 0 where it is not heard, with 3 where it is.
    private static let program = """
        import socket, sys
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(sys.argv[1])
        try: peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"role":"tool"}}\\n')
        except ConnectionError: pass
        try: sys.exit(0 if peer.recv(100) == b"" else 3)
        except ConnectionError: sys.exit(0)
        """

    @Test(
        "An app of the same user is heard on no socket but the one that the daemon gave it",
        .enabled(if: groups != nil, "NOT TESTED: needs a cgroup that can be written"))
    func appAsTool() throws {
        let service = try TestService()
        let home = try #require(Self.groups) + "/greenroom-test-\(CurrentProcess.pid)-transfers"
        let group = home + "/app-org.example.app"
        try FileSystem.makeDirectory(home)
        try FileSystem.makeDirectory(group)
        defer { for folder in [group, home] { try? Cgroup.remove(at: folder) } }
        func status(_ socket: String, in group: String?) throws -> ProcessStatus? {
            var spawn = Spawn(
                path: "/usr/bin/python3", arguments: ["python3", "-c", Self.program, "\(service.home)/\(socket)"],
                environment: [])
            spawn.cgroup = try group.map { try Descriptor.open($0, .directory) }
            let process = try spawn.start()
            #expect(process.waitUntilDead(milliseconds: 20_000))
            return process.reap()
        }
        for socket in ["control", "client"] {
            #expect(try status(socket, in: group) == .exited(0), "\(socket)")
            #expect(try status(socket, in: nil) == .exited(3), "\(socket)")
        }
    }
}
