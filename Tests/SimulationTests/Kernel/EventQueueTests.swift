import Model
import Simulation
import Testing

@Suite("The event queue")
struct EventQueueTests {
    @Test("Events come in the order of their moments, and on one moment in the order in which they were put in")
    func order() {
        var queue = EventQueue<Int>()
        var random = SplitMix64(seed: 7)
        var expected: [(at: Int64, number: Int)] = []
        for number in 0..<500 {
            let at = Int64(random.below(40))
            queue.insert(number, at: Instant(nanoseconds: at))
            expected.append((at, number))
        }
        expected.sort { ($0.at, $0.number) < ($1.at, $1.number) }
        var seen: [Int] = []
        while let next = queue.popFirst() { seen.append(next.payload) }
        #expect(seen == expected.map(\.number))
    }

    @Test("A stream for one purpose does not depend on what other streams drew")
    func streams() {
        var first = SplitMix64(seed: 1, for: 4, 2)
        var second = SplitMix64(seed: 1, for: 4, 3)
        #expect(first.next() != second.next())
        var again = SplitMix64(seed: 1, for: 4, 2)
        _ = again.next()
        #expect(first == again)
        var spans = SplitMix64(seed: 3)
        for _ in 0..<1000 {
            let span = spans.span(.milliseconds(2), .milliseconds(5))
            #expect(span >= .milliseconds(2) && span < .milliseconds(5))
        }
    }
}
