internal import LinuxSystem
internal import Wire

/// A tool that stays connected to the control socket, one request at a time.
final class Tool {
    private let socket: Descriptor
    private var framer = LineFramer(limit: 1 << 28)
    private var nextID: Int64 = 1

    init(_ path: String) throws { socket = try UnixSocket.connect(to: path) }

    /// Nanoseconds from the writing of the request to the first byte of its answer, and the answer.
    func time(_ method: ControlMethod, _ params: JSONValue = [:]) throws -> (nanoseconds: Int64, result: JSONValue) {
        let id = nextID
        nextID += 1
        let request = RPCMessage.request(id: .int(id), method: method.rawValue, params: params).encoded()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4_096)
        let start = Clock.monotonic()
        try socket.writeAll(request)
        guard case .bytes = try socket.read(into: &bytes, upTo: 4_096) else { throw lost(method) }
        let end = Clock.monotonic()
        while true {
            framer.append(bytes)
            if let line = try framer.next() { return (end - start, try result(line, method, id)) }
            bytes.removeAll(keepingCapacity: true)
            guard case .bytes = try socket.read(into: &bytes, upTo: 65_536) else { throw lost(method) }
        }
    }

    @discardableResult
    func ask(_ method: ControlMethod, _ params: JSONValue = [:]) throws -> JSONValue { try time(method, params).result }

    private func lost(_ method: ControlMethod) -> BenchError {
        BenchError("the daemon closed the connection during \(method.rawValue)")
    }

    private func result(_ line: [UInt8], _ method: ControlMethod, _ id: Int64) throws -> JSONValue {
        switch try RPCMessage.parse(line, limits: .answer) {
        case .response(.int(id), let result): return result
        case .failure(_, let error): throw BenchError("\(method.rawValue) was refused: \(error.message)")
        case .response, .request, .notification: throw BenchError("an answer to \(method.rawValue) was expected")
        }
    }
}
