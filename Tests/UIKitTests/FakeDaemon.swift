import AppRuntime
import Dispatch
import Glibc
import Synchronization
import Wire

/// The daemon's end of one connection, without any of the code under test below the framing.
final class FakeDaemon: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Long enough for a loaded machine: a test that gets here has failed.
    private static let patience: CInt = 20_000

    private let descriptor: Mutex<CInt>
    private let framer = Mutex(LineFramer())

    init(owning descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    deinit { hangUp() }

    /// A daemon and the end that the app gets at its start.
    static func pair(socketPath: String? = nil) throws -> (FakeDaemon, LaunchEnvironment) {
        var ends: [CInt] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw Failure(description: "socketpair failed")
        }
        let environment = LaunchEnvironment(descriptor: ends[1], socketPath: socketPath, app: "org.example.test")
        return (FakeDaemon(owning: ends[0]), environment)
    }

    func hangUp() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    func send(_ messages: RPCMessage...) { send(messages.flatMap { $0.encoded() }) }

    /// A message with which a descriptor goes.
    func send(_ message: RPCMessage, with passenger: CInt) {
        let socket = RawSocket(owning: dup(descriptor.withLock { $0 }))
        socket.send(message.encoded(), with: OwnedDescriptor(dup(passenger)))
    }

    func send(_ bytes: [UInt8]) {
        let descriptor = descriptor.withLock { $0 }
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, CInt(MSG_NOSIGNAL))
            guard count > 0 else { return }
            sent += count
        }
    }

    func call(_ seq: Int64, _ name: CallbackName, _ extra: JSONObject = [:]) {
        send(Self.callback(seq, name, extra))
    }

    static func callback(_ seq: Int64, _ name: CallbackName, _ extra: JSONObject = [:]) -> RPCMessage {
        var params = extra
        params["seq"] = .int(seq)
        return .request(id: .int(seq), method: name.rawValue, params: .object(params))
    }

    /// The app's next message.
    func next() async throws -> RPCMessage {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { [self] in continuation.resume(with: Result { try blockingNext() }) }
        }
    }

    /// Reads `hello`, accepts it, and gives what the app said it had executed.
    @discardableResult
    func greet(_ answer: JSONValue = ["protocol": 1, "options": [:]]) async throws -> JSONValue? {
        guard case .request(let id, "hello", let params) = try await next() else {
            throw Failure(description: "hello is not the first message")
        }
        send(.response(id: id, result: answer))
        return params["executed"]
    }

    func blockingNext() throws -> RPCMessage {
        while true {
            if let line = try framer.withLock({ framer throws(WireError) in try framer.next() }) {
                return try RPCMessage.parse(line)
            }
            let descriptor = descriptor.withLock { $0 }
            try Self.await(descriptor)
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw Failure(description: "the app hung up") }
            framer.withLock { $0.append(Array(buffer[..<count])) }
        }
    }

    fileprivate static func await(_ descriptor: CInt) throws {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&entry, 1, patience) > 0 else { throw Failure(description: "nothing came from the app") }
    }
}

/// The socket on which apps reconnect.
final class FakeListener: Sendable {
    let path: String
    private let descriptor: CInt

    init() throws {
        var template = Array("/tmp/greenroom-uikit-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw FakeDaemon.Failure(description: "mkdtemp failed") }
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = folder + "/app"
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        let fd = descriptor
        let status = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, listen(descriptor, 8) == 0 else { throw FakeDaemon.Failure(description: "bind failed") }
    }

    deinit {
        close(descriptor)
        _ = unsafe unlink(path)
        _ = unsafe rmdir(String(path.dropLast("/app".count)))
    }

    func accept() async throws -> FakeDaemon {
        let descriptor = descriptor
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try FakeDaemon.await(descriptor)
                        return FakeDaemon(owning: Glibc.accept(descriptor, nil, nil))
                    })
            }
        }
    }
}
