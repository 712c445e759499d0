import Model
import PushCore
import Testing

@Suite("Registrations")
struct RegistrationTests {
    private static let rules = PushRules()

    private func key(_ device: UInt8 = 1, _ topic: UInt64 = 1) throws -> Registrations.Key {
        Registrations.Key(device: try Sample.device(device), topic: TopicHash(rawValue: topic))
    }

    private func token(_ epoch: UInt16, topic: String = Sample.topic) throws -> DeviceToken {
        Sample.authority().token(device: try Sample.device(), topic: topic, epoch: epoch)
    }

    private func key(of token: DeviceToken) -> Registrations.Key {
        Registrations.Key(device: token.device, topic: token.topic)
    }

    @Test("A registration that never ended costs nothing")
    func free() throws {
        var registrations = Registrations()
        for _ in 0..<3 {
            let (epoch, change) = registrations.register(try key())
            #expect(epoch == 0 && change == nil)
        }
        #expect(registrations.count == 0)
        try registrations.check(token(0))
        try registrations.check(token(7))
    }

    @Test("A registration that ended makes its token one that says since when, to the millisecond")
    func ended() throws {
        var registrations = Registrations()
        let first = try token(0)
        let change = try registrations.unregister(key(of: first), at: Sample.now, rules: Self.rules)
        #expect(change?.ending == Registrations.Ending(epoch: 1, ended: 1_700_000_000_000, isRegistered: false))
        #expect(throws: PushRejection(.unregistered, timestamp: 1_700_000_000_000)) { try registrations.check(first) }
        // Another topic's, and another device's, is as it was.
        try registrations.check(token(0, topic: "com.example.other"))
    }

    @Test("A new registration has a token of its own; the old one stays what it is")
    func again() throws {
        var registrations = Registrations()
        let first = try token(0)
        _ = try registrations.unregister(key(of: first), at: Sample.now, rules: Self.rules)
        // Before the app registers again, no token of it is good.
        #expect(throws: PushRejection.self) { try registrations.check(token(1)) }
        let (epoch, change) = registrations.register(key(of: first))
        #expect(epoch == 1)
        #expect(change?.ending == Registrations.Ending(epoch: 1, ended: 1_700_000_000_000, isRegistered: true))
        try registrations.check(token(1))
        #expect(throws: PushRejection(.unregistered, timestamp: 1_700_000_000_000)) { try registrations.check(first) }
        let repeated = registrations.register(key(of: first))
        #expect(repeated.epoch == 1 && repeated.change == nil)
    }

    @Test("To end what has ended changes nothing")
    func twice() throws {
        var registrations = Registrations()
        #expect(try registrations.unregister(key(), at: Sample.now, rules: Self.rules) != nil)
        #expect(try registrations.unregister(key(), at: Sample.now + .seconds(9), rules: Self.rules) == nil)
    }

    @Test("A device may end so many registrations; the next one is refused, and it alone")
    func bounded() throws {
        var rules = Self.rules
        rules.endedTopics = 3
        var registrations = Registrations()
        for topic in 1...3 as ClosedRange<UInt64> {
            _ = try registrations.unregister(key(1, topic), at: Sample.now, rules: rules)
        }
        #expect(throws: Registrations.Refusal.tooManyRegistrations) {
            try registrations.unregister(key(1, 4), at: Sample.now, rules: rules)
        }
        #expect(registrations.count == 3)
        // Ones that are remembered already may end again, and so may another device's.
        _ = registrations.register(try key(1, 2))
        #expect(try registrations.unregister(key(1, 2), at: Sample.now, rules: rules)?.ending.epoch == 2)
        #expect(try registrations.unregister(key(2, 4), at: Sample.now, rules: rules) != nil)
        // What was refused is registered as before.
        #expect(registrations.register(try key(1, 4)) == (0, nil))
    }

    @Test("After the last epoch there is no other: a token must never come to be good again")
    func lastEpoch() throws {
        let ending = Registrations.Ending(epoch: .max, ended: 5, isRegistered: true)
        var registrations = Registrations([try key(): ending])
        #expect(throws: Registrations.Refusal.tooManyRegistrations) {
            try registrations.unregister(key(), at: Sample.now, rules: Self.rules)
        }
    }

    @Test("A token of a later epoch than is known was given out before the store was lost, and is good")
    func lostStore() throws {
        let later = try token(5)
        let ending = Registrations.Ending(epoch: 2, ended: 5, isRegistered: true)
        let registrations = Registrations([key(of: later): ending])
        try registrations.check(later)
        #expect(throws: PushRejection(.unregistered, timestamp: 5)) { try registrations.check(token(1)) }
    }

    @Test("What could not be written is written with the next request that needs it")
    func unwritten() throws {
        var registrations = Registrations()
        let ended = try #require(try registrations.unregister(key(), at: Sample.now, rules: Self.rules))
        registrations.failed(ended)
        // Asked again, the same ending is to be written: it would be lost with the process otherwise.
        #expect(try registrations.unregister(key(), at: Sample.now + .seconds(9), rules: Self.rules) == ended)
        #expect(try registrations.unregister(key(), at: Sample.now + .seconds(9), rules: Self.rules) == nil)
        let begun = try #require(registrations.register(try key()).change)
        registrations.failed(begun)
        #expect(registrations.register(try key()) == (1, begun))
        #expect(registrations.register(try key()) == (1, nil))
    }

    @Test("A failure that a later change has overtaken writes the later one")
    func overtaken() throws {
        var registrations = Registrations()
        let ended = try #require(try registrations.unregister(key(), at: Sample.now, rules: Self.rules))
        let begun = try #require(registrations.register(try key()).change)
        registrations.failed(ended)
        registrations.failed(begun)
        #expect(registrations.register(try key()) == (1, begun))
    }

    /// What a provider may send to, told without epochs: the tokens that were given out and not ended since.
    @Test("In a storm of registrations, a token is good exactly until its registration ends", arguments: 0..<20)
    func storm(_ seed: UInt64) throws {
        var dice = SplitMix(seed: seed)
        var registrations = Registrations()
        var changes: [Registrations.Key: Registrations.Ending] = [:]
        var good: [String: DeviceToken] = [:]
        var dead: [DeviceToken: Int64] = [:]
        let authority = Sample.authority()
        for step in 0..<400 as Range<Int64> {
            let topic = "com.example.t\(UInt8.random(in: 0..<4, using: &dice))"
            let device = try Sample.device(UInt8.random(in: 0..<3, using: &dice))
            let key = Registrations.Key(device: device, topic: authority.hash(topic))
            let name = "\(device) \(topic)"
            if Bool.random(using: &dice) {
                let (epoch, change) = registrations.register(key)
                if let change { changes[change.key] = change.ending }
                good[name] = authority.token(device: device, topic: topic, epoch: epoch)
            } else {
                let now = WallTime(nanoseconds: step * 1_000_000)
                let change = try registrations.unregister(key, at: now, rules: Self.rules)
                if let change {
                    changes[change.key] = change.ending
                    if let token = good.removeValue(forKey: name) { dead[token] = step }
                }
            }
            // What was written is what a gateway has that starts again.
            for registrations in [registrations, Registrations(changes)] {
                #expect(good.values.allSatisfy { isGood($0, registrations) })
                #expect(!dead.keys.contains { isGood($0, registrations) })
            }
        }
        #expect(dead.count > 50)
    }

    private func isGood(_ token: DeviceToken, _ registrations: Registrations) -> Bool {
        do throws(PushRejection) {
            try registrations.check(token)
            return true
        } catch {
            return false
        }
    }
}
