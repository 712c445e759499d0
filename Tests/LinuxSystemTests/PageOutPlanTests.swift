import LinuxSystem
import Testing

@Suite("How much memory the kernel goes through in a call")
struct PageOutPlanTests {
    private typealias Range = PageOutPlan.Range

    /// Plays the kernel, and returns what each call was for.
    private func calls(_ ranges: [Range], nanosecondsPerMegabyte: Int64, treats: (UInt) -> Bool = { _ in true })
        -> [[Range]]
    {
        var plan = PageOutPlan(ranges)
        var calls: [[Range]] = []
        while let pieces = plan.next(), calls.count < 10_000 {
            calls.append(pieces)
            let done = pieces.prefix { treats($0.start) }.reduce(0) { $0 + $1.length }
            plan.note(done: done, took: Int64(done >> 20) * nanosecondsPerMegabyte)
        }
        return calls
    }

    private func bytes(_ calls: [[Range]]) -> Int { calls.joined().reduce(0) { $0 + $1.length } }

    @Test("Memory that takes long is gone through in short calls, all of it once and in order")
    func dense() {
        let ranges = [Range(start: 4096, length: 120 << 20), Range(start: 1 << 40, length: 8192)]
        let calls = calls(ranges, nanosecondsPerMegabyte: 2_000_000)
        #expect(calls.allSatisfy { $0.reduce(0) { $0 + $1.length } <= 2 << 20 })
        #expect(bytes(calls) == (120 << 20) + 8192)
        var next: UInt = 4096
        for piece in calls.joined() where piece.start < 1 << 40 {
            #expect(piece.start == next)
            next += UInt(piece.length)
        }
    }

    @Test("Addresses with nothing behind them take few calls, however many there are")
    func sparse() {
        let calls = calls([Range(start: 0, length: 1 << 40)], nanosecondsPerMegabyte: 0)
        #expect(calls.count < 1040 && bytes(calls) == 1 << 40)
    }

    @Test("A range that the kernel refuses is skipped")
    func untreatable() {
        let ranges = (0..<2000).map { Range(start: UInt($0) << 32, length: 4096 * (1 + $0 % 3)) }
        let calls = calls(ranges, nanosecondsPerMegabyte: 0) { ($0 >> 32) % 5 != 0 }
        let treated = calls.map { call in call.prefix { ($0.start >> 32) % 5 != 0 } }.joined().map(\.start)
        #expect(treated == ranges.map(\.start).filter { ($0 >> 32) % 5 != 0 })
    }

    @Test("Of nothing there is nothing to do")
    func nothing() {
        var plan = PageOutPlan([])
        #expect(plan.next() == nil)
    }
}
