import Model
import PushCore
import Testing

@Suite("The tokens of providers")
struct ProviderTokenTests {
    private static let rules = PushRules()
    private static let seconds = Sample.now.nanoseconds / 1_000_000_000

    private static func claims(age: Int64 = 0, key: String = "KEY0000001") -> ProviderClaims {
        ProviderClaims(key: key, team: "TEAM000001", issued: seconds - age)
    }

    private static func after(_ seconds: Double) -> WallTime { Sample.now + .seconds(seconds) }

    /// Ages of `iat` in seconds, and what is said to them.
    static let ages: [(age: Int64, reason: PushReason?)] = [
        (0, nil), (1, nil), (-300, nil), (-301, .invalidProviderToken), (-86_400, .invalidProviderToken), (3600, nil),
        (3601, .expiredProviderToken), (86_400, .expiredProviderToken), (seconds, .expiredProviderToken),
    ]

    @Test("A token is good for an hour after its iat, by clocks that differ by five minutes", arguments: ages.indices)
    func age(_ index: Int) {
        let (age, reason) = Self.ages[index]
        if let reason {
            #expect(throws: PushRejection(reason)) { try Self.claims(age: age).checkTime(Self.rules, now: Sample.now) }
        } else {
            #expect(throws: Never.self) { try Self.claims(age: age).checkTime(Self.rules, now: Sample.now) }
        }
    }

    @Test("An iat that is no time is out of all bounds, and overflows nothing", arguments: [Int64.min, .max, -1, 0])
    func extremes(_ issued: Int64) {
        let claims = ProviderClaims(key: "k", team: "t", issued: issued)
        #expect(throws: PushRejection.self) { try claims.checkTime(Self.rules, now: Sample.now) }
    }

    private func use(
        _ session: inout ProviderSession, _ claims: ProviderClaims, after seconds: Double = 0,
        isAdmitted: Bool = true
    ) -> PushReason? {
        do throws(PushRejection) {
            try session.use(claims, rules: Self.rules, now: Self.after(seconds)) { _ in isAdmitted }
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A connection may change to a newer token after twenty minutes, and not before")
    func refresh() {
        var session = ProviderSession()
        #expect(use(&session, Self.claims(age: 60)) == nil)
        #expect(use(&session, Self.claims(age: 0), after: 1) == .tooManyProviderTokenUpdates)
        // The first one is good all the same.
        #expect(use(&session, Self.claims(age: 60), after: 2) == nil)
        #expect(use(&session, Self.claims(age: 0), after: 1199) == .tooManyProviderTokenUpdates)
        #expect(use(&session, Self.claims(age: 0), after: 1200) == nil)
        #expect(use(&session, Self.claims(age: -10), after: 1201) == .tooManyProviderTokenUpdates)
    }

    @Test("A token that is signed again with the same iat is no update: some clients make one for every message")
    func sameIssue() {
        var session = ProviderSession()
        var asked = 0
        for _ in 0..<1000 {
            #expect(throws: Never.self) {
                try session.use(Self.claims(), rules: Self.rules, now: Sample.now) { _ in
                    asked += 1
                    return true
                }
            }
        }
        #expect(asked == 1)
    }

    @Test("An older token that is still good is no update, and neither is another key's")
    func olderOrOther() {
        var session = ProviderSession()
        #expect(use(&session, Self.claims(age: 10)) == nil)
        #expect(use(&session, Self.claims(age: 20), after: 1) == nil)
        // It did not become the connection's token: one between the two is no update either.
        #expect(use(&session, Self.claims(age: 15), after: 2) == nil)
        #expect(use(&session, Self.claims(age: 5), after: 3) == .tooManyProviderTokenUpdates)
        #expect(use(&session, Self.claims(age: 5, key: "KEY0000002"), after: 4) == nil)
    }

    @Test("A token that expires on a connection is refused with the next request")
    func expires() {
        var session = ProviderSession()
        #expect(use(&session, Self.claims()) == nil)
        #expect(use(&session, Self.claims(), after: 3600) == nil)
        #expect(use(&session, Self.claims(), after: 3601) == .expiredProviderToken)
    }

    @Test("What the ledger does not admit is refused, and the connection keeps its token")
    func notAdmitted() {
        var session = ProviderSession()
        #expect(use(&session, Self.claims(), isAdmitted: false) == .tooManyProviderTokenUpdates)
        #expect(use(&session, Self.claims(), after: 1) == nil)
    }

    @Test("A connection ends with its sixteenth wrong token")
    func wrong() {
        var session = ProviderSession()
        for number in 1...16 { #expect(session.countWrong(Self.rules) == (number == 16)) }
    }

    @Test("A key has a hundred tokens in twenty minutes, on all connections together")
    func ledger() {
        var ledger = ProviderLedger()
        func admit(_ age: Int64, _ seconds: Double = 0, key: String = "KEY0000001") -> Bool {
            ledger.admit(Self.claims(age: age, key: key), rules: Self.rules, now: Self.after(seconds))
        }
        for age in 0..<100 as Range<Int64> { #expect(admit(age, Double(age))) }
        #expect(!admit(100, 100) && !admit(101, 1199))
        // Known ones, and another key's, are no more than they were.
        #expect(admit(0, 100) && admit(99, 100) && admit(0, 100, key: "KEY0000002"))
        // One after the other makes room, twenty minutes after it was first seen.
        #expect(admit(100, 1200) && !admit(101, 1200) && admit(101, 1201))
    }

    @Test("In a storm of tokens no twenty minutes see more than a hundred new ones of a key", arguments: 0..<5)
    func ledgerStorm(_ seed: UInt64) {
        var ledger = ProviderLedger()
        var dice = SplitMix(seed: seed)
        var issued: Int64 = 0
        var new: [Double] = []
        var now = 0.0
        var refused = 0
        for _ in 0..<5000 {
            now += Double.random(in: 0..<12, using: &dice)
            let isNew = Bool.random(using: &dice)
            if isNew { issued += 1 }
            let used = isNew ? issued : Int64.random(in: max(0, issued - 30)...issued, using: &dice)
            let claims = Self.claims(age: -used)
            let isAdmitted = ledger.admit(claims, rules: Self.rules, now: Self.after(now))
            if isNew, isAdmitted { new.append(now) }
            if !isAdmitted { refused += 1 }
            new.removeAll { now - $0 >= 1200 }
            #expect(new.count <= 100 && ledger.count <= 100)
        }
        #expect(refused > 0)
    }

    static let bearers: [(field: String?, token: String?)] = [
        ("bearer abc", "abc"), ("Bearer abc", "abc"), ("BEARER abc", "abc"), ("bearer   abc", "abc"),
        (" bearer abc", "abc"), (nil, nil), ("", nil), ("bearer", nil), ("bearer ", nil), ("abc", nil),
        ("basic abc", nil), ("bearerabc", nil), ("bearer\tabc", nil),
    ]

    @Test("The authorization field says bearer in any case, and then the token", arguments: bearers.indices)
    func bearer(_ index: Int) {
        #expect(BearerToken.text(Self.bearers[index].field).map(String.init) == Self.bearers[index].token)
    }
}
