internal import Curl
internal import Glibc
internal import LinuxSystem
internal import SystemPackage

/// Answers of servers as libcurl reads them, over a connection on this machine.
extension FuzzTarget {
    static let answers = FuzzTarget(
        "answers", "answers over HTTP/1, as libcurl hands them on", memory: (64 << 20, 1 << 14)
    ) {
        (bytes) throws(BrokenPromise) in
        let exchange: LoopbackExchange
        switch unsafe LoopbackExchange.shared {
        case .success(let shared): exchange = shared
        // Otherwise the target would try nothing.
        case .failure(let error): throw BrokenPromise(description: "this machine has no loopback: \(error)")
        }
        let listener = try exchange.run(bytes)
        if let failure = listener.failure { return .refused("\(failure)") }
        return .taken("\(listener.head?.status ?? 0)")
    }
}

/// Records what libcurl tells about one request, and the first thing that it must not tell.
private final class Listener: CurlTransferDelegate {
    private(set) var head: CurlHead?
    private(set) var failure: CurlFailure?
    private(set) var ends = 0
    private(set) var broken: String?
    private var received = 0

    func transfer(received interim: CurlHead) {
        check(interim)
        if !(100..<200).contains(interim.status) { broken = "\(interim.status) is no answer between" }
        if head != nil { broken = "an answer between comes after the answer" }
    }

    func transfer(answered head: CurlHead) -> CurlFlow {
        check(head)
        if self.head != nil { broken = "there are two heads" }
        self.head = head
        return .taken
    }

    func transfer(received bytes: UnsafeRawBufferPointer, moved: Int) -> CurlFlow {
        if head == nil { broken = "a body comes before its head" }
        received += bytes.count
        return received > 1 << 20 ? .abort : .taken
    }

    func transferSupplies(into space: UnsafeMutableRawBufferPointer) -> CurlSupply {
        broken = "a body is asked for, and there is none"
        return .abort
    }

    func transferEnded(_ failure: CurlFailure?) {
        ends += 1
        self.failure = failure
        if failure == nil, head == nil { broken = "it succeeds without an answer" }
    }

    private func check(_ head: CurlHead) {
        if !(100...999).contains(head.status) { broken = "\(head.status) is no status" }
        for field in head.fields where field.name.isEmpty || field.name.utf8.contains(where: { $0 < 0x20 }) {
            broken = "“\(field.name)” is no name of a field"
        }
        for field in head.fields where field.value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) {
            broken = "“\(field.value)” ends a line"
        }
    }
}

/// A server that says what it is given, and libcurl as its client.
private final class LoopbackExchange {
    // One input is tried at a time.
    nonisolated(unsafe) static let shared = Result { try LoopbackExchange() }
    private static let patience: Int64 = 2_000_000_000

    private let epoll: Epoll
    private let server: Descriptor
    private let url: String

    private init() throws {
        epoll = try Epoll()
        let address = try ListeningSocket.open()
        server = address.socket
        url = "http://127.0.0.1:\(address.port)/"
    }

    func run(_ bytes: [UInt8]) throws(BrokenPromise) -> Listener {
        let listener = Listener()
        var request = CurlRequest(url: url, method: "GET", fields: [])
        request.connectTimeout = 1
        guard let set = CurlSet(epoll, firstToken: 1), let transfer = CurlTransfer(request, delegate: listener) else {
            throw BrokenPromise(description: "libcurl takes no request")
        }
        set.begin(transfer)
        let end = Clock.monotonic() + Self.patience
        var ready: [Epoll.Ready] = []
        var peer: Descriptor?
        var rest = bytes[...]
        while listener.ends == 0, Clock.monotonic() < end {
            if peer == nil { peer = ListeningSocket.accept(server) }
            if let open = peer {
                // libcurl may have closed the connection. Then the transfer ends, and the loop as well.
                if case .bytes(let count)? = try? open.send(rest) { rest = rest.dropFirst(count) }
                // The end of the stream is the end of the answer.
                if rest.isEmpty { _ = Glibc.shutdown(open.rawValue, CInt(SHUT_WR)) }
            }
            let left = set.timeLeft(at: Clock.monotonic()) ?? 1_000_000
            // A wait that fails ends at once, and `end` ends the loop.
            try? epoll.wait(milliseconds: CInt(clamping: min(1, left / 1_000_000)), &ready)
            for event in ready { set.handle(event) }
            set.timePassed(at: Clock.monotonic())
        }
        if listener.ends == 0 { set.cancel(transfer) }
        if let broken = listener.broken { throw BrokenPromise(description: broken) }
        guard listener.ends == 1 else { throw BrokenPromise(description: "it ended \(listener.ends) times") }
        return listener
    }
}

/// A socket on this machine that waits for connections.
private enum ListeningSocket {
    static func open() throws(SystemError) -> (socket: Descriptor, port: Int) {
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        let number = Glibc.socket(AF_INET, type, 0)
        guard number >= 0 else { throw SystemError("socket", .ioError) }
        let socket = Descriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isOpen = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                unsafe bind(number, generic, size) == 0 && listen(number, 8) == 0
                    && getsockname(number, generic, &size) == 0
            }
        }
        guard isOpen else { throw SystemError("listen", .ioError) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The client that has connected; `nil`: none has yet.
    static func accept(_ socket: Descriptor) -> Descriptor? {
        let number = Glibc.accept(socket.rawValue, nil, nil)
        return number >= 0 ? Descriptor(owning: number) : nil
    }
}
