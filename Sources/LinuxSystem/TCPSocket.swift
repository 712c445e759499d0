internal import CLinux
internal import Glibc
internal import SystemPackage

/// Connections over TCP. The corresponding C functions are `getaddrinfo`, `socket` and `connect`.
package enum TCPSocket {
    package struct Address: Hashable, Sendable {
        fileprivate let family: CInt
        /// A `sockaddr` of the family.
        fileprivate let bytes: [UInt8]

        /// It is reached without any network.
        package var isLoopback: Bool {
            switch family {
            // Behind the family and the port.
            case AF_INET: bytes.count >= 8 && bytes[4] == 127
            case AF_INET6: bytes.count >= 24 && Self.isLoopback(Array(bytes[8..<24]))
            default: false
            }
        }

        private static func isLoopback(_ address: [UInt8]) -> Bool {
            let isMapped = address[..<10].allSatisfy { $0 == 0 } && address[10] == 0xFF && address[11] == 0xFF
            return isMapped ? address[12] == 127 : address[..<15].allSatisfy { $0 == 0 } && address[15] == 1
        }
    }

    package enum Failure: Error {
        /// The name leads nowhere.
        case unknownName
        /// What it was with the last address that was tried.
        case unreachable(SystemError)
        case timedOut
    }

    /// Whether a host is an address of IPv4 or IPv6, and no name.
    package static func isAddress(_ host: String) -> Bool {
        var space = in6_addr()
        return unsafe inet_pton(AF_INET, host, &space) == 1 || inet_pton(AF_INET6, host, &space) == 1
    }

    /// The addresses of a name, the best first. This may take seconds.
    package static func addresses(of host: String, port: Int) -> [Address] {
        var wish = unsafe addrinfo()
        unsafe wish.ai_socktype = CInt(SOCK_STREAM.rawValue)
        unsafe wish.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        var code = unsafe getaddrinfo(host, String(port), &wish, &list)
        if code != 0 {
            // A machine with nothing but loopback has no addresses that count as configured.
            unsafe wish.ai_flags = AI_NUMERICSERV
            code = unsafe getaddrinfo(host, String(port), &wish, &list)
        }
        guard code == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var found: [Address] = []
        var next = unsafe list
        while let entry = unsafe next {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.pointee.ai_addr, count: Int(entry.pointee.ai_addrlen))
            unsafe found.append(Address(family: entry.pointee.ai_family, bytes: Array(bytes)))
            unsafe next = entry.pointee.ai_next
        }
        return found
    }

    /// Connects to the address that answers first: the next one is tried when one does not answer for a quarter of a
    /// second (RFC 8305). This waits; the socket that it returns does not.
    ///
    /// - Parameter seconds: for all addresses together.
    package static func connect(
        to addresses: [Address], within seconds: Double
    ) throws(Failure) -> (socket: Descriptor, address: Address) {
        guard !addresses.isEmpty else { throw .unknownName }
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        var waiting = addresses[...]
        var trying: [(socket: Descriptor, address: Address)] = []
        var failure: SystemError?
        while let left = Optional(end - Clock.monotonic()), left > 0 {
            if let address = waiting.popFirst() {
                do throws(SystemError) {
                    trying.append((try begin(address), address))
                } catch {
                    failure = error
                    continue
                }
            }
            if trying.isEmpty, waiting.isEmpty { break }
            let patience = waiting.isEmpty ? left : min(left, 250_000_000)
            let ready = wait(trying.map(\.socket), milliseconds: CInt(clamping: patience / 1_000_000 + 1))
            for index in ready.reversed() {
                let tried = trying.remove(at: index)
                guard let error = outcome(of: tried.socket) else { return tried }
                failure = error
            }
        }
        throw failure.map(Failure.unreachable) ?? .timedOut
    }

    private static func begin(_ address: Address) throws(SystemError) -> Descriptor {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let family = address.family
        let socket = Descriptor(owning: try check("socket") { Glibc.socket(family, type, 0) })
        let fd = socket.rawValue
        // A small record does not wait until the one before it is acknowledged, which takes the other side 40 ms.
        var isOn: CInt = 1
        _ = unsafe setsockopt(fd, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
        let result = unsafe address.bytes.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
                unsafe Glibc.connect(fd, address.baseAddress, socklen_t(bytes.count))
            }
        }
        guard result == 0 || Glibc.errno == EINPROGRESS else { throw .last("connect") }
        return socket
    }

    /// The places of those that are connected, or will not be.
    private static func wait(_ sockets: [Descriptor], milliseconds: CInt) -> [Int] {
        var entries = sockets.map { pollfd(fd: $0.rawValue, events: Int16(POLLOUT), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
        return entries.indices.filter { entries[$0].revents != 0 }
    }

    /// Why it is not connected; `nil`: it is.
    private static func outcome(of socket: Descriptor) -> SystemError? {
        var number: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(socket.rawValue, SOL_SOCKET, SO_ERROR, &number, &size) == 0 else {
            return .last("getsockopt")
        }
        return number == 0 ? nil : SystemError("connect", Errno(rawValue: number))
    }
}
