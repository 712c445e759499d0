import Glibc
import LinuxSystem
import Wire

/// A connection to the control socket that gives many commands at once and hears the log meanwhile.
final class ControlLine {
    private let socket: Descriptor
    private var framer = LineFramer(limit: 1 << 24)
    private var nextID: Int64 = 1
    private var answers: [Int64: Result<JSONValue, RPCError>] = [:]
    /// Notifications that came, until somebody takes them.
    private var news: [JSONValue] = []
    private(set) var isOpen = true

    init(_ path: String) throws {
        socket = try UnixSocket.connect(to: path)
        try socket.setNonblocking(true)
    }

    /// Asks; the answer comes when it comes.
    func send(_ method: ControlMethod, _ params: JSONObject) throws -> Int64 {
        let id = nextID
        nextID += 1
        let message = RPCMessage.request(id: .int(id), method: method.rawValue, params: .object(params))
        do {
            try socket.setNonblocking(false)
            try socket.writeAll(message.encoded())
            try socket.setNonblocking(true)
        } catch {
            isOpen = false
        }
        return id
    }

    /// `nil` while there is none; none comes any more once the connection has ended.
    func answer(to id: Int64) -> Result<JSONValue, RPCError>? {
        receive()
        return answers[id]
    }

    /// Asks, and waits for the answer.
    func ask(_ method: ControlMethod, _ params: JSONObject = [:]) throws -> JSONValue {
        let id = try send(method, params)
        let patience = Patience()
        while true {
            if let answer = answer(to: id) { return try answer.get() }
            guard isOpen else { throw Trouble("the daemon is gone, and has not answered \(method)") }
            guard wait(milliseconds: patience.milliseconds) else { throw Trouble("\(method) is not answered") }
        }
    }

    func takeNews() -> [JSONValue] {
        receive()
        defer { news = [] }
        return news
    }

    /// Returns once there is something to read, or the time is over.
    @discardableResult
    func wait(milliseconds: CInt) -> Bool {
        var entry = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, milliseconds) > 0
    }

    private func receive() {
        var bytes: [UInt8] = []
        reading: while isOpen {
            switch try? socket.read(into: &bytes, upTo: 1 << 16) {
            case .bytes: continue
            case .wouldBlock: break reading
            case .end, nil: isOpen = false
            }
        }
        framer.append(bytes)
        while let line = try? framer.next(), let message = try? RPCMessage.parse(line, limits: .answer) {
            switch message {
            case .response(.int(let id), let result): answers[id] = .success(result)
            case .failure(.int(let id)?, let error): answers[id] = .failure(error)
            case .notification(_, let params): news.append(params)
            case .response, .failure, .request: continue
            }
        }
    }
}
