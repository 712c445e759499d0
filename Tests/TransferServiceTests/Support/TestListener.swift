import Glibc
import LinuxSystem

/// A server of the test's own, which takes connections and never answers: what matters is that somebody came.
final class TestListener {
    struct Nobody: Error {}

    let port: UInt16
    private let listener: Descriptor
    private var connections: [Descriptor] = []

    init() throws {
        let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        listener = Descriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failed = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(number, generic, length) != 0 || listen(number, 64) != 0
                    || getsockname(number, generic, &length) != 0
            }
        }
        guard !failed else { throw Nobody() }
        port = UInt16(bigEndian: address.sin_port)
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    /// Waits until somebody has connected and asked.
    func waitForRequest(within seconds: Int = 20) throws {
        var entry = pollfd(fd: listener.rawValue, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, CInt(seconds * 1000)) > 0 else { throw Nobody() }
        let number = accept(listener.rawValue, nil, nil)
        guard number >= 0 else { throw Nobody() }
        let connection = Descriptor(owning: number)
        connections.append(connection)
        entry = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, CInt(seconds * 1000)) > 0 else { throw Nobody() }
    }
}
