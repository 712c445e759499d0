import Host
import Testing

@Suite("So many a turn")
struct PerTurnTests {
    /// A loop whose turns the test takes.
    private final class Turns {
        var next: [() -> Void] = []

        func take() {
            let bodies = next
            next = []
            for body in bodies { body() }
        }
    }

    @Test("The first are done at once, the others in order in the turns after that, and none twice")
    func bounded() {
        let turns = Turns()
        var done: [Int] = []
        let queue = PerTurn<Int>(atMost: 2, soon: { turns.next.append($0) }, perform: { done.append($0) })
        for number in 1...5 { queue.add(number) }
        #expect(done == [1, 2])
        // Asked for again before it was its turn.
        queue.add(4)
        turns.take()
        #expect(done == [1, 2, 3, 4])
        turns.take()
        #expect(done == [1, 2, 3, 4, 5])
        turns.take()
        // It may be asked for again after that, and no turn is taken for nothing.
        queue.add(4)
        #expect(done == [1, 2, 3, 4, 5, 4])
        turns.take()
        #expect(turns.next.isEmpty)
    }

    @Test("What is asked for while others are done waits for the next turn when this one is full")
    func nested() {
        let turns = Turns()
        var done: [Int] = []
        var again: ((Int) -> Void)?
        let queue = PerTurn<Int>(
            atMost: 1, soon: { turns.next.append($0) },
            perform: { number in
                done.append(number)
                if number < 3 { again?(number + 1) }
            })
        again = { queue.add($0) }
        queue.add(1)
        #expect(done == [1])
        turns.take()
        #expect(done == [1, 2])
        turns.take()
        #expect(done == [1, 2, 3])
        again = nil
    }
}
