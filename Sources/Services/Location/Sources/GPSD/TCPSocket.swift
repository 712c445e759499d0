internal import Glibc
internal import LinuxSystem
internal import SystemPackage

/// Connections by TCP that never wait.
enum TCPSocket {
    /// An address as `connect` takes it.
    struct Peer: Hashable, Sendable {
        let family: CInt
        let address: [UInt8]
    }

    /// Seconds of silence after which the kernel asks whether a peer still lives, and between two such questions.
    private static let (keepIdle, keepInterval, keepCount): (CInt, CInt, CInt) = (30, 10, 3)

    /// The addresses of a host. Only those of a numeric host are known without waiting for a name server.
    static func peers(_ host: String, port: UInt16, isNumeric: Bool) -> [Peer] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var first: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { unsafe freeaddrinfo(first) }
        var found: [Peer] = []
        var next = unsafe first
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ai_addr {
                let family = unsafe entry.pointee.ai_family
                let bytes = unsafe UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                found.append(Peer(family: family, address: unsafe Array(bytes)))
            }
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    /// Begins to connect. The socket becomes writable when that has come to an end.
    static func connect(to peer: Peer) throws(SystemError) -> Descriptor {
        let flags = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        let number = socket(peer.family, flags, 0)
        guard number >= 0 else { throw Self.error("socket") }
        let descriptor = Descriptor(owning: number)
        keepAlive(number)
        var storage = sockaddr_storage()
        let length = min(peer.address.count, MemoryLayout<sockaddr_storage>.size)
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyBytes(from: peer.address.prefix(length)) }
        let result = unsafe withUnsafePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(number, $0, socklen_t(length))
            }
        }
        if result != 0, Glibc.errno != EINPROGRESS { throw Self.error("connect") }
        return descriptor
    }

    /// Why an attempt failed; `nil`: it has not.
    static func failure(of socket: Descriptor) -> Errno? {
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(socket.rawValue, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            return Errno(rawValue: Glibc.errno)
        }
        return code == 0 ? nil : Errno(rawValue: code)
    }

    /// Ends a connection in both directions, whoever still has the descriptor.
    static func shutDown(_ socket: Descriptor) { _ = shutdown(socket.rawValue, CInt(SHUT_RDWR)) }

    /// A peer whose machine is gone would otherwise look like one that says nothing.
    private static func keepAlive(_ socket: CInt) {
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, CInt(IPPROTO_TCP), TCP_KEEPIDLE, keepIdle)
        set(socket, CInt(IPPROTO_TCP), TCP_KEEPINTVL, keepInterval)
        set(socket, CInt(IPPROTO_TCP), TCP_KEEPCNT, keepCount)
    }

    private static func set(_ socket: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
        var value = value
        _ = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func error(_ operation: String) -> SystemError {
        SystemError(operation, Errno(rawValue: Glibc.errno))
    }
}
