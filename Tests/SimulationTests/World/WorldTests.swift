import Foundation
import Model
import PolicyCore
import Simulation
import Testing

/// Random worlds and what is done to them, held to what must always be true.
@Suite("The world") struct WorldTests {
    static let seeds = 0..<60

    @Test("In one step, in many, or from change to change: the same world, and the same changes", arguments: seeds)
    func anySteps(seed: Int) {
        var direct = Play(seed: seed)
        var stepped = Play(seed: seed)
        var natural = Play(seed: seed)
        var random = SplitMix64(seed: UInt64(seed), for: 77)
        for _ in 0..<150 {
            let target = direct.nextMoment()
            _ = (stepped.nextMoment(), natural.nextMoment())
            direct.world.advance(to: target)
            while stepped.world.now < target {
                let step = random.span(Span(nanoseconds: 1), random.oneIn(3) ? .milliseconds(3) : .milliseconds(9000))
                stepped.world.advance(to: min(target, stepped.world.now + step))
                _ = stepped.world.energy
                stepped.collect()
            }
            while let next = natural.world.nextChange, next <= target {
                natural.world.advance(to: next)
                natural.collect()
            }
            natural.world.advance(to: target)
            for _ in 0..<2 { direct.act() }
            for _ in 0..<2 { stepped.act() }
            for _ in 0..<2 { natural.act() }
        }
        #expect(direct.changes.count > 100)
        #expect(direct.changes == stepped.changes)
        #expect(direct.changes == natural.changes)
        #expect(direct.world == stepped.world)
        #expect(direct.world == natural.world)
    }

    @Test(
        "Energy only grows and its parts are the whole; no byte, no time and no memory is made or lost",
        arguments: seeds)
    func conservation(seed: Int) {
        var play = Play(seed: seed)
        var radio = Energy.zero
        for _ in 0..<150 {
            let target = play.nextMoment()
            while play.world.now < target {
                let from = play.world
                play.world.advance(to: min(target, play.world.nextChange ?? target))
                // Between two changes the radios' powers are even.
                radio += play.power(from) * (play.world.now - from.now)
                check(from, play.world)
                radio += play.costOfBytes(from)
            }
            play.act()
        }
        let ledger = play.world.energy
        #expect(ledger.entries.map(\.consumer) == ledger.entries.map(\.consumer).sorted())
        #expect(ledger.total(of: .cellular) + ledger.total(of: .wifi) == radio)
    }

    private func check(_ before: World, _ now: World) {
        let (old, new) = (before.energy, now.energy)
        #expect(old.total <= new.total)
        #expect(new.entries.reduce(.zero) { $0 + $1.energy } == new.total)
        #expect(new.entries.allSatisfy { $0.energy > .zero })
        #expect(before.movedBytes <= now.movedBytes)
        #expect(now.transfers.allSatisfy { (0...$0.bytes).contains($0.moved) })
        #expect(before.processorTime <= now.processorTime)
        #expect(now.processorTime.nanoseconds <= 2 * now.now.nanoseconds)
        #expect((0...100).contains(now.batteryPercent))
        #expect(now.batteryLevel >= .zero)
        #expect(now.footprints.reduce(0) { $0 + $1.footprint.total } + now.availableMemory == now.memoryBudget)
        #expect(now.nextChange.map { $0 > now.now } ?? true)
    }

    /// One build suffices to check another: debug and release, this machine and that, have to come to these numbers.
    @Test(
        "The same numbers in every build, on every machine",
        arguments: zip(
            [1, 2, 3], [4_201_477_566_297_755_687, 1_000_882_727_949_343_683, 4_357_865_656_143_097_721] as [UInt64]))
    func sameNumbers(seed: Int, hash: UInt64) {
        var play = Play(seed: seed)
        for _ in 0..<400 {
            play.world.advance(to: play.nextMoment())
            play.act()
        }
        var text = "\(play.changes) \(play.world.movedBytes) \(play.world.position)"
        for entry in play.world.energy.entries { text += " \(entry)" }
        // Where a type is declared is no number.
        for module in ["Model.", "Simulation."] { text = text.replacingOccurrences(of: module, with: "") }
        #expect(Stable.hash(text) == hash)
    }

    @Test("A world that is written down and read again goes on as if nothing had been")
    func coding() throws {
        var play = Play(seed: 5)
        for _ in 0..<40 {
            play.world.advance(to: play.nextMoment())
            play.act()
        }
        var copy = try JSONDecoder().decode(World.self, from: JSONEncoder().encode(play.world))
        #expect(copy == play.world)
        play.world.advance(by: .seconds(3600))
        copy.advance(by: .seconds(3600))
        #expect(copy == play.world)
        #expect(copy.takeChanges().isEmpty == false)
    }

    @Test("A world at rest needs no steps but the battery's")
    func rest() {
        var world = World(WorldSetup())
        var steps = 0
        while let next = world.nextChange, steps < 1000 {
            world.advance(to: next)
            steps += 1
        }
        #expect(steps == 100)
        #expect(world.takeChanges().last == .batteryLevel(percent: 0))
        // 300 hours of standby, and a little from rounding 17.5 mW down.
        #expect((308...309).contains(world.now.nanoseconds / 3_600_000_000_000))
    }
}

/// A world in which a seed says what happens.
private struct Play {
    var world: World
    var changes: [WorldChange] = []
    private var random: SplitMix64
    private var transfers: [TrafficID] = []
    private var works: [WorkID] = []
    private let models: (RadioModel, RadioModel)

    init(seed: Int) {
        random = SplitMix64(seed: UInt64(seed))
        var setup = WorldSetup()
        setup.cellular = random.oneIn(2) ? .threeG : .lte
        setup.cellularLink = random.oneIn(2) ? .threeG : .lte
        // Odd rates, so that nothing divides evenly.
        setup.wifiLink.receivedBytesPerSecond = 12_347
        setup.batteryCapacity = .joules(Int64(500 + random.below(3000)))
        setup.batteryPercent = 20 + random.below(81)
        setup.cores = 2
        setup.memory = 1_000_000
        setup.memoryMarks = [0, 100_000, 500_000]
        setup.places = [Place(id: PlaceID(1), circle: Circle(center: .zero, radius: 300), hasWiFi: true)]
        if random.oneIn(2) {
            setup.towers = .list(
                (0..<4).map { Tower(id: TowerID($0), reach: Circle(center: Point(x: $0 * 1000, y: 0), radius: 1200)) })
        }
        models = (setup.cellular, setup.wifi)
        world = World(setup)
    }

    mutating func collect() { changes += world.takeChanges() }

    mutating func nextMoment() -> Instant {
        world.now + random.span(Span(nanoseconds: 1), random.oneIn(3) ? .milliseconds(200) : .milliseconds(20_000))
    }

    private mutating func consumer() -> Consumer {
        let purposes = Purpose.allCases
        return Consumer(
            app: random.oneIn(9) ? nil : AppIndex(UInt32(random.below(4))), purposes[random.below(purposes.count)])
    }

    mutating func act() {
        collect()
        let app = AppIndex(UInt32(random.below(4)))
        switch random.below(20) {
        case 0...4:
            let direction: Direction = random.oneIn(2) ? .up : .down
            transfers.append(
                world.transfer(Int64(random.below(random.oneIn(2) ? 300 : 400_000)), direction, for: consumer()))
        case 5: if let id = random.pick(transfers) { world.pause(id) }
        case 6: if let id = random.pick(transfers) { world.resume(id) }
        case 7: if let id = random.pick(transfers) { world.cancel(id) }
        case 8: world.setNetworkDown(random.oneIn(3))
        case 9: world.force(random.oneIn(2) ? nil : Reachability.allCases[random.below(3)])
        case 10: world.connect(charger: Power(milliwatts: random.oneIn(2) ? 0 : Int64(random.below(3000))))
        case 11: walk()
        case 12: world.setSatellite(random.oneIn(2), by: consumer())
        case 13: world.setScreen(isLit: random.oneIn(2))
        case 14: world.setFootprint(random.oneIn(3) ? .zero : Footprint(dirty: Int64(random.below(300_000))), of: app)
        case 15: world.setGrowth(Int64(random.below(20_000)), of: app)
        case 16, 17:
            let span = random.oneIn(4) ? nil : random.span(.zero, .milliseconds(3000))
            works.append(
                world.begin(
                    span, for: consumer(), weight: Int64(1 + random.below(300)), limit: Int64(random.below(1100))))
        case 18:
            if let id = random.pick(works) { random.oneIn(2) ? world.end(id) : world.setPaused(id, random.oneIn(2)) }
        default: random.oneIn(2) ? world.setWiFi(isOn: random.oneIn(2)) : world.setCellular(isOn: !random.oneIn(3))
        }
        collect()
    }

    private mutating func walk() {
        var time: Int64 = 0
        var waypoints = [Route.Waypoint(after: .zero, world.position)]
        for _ in 0..<3 {
            time += 1000 + Int64(random.below(60_000))
            waypoints.append(
                .init(
                    after: .milliseconds(time), Point(x: Int64(random.below(4000)) - 500, y: Int64(random.below(900)))))
        }
        if let route = Route(waypoints) { world.travel(route) }
    }

    // MARK: What the radios must have drawn

    func power(_ world: World) -> Power {
        Self.power(world.cellularRadio, models.0) + Self.power(world.wifiRadio, models.1)
    }

    private static func power(_ state: Radio.State, _ model: RadioModel) -> Power {
        switch state {
        case .idle: .zero
        case .promoting(nil, _): model.promotion?.power ?? .zero
        case .promoting(let tail?, _): model.tails[tail].promotion?.power ?? .zero
        case .carrying: model.power
        case .tail(let tail, _): model.tails[tail].power
        }
    }

    /// What the bytes cost that have moved since then, way by way.
    func costOfBytes(_ before: World) -> Energy {
        let model = before.reachability == .cellular ? models.0 : models.1
        var moved: Int64 = 0
        var cost = Energy.zero
        for transfer in before.transfers {
            let more = (world.transfer(transfer.id)?.moved ?? transfer.bytes) - transfer.moved
            moved += more
            cost += (transfer.direction == .up ? model.sentByte : model.receivedByte) * more
        }
        #expect(moved == world.movedBytes - before.movedBytes)
        return cost
    }
}
