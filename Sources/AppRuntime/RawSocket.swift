internal import Glibc
internal import Wire

/// A descriptor that is closed with its last reference.
package final class OwnedDescriptor: Sendable {
    package let number: CInt

    /// Takes ownership.
    package init(_ number: CInt) { self.number = number }

    deinit { close(number) }

    /// One of the caller's own, for the same open file.
    func duplicate() -> CInt { fcntl(number, F_DUPFD_CLOEXEC, 3) }
}

/// A connected Unix stream socket. Raw system calls: an app should link little, and this is all that it needs.
package final class RawSocket: Sendable {
    private let descriptor: CInt

    /// Takes ownership.
    package init(owning descriptor: CInt) {
        self.descriptor = descriptor
        // Programs that the app starts must not speak in its name.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
    }

    deinit { close(descriptor) }

    static func isSocket(_ descriptor: CInt) -> Bool {
        var type: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        let status = unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length)
        return status == 0 && type == CInt(SOCK_STREAM.rawValue)
    }

    /// Two ends of one connection.
    package static func pair() -> (RawSocket, RawSocket)? {
        var numbers: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &numbers) == 0 else { return nil }
        return (RawSocket(owning: numbers[0]), RawSocket(owning: numbers[1]))
    }

    /// `nil` if nobody listens there now. A path too long for an address is reached through its directory.
    package static func connect(to path: String) -> RawSocket? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        var name = path
        var directory: CInt = -1
        defer { if directory >= 0 { close(directory) } }
        if path.utf8.count >= room, let slash = path.lastIndex(of: "/") {
            directory = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            name = "/proc/self/fd/\(directory)\(path[slash...])"
        }
        let bytes = Array(name.utf8)
        guard bytes.count < room else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }

        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return nil }
        let result = RawSocket(owning: descriptor)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return status == 0 ? result : nil
    }

    /// Whether the other end is closed. What it wrote before that may still be there.
    package var isHungUp: Bool {
        var state = pollfd(fd: descriptor, events: 0, revents: 0)
        return unsafe poll(&state, 1, 0) > 0 && state.revents & Int16(POLLHUP | POLLERR) != 0
    }

    /// Blocks until all is sent; the descriptor goes with the first byte. False if the connection is gone.
    @discardableResult
    package func send(_ bytes: [UInt8], with passenger: OwnedDescriptor? = nil) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                let count =
                    if sent == 0, let passenger {
                        unsafe send(rest, with: passenger)
                    } else {
                        unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
                    }
                if count > 0 { sent += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, with passenger: OwnedDescriptor) -> Int {
        // As `descriptors` reads it: the length without the padding, the level and the type, the number.
        let length = Self.controlHeader + MemoryLayout<CInt>.size
        var control = [
            UInt64(length), UInt64(UInt32(SOL_SOCKET)) | UInt64(SCM_RIGHTS) << 32, UInt64(passenger.number),
        ]
        return unsafe control.withUnsafeMutableBytes { control in
            let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            var part = unsafe iovec(iov_base: start, iov_len: bytes.count)
            return unsafe withUnsafeMutablePointer(to: &part) { part in
                var message = unsafe msghdr()
                unsafe message.msg_iov = part
                unsafe message.msg_iovlen = 1
                unsafe message.msg_control = control.baseAddress
                unsafe message.msg_controllen = control.count
                return unsafe sendmsg(descriptor, &message, CInt(MSG_NOSIGNAL))
            }
        }
    }

    /// Blocks until something is there, and appends the descriptors that came with it. `nil` when the connection has
    /// ended.
    package func receive(into buffer: inout [UInt8], _ passengers: inout [OwnedDescriptor]) -> Int? {
        // Room for a header and as many descriptors as a message may have, aligned as the kernel wants it.
        var control = [UInt64](repeating: 0, count: 2 + (Limits.descriptors + 1) / 2)
        return unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe control.withUnsafeMutableBytes { control in
                while true {
                    var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                    let (count, used) = unsafe withUnsafeMutablePointer(to: &part) { part in
                        var message = unsafe msghdr()
                        unsafe message.msg_iov = part
                        unsafe message.msg_iovlen = 1
                        unsafe message.msg_control = control.baseAddress
                        unsafe message.msg_controllen = control.count
                        let count = unsafe recvmsg(descriptor, &message, CInt(MSG_CMSG_CLOEXEC))
                        return unsafe (count, message.msg_controllen)
                    }
                    if count > 0 {
                        passengers += unsafe Self.descriptors(UnsafeRawBufferPointer(rebasing: control[..<used]))
                        return count
                    }
                    if count == 0 || errno != EINTR { return nil }
                }
            }
        }
    }

    /// Bytes before the descriptors of a control message.
    private static let controlHeader = 16

    /// The one kind of control message that a daemon sends: its length, the level, the type, and then descriptors.
    private static func descriptors(_ control: UnsafeRawBufferPointer) -> [OwnedDescriptor] {
        let header = controlHeader
        guard control.count >= header else { return [] }
        let length = unsafe control.load(fromByteOffset: 0, as: Int.self)
        let level = unsafe control.load(fromByteOffset: 8, as: CInt.self)
        let type = unsafe control.load(fromByteOffset: 12, as: CInt.self)
        guard level == SOL_SOCKET, type == CInt(SCM_RIGHTS), length <= control.count else { return [] }
        return stride(from: header, to: length, by: MemoryLayout<CInt>.size).map {
            OwnedDescriptor(unsafe control.load(fromByteOffset: $0, as: CInt.self))
        }
    }

    /// Ends the connection; whoever is blocked in `receive` returns.
    package func shutDown() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
}
