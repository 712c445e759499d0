internal import CBackgroundTransfer
internal import Glibc
internal import Synchronization

/// A descriptor that is closed with its last reference.
package final class OwnedDescriptor: Sendable {
    package let number: CInt

    /// Takes ownership.
    package init(_ number: CInt) { self.number = number }

    deinit { close(number) }
}

/// A connected Unix stream socket, read by one thread and written by one.
package final class ServiceSocket: Sendable {
    private let descriptor: OwnedDescriptor

    /// Takes ownership.
    package init(owning number: CInt) {
        descriptor = OwnedDescriptor(number)
        // Programs that the app starts must not speak in its name.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) & ~O_NONBLOCK)
    }

    /// Two ends of one connection.
    package static func pair() -> (ServiceSocket, ServiceSocket)? {
        var numbers: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &numbers) == 0 else { return nil }
        return (ServiceSocket(owning: numbers[0]), ServiceSocket(owning: numbers[1]))
    }

    /// `nil` if nobody listens there now. A path too long for an address is reached through its directory.
    package static func connect(to path: String) -> ServiceSocket? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        var name = path
        var directory: OwnedDescriptor?
        if path.utf8.count >= room, let slash = path.lastIndex(of: "/") {
            let number = unsafe open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard number >= 0 else { return nil }
            directory = OwnedDescriptor(number)
            name = "/proc/self/fd/\(number)\(path[slash...])"
        }
        let bytes = Array(name.utf8)
        guard bytes.count < room else { return nil }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }

        let number = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        let socket = ServiceSocket(owning: number)
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe Glibc.connect(number, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        withExtendedLifetime(directory) {}
        return status == 0 ? socket : nil
    }

    /// Blocks until all is sent; the descriptor goes with the first byte. False if the connection is gone.
    @discardableResult
    package func send(_ bytes: [UInt8], with passenger: OwnedDescriptor? = nil) -> Bool {
        unsafe bytes.withUnsafeBytes { buffer in
            var sent = 0
            while sent < buffer.count {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
                guard let start = rest.baseAddress else { return true }
                let count = unsafe cbt_send(
                    descriptor.number, start, rest.count, sent == 0 ? passenger?.number ?? -1 : -1)
                if count > 0 { sent += count } else if errno != EINTR { return false }
            }
            return true
        }
    }

    /// Blocks until something is there. `nil` when the connection has ended.
    package func receive(into buffer: inout [UInt8]) -> Int? {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            while true {
                let count = unsafe recv(descriptor.number, bytes.baseAddress, bytes.count, 0)
                if count > 0 { return count }
                if count == 0 || errno != EINTR { return nil }
            }
        }
    }

    /// Ends the connection; whoever is blocked in `receive` returns.
    package func shutDown() { _ = shutdown(descriptor.number, CInt(SHUT_RDWR)) }
}

/// Starts a detached thread that takes none of the signals that programs handle: handlers run on threads that the
/// program knows.
func startServiceThread(_ body: @escaping @Sendable () -> Void) {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    var handled = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&handled)
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGUSR2, SIGWINCH] {
        unsafe sigaddset(&handled, signal)
    }
    unsafe pthread_sigmask(SIG_BLOCK, &handled, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
    let status = unsafe pthread_create(
        &thread, nil,
        { argument in
            if let argument = unsafe argument { unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, argument)
    if status == 0 {
        pthread_detach(thread)
    } else {
        unsafe Unmanaged<Body>.fromOpaque(argument).release()
    }
}
