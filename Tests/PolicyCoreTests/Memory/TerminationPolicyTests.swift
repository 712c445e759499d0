import Model
import PolicyCore
import Testing

@Suite("Who ends for memory") struct TerminationPolicyTests {
    private static let megabyte: Int64 = 1 << 20

    private func candidate(_ app: UInt32, _ megabytes: Int64, isSuspended: Bool = true) -> TerminationCandidate {
        TerminationCandidate(app: AppIndex(app), dirtyBytes: megabytes * Self.megabyte, isSuspended: isSuspended)
    }

    private func history(_ uses: [UInt32]) -> UsageHistory {
        var history = UsageHistory()
        for app in uses { history.used(AppIndex(app)) }
        return history
    }

    private func order(
        _ policy: any TerminationPolicy, _ candidates: [TerminationCandidate], _ history: UsageHistory = UsageHistory()
    ) -> [UInt32] {
        policy.order(candidates, knowing: history).map(\.rawValue)
    }

    private func victims(
        _ policy: any TerminationPolicy, _ candidates: [TerminationCandidate], free megabytes: Int64,
        _ history: UsageHistory = UsageHistory()
    ) -> [UInt32] {
        policy.victims(among: candidates, toFree: megabytes * Self.megabyte, knowing: history).map(\.rawValue)
    }

    @Test("What is suspended goes before what runs, whatever the policy", arguments: TerminationPolicyName.allCases)
    func suspendedFirst(_ name: TerminationPolicyName) {
        let candidates = [
            candidate(1, 500, isSuspended: false), candidate(2, 5), candidate(3, 100, isSuspended: false),
            candidate(4, 80),
        ]
        // What runs was used long ago and what is suspended just now.
        let history = history([1, 3, 2, 4, 2, 4, 2, 4, 9])
        #expect(Set(order(name.policy, candidates, history).prefix(2)) == [2, 4])
    }

    @Test("The documents' policy ends the largest first, LRU the longest unused")
    func references() {
        let candidates = [candidate(1, 10), candidate(2, 300), candidate(3, 80)]
        let history = history([3, 2, 1, 9])
        #expect(order(LargestFirstPolicy(), candidates, history) == [2, 3, 1])
        #expect(order(LeastRecentlyUsedPolicy(), candidates, history) == [3, 2, 1])
    }

    @Test("Equal candidates keep the order that they come in", arguments: TerminationPolicyName.allCases)
    func ties(_ name: TerminationPolicyName) {
        let candidates = [candidate(5, 10), candidate(2, 10), candidate(9, 10)]
        #expect(order(name.policy, candidates) == [5, 2, 9])
    }

    @Test("Of two apps that are equally likely to be used, ours ends the larger")
    func largerGoes() {
        #expect(order(ExpectedUsePolicy(), [candidate(1, 20), candidate(2, 21)]) == [2, 1])
        // With uses: the larger goes although it was used last.
        #expect(
            order(ExpectedUsePolicy(), [candidate(1, 50), candidate(2, 100)], history([1, 2, 1, 2, 9])) == [2, 1])
    }

    @Test("A small app has to be many times less likely to be used to go before a large one")
    func smallOneStays() {
        // 2 is the favourite and 1 was used once, eight switches ago.
        let history = history([1, 2, 3, 2, 3, 2, 3, 2, 9])
        #expect(order(ExpectedUsePolicy(), [candidate(1, 17), candidate(2, 306)], history) == [2, 1])
        // Of about the same size, the favourite stays.
        #expect(order(ExpectedUsePolicy(), [candidate(1, 280), candidate(2, 306)], history) == [1, 2])
    }

    @Test("A large app that nobody uses goes first, and a small favourite last")
    func extremes() {
        let history = history([1, 2, 3, 1, 3, 1, 3, 1, 9])
        let candidates = [candidate(1, 17), candidate(2, 306), candidate(3, 100), candidate(4, 100)]
        let order = order(ExpectedUsePolicy(), candidates, history)
        #expect(order.first == 4)
        #expect(order.last == 1)
    }

    @Test(
        "No more end than are needed, and all of them when they are not enough",
        arguments: TerminationPolicyName.allCases)
    func enough(_ name: TerminationPolicyName) {
        let candidates = [candidate(1, 100), candidate(2, 100), candidate(3, 100)]
        #expect(victims(name.policy, candidates, free: 0).isEmpty)
        #expect(victims(name.policy, candidates, free: 1).count == 1)
        #expect(victims(name.policy, candidates, free: 100).count == 1)
        #expect(victims(name.policy, candidates, free: 101).count == 2)
        #expect(victims(name.policy, candidates, free: 1000).count == 3)
        #expect(victims(name.policy, [], free: 10).isEmpty)
    }

    @Test("Ours spares an app that another one, chosen after it, made superfluous; the references do not")
    func spares() {
        // Nobody uses 1; it goes first, but is too small. Then 2 has enough by itself.
        let candidates = [candidate(1, 30), candidate(2, 200), candidate(3, 200)]
        let history = history([2, 3, 2, 3, 9])
        #expect(order(ExpectedUsePolicy(), candidates, history).first == 1)
        #expect(victims(ExpectedUsePolicy(), candidates, free: 150, history) == [2])
        #expect(victims(ExpectedUsePolicy(), candidates, free: 220, history) == [1, 2])
        #expect(victims(LeastRecentlyUsedPolicy(), candidates, free: 150, history) == [1, 2])
    }

    @Test("Nobody who is suspended is spared because somebody who runs has enough")
    func sparesWithinState() {
        let candidates = [
            candidate(1, 30), candidate(2, 200, isSuspended: false), candidate(3, 20, isSuspended: false),
        ]
        #expect(victims(ExpectedUsePolicy(), candidates, free: 150) == [1, 2])
        // Of those who run one is spared.
        let history = history([2, 4, 2, 4, 2, 9])
        #expect(victims(ExpectedUsePolicy(), candidates, free: 180, history) == [1, 2])
    }

    @Test("No subset of the victims that ours names would have been enough")
    func minimal() {
        var state: UInt64 = 11
        func next(_ bound: UInt32) -> UInt32 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt32(truncatingIfNeeded: state >> 33) % bound
        }
        for _ in 0..<300 {
            let history = history((0..<40).map { _ in next(12) })
            let candidates = (0..<UInt32(12)).map { candidate($0, Int64(1 + next(300))) }
            let needed = Int64(1 + next(900))
            let victims = victims(ExpectedUsePolicy(), candidates, free: needed, history)
            let sizes = victims.map { candidates[Int($0)].dirtyBytes }
            let freed = sizes.reduce(0, +)
            let all = candidates.reduce(0) { $0 + $1.dirtyBytes }
            #expect(freed >= min(all, needed * Self.megabyte))
            if freed < all { #expect(sizes.allSatisfy { freed - $0 < needed * Self.megabyte }) }
        }
    }

    @Test("The names of the policies are those by which they are chosen")
    func names() {
        for name in TerminationPolicyName.allCases { #expect(name.policy.name == name.rawValue) }
    }
}
