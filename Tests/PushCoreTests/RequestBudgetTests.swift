import Model
import PushCore
import Testing

@Suite("The requests that a device token may have")
struct RequestBudgetTests {
    private static var rules: PushRules {
        var rules = PushRules()
        rules.requestBurst = 3
        rules.requestsPerSecond = 2
        rules.countedTokens = 8
        return rules
    }

    private static func key(_ number: Int) throws -> Registrations.Key {
        Registrations.Key(device: try Sample.device(), topic: TopicHash(rawValue: UInt64(number)))
    }

    private static func after(_ seconds: Double) -> Instant { Sample.start + .seconds(seconds) }

    @Test("A burst is let through, then as many a second as the rules have")
    func bucket() throws {
        var budget = RequestBudget()
        let key = try Self.key(1)
        func take(_ seconds: Double) -> Bool { budget.take(key, rules: Self.rules, now: Self.after(seconds)) }
        #expect(take(0) && take(0) && take(0))
        #expect(!take(0) && !take(0.4))
        // What was refused cost nothing: half a second brings one.
        #expect(take(0.5) && !take(0.9) && take(1.01))
        // It fills up to the burst and no further.
        #expect(take(1000) && take(1000) && take(1000) && !take(1000))
    }

    @Test("One token's requests are no other's, and a device's tokens are counted apart")
    func apart() throws {
        var budget = RequestBudget()
        for _ in 0..<3 { _ = budget.take(try Self.key(1), rules: Self.rules, now: Sample.start) }
        #expect(!budget.take(try Self.key(1), rules: Self.rules, now: Sample.start))
        #expect(budget.take(try Self.key(2), rules: Self.rules, now: Sample.start))
    }

    @Test("Tokens are forgotten when there are too many, those first that have a full bucket")
    func forgets() throws {
        var budget = RequestBudget()
        let rules = Self.rules
        let busy = try Self.key(1)
        for number in 2...7 { #expect(budget.take(try Self.key(number), rules: rules, now: Sample.start)) }
        for _ in 0..<4 { _ = budget.take(busy, rules: rules, now: Self.after(10)) }
        // There are seven; one fits, and the next pushes those out that are full by now.
        #expect(budget.take(try Self.key(8), rules: rules, now: Self.after(10)))
        #expect(budget.take(try Self.key(9), rules: rules, now: Self.after(10)))
        let isLeft = budget.take(busy, rules: rules, now: Self.after(10))
        #expect(!isLeft)
    }

    @Test("A flood of tokens takes no more room than the rules have, and no request of a flood is refused for it")
    func bounded() throws {
        var budget = RequestBudget()
        for number in 0..<5000 {
            let now = Self.after(Double(number) / 1000)
            #expect(budget.take(try Self.key(number), rules: Self.rules, now: now))
            #expect(budget.count <= Self.rules.countedTokens)
        }
    }
}
