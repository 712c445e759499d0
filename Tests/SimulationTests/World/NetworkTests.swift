import Model
import PolicyCore
import Simulation
import Testing

@Suite("The network") struct NetworkTests {
    /// 1000 bytes a millisecond down, 500 up, no latency, no promotion.
    private func world() -> World {
        var setup = WorldSetup()
        setup.reachability = .wifi
        setup.wifiLink = Link(sentBytesPerSecond: 500_000, receivedBytesPerSecond: 1_000_000, latency: .zero)
        return World(setup)
    }

    private func finishes(_ world: inout World) -> [(TrafficID, Instant)] {
        var found: [(TrafficID, Instant)] = []
        while let next = world.nextChange, world.now < .after(3_600_000) {
            world.advance(to: next)
            for case .transferFinished(let id) in world.takeChanges() { found.append((id, world.now)) }
        }
        return found
    }

    @Test("Transfers in one direction share the line equally, those in the other have their own")
    func sharing() {
        var world = world()
        let long = world.transfer(30_000, .down, for: Consumer(app: .a))
        let up = world.transfer(10_000, .up, for: Consumer(app: .a))
        world.advance(to: .after(10))
        let short = world.transfer(5000, .down, for: Consumer(app: .b))
        world.advance(to: .after(15))
        #expect(world.transfer(long)?.moved == 12_500)
        #expect(world.transfer(short)?.moved == 2500)
        #expect(world.transfer(up)?.moved == 7500)
        #expect(world.movedBytes == 22_500)
        let found = finishes(&world)
        // What ends in one moment is told in the order in which it was begun.
        #expect(found.map(\.0) == [up, short, long])
        #expect(found.map(\.1) == [.after(20), .after(20), .after(35)])
        #expect(world.movedBytes == 45_000)
        #expect(world.transfers.isEmpty)
    }

    @Test("A transfer stalls with the network, keeps what it has, and goes on when the network is back")
    func stall() {
        var world = world()
        let id = world.transfer(30_000, .down, for: Consumer(app: .a))
        world.advance(to: .after(10))
        world.setNetworkDown(true)
        #expect(world.takeChanges() == [.reachability(.none), .transferStalled(id)])
        #expect(world.transfer(id)?.state == .stalled)
        let late = world.transfer(1000, .down, for: Consumer(app: .a))
        world.advance(to: .after(60_000))
        #expect(world.transfer(id)?.moved == 10_000)
        #expect(world.transfer(late)?.moved == 0)
        world.setNetworkDown(false)
        #expect(world.takeChanges() == [.reachability(.wifi), .transferResumed(id), .transferResumed(late)])
        #expect(finishes(&world).map(\.1) == [.after(60_002), .after(60_021)])
    }

    @Test("From Wi-Fi to cellular a transfer goes on once the other radio is ready")
    func handover() {
        var world = world()
        let id = world.transfer(30_000, .down, for: Consumer(app: .a))
        world.advance(to: .after(10))
        world.force(.cellular)
        #expect(world.takeChanges() == [.reachability(.cellular)])
        #expect(world.transfer(id)?.state == .waiting(until: .after(10 + 2000 + 120)))
        #expect(finishes(&world).map(\.1) == [.after(2130 + 160)])
        #expect(world.energy.total(of: .wifi) == Power(milliwatts: 403) * .milliseconds(260))
    }

    @Test("A paused transfer leaves the line to others and goes on where it was")
    func pause() {
        var world = world()
        let first = world.transfer(10_000, .down, for: Consumer(app: .a))
        let second = world.transfer(10_000, .down, for: Consumer(app: .b))
        world.advance(to: .after(10))
        world.pause(first)
        world.pause(first)
        world.advance(to: .after(15))
        #expect(world.transfer(first)?.state == .paused)
        #expect(world.transfer(first)?.moved == 5000)
        #expect(world.takeChanges() == [.transferFinished(second)])
        world.setNetworkDown(true)
        world.setNetworkDown(false)
        #expect(world.takeChanges() == [.reachability(.none), .reachability(.wifi)])
        world.resume(first)
        world.resume(first)
        #expect(finishes(&world).map(\.1) == [.after(20)])
    }

    @Test("Resumed without a network it is stalled, not lost")
    func resumeWithoutNetwork() {
        var world = world()
        let id = world.transfer(10_000, .down, for: Consumer(app: .a))
        world.pause(id)
        world.setNetworkDown(true)
        world.resume(id)
        #expect(world.transfer(id)?.state == .stalled)
        world.setNetworkDown(false)
        #expect(finishes(&world).map(\.1) == [.after(10)])
    }

    @Test("What is cancelled is gone, and its share is the others'")
    func cancel() {
        var world = world()
        let first = world.transfer(10_000, .down, for: Consumer(app: .a))
        let second = world.transfer(10_000, .down, for: Consumer(app: .b))
        world.advance(to: .after(10))
        world.cancel(first)
        world.cancel(first)
        #expect(world.transfer(first) == nil)
        let found = finishes(&world)
        #expect(found.map(\.0) == [second])
        #expect(found.map(\.1) == [.after(15)])
        #expect(world.movedBytes == 15_000)
    }

    @Test("A transfer of nothing is finished at once, a dead line moves nothing")
    func edges() {
        var world = world()
        let nothing = world.transfer(0, .down, for: Consumer(app: .a))
        #expect(world.takeChanges() == [.transferFinished(nothing)])
        let negative = world.transfer(-5, .up, for: Consumer(app: .a))
        #expect(world.takeChanges() == [.transferFinished(negative)])
        world.setLink(Link(sentBytesPerSecond: 0, receivedBytesPerSecond: 0, latency: .zero), of: .wifi)
        let dead = world.transfer(1, .down, for: Consumer(app: .a))
        world.advance(to: .after(1_000_000))
        #expect(world.transfer(dead)?.moved == 0)
        world.setLink(Link(sentBytesPerSecond: 1, receivedBytesPerSecond: 1, latency: .zero), of: .wifi)
        #expect(finishes(&world).map(\.1) == [.after(1_001_000)])
    }

    @Test("A line of any speed ends no earlier and less than a nanosecond later than it should")
    func exactEnds() {
        for (bytes, rate) in [(1, 3), (7, 1_000_000_007), (999_999_937, 1), (123_456_789, 987_654_321)]
            as [(Int64, Int64)]
        {
            var world = world()
            world.setLink(Link(sentBytesPerSecond: rate, receivedBytesPerSecond: rate, latency: .zero), of: .wifi)
            let id = world.transfer(bytes, .down, for: Consumer(app: .a))
            while world.transfer(id) != nil, let next = world.nextChange { world.advance(to: next) }
            let took = Int128(world.now.nanoseconds)
            #expect(took * Int128(rate) >= Int128(bytes) * 1_000_000_000)
            #expect((took - 1) * Int128(rate) < Int128(bytes) * 1_000_000_000)
        }
    }

    @Test("Where the device is says how it is connected: Wi-Fi at home, a cell on the way, nothing beyond")
    func coverage() throws {
        var setup = WorldSetup()
        setup.towers = .list([Tower(id: TowerID(7), reach: Circle(center: .zero, radius: 5000))])
        setup.places = [Place(id: PlaceID(1), circle: Circle(center: .zero, radius: 50), hasWiFi: true)]
        setup.route = try #require(
            Route([.init(after: .zero, .zero), .init(after: .milliseconds(10_000_000), Point(x: 10_000, y: 0))]))
        var world = World(setup)
        #expect(world.reachability == .wifi)
        #expect(world.tower == TowerID(7))
        var seen: [WorldChange] = []
        world.advance(to: .after(50_000))
        #expect(world.takeChanges().isEmpty)
        world.advance(to: .after(50_001))
        seen += world.takeChanges()
        world.advance(to: .after(5_000_000))
        #expect(world.reachability == .cellular)
        world.advance(to: .after(5_000_001))
        for change in world.takeChanges() {
            if case .batteryLevel = change { continue }
            seen.append(change)
        }
        #expect(seen == [.left(PlaceID(1)), .reachability(.cellular), .tower(nil), .reachability(.none)])
        world.setWiFi(isOn: false)
        world.travel(.resting(at: .zero))
        #expect(world.takeChanges().suffix(3) == [.tower(TowerID(7)), .entered(PlaceID(1)), .reachability(.cellular)])
    }
}
