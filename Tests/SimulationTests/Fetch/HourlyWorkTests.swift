import Model
import PolicyCore
import Simulation
import Testing

@Suite("Hourly work of twenty apps") struct HourlyWorkTests {
    @Test("Apart, a day on 3G costs 20 × 24 isolated transfers of 9.5 J; together, 24 of them, shared equally")
    func tiny() {
        var work = HourlyWork()
        (work.costs.sent, work.costs.received) = (0, 1)
        work.costs.link.receivedBytesPerSecond = .max
        let apart = work.apart()
        #expect(apart.total == .joules(4560))
        #expect(apart.perApp == Array(repeating: .joules(228), count: 20))
        #expect(apart.wakeups == 480)
        let together = work.together()
        #expect(together.pieces == 480)
        #expect(together.wakeups == 24)
        #expect(together.total == .joules(228))
        #expect(together.perApp == Array(repeating: Energy(picojoules: 11_400_000_000_000), count: 20))
    }

    @Test("With real bytes the line is shared: what they take is the same, what waking takes is not")
    func realBytes() {
        let work = HourlyWork()
        // 2 kB at 40 kB/s and 30 kB at 125 kB/s, 480 times, at 1.3 W
        let bytes = 480 * 0.29 * 1.3
        let apart = work.apart()
        #expect(abs(apart.total.joules - (4560 + bytes)) < 0.001)
        let together = work.together()
        #expect(abs(together.total.joules - (228 + bytes)) < 0.001)
        #expect(together.total * 10 < apart.total)
    }
}
