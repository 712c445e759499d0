internal import CLinux
internal import Glibc
internal import SystemPackage

/// Stream sockets of the Unix family. Paths longer than the kernel's 107 bytes are reached through their directory.
package enum UnixSocket {
    package struct Peer: Hashable, Sendable {
        package let pid: CInt
        package let uid: UInt32
    }

    /// Binds and listens; an old socket file at the path is replaced.
    package static func listen(at path: String, mode: UInt32, backlog: CInt = 128) throws(SystemError) -> Descriptor {
        let socket = try make()
        _ = unsafe unlink(path)
        unsafe try withAddress(path, "bind", socket) { fd, address, length in unsafe Glibc.bind(fd, address, length) }
        // Nobody can connect before `listen`: the mode leaves no gap, and the umask, which is every thread's, is left
        // alone.
        try check("chmod", path: path) { unsafe chmod(path, mode) }
        let fd = socket.rawValue
        try check("listen", path: path) { Glibc.listen(fd, backlog) }
        try socket.setNonblocking(true)
        return socket
    }

    /// A listener that has no room for another peer is waited for, at most so long (`EAGAIN`); not at all without
    /// waiting, and then nothing of the socket waits later either.
    package static func connect(
        to path: String, isNonblocking: Bool = false, milliseconds: CInt = 5000
    ) throws(SystemError) -> Descriptor {
        let socket = try make()
        let number = socket.rawValue
        if isNonblocking {
            try socket.setNonblocking(true)
        } else {
            try check("setsockopt") { gr_set_send_limit(number, max(1, milliseconds)) }
        }
        unsafe try withAddress(path, "connect", socket) { fd, address, length in
            unsafe Glibc.connect(fd, address, length)
        }
        try check("setsockopt") { gr_set_send_limit(number, 0) }
        return socket
    }

    /// The next waiting connection.
    package static func accept(_ listener: Descriptor) throws(SystemError) -> Descriptor? {
        let fd = Descriptor.retrying { Int(gr_accept(listener.rawValue)) }
        if fd >= 0 { return Descriptor(owning: CInt(fd)) }
        if Glibc.errno == EAGAIN || Glibc.errno == ECONNABORTED { return nil }
        throw .last("accept4")
    }

    /// Whoever holds it has shut it down: nobody is heard on it any more.
    package static func isShutDown(_ listener: Descriptor) -> Bool {
        var entry = pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1 && entry.revents & Int16(POLLHUP) != 0
    }

    package static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
        var fds: [CInt] = [-1, -1]
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        try check("socketpair") { unsafe socketpair(AF_UNIX, type, 0, &fds) }
        return (Descriptor(owning: fds[0]), Descriptor(owning: fds[1]))
    }

    package static func peer(of socket: Descriptor) throws(SystemError) -> Peer {
        var pid: CInt = 0
        var uid: UInt32 = 0
        let fd = socket.rawValue
        try check("getsockopt") { unsafe gr_peer_credentials(fd, &pid, &uid) }
        return Peer(pid: pid, uid: uid)
    }

    /// The very process that connected (kernel 6.5); `nil` on older kernels, or when it is gone.
    package static func peerProcess(of socket: Descriptor) -> PidFD? {
        guard let peer = try? peer(of: socket) else { return nil }
        let fd = gr_peer_pidfd(socket.rawValue)
        return fd >= 0 ? PidFD(pid: peer.pid, owning: fd) : nil
    }

    private static func make() throws(SystemError) -> Descriptor {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        return Descriptor(owning: try check("socket") { socket(AF_UNIX, type, 0) })
    }

    private static func withAddress(
        _ path: String, _ operation: String, _ socket: Descriptor,
        _ call: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) throws(SystemError) {
        var address = sockaddr_un()
        let room = MemoryLayout.size(ofValue: address.sun_path)
        var name = path
        var directory: Descriptor?
        if path.utf8.count >= room {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            let parent = parts.dropLast().joined(separator: "/")
            let opened = try Descriptor.open(parent, .directory)
            name = "/proc/self/fd/\(opened.rawValue)/\(parts.last ?? "")"
            directory = opened
        }
        guard name.utf8.count < room else { throw SystemError(operation, .fileNameTooLong, path: path) }
        guard !name.isEmpty, !name.utf8.contains(0) else { throw SystemError(operation, .invalidArgument, path: path) }
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let fd = socket.rawValue
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        try check(operation, path: path) {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call(fd, $0, length) }
            }
        }
        withExtendedLifetime(directory) {}
    }
}

extension Descriptor {
    /// Sends what goes without waiting. The corresponding C function is `send`.
    package func send(_ bytes: ArraySlice<UInt8>) throws(SystemError) -> Transfer {
        let fd = rawValue
        let done = unsafe bytes.withUnsafeBytes { buffer in
            Self.retrying {
                unsafe gr_send_now(fd, buffer.baseAddress, buffer.count)
            }
        }
        if done < 0, Glibc.errno == EAGAIN { return .wouldBlock }
        return try Self.transfer("send", done)
    }

    /// Has the kernel refuse descriptors that the peer sends, where it can; `readAlone` closes them where it cannot.
    package func refuseDescriptors() { _ = gr_refuse_descriptors(rawValue) }

    /// Reads from a socket whose peer has no descriptor to send: those that come are closed at once.
    package func readAlone(into bytes: inout [UInt8], upTo limit: Int) throws(SystemError) -> Transfer {
        let fd = rawValue
        let got = unsafe Self.fill(&bytes, limit) { buffer in unsafe gr_read_alone(fd, buffer, limit) }
        return try Self.transfer("recvmsg", got)
    }

    /// Sends bytes with descriptors. The corresponding C function is `sendmsg`.
    package func send(_ bytes: [UInt8], descriptors: [Descriptor]) throws(SystemError) -> Transfer {
        let numbers = descriptors.map(\.rawValue)
        let fd = rawValue
        let done = unsafe bytes.withUnsafeBytes { buffer in
            Self.retrying {
                unsafe buffer.baseAddress.map {
                    unsafe gr_send(fd, $0, buffer.count, numbers, CInt(numbers.count))
                } ?? 0
            }
        }
        return try Self.transfer("sendmsg", done)
    }

    /// Receives bytes and the descriptors that came with them. The corresponding C function is `recvmsg`.
    package func receive(
        into bytes: inout [UInt8], upTo limit: Int
    ) throws(SystemError) -> (Transfer, [Descriptor]) {
        var numbers = [CInt](repeating: -1, count: 8)
        var count: CInt = 0
        var truncated: CInt = 0
        let fd = rawValue
        let got = unsafe Self.fill(&bytes, limit) { buffer in
            unsafe buffer.map { unsafe gr_receive(fd, $0, limit, &numbers, &count, &truncated) } ?? 0
        }
        let transfer = try Self.transfer("recvmsg", got)
        guard truncated == 0 else { throw SystemError("recvmsg", .invalidArgument) }
        return (transfer, numbers.prefix(Int(count)).map { Descriptor(owning: $0) })
    }
}
