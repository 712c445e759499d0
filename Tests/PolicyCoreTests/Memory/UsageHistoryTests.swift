import Foundation
import Model
import PolicyCore
import Testing

@Suite("What use tells") struct UsageHistoryTests {
    /// Apps by number, used one after another.
    private func history(_ uses: [UInt32]) -> UsageHistory {
        var history = UsageHistory()
        for app in uses { history.used(AppIndex(app)) }
        return history
    }

    private func likelihood(_ app: UInt32, _ history: UsageHistory) -> UInt64 {
        history.likelihoods(of: [AppIndex(app)])[0]
    }

    @Test("An app that was used more often is likelier to be used next")
    func frequency() {
        // Both follow 0, and 2 was used last of the two.
        let history = history([0, 1, 0, 1, 0, 1, 0, 1, 0, 2, 9, 8, 7, 6, 5])
        #expect(likelihood(1, history) > likelihood(2, history))
    }

    @Test("An app that was used more recently is likelier to be used next")
    func recency() {
        let history = history([1, 2, 3, 4, 5])
        #expect(likelihood(4, history) > likelihood(3, history))
        #expect(likelihood(3, history) > likelihood(2, history))
        #expect(likelihood(2, history) > likelihood(1, history))
    }

    @Test("An app that follows the present one is likelier to be used next than one as well used that does not")
    func succession() {
        // 2 and 4 are used alike; 2 follows 1, 4 follows 3.
        let pairs: [UInt32] = (0..<40).map { 1 + $0 % 4 }
        let after1 = history(pairs + [1])
        let after3 = history(pairs + [1, 2, 3])
        #expect(likelihood(2, after1) > 2 * likelihood(4, after1))
        #expect(likelihood(4, after3) > likelihood(2, after3))
    }

    @Test("A habit fades as one over the square root of its age, within a third, over hundreds of switches")
    func powerLaw() throws {
        // 1 is used once; then others are, in turn.
        var history = history([1])
        var ages: [(age: Int, weight: Double)] = []
        for age in 1...512 {
            history.used(AppIndex(2 + UInt32(age % 40)))
            guard age.nonzeroBitCount == 1, age >= 2 else { continue }
            // A fresh use of an app that follows nothing, for comparison.
            var fresh = history
            fresh.used(AppIndex(1000))
            fresh.wentDown()
            let weights = fresh.likelihoods(of: [AppIndex(1), AppIndex(1000)])
            ages.append((age, Double(weights[0] - 1) / Double(weights[1] - 1)))
        }
        let first = try #require(ages.first)
        for (age, weight) in ages {
            let law = (Double(first.age) / Double(age)).squareRoot()
            #expect((0.66...1.5).contains(weight / first.weight / law), "after \(age): \(weight / first.weight)")
        }
    }

    @Test("Turning to the app that is being used already tells nothing")
    func sameApp() {
        #expect(history([1, 2, 2, 2, 3]) == history([1, 2, 3]))
        #expect(history([1, 2, 2, 2, 3]).switches == 3)
    }

    @Test("What is used first after the device went down follows nothing")
    func wentDown() {
        var interrupted = history([1, 2, 1])
        interrupted.wentDown()
        for app in [3, 1] as [UInt32] { interrupted.used(AppIndex(app)) }
        let whole = history([1, 2, 1, 3, 1])
        // The same uses, but here only 2 ever followed 1.
        #expect(likelihood(3, interrupted) < likelihood(3, whole))
        #expect(likelihood(2, interrupted) > likelihood(2, whole))
        interrupted.wentDown()
        interrupted.used(AppIndex(1))
        #expect(interrupted.lastSwitch(to: AppIndex(1)) == 6)
    }

    @Test("An app that is no longer installed is forgotten, also as what followed others")
    func forget() {
        var history = history([1, 2, 1, 2, 1, 3, 1])
        history.forget(AppIndex(2))
        #expect(likelihood(2, history) == 1)
        #expect(history.lastSwitch(to: AppIndex(2)) == 0)
        #expect(likelihood(3, history) > 1)
        history.forget(AppIndex(1))
        history.forget(AppIndex(3))
        history.forget(AppIndex(77))
        #expect(history.likelihoods(of: [AppIndex(1), AppIndex(2), AppIndex(3)]) == [1, 1, 1])
    }

    @Test("Likelihoods of all other apps together are at most one and a half; what was never used is the least likely")
    func bounds() {
        var random = Numbers(state: 7)
        var history = UsageHistory()
        for _ in 0..<3000 {
            let used = random.below(30)
            history.used(AppIndex(used))
            let all = history.likelihoods(of: (0..<30).filter { $0 != used }.map { AppIndex($0) })
            #expect(all.reduce(0, +) <= UsageHistory.one * 3 / 2 + 2 * 30)
            #expect(all.allSatisfy { $0 >= 1 })
        }
        #expect(likelihood(99, history) == 1)
    }

    @Test("A history that was written and read again goes on as if nothing had happened")
    func coding() throws {
        var random = Numbers(state: 3)
        var history = UsageHistory()
        for _ in 0..<500 { history.used(AppIndex(random.below(50))) }
        let data = try JSONEncoder().encode(history)
        // A few hundred bytes for each app.
        #expect(data.count < 50 * 600)
        var copy = try JSONDecoder().decode(UsageHistory.self, from: data)
        #expect(copy == history)
        for app in [3, 7, 3, 12] as [UInt32] {
            history.used(AppIndex(app))
            copy.used(AppIndex(app))
        }
        #expect(copy == history)
    }

    @Test("Uses fade with each switch, whether or not anything of them is left in their neighbourhood")
    func fading() throws {
        struct Plain: Decodable {
            struct Record: Decodable {
                let app: AppIndex
                let uses: [UInt64]
            }
            let records: [Record]
        }
        let fading: [UInt64] = [3_037_000_500, 4_112_874_773, 4_271_771_996, 4_292_061_010]
        var random = Numbers(state: 11)
        var history = UsageHistory()
        var (uses, current): ([UInt32: [UInt64]], UInt32?) = ([:], nil)
        for step in 0..<6000 {
            // For a long time a few are used, and then others.
            let app = random.below(4) + UInt32(step / 1500) * 40 + (random.below(50) == 0 ? random.below(100) : 0)
            history.used(AppIndex(app))
            if app != current {
                for app in uses.keys { uses[app] = zip(uses[app] ?? [], fading).map { ($0 * $1) >> 32 } }
                uses[app] = (uses[app] ?? [0, 0, 0, 0]).map { $0 + UsageHistory.one }
                current = app
            }
            if random.below(200) == 0 {
                let gone = random.below(200)
                history.forget(AppIndex(gone))
                uses[gone] = nil
                if current == gone { current = nil }
            }
            guard step % 100 == 99 else { continue }
            let plain = try JSONDecoder().decode(Plain.self, from: JSONEncoder().encode(history))
            #expect(plain.records.map(\.app.rawValue) == uses.keys.sorted(), "step \(step)")
            for record in plain.records { #expect(record.uses == uses[record.app.rawValue], "step \(step)") }
            if step % 1000 == 999 {
                history = try JSONDecoder().decode(UsageHistory.self, from: JSONEncoder().encode(history))
            }
        }
    }

    @Test("A history keeps no more than a dozen numbers and ten successors for each app, however long it is told")
    func bounded() throws {
        var random = Numbers(state: 5)
        var history = UsageHistory()
        var sizes: [Int] = []
        for count in 1...40_000 {
            history.used(AppIndex(random.below(40)))
            if count % 20_000 == 0 { sizes.append(try JSONEncoder().encode(history).count) }
        }
        #expect(sizes[1] < sizes[0] + 1000)
    }
}

/// The same numbers in every run.
private struct Numbers {
    var state: UInt64

    mutating func below(_ bound: UInt32) -> UInt32 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt32(truncatingIfNeeded: state >> 33) % bound
    }
}
