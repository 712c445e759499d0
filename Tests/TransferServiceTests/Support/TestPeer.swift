import Foundation
import LinuxSystem
import Testing
import TransferWire
import Wire

/// A connection to the service, seen from outside: blocks, and waits at most so long for what has to come.
final class TestPeer {
    struct Silence: Error, CustomStringConvertible {
        let waitedFor: String
        var description: String { "the service did not say \(waitedFor)" }
    }

    struct Closed: Error {}

    private let socket: Descriptor
    private let epoll: Epoll
    private var framer = LineFramer()
    private var lastID: Int64 = 0
    /// What has come and nobody has taken.
    private(set) var waiting: [RPCMessage] = []

    convenience init(_ path: String) throws { try self.init(UnixSocket.connect(to: path)) }

    init(_ socket: Descriptor) throws {
        self.socket = socket
        try socket.setNonblocking(true)
        epoll = try Epoll()
        try epoll.add(socket.rawValue, .readable, token: 1)
    }

    // MARK: Asking

    func send(_ message: RPCMessage, _ descriptors: [Descriptor] = []) throws {
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
    func begin(_ method: String, _ params: JSONValue = [:], _ descriptors: [Descriptor] = []) throws -> RPCID {
        lastID += 1
        try send(.request(id: .int(lastID), method: method, params: params), descriptors)
        return .int(lastID)
    }

    func answer(to id: RPCID, within seconds: Double = 20) throws -> JSONValue {
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
    func ask(
        _ method: String, _ params: JSONValue = [:], _ descriptors: [Descriptor] = [], within seconds: Double = 20
    ) throws -> JSONValue {
        try answer(to: begin(method, params, descriptors), within: seconds)
    }

    // MARK: Hearing

    /// The next message for which it is so; others stay.
    func take(
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
    func hear(milliseconds: CInt) throws {
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

    /// An event that a delegate is to be told.
    struct Event {
        let id: RPCID
        let info: TransferEventInfo
    }

    /// The next event; it is not answered yet.
    func event(within seconds: Double = 20) throws -> Event {
        let message = try take("an event", within: seconds) { message in
            if case .request(_, "event", _) = message { true } else { false }
        }
        guard case .request(let id, _, let params) = message else { throw Closed() }
        return Event(id: id, info: try TransferEventInfo(json: params))
    }

    /// The delegate has returned.
    func answer(_ event: Event, _ result: JSONValue = [:]) throws { try send(.response(id: event.id, result: result)) }
}

extension Clock {
    static func wallSeconds() -> Double { Double(wall()) / 1e9 }
}
