import Host
import Testing

@Suite("Work that many ask for")
struct SharedWorkTests {
    /// A loop that goes round when told, and work that ends when told.
    private final class World {
        var now: Int64 = 0
        var begun = 0
        private var next: [() -> Void] = []
        private var late: [(at: Int64, action: () -> Void)] = []
        private var ends: [(Int) -> Void] = []
        private(set) lazy var shared = SharedWork<Int>(
            clock: { [unowned self] in now }, soon: { [unowned self] in next.append($0) },
            later: { [unowned self] in late.append((now + $0, $1)) },
            work: { [unowned self] in
                begun += 1
                ends.append($0)
            })

        func end(after nanoseconds: Int64) {
            now += nanoseconds
            let value = begun
            for end in ends { end(value) }
            ends = []
        }

        func goRound() {
            let actions = next + late.filter { $0.at <= now }.map(\.action)
            next = []
            late.removeAll { $0.at <= now }
            for action in actions { action() }
        }

        func settle() { while !next.isEmpty { goRound() } }
    }

    @Test("Whoever asks while it is under way has the next result, and all who wait have it together")
    func together() {
        let world = World()
        var answers: [Int: Int] = [:]
        world.shared.ask { answers[0] = $0 }
        for number in 1...100 { world.shared.ask { answers[number] = $0 } }
        #expect(world.begun == 1)
        world.end(after: 5_000_000)
        #expect(answers == [0: 1])
        world.now += 5_000_000
        world.goRound()
        #expect(world.begun == 2)
        world.end(after: 5_000_000)
        #expect(answers.count == 9, "a few in each turn of the loop")
        world.settle()
        #expect(answers.count == 101 && answers.filter { $0.value == 2 }.count == 100)
    }

    @Test("It is done at most half of the time, and at once for who comes alone")
    func rest() {
        let world = World()
        var answered = 0
        world.shared.ask { _ in answered += 1 }
        world.end(after: 40_000_000)
        world.shared.ask { _ in answered += 1 }
        world.now += 39_000_000
        world.goRound()
        #expect(world.begun == 1 && answered == 1)
        world.now += 1_000_000
        world.goRound()
        #expect(world.begun == 2)
        world.end(after: 1_000_000)
        world.now += 1_000_000
        world.goRound()
        #expect(answered == 2)
        world.shared.ask { _ in answered += 1 }
        #expect(world.begun == 3)
    }
}
