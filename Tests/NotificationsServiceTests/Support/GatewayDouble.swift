import Foundation
import LinuxSystem
import PushLink
import ServiceTesting
import Testing
import Wire

/// The gateway's end of the link, which does what a test says: `Fixtures/servers/push_link.py`.
final class GatewayDouble {
    let port: Int
    let authority: String
    private let process: PidFD
    private let socket: Descriptor
    private let epoll: Epoll
    private var framer = LineFramer()
    private var events: [JSONValue] = []

    init(certificate: String = "good", _ options: [String] = []) throws {
        let files = try Certificates.files(certificate)
        authority = files[0].replacing("/\(certificate).pem", with: "/ca.pem")
        let (ours, theirs) = try UnixSocket.pair()
        let python = "/usr/bin/python3"
        var spawn = Spawn(
            path: python, arguments: [python, "\(Place.servers)/push_link.py"] + files + options,
            environment: ["PATH=/usr/bin:/bin"])
        let errors = try Descriptor.open("/dev/null", .write)
        spawn.descriptors = [(theirs, 0), (theirs, 1), (errors, 2)]
        process = try spawn.start()
        socket = ours
        try ours.setNonblocking(true)
        epoll = try Epoll()
        try epoll.add(ours.rawValue, .readable, token: 1)
        var port = 0
        try Self.hear(epoll, ours, &framer, 20) { json in
            if case .int(let number) = json { port = Int(number) }
            return port != 0
        }
        self.port = port
    }

    deinit {
        try? process.send(9)
        _ = process.waitUntilDead(milliseconds: 5000)
        _ = process.reap()
    }

    var url: String { "greenroom-push://localhost:\(port)" }

    private static func hear(
        _ epoll: Epoll, _ socket: Descriptor, _ framer: inout LineFramer, _ seconds: Double,
        _ isEnough: (JSONValue) -> Bool
    ) throws {
        let end = Clock.monotonic() + Int64(seconds * 1e9)
        while true {
            while let line = try framer.next() { if isEnough(try JSONValue(parsing: line)) { return } }
            let left = end - Clock.monotonic()
            guard left > 0 else { throw TestPeer.Silence(waitedFor: "what the gateway was to hear") }
            var ready: [Epoll.Ready] = []
            try epoll.wait(milliseconds: CInt(left / 1_000_000) + 1, &ready)
            guard !ready.isEmpty else { continue }
            var bytes: [UInt8] = []
            guard case .bytes = try socket.read(into: &bytes, upTo: 1 << 16) else { throw TestPeer.Closed() }
            framer.append(bytes)
        }
    }

    /// The next thing that happened for which it is so.
    @discardableResult
    func event(within seconds: Double = 20, _ isWanted: (JSONValue) -> Bool) throws -> JSONValue {
        if let index = events.firstIndex(where: isWanted) { return events.remove(at: index) }
        var found: JSONValue = .null
        try Self.hear(epoll, socket, &framer, seconds) { json in
            if isWanted(json) {
                found = json
                return true
            }
            events.append(json)
            return false
        }
        return found
    }

    /// A record that the agent says.
    @discardableResult
    func said(_ record: String, within seconds: Double = 20) throws -> JSONValue {
        try event(within: seconds) { $0["said"]?["t"]?.string == record }["said"] ?? .null
    }

    func acknowledged(_ number: Int64) throws {
        try event { $0["said"]?["t"]?.string == "ack" && $0["said"]?["n"] == .int(number) }
    }

    func awaitEnd() throws { try event { $0["closed"] != nil } }

    func command(_ command: JSONValue) throws {
        var rest = (command.encoded + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            guard case .bytes(let count) = try socket.send(rest) else { throw TestPeer.Closed() }
            rest = rest.dropFirst(count)
        }
    }

    func send(_ record: GatewayRecord) throws {
        try command(["send": JSONValue(parsing: Array(record.line.dropLast()))])
    }

    func send(raw text: String) throws { try command(["raw": .string(text)]) }

    /// An app is registered, and the link is open.
    func connect(_ service: TestService, _ client: TestPeer) throws {
        let params: JSONValue = ["url": .string(url), "ca": .string(authority)]
        try service.tool().ask("gateway", params)
        try client.ask("register")
        try event { $0["proof"] == true }
    }
}

extension GatewayRecord {
    static func push(
        _ number: Int64, id: String? = nil, topic: String = TestService.app, type: LinkPushType = .alert,
        priority: Int = 10, _ payload: String? = nil
    ) -> GatewayRecord {
        .push(
            LinkPush(
                number: number, id: id ?? UUID().uuidString, topic: topic, type: type, priority: priority, expires: 0,
                at: Double(Clock.wall()) / 1e9, payload: payload ?? #"{"aps":{"alert":"push \#(number)"}}"#))
    }
}
