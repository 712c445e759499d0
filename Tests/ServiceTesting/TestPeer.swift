internal import Glibc
package import LinuxSystem
package import Wire

/// A connection to the service, seen from outside: blocks, and waits at most so long for what has to come.
package final class TestPeer {
    package struct Silence: Error, CustomStringConvertible {
        package let waitedFor: String

        package init(waitedFor: String) { self.waitedFor = waitedFor }

        package var description: String { "the service did not say \(waitedFor)" }
    }

    package struct Closed: Error {
        package init() {}
    }

    private let socket: Descriptor
    private let epoll: Epoll
    private var framer = LineFramer()
    private var lastID: Int64 = 0
    /// What has come and nobody has taken.
    package private(set) var waiting: [RPCMessage] = []

    package convenience init(_ path: String) throws { try self.init(UnixSocket.connect(to: path)) }

    package init(_ socket: Descriptor) throws {
        self.socket = socket
        try socket.setNonblocking(true)
        epoll = try Epoll()
        try epoll.add(socket.rawValue, .readable, token: 1)
    }

    /// The other end sees the end of the connection.
    package func close() { shutdown(socket.rawValue, CInt(SHUT_RDWR)) }

    // MARK: Asking

    package func send(_ message: RPCMessage, _ descriptors: [Descriptor] = []) throws {
        var rest = message.encoded()[...]
        if !descriptors.isEmpty {
            guard case .bytes(let count) = try socket.send(Array(rest), descriptors: descriptors) else {
                throw Closed()
            }
            rest = rest.dropFirst(count)
        }
        while !rest.isEmpty {
            guard case .bytes(let count) = try socket.send(rest) else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request and gives its number; the answer is among what waits.
    @discardableResult
    package func begin(_ method: String, _ params: JSONValue = [:], _ descriptors: [Descriptor] = []) throws -> RPCID {
        lastID += 1
        try send(.request(id: .int(lastID), method: method, params: params), descriptors)
        return .int(lastID)
    }

    package func answer(to id: RPCID, within seconds: Double = 20) throws -> JSONValue {
        let message = try take("an answer", within: seconds) { message in
            switch message {
            case .response(let answered, _): answered == id
            case .failure(let answered, _): answered == id
            case .request, .notification: false
            }
        }
        switch message {
        case .response(_, let result): return result
        case .failure(_, let error): throw error
        case .request, .notification: throw Closed()
        }
    }

    @discardableResult
    package func ask(
        _ method: String, _ params: JSONValue = [:], _ descriptors: [Descriptor] = [], within seconds: Double = 20
    ) throws -> JSONValue {
        try answer(to: begin(method, params, descriptors), within: seconds)
    }

    // MARK: Hearing

    /// The next message for which it is so; others stay.
    package func take(
        _ what: String, within seconds: Double = 20, _ isWanted: (RPCMessage) -> Bool
    ) throws -> RPCMessage {
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while true {
            if let index = waiting.firstIndex(where: isWanted) { return waiting.remove(at: index) }
            let left = end - Clock.monotonic()
            guard left > 0 else { throw Silence(waitedFor: what) }
            try hear(milliseconds: CInt(left / 1_000_000) + 1)
        }
    }

    /// Reads what comes within that time.
    package func hear(milliseconds: CInt) throws {
        var ready: [Epoll.Ready] = []
        try epoll.wait(milliseconds: milliseconds, &ready)
        guard !ready.isEmpty else { return }
        var bytes: [UInt8] = []
        switch try socket.read(into: &bytes, upTo: 1 << 16) {
        case .end: throw Closed()
        case .wouldBlock: return
        case .bytes:
            framer.append(bytes)
            while let line = try framer.next() { waiting.append(try RPCMessage.parse(line)) }
        }
    }
}

extension Clock {
    package static func wallSeconds() -> Double { Double(wall()) / 1e9 }
}
