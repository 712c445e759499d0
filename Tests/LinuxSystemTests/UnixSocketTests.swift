import Glibc
import LinuxSystem
import SystemPackage
import TestPace
import Testing

@Suite("Unix sockets")
struct UnixSocketTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func connected() throws -> (Descriptor, Descriptor) {
        let path = scratch.path + "/socket"
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        let client = try UnixSocket.connect(to: path)
        return (client, try #require(try UnixSocket.accept(listener)))
    }

    private func pipe() throws -> (reader: Descriptor, writer: Descriptor) {
        var ends: [CInt] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        let (reader, writer) = (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
        try reader.setNonblocking(false)
        try writer.setNonblocking(false)
        return (reader, writer)
    }

    /// The other end of a pipe whose writer is on its way, eight times, and nowhere else.
    private func sendWriter(_ socket: Descriptor) throws -> Descriptor {
        let ends = try pipe()
        _ = try socket.send([1], descriptors: Array(repeating: ends.writer, count: 8))
        return ends.reader
    }

    @Test("Whoever reads alone keeps no descriptor that comes along, and can refuse them")
    func alone() throws {
        let (client, server) = try connected()
        let reader = try sendWriter(client)
        var bytes: [UInt8] = []
        #expect(try server.readAlone(into: &bytes, upTo: 100) == .bytes(1))
        #expect(bytes == [1])
        #expect(try reader.read(into: &bytes, upTo: 1) == .end, "nobody can write any more")
        server.refuseDescriptors()
        // Kernels before 6.16 let them through.
        if (try? client.send([2], descriptors: [reader])) == nil {
            #expect(try client.send([3][...]) == .bytes(1))
            #expect(try server.readAlone(into: &bytes, upTo: 100) == .bytes(1))
        }
    }

    /// A connection that its last owner closes only when the peer has read everything, or after a minute; and the peer.
    private func lingering() throws -> (Descriptor, Descriptor) {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let listener = Descriptor(owning: socket(AF_INET, type, 0))
        let client = Descriptor(owning: socket(AF_INET, type, 0))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listening, connecting) = (listener.rawValue, client.rawValue)
        let results = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { any in
                [
                    unsafe bind(listening, any, length), listen(listening, 1),
                    unsafe getsockname(listening, any, &length), unsafe connect(connecting, any, length),
                ]
            }
        }
        try #require(results == [0, 0, 0, 0])
        let peer = Descriptor(owning: accept(listening, nil, nil))
        var option = linger(l_onoff: 1, l_linger: 60)
        let size = socklen_t(MemoryLayout<linger>.size)
        try #require(unsafe setsockopt(connecting, SOL_SOCKET, SO_LINGER, &option, size) == 0)
        let piece = [UInt8](repeating: 0, count: 1 << 16)[...]
        while case .bytes = try client.send(piece) {}
        return (client, peer)
    }

    private func sendLingering(_ wire: Descriptor) throws -> Descriptor {
        let (connection, peer) = try lingering()
        _ = try wire.send([1], descriptors: [connection])
        return peer
    }

    @Test("A descriptor that takes long to close does not hold whoever reads alone")
    func lingeringDescriptor() throws {
        let (client, server) = try connected()
        let peer = try sendLingering(client)
        let begin = Clock.monotonic()
        var bytes: [UInt8] = []
        #expect(try server.readAlone(into: &bytes, upTo: 100) == .bytes(1))
        #expect(Clock.monotonic() - begin < Pace.nanoseconds(seconds: 20))
        withExtendedLifetime(peer) {}
    }

    @Test("Bytes go both ways and an end is seen")
    func bytes() throws {
        let (client, server) = try connected()
        #expect(try client.send(Array("hello".utf8)[...]) == .bytes(5))
        var bytes: [UInt8] = []
        let (transfer, descriptors) = try server.receive(into: &bytes, upTo: 100)
        #expect(transfer == .bytes(5))
        #expect(descriptors.isEmpty)
        #expect(bytes == Array("hello".utf8))
        try server.writeAll(Array("answer".utf8))
        bytes = []
        #expect(try client.read(into: &bytes, upTo: 3) == .bytes(3))
        #expect(try client.read(into: &bytes, upTo: 3) == .bytes(3))
        #expect(bytes == Array("answer".utf8))
    }

    @Test("Nothing waits: neither a connection nor bytes, nor a peer that does not read")
    func nothingBlocks() throws {
        let path = scratch.path + "/socket"
        let listener = try UnixSocket.listen(at: path, mode: 0o600)
        #expect(try UnixSocket.accept(listener) == nil)
        let client = try UnixSocket.connect(to: path)
        let server = try #require(try UnixSocket.accept(listener))
        var bytes: [UInt8] = []
        #expect(try server.receive(into: &bytes, upTo: 10).0 == .wouldBlock)
        #expect(bytes.isEmpty)
        let block = [UInt8](repeating: 7, count: 1 << 16)
        var sent = 0
        while case .bytes(let count) = try client.send(block[...]) { sent += count }
        #expect(sent > 0)
        #expect(try client.send([1], descriptors: [server]) == .wouldBlock)
    }

    @Test("A peer that is gone is an error of sending, not a signal")
    func goneIsAnError() throws {
        let (ours, theirs) = try UnixSocket.pair()
        _ = consume theirs
        let error = #expect(throws: SystemError.self) { try ours.send([1, 2, 3][...]) }
        #expect(error?.errno == .brokenPipe)
    }

    @Test("Descriptors arrive as the same open files, with the bytes that they were sent with", arguments: [1, 8])
    func descriptors(count: Int) throws {
        let (client, server) = try connected()
        let pipes = try (0..<count).map { _ in try pipe() }
        #expect(try client.send(Array("take".utf8), descriptors: pipes.map(\.writer)) == .bytes(4))
        var bytes: [UInt8] = []
        let (transfer, received) = try server.receive(into: &bytes, upTo: 100)
        #expect(transfer == .bytes(4))
        #expect(received.count == count)
        for (index, descriptor) in received.enumerated() {
            #expect(fcntl(descriptor.rawValue, F_GETFD) & FD_CLOEXEC != 0)
            try descriptor.writeAll([UInt8(index)])
            var got: [UInt8] = []
            #expect(try pipes[index].reader.read(into: &got, upTo: 10) == .bytes(1))
            #expect(got == [UInt8(index)])
        }
    }

    @Test("More descriptors than a message may carry are not sent")
    func tooManyToSend() throws {
        let (client, server) = try connected()
        let error = #expect(throws: SystemError.self) {
            try client.send([1], descriptors: [Descriptor](repeating: server, count: 9))
        }
        #expect(error?.errno == .invalidArgument)
    }

    @Test("A peer that sends more descriptors than allowed is an error, and all of them are closed")
    func tooManyReceived() throws {
        let (client, server) = try connected()
        var pipes = try (0..<20).map { _ in try pipe() }
        try sendRaw(client, pipes.map(\.writer.rawValue))
        let readers = pipes.map(\.reader)
        pipes = []
        var bytes: [UInt8] = []
        let error = #expect(throws: SystemError.self) { try server.receive(into: &bytes, upTo: 10) }
        #expect(error?.errno == .invalidArgument)
        // With the last copy of its other end closed, a pipe ends.
        for reader in readers {
            // A process that a test beside this one is starting has copies until it begins its program.
            #expect(isReady(reader))
            try reader.setNonblocking(true)
            var got: [UInt8] = []
            #expect(try reader.read(into: &got, upTo: 1) == .end)
        }
    }

    /// What no well-behaved peer does: any number of descriptors, past the bound of `send`.
    private func sendRaw(_ socket: Descriptor, _ numbers: [CInt]) throws {
        let headerSize = MemoryLayout<cmsghdr>.size
        var control = [UInt8](repeating: 0, count: headerSize + numbers.count * 4)
        unsafe control.withUnsafeMutableBytes { buffer in
            var header = cmsghdr()
            header.cmsg_len = buffer.count
            header.cmsg_level = SOL_SOCKET
            header.cmsg_type = 1  // SCM_RIGHTS
            unsafe buffer.storeBytes(of: header, as: cmsghdr.self)
            for (index, number) in numbers.enumerated() {
                unsafe buffer.storeBytes(of: number, toByteOffset: headerSize + index * 4, as: CInt.self)
            }
        }
        var byte: UInt8 = 1
        let sent = unsafe withUnsafeMutablePointer(to: &byte) { place in
            var part = unsafe iovec(iov_base: place, iov_len: 1)
            return unsafe control.withUnsafeMutableBytes { buffer in
                unsafe withUnsafeMutablePointer(to: &part) { parts in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = parts
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = buffer.baseAddress
                    unsafe message.msg_controllen = buffer.count
                    return unsafe sendmsg(socket.rawValue, &message, 0)
                }
            }
        }
        try #require(sent == 1)
    }

    @Test("The file has its mode, an old one is replaced, and a path may be longer than an address")
    func paths() throws {
        let deep = try scratch.directory(String(repeating: "long-name/", count: 15) + "end")
        let path = deep + "/socket"
        #expect(path.utf8.count > 108)
        let first = try UnixSocket.listen(at: path, mode: 0o600)
        let second = try UnixSocket.listen(at: path, mode: 0o666)
        var status = stat()
        #expect(unsafe stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o666)
        let client = try UnixSocket.connect(to: path)
        #expect(try UnixSocket.accept(first) == nil)
        #expect(try UnixSocket.accept(second) != nil)
        withExtendedLifetime(client) {}
    }

    @Test("A name that fits into no address is refused, as are no name and half a name")
    func refusedPaths() throws {
        let long = scratch.path + "/" + String(repeating: "x", count: 120)
        for path in [long, "", scratch.path + "/a\u{0}b"] {
            #expect(throws: SystemError.self) { try UnixSocket.listen(at: path, mode: 0o600) }
            #expect(throws: SystemError.self) { try UnixSocket.connect(to: path) }
        }
        #expect(FileSystem.names(in: scratch.path).isEmpty)
    }

    @Test("A peer is known by its process, also after its end")
    func peer() throws {
        let (client, server) = try connected()
        let peer = try UnixSocket.peer(of: server)
        #expect(peer.pid == CurrentProcess.pid)
        #expect(peer.uid == CurrentProcess.uid)
        // Before 6.5 there is none.
        if let process = UnixSocket.peerProcess(of: server) {
            #expect(process.pid == CurrentProcess.pid)
            #expect(!process.isDead)
        }
        withExtendedLifetime(client) {}
    }
}
