import Dispatch
import Glibc
import LinuxSystem
import Synchronization
import Testing

@Suite("Sockets of other processes")
struct AppSocketsTests {
    /// A process with sockets that a program in Python makes; it says the number of a port, and waits.
    private final class Owner {
        let process: PidFD
        let port: UInt16
        private let output: Descriptor
        /// The program goes on when it is let go.
        var input: Descriptor?

        init(_ program: String) throws {
            let (reader, writer) = try UnixSocket.pair()
            var spawn = Spawn(
                path: "/usr/bin/env",
                arguments: [
                    "env", "python3", "-c",
                    "import os, socket, sys\n" + program + "\nos.write(1, b'%d\\n' % port)\nsys.stdin.read()\n",
                ], environment: ["PATH=/usr/bin:/bin"])
            let (held, standardInput) = try UnixSocket.pair()
            input = held
            spawn.descriptors = [(standardInput, 0), (writer, 1)]
            process = try spawn.start()
            output = reader
            let text = try Owner.line(reader)
            port = try #require(UInt16(text), "the program does not run: \(text)")
        }

        /// The next line that the program writes.
        func line() throws -> String { try Self.line(output) }

        private static func line(_ output: Descriptor) throws -> String {
            var bytes: [UInt8] = []
            while bytes.last != UInt8(ascii: "\n") {
                guard case .bytes = try output.read(into: &bytes, upTo: 1) else { break }
            }
            return String(decoding: bytes.dropLast(), as: UTF8.self)
        }

        deinit {
            try? process.send(SIGKILL)
            _ = process.waitUntilDead(milliseconds: 5000) && process.reap() != nil
        }

        /// Without those through which it speaks.
        func sockets() throws -> [AppSocket] {
            try ProcFS().sockets(of: [process.pid]).filter { $0.isListening || !$0.isUnix }
        }
    }

    private static func connect(to port: UInt16) -> CInt {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 ? socket : -1
    }

    /// What a read says: bytes, zero for an end, or the negative number of an error.
    private static func read(_ socket: CInt) -> Int {
        var byte: UInt8 = 0
        let count = unsafe recv(socket, &byte, 1, 0)
        return count < 0 ? -Int(errno) : count
    }

    @Test("Listeners of every family are found with their names, and nothing that is no stream")
    func families() throws {
        let owner = try Owner(
            """
            four = socket.create_server(("127.0.0.1", 0))
            six = socket.create_server(("::1", 0), family=socket.AF_INET6)
            local = socket.socket(socket.AF_UNIX); local.bind("\\0greenroom-test-%d" % os.getpid()); local.listen()
            packets = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            packets.bind("\\0greenroom-packets-%d" % os.getpid()); packets.listen()
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.bind(("127.0.0.1", 0))
            again = four.dup()
            unused = socket.socket()
            port = four.getsockname()[1]
            """)
        let listeners = try owner.sockets().filter(\.isListening)
        #expect(listeners.count == 4)
        #expect(listeners.contains { $0.name == "port \(owner.port)" && !$0.isUnix })
        #expect(listeners.contains { $0.name == "@greenroom-test-\(owner.process.pid)" && $0.isUnix })
        #expect(listeners.contains { $0.name == "@greenroom-packets-\(owner.process.pid)" })
        #expect(listeners.allSatisfy { $0.kind == .listening(waiting: 0) })
    }

    @Test("Who waits is counted, turned away with a reset, and the listener is as it was")
    func refusal() throws {
        // It blocks, and nobody accepts: whoever looks must not come to wait.
        let owner = try Owner("one = socket.create_server(('127.0.0.1', 0))\nport = one.getsockname()[1]")
        let peers = (0..<3).map { _ in Self.connect(to: owner.port) }
        defer { peers.forEach { close($0) } }
        #expect(peers.allSatisfy { $0 >= 0 })
        let listener = try #require(try owner.sockets().first)
        #expect(listener.kind == .listening(waiting: 3))
        for _ in 0..<3 { #expect(try listener.refusePeer()) }
        #expect(try !listener.refusePeer())
        for peer in peers { #expect(Self.read(peer) == -Int(ECONNRESET)) }
        let next = Self.connect(to: owner.port)
        defer { close(next) }
        #expect(next >= 0)
        #expect(try owner.sockets().first?.kind == .listening(waiting: 1))
    }

    @Test("A connection belongs to its listener, and two ends of one are known as such")
    func connections() throws {
        let owner = try Owner(
            """
            server = socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
            port = server.getsockname()[1]
            client = socket.create_connection(("127.0.0.1", port))
            accepted, _ = server.accept()
            """)
        let outside = Self.connect(to: owner.port)
        defer { close(outside) }
        let sockets = try owner.sockets()
        let listener = try #require(sockets.first { $0.isListening })
        #expect(listener.kind == .listening(waiting: 1))
        let connected = sockets.filter { !$0.isListening }
        try #require(connected.count == 2)
        #expect(connected[0].isOtherEnd(of: connected[1]) && connected[1].isOtherEnd(of: connected[0]))
        #expect(!connected[0].isOtherEnd(of: connected[0]))
        #expect(connected.count { $0.belongs(to: listener) } == 1)
    }

    @Test("A broken connection is an error for both sides")
    func breaking() throws {
        let owner = try Owner(
            """
            server = socket.create_server(("127.0.0.1", 0))
            port = server.getsockname()[1]
            os.write(1, b"%d\\n" % port)
            peer, _ = server.accept()
            os.write(1, b"accepted\\n")
            os.read(0, 1)
            try:
                peer.recv(1)
                os.kill(os.getpid(), 9)
            except ConnectionResetError:
                os._exit(7)
            """)
        let peer = Self.connect(to: owner.port)
        defer { close(peer) }
        #expect(try owner.line() == "accepted")
        let sockets = try owner.sockets()
        let connection = try #require(sockets.first { !$0.isListening })
        try connection.breakConnection()
        #expect(Self.read(peer) == -Int(ECONNRESET))
        owner.input = nil
        #expect(owner.process.waitUntilDead(milliseconds: 10_000))
        #expect(owner.process.reap() == .exited(7))
    }

    @Test("What another process has open as well is known to be shared")
    func sharing() throws {
        let owner = try Owner(
            """
            one = socket.create_server(("127.0.0.1", 0))
            two = socket.create_server(("127.0.0.1", 0))
            port = two.getsockname()[1]
            closed, closing = os.pipe()
            if os.fork() == 0:
                one.close()
                os.write(closing, b"x")
                os.read(0, 1)
                os._exit(0)
            os.read(closed, 1)
            """)
        let sockets = try owner.sockets()
        let shared = ProcFS().shared(sockets, byOthersThan: [owner.process.pid])
        #expect(shared == Set(sockets.filter { $0.port == owner.port }.map(\.inode)))
        let family = ProcFS().tree(of: owner.process.pid)
        #expect(ProcFS().shared(sockets, byOthersThan: Set(family)).isEmpty)
    }

    @Test("Children of this process that have not begun their program share nothing of what it looks at")
    func births() throws {
        let owner = try Owner(
            """
            server = socket.create_server(("127.0.0.1", 0))
            port = server.getsockname()[1]
            """)
        let sockets = try owner.sockets()
        try #require(!sockets.isEmpty)
        let isOver = Atomic(false)
        let births = DispatchQueue(label: "births")
        defer {
            isOver.store(true, ordering: .relaxed)
            births.sync {}
        }
        births.async {
            while !isOver.load(ordering: .relaxed) {
                guard let child = try? Spawn(path: "/bin/true", arguments: ["true"], environment: []).start() else {
                    return
                }
                _ = child.waitUntilDead(milliseconds: 10_000)
                _ = child.reap()
            }
        }
        for _ in 0..<50 {
            let shared = ProcFS().shared(sockets, byOthersThan: [owner.process.pid])
            guard shared.isEmpty else {
                Issue.record("\(shared)")
                return
            }
        }
    }
}
