import Foundation
import Glibc
import Wire

/// A daemon that answers as a test says. It speaks the real protocol over a real socket.
final class FakeDaemon: @unchecked Sendable {  // `requests` and `descriptors` are touched under the lock only.
    enum Reply {
        case result(JSONValue)
        case failure(RPCError)
        /// The daemon dies before it answers.
        case crash
        /// An answer, and what comes after it without being asked for; then perhaps the end.
        case stream(JSONValue, [JSONValue], crashes: Bool)
        /// What was not asked for, and then the answer.
        case early([JSONValue], JSONValue)
        /// The bytes, as they are.
        case raw([UInt8])
        /// It is busy with something else.
        case nothing
    }

    struct Request: Sendable {
        let method: String
        let params: JSONValue
    }

    private let answer: @Sendable (Request) -> Reply
    private let lock = NSLock()
    private var seen: [Request] = []
    private var descriptors: [Int32] = []

    var requests: [Request] { lock.withLock { seen } }
    var methods: [String] { requests.map(\.method) }

    init(in home: String, sockets: [String] = ["control"], answer: @escaping @Sendable (Request) -> Reply) throws {
        self.answer = answer
        for name in sockets {
            let listener = try Self.listener(folder: home, name: name)
            descriptors.append(listener)
            Thread.detachNewThread { [weak self] in
                while true {
                    let peer = accept(listener, nil, nil)
                    guard peer >= 0 else { return }
                    guard let self else {
                        close(peer)
                        return
                    }
                    self.lock.withLock { self.descriptors.append(peer) }
                    Thread.detachNewThread { self.serve(peer) }
                }
            }
        }
    }

    /// Ends every connection; the threads that wait in the kernel see it and leave.
    func stop() {
        lock.withLock {
            for descriptor in descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    deinit { stop() }

    /// Bound through the folder's descriptor, so that it works in a home whose path is too long.
    static func listener(folder: String, name: String) throws -> Int32 {
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw POSIXError(.ENOENT) }
        defer { close(directory) }
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        unsafe unlink("\(folder)/\(name)")
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) {
            unsafe $0.copyBytes(from: "/proc/self/fd/\(directory)/\(name)".utf8)
        }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(listener, 16) == 0 else { throw POSIXError(.EIO) }
        return listener
    }

    private func serve(_ peer: Int32) {
        var framer = LineFramer()
        while true {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe read(peer, &bytes, bytes.count)
            guard count > 0 else { break }
            framer.append(Array(bytes[..<count]))
            while let line = try? framer.next() {
                guard case .request(let id, let method, let params)? = try? RPCMessage.parse(line) else { break }
                let request = Request(method: method, params: params)
                lock.withLock { seen.append(request) }
                guard reply(to: request, id, peer) else {
                    shutdown(peer, Int32(SHUT_RDWR))
                    return
                }
            }
        }
    }

    private func reply(to request: Request, _ id: RPCID, _ peer: Int32) -> Bool {
        switch answer(request) {
        case .result(let value): send(.response(id: id, result: value), peer)
        case .failure(let error): send(.failure(id: id, error), peer)
        case .crash: return false
        case .early(let before, let value):
            for entry in before { send(.notification(method: logEntryNotification, params: entry), peer) }
            send(.response(id: id, result: value), peer)
        case .raw(let bytes): write(bytes, peer)
        case .nothing: break
        case .stream(let value, let later, let crashes):
            send(.response(id: id, result: value), peer)
            for entry in later { send(.notification(method: logEntryNotification, params: entry), peer) }
            return !crashes
        }
        return true
    }

    private func send(_ message: RPCMessage, _ peer: Int32) { write(message.encoded(), peer) }

    private func write(_ bytes: [UInt8], _ peer: Int32) {
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(peer, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
