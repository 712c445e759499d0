import Host
import Testing

@Suite("Turns of those who ask")
struct FairTurnsTests {
    /// A clock that only messages move, and a loop that goes round when told.
    private final class World {
        var now: Int64 = 0
        var worked: Int64 = 0
        private var next: [() -> Void] = []
        private var late: [(at: Int64, action: () -> Void)] = []
        private(set) lazy var turns = FairTurns<Peer>(
            clock: { [unowned self] in now }, worked: { [unowned self] in worked },
            soon: { [unowned self] in next.append($0) },
            later: { [unowned self] in late.append((now + $0, $1)) })

        func goRound() {
            if next.isEmpty, let first = late.first {
                now = max(now, first.at)
                late.removeFirst()
                next = [first.action]
            }
            let actions = next
            next = []
            for action in actions { action() }
        }

        var isIdle: Bool { next.isEmpty && late.isEmpty }
    }

    private final class Peer: TurnTaker {
        unowned let world: World
        var messages: Int
        let cost: Int64
        /// How long each of them stands still for a reason that is not its own.
        let delay: Int64
        private(set) var handled = 0

        init(_ world: World, messages: Int, cost: Int64, delay: Int64 = 0) {
            self.world = world
            self.messages = messages
            self.cost = cost
            self.delay = delay
        }

        func takeTurn() -> Bool {
            world.now += cost + delay
            world.worked += cost
            messages -= 1
            handled += 1
            return messages > 0
        }
    }

    @Test("Hundreds that ask without an end take little of a turn, three tenths of the time, and make nobody wait")
    func flood() {
        let world = World()
        let flooders = (0..<200).map { _ in Peer(world, messages: .max, cost: 25_000) }
        for flooder in flooders { world.turns.add(flooder) }
        let (began, workedBefore) = (world.now, world.worked)
        for _ in 0..<500 {
            let before = world.worked
            world.goRound()
            #expect(world.worked - before <= 2_100_000)
        }
        let (passed, worked) = (world.now - began, world.worked - workedBefore)
        #expect(worked <= passed / 10 * 3 + 101_000_000 && worked > passed / 4)
        // None of them is forgotten, whether it was there first or last.
        let handled = flooders.map(\.handled)
        #expect((handled.max() ?? 0) - (handled.min() ?? 0) <= 2)
        for _ in 0..<20 {
            let honest = Peer(world, messages: 1, cost: 25_000)
            let asked = world.now
            world.turns.add(honest)
            while honest.messages > 0 { world.goRound() }
            #expect(world.now - asked <= 10_000_000)
        }
    }

    @Test("Work for them outside of their turns counts like their turns")
    func answers() {
        let world = World()
        let flooders = (0..<200).map { _ in Peer(world, messages: .max, cost: 25_000) }
        for flooder in flooders { world.turns.add(flooder) }
        let (began, workedBefore) = (world.now, world.worked)
        for _ in 0..<500 {
            world.goRound()
            // Nothing is counted twice.
            world.turns.count {
                world.turns.count {
                    world.now += 1_000_000
                    world.worked += 1_000_000
                }
            }
        }
        let (passed, worked) = (world.now - began, world.worked - workedBefore)
        #expect(worked <= passed / 10 * 3 + 102_000_000 && worked > passed / 4)
    }

    @Test("Those who come anew again and again are no reason to wait for who was there before")
    func newcomers() {
        let world = World()
        let old = Peer(world, messages: 100, cost: 25_000)
        world.turns.add(old)
        for _ in 0..<100 where old.messages > 0 {
            for _ in 0..<20 { world.turns.add(Peer(world, messages: 3, cost: 25_000)) }
            world.goRound()
        }
        #expect(old.handled >= 10)
    }

    @Test("Whoever is alone is handled at once, and one whose messages take long is no reason to wait for long")
    func costs() {
        let world = World()
        let alone = Peer(world, messages: 1, cost: 1_000_000)
        world.turns.add(alone)
        #expect(alone.handled == 1)
        world.goRound()
        #expect(world.isIdle, "nothing is left to do")
        let (dear, cheap) = (Peer(world, messages: 10, cost: 3_000_000), Peer(world, messages: 10, cost: 10_000))
        world.turns.add(dear)
        world.turns.add(cheap)
        for _ in 0..<20 { world.goRound() }
        #expect(dear.handled == 10 && cheap.handled == 10 && world.isIdle)
    }

    @Test("A message that stood still, because a processor was taken, makes nobody wait once it is done")
    func standstill() {
        let world = World()
        let slow = Peer(world, messages: 1, cost: 1_000_000, delay: 400_000_000)
        world.turns.add(slow)
        world.goRound()
        let honest = Peer(world, messages: 1, cost: 25_000)
        let asked = world.now
        world.turns.add(honest)
        while honest.messages > 0 { world.goRound() }
        #expect(world.now - asked <= 1_000_000)
    }
}
