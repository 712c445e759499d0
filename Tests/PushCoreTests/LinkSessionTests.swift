import Model
import PushCore
import PushLink
import Testing

@Suite("The gateway's end of a device's connection")
struct LinkSessionTests {
    typealias Action = LinkSession.Action

    static let rules = PushRules()
    static let wall = Sample.now

    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case greeting, challenged, open, closed
        var testDescription: String { rawValue }
    }

    static func device() throws -> DeviceID { try #require(DeviceID(digest: Sample.digest(Sample.key()))) }

    static func at(_ seconds: Double) -> Instant { Sample.start + .seconds(seconds) }

    static func hear(
        _ session: inout LinkSession, _ record: AgentRecord, _ seconds: Double = 0, rules: PushRules = rules
    ) -> [Action] {
        session.receive(record, rules: rules, proof: Sample.proof, nonce: { Sample.nonce }, at: at(seconds))
    }

    static func session(in place: Place, rules: PushRules = rules) throws -> LinkSession {
        var session = LinkSession(at: at(0))
        if place == .greeting { return session }
        _ = hear(&session, .hello(key: Sample.key()), rules: rules)
        if place == .challenged { return session }
        _ = hear(&session, .prove(signature: Sample.proof()), rules: rules)
        if place == .closed { _ = session.end(.shutdown) }
        return session
    }

    /// Open, and nothing waits in the store.
    static func reading(rules: PushRules = rules) throws -> LinkSession {
        var session = try session(in: .open, rules: rules)
        #expect(session.loaded([], isAll: true, rules: rules, now: wall) == [])
        #expect(session.isReading)
        return session
    }

    static func goaway(_ reason: LinkGoodbye, _ after: Double) -> [Action] {
        [.send(.goaway(after: after, reason: reason.rawValue)), .close]
    }

    // MARK: The table

    static let records: [AgentRecord] = [
        .hello(key: Sample.key(2)), .prove(signature: Sample.proof()), .register(topic: Sample.topic),
        .unregister(topic: Sample.topic), .ack(number: 1), .ping, .hold(topic: Sample.topic, .until(60)),
        .patience(seconds: 60),
    ]

    /// What the gateway does, in each place, when each record comes.
    static func expected(_ place: Place, _ record: AgentRecord) throws -> [Action] {
        let device = try device()
        return switch (place, record) {
        case (.greeting, .hello): [.send(.challenge(nonce: Sample.nonce))]
        case (.challenged, .prove):
            [
                .send(.welcome(device: device.description, keepAlive: 2400, server: "push.example.com")),
                .attach(device), .load(device, limit: 64),
            ]
        case (.open, .register(let topic)): [.register(device, topic: topic)]
        case (.open, .unregister(let topic)): [.unregister(device, topic: topic)]
        case (.open, .ack), (.open, .hold), (.open, .patience): []
        case (.open, .ping): [.send(.pong)]
        case (.closed, _): []
        case (.greeting, _), (.challenged, _), (.open, .hello), (.open, .prove): goaway(.badRecord, 60)
        }
    }

    @Test("Every record in every place does what it should, or ends the connection", arguments: Place.allCases)
    func table(_ place: Place) throws {
        for record in Self.records {
            var session = try Self.session(in: place)
            let expected = try Self.expected(place, record)
            #expect(Self.hear(&session, record) == expected, "\(record) when \(place)")
            #expect(session.isClosed == (place == .closed || expected.contains(.close)))
        }
    }

    @Test("What comes from elsewhere does something only while the connection is open", arguments: Place.allCases)
    func others(_ place: Place) throws {
        let message = Sample.message(1, try Self.device())
        var session = try Self.session(in: place)
        #expect(session.loaded([message], isAll: true, rules: Self.rules, now: Self.wall).isEmpty == (place != .open))
        session = try Self.session(in: place)
        session.loadFailed()
        #expect(session.deliver(message, rules: Self.rules, at: .zero).isEmpty)
        #expect(session.writable(false, rules: Self.rules, at: Self.at(0)).isEmpty)
        #expect(session.end(.idleTimeout) == (place == .closed ? [] : Self.goaway(.idleTimeout, 0)))
        #expect(session.isClosed && !session.isReading && session.device == nil)
        #expect(session.end(.shutdown, after: 9).isEmpty)
        session = try Self.session(in: place)
        session.closed()
        #expect(session.isClosed && session.tick(rules: Self.rules, at: Self.at(1e6)).isEmpty)
    }

    @Test("Every reason has its pause, and the gateway may say another one", arguments: LinkGoodbye.allCases)
    func pauses(_ reason: LinkGoodbye) throws {
        let pauses: [LinkGoodbye: Double] = [
            .idleTimeout: 0, .shutdown: 2, .serviceUnavailable: 2, .tooSlow: 10, .replaced: 60, .badRecord: 60,
            .badProof: 60,
        ]
        var session = try Self.session(in: .open)
        #expect(session.end(reason) == Self.goaway(reason, try #require(pauses[reason])))
        session = try Self.session(in: .open)
        #expect(session.end(reason, after: 7.5) == Self.goaway(reason, 7.5))
    }

    // MARK: The key

    @Test("The device is the one whose key it proves, by any name of the gateway")
    func proof() throws {
        for name in ["push.example.com", "localhost", "LOCALHOST"] {
            var session = try Self.session(in: .challenged)
            #expect(!Self.hear(&session, .prove(signature: Sample.proof(at: name))).contains(.close))
            #expect(session.device == (try Self.device()))
        }
    }

    @Test("A key that the device does not have, another challenge's proof and another gateway's end the connection")
    func wrongProof() throws {
        for signature in [
            Sample.proof(Sample.key(2)), Sample.proof(nonce: [UInt8](repeating: 9, count: 32)),
            Sample.proof(at: "evil.example.com"), [UInt8](repeating: 0, count: 64),
        ] {
            var session = try Self.session(in: .challenged)
            #expect(Self.hear(&session, .prove(signature: signature)) == Self.goaway(.badProof, 60))
            #expect(session.device == nil)
        }
    }

    // MARK: Messages

    @Test("A message goes out at once, and its acknowledgement to the store")
    func delivery() throws {
        var session = try Self.reading()
        let message = Sample.message(7, try Self.device())
        #expect(session.deliver(message, rules: Self.rules, at: .zero) == [.send(message.record)])
        #expect(Self.hear(&session, .ack(number: 7)) == [.acknowledge(try Self.device(), 7)])
        // Once, and only what it was sent.
        #expect(Self.hear(&session, .ack(number: 7)) == [])
        #expect(Self.hear(&session, .ack(number: 8)) == [])
    }

    @Test("What waits is sent by priority, then in order, without what has expired")
    func order() throws {
        let device = try Self.device()
        var session = try Self.session(in: .open)
        let (a, b, c) = (
            Sample.message(1, device, priority: 1), Sample.message(2, device, priority: 5),
            Sample.message(3, device, priority: 10)
        )
        let old = Sample.message(4, device, expires: Self.wall.nanoseconds / 1_000_000_000)
        let late = Sample.message(5, device, priority: 10)
        let actions = session.loaded([a, b, old, late, c], isAll: true, rules: Self.rules, now: Self.wall)
        #expect(actions == [c, late, b, a].map { .send($0.record) })
    }

    @Test("Beyond 64 that are not acknowledged, the store keeps what comes; half of them acknowledged, more is loaded")
    func behind() throws {
        let device = try Self.device()
        var session = try Self.reading()
        for number in 1...64 as ClosedRange<Int64> {
            #expect(session.deliver(Sample.message(number, device), rules: Self.rules, at: .zero).count == 1)
        }
        #expect(session.isReading)
        // Now or never means never, and leaves the device as it was.
        #expect(session.deliver(Sample.message(65, device, expires: 0), rules: Self.rules, at: .zero) == [])
        #expect(session.isReading)
        #expect(session.deliver(Sample.message(66, device), rules: Self.rules, at: .zero) == [])
        #expect(!session.isReading)
        for number in 1...31 as ClosedRange<Int64> {
            #expect(Self.hear(&session, .ack(number: number)) == [.acknowledge(device, number)])
        }
        // What is not acknowledged is in the store as well: so many more have to be read.
        #expect(Self.hear(&session, .ack(number: 32)) == [.acknowledge(device, 32), .load(device, limit: 96)])
        #expect(Self.hear(&session, .ack(number: 33)) == [.acknowledge(device, 33)])
        let stored = (34...64).map { Sample.message($0, device) } + [Sample.message(66, device)]
        let actions = session.loaded(stored, isAll: true, rules: Self.rules, now: Self.wall)
        #expect(actions == [.send(Sample.message(66, device).record)])
        #expect(session.isReading)
    }

    @Test("What was acknowledged while the store was read is not sent again, though it was read")
    func settled() throws {
        let device = try Self.device()
        var rules = Self.rules
        rules.unacknowledged = 4
        var session = try Self.reading(rules: rules)
        for number in 1...5 as ClosedRange<Int64> {
            _ = session.deliver(Sample.message(number, device), rules: rules, at: .zero)
        }
        _ = Self.hear(&session, .ack(number: 1), rules: rules)
        #expect(Self.hear(&session, .ack(number: 2), rules: rules).contains(.load(device, limit: 6)))
        // The store is being read, and has it still.
        _ = Self.hear(&session, .ack(number: 3), rules: rules)
        let actions = session.loaded(
            (3...5).map { Sample.message($0, device) }, isAll: true, rules: rules, now: Self.wall)
        #expect(actions == [.send(Sample.message(5, device).record)])
    }

    @Test("What comes while the store is read may not be among it: it is read again")
    func missed() throws {
        let device = try Self.device()
        var session = try Self.session(in: .open)
        #expect(session.deliver(Sample.message(1, device), rules: Self.rules, at: .zero) == [])
        #expect(session.loaded([], isAll: true, rules: Self.rules, now: Self.wall) == [.load(device, limit: 64)])
        let actions = session.loaded([Sample.message(1, device)], isAll: true, rules: Self.rules, now: Self.wall)
        #expect(actions == [.send(Sample.message(1, device).record)])
        #expect(session.isReading)
    }

    @Test("A page that is not all is followed by the next one when there is room")
    func pages() throws {
        let device = try Self.device()
        var rules = Self.rules
        rules.unacknowledged = 4
        var session = try Self.session(in: .open, rules: rules)
        let page = (1...4).map { Sample.message($0, device) }
        let sent: [Action] = page.map { .send($0.record) }
        #expect(session.loaded(page, isAll: false, rules: rules, now: Self.wall) == sent)
        #expect(!session.isReading)
        #expect(Self.hear(&session, .ack(number: 1), rules: rules) == [.acknowledge(device, 1)])
        #expect(Self.hear(&session, .ack(number: 2), rules: rules).last == .load(device, limit: 6))
    }

    @Test("A store that cannot be read is asked again by the next acknowledgement or tick, not at once")
    func storeFails() throws {
        let device = try Self.device()
        var session = try Self.session(in: .open)
        session.loadFailed()
        #expect(!session.isReading)
        #expect(session.tick(rules: Self.rules, at: Self.at(5)) == [.load(device, limit: 64)])
        #expect(session.tick(rules: Self.rules, at: Self.at(10)) == [])
        #expect(session.loaded([], isAll: true, rules: Self.rules, now: Self.wall) == [])
        #expect(session.isReading)
    }

    // MARK: A device that does not read, floods or sleeps

    @Test("A device that does not read gets nothing more, and is sent away after a minute")
    func stalled() throws {
        let device = try Self.device()
        var session = try Self.reading()
        #expect(session.writable(false, rules: Self.rules, at: Self.at(0)) == [])
        #expect(session.deliver(Sample.message(1, device), rules: Self.rules, at: .zero) == [])
        #expect(!session.isReading)
        // Said twice, it has not read since the first time.
        #expect(session.writable(false, rules: Self.rules, at: Self.at(50)) == [])
        #expect(session.tick(rules: Self.rules, at: Self.at(60)) == [])
        #expect(session.tick(rules: Self.rules, at: Self.at(60.1)) == Self.goaway(.tooSlow, 10))
    }

    @Test("A device that reads again gets what it missed")
    func readsAgain() throws {
        let device = try Self.device()
        var session = try Self.reading()
        _ = session.writable(false, rules: Self.rules, at: Self.at(0))
        _ = session.deliver(Sample.message(1, device), rules: Self.rules, at: .zero)
        #expect(session.writable(true, rules: Self.rules, at: Self.at(59)) == [.load(device, limit: 64)])
        #expect(session.tick(rules: Self.rules, at: Self.at(1000)) == [])
        // One that missed nothing has nothing to load.
        session = try Self.reading()
        _ = session.writable(false, rules: Self.rules, at: Self.at(0))
        #expect(session.writable(true, rules: Self.rules, at: Self.at(1)) == [])
    }

    @Test("An agent has fifteen seconds to prove its key", arguments: [Place.greeting, .challenged])
    func greeting(_ place: Place) throws {
        var session = try Self.session(in: place)
        #expect(session.tick(rules: Self.rules, at: Self.at(15)) == [])
        #expect(session.tick(rules: Self.rules, at: Self.at(15.1)) == Self.goaway(.idleTimeout, 0))
    }

    @Test("However long the greeting may take, saying hello late does not lengthen it")
    func longGreeting() throws {
        var rules = Self.rules
        rules.greeting = .seconds(120)
        var session = LinkSession(at: Self.at(0))
        _ = Self.hear(&session, .hello(key: Sample.key()), 100, rules: rules)
        #expect(session.tick(rules: rules, at: Self.at(121)) == Self.goaway(.idleTimeout, 0))
    }

    @Test("A connection on which nothing came for forty minutes ends; any record keeps it")
    func silence() throws {
        var session = try Self.reading()
        #expect(session.tick(rules: Self.rules, at: Self.at(2400)) == [])
        #expect(Self.hear(&session, .ping, 2400) == [.send(.pong)])
        #expect(session.tick(rules: Self.rules, at: Self.at(4800)) == [])
        #expect(session.tick(rules: Self.rules, at: Self.at(4800.1)) == Self.goaway(.idleTimeout, 0))
    }

    @Test("A device may say 4,000 things a minute; acknowledgements are not counted")
    func flood() throws {
        var session = try Self.reading()
        // Hello and proof were two of them.
        for _ in 0..<3998 { #expect(Self.hear(&session, .ping, 1) == [.send(.pong)]) }
        #expect(Self.hear(&session, .ack(number: 1), 2) == [])
        #expect(Self.hear(&session, .register(topic: "a"), 60) == Self.goaway(.badRecord, 60))
        session = try Self.reading()
        for _ in 0..<3998 { _ = Self.hear(&session, .ping, 1) }
        for _ in 0..<4000 { #expect(Self.hear(&session, .ping, 61) == [.send(.pong)]) }
        #expect(Self.hear(&session, .ping, 61) == Self.goaway(.badRecord, 60))
    }
}
