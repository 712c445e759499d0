import Model
import PolicyCore
import Testing

@Suite("Work that can wait") struct WorkCoalescerTests {
    static func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    static func work(_ app: UInt32, _ from: Double, _ to: Double) -> WorkCoalescer.Work {
        WorkCoalescer.Work(AppIndex(app), earliest: at(from), latest: at(to))
    }
    static let asleep = RadioState(.lte)
    static let awake = RadioState(.lte, .tail(0), warmFor: .seconds(10))

    @Test("It waits for a radio that is awake, and then goes at once")
    func warm() {
        var coalescer = WorkCoalescer()
        coalescer.add(Self.work(0, 10, 100))
        #expect(coalescer.due(at: Self.at(50), radio: Self.asleep).isEmpty)
        #expect(coalescer.nextLook(radio: Self.asleep) == Self.at(100))
        #expect(coalescer.nextLook(radio: Self.awake) == Self.at(10))
        #expect(coalescer.due(at: Self.at(9), radio: Self.awake).isEmpty)
        #expect(coalescer.due(at: Self.at(50), radio: Self.awake) == [Self.work(0, 10, 100)])
        #expect(coalescer.waiting.isEmpty)
    }

    @Test("What can wait no longer takes along all that may go, the most urgent first")
    func deadline() {
        var coalescer = WorkCoalescer()
        coalescer.add(Self.work(0, 10, 300))
        coalescer.add(Self.work(1, 10, 100))
        coalescer.add(Self.work(2, 150, 200))
        #expect(coalescer.due(at: Self.at(99), radio: Self.asleep).isEmpty)
        #expect(coalescer.due(at: Self.at(100), radio: Self.asleep).map(\.app.rawValue) == [1, 0])
        #expect(coalescer.waiting == [Self.work(2, 150, 200)])
    }

    @Test("Without a network all of it waits; what is asked for again takes the place of the first")
    func noNetwork() {
        var coalescer = WorkCoalescer()
        coalescer.add(Self.work(0, 10, 20))
        coalescer.add(Self.work(0, 10, 40))
        #expect(coalescer.waiting == [Self.work(0, 10, 40)])
        #expect(coalescer.due(at: Self.at(500), radio: .noNetwork).isEmpty)
        #expect(coalescer.nextLook(radio: .noNetwork) == nil)
        coalescer.remove(AppIndex(0))
        #expect(coalescer.waiting.isEmpty)
    }
}
