import Host
import Testing

@Suite("Work that may wait")
struct PacedWorkTests {
    @Test("It is done in order, one job at a time, from a stock of time and then in a fifth of the time")
    func order() {
        var now: Int64 = 0
        var late: [(at: Int64, action: () -> Void)] = []
        let paced = PacedWork(clock: { now }, later: { late.append((now + $0, $1)) })
        var begun: [Int] = []
        var done: [(Int64) -> Void] = []
        for number in 0..<100 {
            paced.add {
                begun.append(number)
                done.append($0)
                return true
            }
        }
        #expect(begun == [0], "the first at once, and no other beside it")
        var worked: Int64 = 0
        while let finish = done.popLast() {
            now += 4_000_000
            worked += 4_000_000
            finish(4_000_000)
            #expect(done.isEmpty, "it rests")
            guard !late.isEmpty else { break }
            let next = late.removeFirst()
            now = max(now, next.at)
            next.action()
        }
        #expect(begun == Array(0..<100))
        // What remains of 400 ms without the stock of 200 ms and what it gains meanwhile.
        let share = Double(worked - 200_000_000) / Double(now)
        #expect((0.19...0.205).contains(share), "\(share) of the time")
        for number in 100..<200 {
            paced.add { _ in
                begun.append(number)
                return false
            }
        }
        #expect(begun.count == 200, "what nobody wants any more holds up nothing")
    }
}
