internal import Glibc

/// A connected Unix stream socket. Raw system calls: an app should link little, and this is all that it needs.
final class RawSocket: Sendable {
    private let descriptor: CInt

    /// Takes ownership.
    init(owning descriptor: CInt) {
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

    /// `nil` if nobody listens there now. A path too long for an address is reached through its directory.
    static func connect(to path: String) -> RawSocket? {
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

    /// Blocks until all is sent. False if the connection is gone.
    func send(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                let count = unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, CInt(MSG_NOSIGNAL))
                if count > 0 { sent += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Blocks until something is there. `nil` when the connection has ended.
    func receive(into buffer: inout [UInt8]) -> Int? {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = unsafe recv(descriptor, bytes.baseAddress, bytes.count, 0)
                if count > 0 { return count }
                if count == 0 || errno != EINTR { return nil }
            }
        }
    }

    /// Ends the connection; whoever is blocked in `receive` returns.
    func shutDown() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
}
