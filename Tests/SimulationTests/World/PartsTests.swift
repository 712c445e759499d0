import Model
import PolicyCore
import Simulation
import Testing

@Suite("Battery, processor and memory") struct PartsTests {
    // MARK: Battery

    /// One percent is a joule; idle draws a watt.
    private func battery(percent: Int) -> World {
        var setup = WorldSetup()
        setup.batteryCapacity = .joules(100)
        setup.batteryPercent = percent
        setup.powers.idle = Power(milliwatts: 1000)
        return World(setup)
    }

    @Test("Every percent is told when it is reached, down to nothing and no further")
    func discharge() {
        var world = battery(percent: 100)
        var levels: [Int] = []
        while let next = world.nextChange {
            world.advance(to: next)
            for case .batteryLevel(let percent) in world.takeChanges() {
                levels.append(percent)
                #expect(world.now == .after(Int64(100 - percent) * 1000))
                #expect(world.batteryLevel == .joules(Int64(percent)))
            }
        }
        #expect(levels == Array((0..<100).reversed()))
        world.advance(to: .after(500_000))
        #expect(world.batteryLevel == .zero)
        #expect(world.batteryPercent == 0)
        #expect(world.energy.total == .zero)
    }

    @Test("A charger fills it to the top, where it stays; unplugged, it empties again")
    func charge() {
        var world = battery(percent: 97)
        world.connect(charger: Power(milliwatts: 3000))
        #expect(world.takeChanges() == [.charger(isConnected: true)])
        #expect(world.isCharging)
        world.advance(to: .after(499))
        #expect(!world.hasChanges)
        world.advance(to: .after(500))
        #expect(world.takeChanges() == [.batteryLevel(percent: 98)])
        #expect(world.batteryLevel == .joules(98))
        world.advance(to: .after(60_000))
        #expect(world.takeChanges() == [.batteryLevel(percent: 99), .batteryLevel(percent: 100)])
        #expect(world.batteryLevel == .joules(100))
        world.connect(charger: .zero)
        #expect(world.takeChanges() == [.charger(isConnected: false)])
        world.advance(to: .after(61_000))
        #expect(world.takeChanges() == [.batteryLevel(percent: 99)])
    }

    @Test("A charger that gives less than is drawn slows the emptying; one that gives as much stops it")
    func weakCharger() {
        var world = battery(percent: 50)
        world.connect(charger: Power(milliwatts: 500))
        #expect(world.nextChange == .after(2000))
        world.connect(charger: Power(milliwatts: 1000))
        #expect(world.nextChange == nil)
    }

    @Test("GPS draws 0.28 W as long as anybody uses it, shared by those who do; cell positions draw nothing")
    func satellite() {
        var setup = WorldSetup()
        setup.powers.idle = .zero
        var world = World(setup)
        #expect(world.cellFix?.accuracy ?? 0 > 500)
        world.advance(to: .after(1000))
        #expect(world.energy.total == .zero)
        world.setSatellite(true, by: Consumer(app: .a, .location))
        world.advance(to: .after(2000))
        world.setSatellite(true, by: Consumer(app: .b, .location))
        world.setSatellite(true, by: Consumer(app: .b, .location))
        world.advance(to: .after(4000))
        world.setSatellite(false, by: Consumer(app: .a, .location))
        world.advance(to: .after(5000))
        world.setSatellite(false, by: Consumer(app: .b, .location))
        world.advance(to: .after(9000))
        #expect(world.satelliteFix == Fix(point: .zero, accuracy: 10))
        #expect(world.energy.total(of: .gps) == .millijoules(280 * 4))
        #expect(world.energy.total(of: .a, .location) == .millijoules(280 + 280))
        #expect(world.energy.total(of: .b, .location) == .millijoules(280 + 280))
    }

    @Test("Screen, busy cores and idling drain the battery, and no app is charged for them")
    func drain() {
        var world = World(WorldSetup())
        let full = world.batteryLevel
        world.setScreen(isLit: true)
        world.advance(to: .after(3000))
        world.setScreen(isLit: false)
        _ = world.begin(.milliseconds(1000), for: Consumer(app: .a))
        world.advance(to: .after(5000))
        // 400 mW for three seconds, half a watt for one, and 17 mW all the time.
        let given = full - world.batteryLevel
        #expect(given == .millijoules(1785))
        #expect(world.energy.total == .zero)
    }

    // MARK: Processor

    private func processor(cores: Int64) -> World {
        var setup = WorldSetup()
        setup.cores = cores
        return World(setup)
    }

    private func ends(_ world: inout World) -> [WorkID: Instant] {
        var found: [WorkID: Instant] = [:]
        while let next = world.nextChange, world.now < .after(100_000) {
            world.advance(to: next)
            for case .workDone(let id) in world.takeChanges() { found[id] = world.now }
        }
        return found
    }

    @Test("What needs 200 ms takes 200 ms alone and 400 ms beside another")
    func load() {
        var alone = processor(cores: 1)
        let work = alone.begin(.milliseconds(200), for: Consumer(app: .a))
        #expect(ends(&alone) == [work: .after(200)])
        var beside = processor(cores: 1)
        let first = beside.begin(.milliseconds(200), for: Consumer(app: .a))
        let other = beside.begin(.milliseconds(1000), for: Consumer(app: .b))
        #expect(ends(&beside) == [first: .after(400), other: .after(1200)])
        #expect(beside.processorTime(of: .a) == .milliseconds(200))
        #expect(beside.processorTime(of: .b) == .milliseconds(1000))
        var two = processor(cores: 2)
        let here = two.begin(.milliseconds(200), for: Consumer(app: .a))
        let there = two.begin(.milliseconds(1000), for: Consumer(app: .b))
        #expect(ends(&two) == [here: .after(200), there: .after(1000)])
    }

    @Test("Weights share a core; what one cannot use goes to the others")
    func weights() {
        var world = processor(cores: 1)
        let heavy = world.begin(.milliseconds(300), for: Consumer(app: .a), weight: 300)
        let light = world.begin(.milliseconds(300), for: Consumer(app: .b), weight: 100)
        #expect(ends(&world) == [heavy: .after(400), light: .after(600)])
        // A player that needs 4 % of a core gets them, and no more.
        var playing = processor(cores: 1)
        let player = playing.begin(nil, for: Consumer(app: .a, .streaming), weight: 100, limit: 40)
        let work = playing.begin(.milliseconds(960), for: Consumer(app: .b))
        #expect(ends(&playing)[work] == .after(1000))
        let played = playing.now.nanoseconds * 4 / 100_000_000
        playing.end(player)
        playing.advance(to: .after(200_000))
        #expect(playing.work(player) == nil)
        #expect(playing.processorTime(of: .a).nanoseconds / 1_000_000 == played)
    }

    @Test("What is paused gets nothing and goes on where it was")
    func pausedWork() {
        var world = processor(cores: 1)
        let work = world.begin(.milliseconds(200), for: Consumer(app: .a))
        world.advance(to: .after(150))
        world.setPaused(work, true)
        world.advance(to: .after(50_000))
        #expect(world.work(work)?.used == .milliseconds(150))
        world.setPaused(work, false)
        #expect(ends(&world) == [work: .after(50_050)])
    }

    @Test("Work of no length is done at once")
    func noWork() {
        var world = processor(cores: 1)
        let work = world.begin(.zero, for: Consumer(app: .a))
        #expect(world.takeChanges() == [.workDone(work)])
    }

    // MARK: Memory

    @Test("Footprints are what was set, grow at their rate, and go with their app")
    func footprints() {
        var world = World(WorldSetup())
        world.setFootprint(Footprint(dirty: 1000, purgeable: 200, clean: 30), of: .b)
        world.setFootprint(Footprint(dirty: 5), of: .a)
        world.setGrowth(3, of: .b)
        world.setGrowth(9, of: .c)
        world.advance(to: .after(2500))
        #expect(world.footprint(of: .b) == Footprint(dirty: 1007, purgeable: 200, clean: 30))
        #expect(world.footprints.map(\.app) == [.a, .b])
        #expect(world.usedMemory == 5 + 1237)
        #expect(world.availableMemory == world.memoryBudget - 1242)
        world.setFootprint(Footprint(dirty: 100), of: .b)
        world.advance(to: .after(3500))
        #expect(world.footprint(of: .b) == Footprint(dirty: 103))
        world.setFootprint(.zero, of: .b)
        world.advance(to: .after(10_000))
        #expect(world.footprint(of: .b) == nil)
        #expect(world.footprint(of: .c) == nil)
        #expect(world.usedMemory == 5)
    }

    @Test("Growth crosses the marks at their moments; freeing crosses them back")
    func marks() {
        var setup = WorldSetup()
        setup.memory = 1000
        setup.memoryMarks = [0, 500]
        var world = World(setup)
        world.setFootprint(Footprint(dirty: 100), of: .a)
        world.setFootprint(Footprint(dirty: 100), of: .b)
        world.setGrowth(7, of: .a)
        world.setGrowth(3, of: .b)
        // 500 are left when 300 have come; below that a byte later, which is the first app's.
        #expect(world.nextChange == Instant(nanoseconds: 30_142_857_143))
        world.advance(to: .after(30_143))
        #expect(world.takeChanges() == [.memoryLevel(1)])
        world.advance(to: .after(200_000))
        #expect(world.takeChanges().filter { $0 == .memoryLevel(2) }.count == 1)
        #expect(world.availableMemory == 800 - 2000)
        world.setFootprint(.zero, of: .a)
        #expect(world.takeChanges() == [.memoryLevel(1)])
        world.setFootprint(.zero, of: .b)
        #expect(world.takeChanges() == [.memoryLevel(0)])
    }
}
