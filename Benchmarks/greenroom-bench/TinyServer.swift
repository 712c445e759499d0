internal import Glibc
internal import LinuxSystem

/// The smallest server: answers the first bytes of each connection with the same bytes, and closes it.
enum TinyServer {
    /// At a port of this machine, or at the listening socket that came as descriptor 3 where no port is given.
    static func run(_ port: UInt16?) throws -> CInt {
        let listener = port == nil ? 3 : try listen(at: port ?? 0)
        var bytes = [UInt8](repeating: 0, count: 64)
        while true {
            let peer = accept(listener, nil, nil)
            guard peer >= 0 else { throw BenchError("accept: \(Glibc.errno)") }
            let count = unsafe recv(peer, &bytes, bytes.count, 0)
            if count > 0 { _ = unsafe send(peer, bytes, count, CInt(MSG_NOSIGNAL)) }
            close(peer)
        }
    }

    private static func listen(at port: UInt16) throws -> CInt {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var yes: CInt = 1
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
        let bound = unsafe withAddress(port) { unsafe bind(socket, $0, $1) }
        guard bound == 0, Glibc.listen(socket, 64) == 0 else { throw BenchError("port \(port) is taken") }
        return socket
    }

    /// Nanoseconds from the call of `connect` to the answer; `nil` when nobody listens.
    static func ask(_ port: UInt16) throws -> Int64? {
        let start = Clock.monotonic()
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        _ = unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        guard unsafe withAddress(port, { unsafe connect(socket, $0, $1) }) == 0 else { return nil }
        var bytes: [UInt8] = Array("ping".utf8)
        guard unsafe send(socket, bytes, bytes.count, CInt(MSG_NOSIGNAL)) == 4,
            unsafe recv(socket, &bytes, bytes.count, 0) == 4
        else { throw BenchError("the server at port \(port) does not answer") }
        return Clock.monotonic() - start
    }

    /// What a peer of a suspended app sees: nanoseconds until the reset.
    static func refusal(_ port: UInt16) throws -> Int64 {
        let start = Clock.monotonic()
        do { guard try ask(port) == nil else { throw BenchError("port \(port) answers") } } catch {
            guard Glibc.errno == ECONNRESET || Glibc.errno == EPIPE else { throw error }
        }
        return Clock.monotonic() - start
    }

    private static func withAddress<Result>(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
