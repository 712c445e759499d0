import NotificationsService
import PushLink
import Testing

@Suite("The conversation with the gateway")
struct LinkSessionTests {
    static let device = String(repeating: "0a", count: 12)
    static let topic = "com.example.app"

    private static func push(_ number: Int64) -> GatewayRecord {
        .push(
            LinkPush(
                number: number, id: "123e4567-e89b-12d3-a456-426614174000", topic: topic, type: .alert, priority: 10,
                expires: 0, at: 1_700_000_000, payload: "{}"))
    }

    private func open() throws -> LinkSession {
        var session = LinkSession(device: Self.device)
        let nonce: [UInt8] = Array(0..<32)
        #expect(try session.hear(.challenge(nonce: nonce)) == .sign(nonce: nonce))
        let welcome = GatewayRecord.welcome(device: Self.device, keepAlive: 1800, server: "g")
        #expect(try session.hear(welcome) == .opened(keepAlive: 1800, server: "g"))
        return session
    }

    @Test("Nothing but the challenge, and then the welcome, is heard before the connection is open")
    func order() throws {
        let all: [GatewayRecord] = [
            .welcome(device: Self.device, keepAlive: 1, server: "g"), .token(topic: Self.topic, token: "00"),
            .unregistered(topic: Self.topic), .refused(topic: Self.topic, reason: "r"), Self.push(1), .pong,
        ]
        for record in all {
            var session = LinkSession(device: Self.device)
            #expect(throws: LinkFault.self) { try session.hear(record) }
        }
        var session = LinkSession(device: Self.device)
        _ = try session.hear(.challenge(nonce: []))
        #expect(throws: LinkFault.outOfOrder("challenge")) { try session.hear(.challenge(nonce: [])) }
        #expect(throws: LinkFault.outOfOrder("push")) { try session.hear(Self.push(1)) }
        var opened = try open()
        #expect(throws: LinkFault.outOfOrder("welcome")) { try opened.hear(all[0]) }
    }

    @Test("A gateway may send the device away at any moment")
    func goaway() throws {
        var session = LinkSession(device: Self.device)
        #expect(try session.hear(.goaway(after: 3, reason: "Shutdown")) == .leave(after: 3, reason: "Shutdown"))
        var opened = try open()
        #expect(try opened.hear(.goaway(after: 0, reason: "x")) == .leave(after: 0, reason: "x"))
    }

    @Test("A gateway that takes the device for another one is left")
    func wrongDevice() throws {
        var session = LinkSession(device: Self.device)
        _ = try session.hear(.challenge(nonce: []))
        #expect(throws: LinkFault.wrongDevice) {
            try session.hear(.welcome(device: String(repeating: "0b", count: 12), keepAlive: 1, server: "g"))
        }
    }

    @Test("Only what was asked for is answered, once")
    func answers() throws {
        var session = try open()
        #expect(throws: LinkFault.unasked(topic: Self.topic)) {
            try session.hear(.token(topic: Self.topic, token: "00"))
        }
        #expect(session.register(Self.topic) && !session.register(Self.topic))
        #expect(try session.hear(.token(topic: Self.topic, token: "00")) == .token(topic: Self.topic, token: "00"))
        #expect(throws: LinkFault.unasked(topic: Self.topic)) {
            try session.hear(.refused(topic: Self.topic, reason: "r"))
        }
        #expect(session.unregister(Self.topic) && session.awaitsEnd)
        #expect(try session.hear(.unregistered(topic: Self.topic)) == .unregistered(topic: Self.topic))
        #expect(!session.awaitsEnd)
        #expect(throws: LinkFault.unaskedPong) { try session.hear(.pong) }
        let isSaid = session.ping()
        #expect(isSaid)
        #expect(try session.hear(.pong) == .pong)
        #expect(throws: LinkFault.unaskedPong) { try session.hear(.pong) }
    }

    @Test("Nothing is asked for before the connection is open")
    func early() {
        var session = LinkSession(device: Self.device)
        #expect(!session.register(Self.topic) && !session.unregister(Self.topic))
        let isSaid = session.ping()
        #expect(!isSaid)
    }

    @Test("A message that comes twice on one connection is a fault; smaller numbers are none")
    func repetition() throws {
        var session = try open()
        for number in [7, 3, 9] as [Int64] {
            guard case .push(let push) = try session.hear(Self.push(number)) else {
                Issue.record("no push")
                continue
            }
            #expect(push.number == number)
        }
        #expect(session.acknowledge(3) && !session.acknowledge(3))
        #expect(throws: LinkFault.repeated(3)) { try session.hear(Self.push(3)) }
    }

    @Test("After so many messages that are not acknowledged nothing more is read, and what is remembered is bounded")
    func bounds() throws {
        var session = try open()
        for number in 1...Int64(LinkSession.mostUnacknowledged) {
            #expect(!session.isFull)
            _ = try session.hear(Self.push(number))
        }
        #expect(session.isFull)
        _ = session.acknowledge(1)
        #expect(!session.isFull)
        for number in 100...5000 as ClosedRange<Int64> {
            _ = try session.hear(Self.push(number))
            _ = session.acknowledge(number)
        }
        // The last ones are known, the first ones are forgotten.
        #expect(throws: LinkFault.repeated(4500)) { try session.hear(Self.push(4500)) }
        #expect(throws: Never.self) { try session.hear(Self.push(100)) }
    }
}
