import Dispatch
import Foundation
import Glibc
import LinuxSystem
import Synchronization
import SystemPackage
import Testing

extension Machine {
    /// Why these tests cannot make networks of their own; `nil`: they can.
    fileprivate static let networkComplaint: String? = {
        guard CurrentProcess.isRoot, hasCgroups else { return "NOT TESTED: needs root and a writable cgroup v2" }
        let places = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
        return places.contains(where: FileSystem.exists) ? nil : "NOT TESTED: ip is missing"
    }()

    /// Why no program counts in the kernel here; `nil`: one does.
    fileprivate static let counterComplaint: String? = {
        if let networkComplaint { return networkComplaint }
        let path = "\(cgroups ?? "")/greenroom-test-\(CurrentProcess.pid)-counter"
        do throws(SystemError) {
            let group = try Cgroup(creating: path)
            defer { try? Cgroup.destroy(at: path) }
            _ = try TrafficProgram(within: group.directory).count(group.directory)
            return nil
        } catch {
            return "NOT TESTED: the kernel takes no BPF program that counts: \(error)"
        }
    }()
}

@Suite("What processes move over the network", .serialized)
struct TrafficTests {
    /// Two network namespaces and a cable between them. At 10.98.0.2 and fd98::2, in the far one, a server reads all
    /// that it is sent, and answers its end with 300000 bytes.
    private final class Cable {
        private let server: PythonProgram
        /// Names the near one.
        var near: String { "/proc/\(server.answer)/ns/net" }

        init() throws {
            server = try PythonProgram(
                """
                import subprocess
                tool = next(p for p in ("/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip") if os.path.exists(p))
                def ip(words):
                    subprocess.run([tool] + words.split(), check=True)
                assert libc.unshare(0x40000000) == 0
                ip("link set lo up")
                ip("link add near type veth peer name far")
                ip("addr add 10.98.0.1/24 dev near")
                ip("addr add fd98::1/64 dev near nodad")
                ip("link set near up")
                come, go = os.pipe(), os.pipe()
                child = os.fork()
                if child == 0:
                    libc.prctl(1, 9)
                    assert libc.unshare(0x40000000) == 0
                    os.write(come[1], b"x")
                    os.read(go[0], 1)
                    ip("addr add 10.98.0.2/24 dev far")
                    ip("addr add fd98::2/64 dev far nodad")
                    ip("link set far up")
                    listener = socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True)
                    os.write(come[1], b"x")
                    while True:
                        peer, _ = listener.accept()
                        while peer.recv(65536):
                            pass
                        peer.sendall(b"z" * 300000)
                        peer.close()
                os.read(come[0], 1)
                ip("link set far netns %d" % child)
                os.write(go[1], b"x")
                os.read(come[0], 1)
                answer = str(os.getpid())
                """)
        }
    }

    private static func entering(_ cable: Cable, _ body: String) -> String {
        """
        near = os.open("\(cable.near)", os.O_RDONLY)
        assert libc.setns(near, 0x40000000) == 0
        \(body)
        """
    }

    @Test(
        "A cgroup's bytes over a cable are counted in both directions; those that stay on the machine are not",
        .enabled(if: Machine.counterComplaint == nil, Comment(rawValue: Machine.counterComplaint ?? "")))
    func counted() throws {
        let cable = try Cable()
        let scratch = try ScratchGroup()
        let program = try TrafficProgram(within: try #require(Machine.cgroups))
        let counter = try program.count(scratch.group.path)
        #expect(try counter.read() == .zero)
        // Its neighbour's bytes are not its own.
        let neighbour = try ScratchGroup("neighbour")
        let other = try program.count(neighbour.group.directory)
        let talker = try PythonProgram(
            Self.entering(
                cable,
                """
                for address in ("127.0.0.1", "10.98.0.1"):
                    own = socket.create_server((address, 0))
                    one = socket.create_connection(own.getsockname())
                    other, _ = own.accept()
                    one.sendall(b"y" * 50000)
                    left = 50000
                    while left:
                        left -= len(other.recv(65536))
                """), in: scratch.group)
        #expect(try counter.read() == .zero, "of \(talker.pid)")
        let peer = try PythonProgram(
            Self.entering(
                cable,
                """
                peer = socket.create_connection(("10.98.0.2", 7000))
                peer.sendall(b"x" * 1000000)
                peer.shutdown(socket.SHUT_WR)
                got = 0
                while True:
                    more = peer.recv(65536)
                    if not more:
                        break
                    got += len(more)
                answer = str(got)
                """), in: scratch.group)
        #expect(peer.answer == "300000")
        let count = try counter.read()
        #expect((1_000_000...1_100_000).contains(count.sent), "\(count)")
        #expect((300_000...360_000).contains(count.received), "\(count)")
        // What others move over the same cable is not theirs.
        let stranger = try PythonProgram(
            Self.entering(
                cable,
                """
                peer = socket.create_connection(("10.98.0.2", 7000))
                peer.shutdown(socket.SHUT_WR)
                while peer.recv(65536):
                    pass
                """), in: neighbour.group)
        #expect(try counter.read() == count, "of \(stranger.pid)")
        let others = try other.read()
        #expect(others.sent < 20_000 && (300_000...360_000).contains(others.received), "\(others)")
    }

    @Test(
        "A counter that is gone leaves no program behind, and the next one begins at nothing",
        .enabled(if: Machine.counterComplaint == nil, Comment(rawValue: Machine.counterComplaint ?? "")))
    func anew() throws {
        let scratch = try ScratchGroup()
        // The kernel takes 64 programs for a group.
        for _ in 0..<80 {
            let program = try TrafficProgram(within: scratch.group.directory)
            #expect(try program.count(scratch.group.directory).read() == .zero)
        }
        let programs = try (0..<3).map { _ in try TrafficProgram(within: scratch.group.directory) }
        let counters = try programs.map { try $0.count(scratch.group.path) }
        #expect(try counters.map { try $0.read() } == [.zero, .zero, .zero])
        #expect(throws: SystemError.self) { try TrafficProgram(within: "/proc") }
        #expect(throws: SystemError.self) { try programs[0].count("/proc/nowhere") }
    }

    @Test(
        "A counter outlives its group, with what it counted",
        .enabled(if: Machine.counterComplaint == nil, Comment(rawValue: Machine.counterComplaint ?? "")))
    func outlives() throws {
        let path = "\(try #require(Machine.cgroups))/greenroom-test-\(CurrentProcess.pid)-outlived"
        let counter: TrafficCounter
        do {
            let group = try Cgroup(creating: path)
            counter = try TrafficProgram(within: try #require(Machine.cgroups)).count(group.directory)
        }
        try Cgroup.remove(at: path)
        #expect(try counter.read() == .zero)
    }

    @Test(
        "Thousands of groups are counted by one program, with no descriptor of their own",
        .enabled(if: Machine.counterComplaint == nil, Comment(rawValue: Machine.counterComplaint ?? "")))
    func many() throws {
        let (group, folder) = (try ScratchGroup(), try Scratch())
        let program = try TrafficProgram(within: group.group.directory)
        let before = FileSystem.names(in: "/proc/self/fd").count
        // Any file has a number that the kernel could give to a group.
        let places = try (0..<2_000).map { try folder.directory("group\($0)") }
        let counters = try places.map { try program.count($0) }
        #expect(try counters.allSatisfy { try $0.read() == .zero })
        // Other tests open some meanwhile, and no two thousand.
        #expect(FileSystem.names(in: "/proc/self/fd").count < before + 1_500)
    }

    /// Moves this thread into a namespace. Swift does not see the C function: its header wants to be asked for it.
    private static func enter(_ namespace: Descriptor) throws -> Bool {
        typealias Function = @convention(c) (CInt, CInt) -> CInt
        let symbol = try unsafe #require(dlsym(nil, "setns"))
        return unsafe unsafeBitCast(symbol, to: Function.self)(namespace.rawValue, 0) == 0
    }

    private final class Answer: Sendable {
        let found = Mutex<Result<[UInt64: TrafficCount], any Error>?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    /// What a thread of its own finds in a network namespace.
    private static func connections(in namespace: String) throws -> [UInt64: TrafficCount] {
        let descriptor = try Descriptor.open(namespace, .read)
        let answer = Answer()
        Thread.detachNewThread {
            let result = Result { () throws -> [UInt64: TrafficCount] in
                guard try Self.enter(descriptor) else { throw SystemError("setns", .ioError) }
                return try TCPConnections.all()
            }
            answer.found.withLock { $0 = result }
            answer.isThere.signal()
        }
        answer.isThere.wait()
        return try #require(answer.found.withLock { $0 }).get()
    }

    @Test(
        "Without a program the kernel tells what each TCP connection moved, by the sockets of whoever has it",
        .enabled(if: Machine.networkComplaint == nil, Comment(rawValue: Machine.networkComplaint ?? "")))
    func connections() throws {
        for address in ["10.98.0.2", "fd98::2"] { try connections(to: address) }
    }

    private func connections(to address: String) throws {
        let cable = try Cable()
        let peer = try PythonProgram(
            Self.entering(
                cable,
                """
                import array, termios
                own = socket.create_server(("127.0.0.1", 0))
                one = socket.create_connection(own.getsockname())
                other, _ = own.accept()
                one.sendall(b"y" * 50000)
                peer = socket.create_connection(("\(address)", 7000))
                peer.sendall(b"x" * 200000)
                left = array.array("i", [1])
                while left[0]:
                    time.sleep(0.001)
                    fcntl.ioctl(peer, termios.TIOCOUTQ, left)
                """))
        let own = ProcFS().socketInodes(of: [peer.pid])
        let found = try Self.connections(in: cable.near).filter { own.contains($0.key) }
        #expect(found.count == 1, "the loopback is left out: \(address)")
        // The kernel counts the beginning of a connection as a byte.
        #expect((200_000...200_002).contains(found.first?.value.sent ?? 0), "\(found)")
        #expect(try TCPConnections.all().keys.allSatisfy { !own.contains($0) }, "another network has others")
    }
}

@Suite("What an app's connections moved") struct ConnectionCountTests {
    @Test("Of a new app everything counts, of one that was there before only what comes")
    func baseline() {
        var new = CountsSeen<UInt64, TrafficCount>(isNew: true)
        var old = CountsSeen<UInt64, TrafficCount>(isNew: false)
        for number in 1...3 {
            let seen: [UInt64: TrafficCount] = [7: TrafficCount(sent: Int64(number) * 10, received: 5)]
            new.note(seen)
            old.note(seen)
        }
        #expect(new.total == TrafficCount(sent: 30, received: 5))
        #expect(old.total == TrafficCount(sent: 20, received: 0))
    }

    @Test("A connection that is gone has counted; another one with its number begins anew")
    func replaced() {
        var counts = CountsSeen<UInt64, TrafficCount>(isNew: true)
        counts.note([7: TrafficCount(sent: 100, received: 100)])
        counts.note([:])
        #expect(counts.total == TrafficCount(sent: 100, received: 100))
        counts.note([7: TrafficCount(sent: 100, received: 100)])
        #expect(counts.total == TrafficCount(sent: 200, received: 200))
        counts.note([7: TrafficCount(sent: 3, received: 200)])
        #expect(counts.total == TrafficCount(sent: 203, received: 400))
    }
}
