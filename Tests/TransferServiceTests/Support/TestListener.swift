import Glibc
import LinuxSystem

/// A server of the test's own, which takes connections and never answers: what matters is that somebody came.
final class TestListener {
    struct Nobody: Error {}

    let port: UInt16
    private let listener: Descriptor
    private var connections: [Descriptor] = []

    /// - Parameter readsServiceClass: whether connections tell the service class of the packets that made them.
    init(readsServiceClass: Bool = false) throws {
        let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        listener = Descriptor(owning: number)
        if readsServiceClass {
            var isOn: CInt = 1
            _ = unsafe setsockopt(number, CInt(IPPROTO_IP), IP_RECVTOS, &isOn, socklen_t(MemoryLayout<CInt>.size))
        }
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

    /// Of the last connection; `nil`: there was none, or the kernel does not tell.
    var serviceClass: UInt8? {
        guard let connection = connections.last else { return nil }
        var bytes = [UInt8](repeating: 0, count: 64)
        var length = socklen_t(bytes.count)
        // A control message: its length, level and kind, and a number.
        let head = MemoryLayout<cmsghdr>.size
        guard unsafe getsockopt(connection.rawValue, CInt(IPPROTO_IP), IP_PKTOPTIONS, &bytes, &length) == 0,
            length > head
        else { return nil }
        return bytes[head] >> 2
    }

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
