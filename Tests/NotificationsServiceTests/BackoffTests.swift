import Model
import PushLink
import Testing

@Suite("When the device connects again")
struct BackoffTests {
    @Test("The longest wait doubles with each failure, up to ten minutes, and begins anew after a success")
    func doubling() {
        var backoff = Backoff()
        #expect((0..<9).map { _ in backoff.wait(1).seconds } == [4, 8, 16, 32, 64, 128, 256, 512, 600])
        backoff.succeeded()
        #expect(backoff.wait(1) == .seconds(4))
    }

    @Test("The whole wait is random: of a fleet that lost its gateway as many come in each part of the time")
    func jitter() {
        var random = SplitMix(seed: 1)
        var parts = [0, 0, 0, 0]
        for _ in 0..<100_000 {
            var backoff = Backoff()
            _ = backoff.wait(1)
            // The second failure: eight seconds.
            let wait = backoff.wait(Double(random.next() >> 11) / Double(1 << 53))
            parts[min(3, Int(wait.seconds / 2))] += 1
        }
        for part in parts { #expect((24_000...26_000).contains(part)) }
    }

    @Test("What a gateway asks for is kept, and as much again is random")
    func request() {
        var backoff = Backoff()
        #expect(backoff.wait(after: 30, 0) == .seconds(30))
        #expect(backoff.wait(after: 30, 1) == .seconds(60))
        backoff.succeeded()
        // Those that it sends away at once do not come back at once.
        #expect(backoff.wait(after: 0, 1) == .seconds(4))
        #expect(backoff.wait(after: 0, 1) == .seconds(8))
        #expect(backoff.wait(after: -5, 0) == .zero)
        // More than an hour is not believed.
        #expect(backoff.wait(after: 1e12, 0) == Backoff.longestRequest)
        #expect(backoff.wait(after: .nan, 0) == .zero)
    }
}

/// The same numbers in every run.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
