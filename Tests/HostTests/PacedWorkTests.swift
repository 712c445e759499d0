import Host
import Testing

@Suite("Work that may wait")
struct PacedWorkTests {
    @Test("It is done in order, one at a time, in two fifths of the time, and at once when nobody waits")
    func order() {
        var now: Int64 = 0
        var late: [(at: Int64, action: () -> Void)] = []
        let paced = PacedWork { late.append((now + $0, $1)) }
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
        #expect(begun == Array(0..<100) && worked * 5 == now * 2)
        for number in 100..<200 {
            paced.add { _ in
                begun.append(number)
                return false
            }
        }
        #expect(begun.count == 200, "what nobody wants any more holds up nothing")
    }
}
