import Model
import PolicyCore
import Simulation
import Testing

@Suite("The radio") struct RadioTests {
    static let tiny: Int64 = 100

    @Test("One isolated tiny 3G transfer costs 9.5 J: promotion, DCH, FACH")
    func isolated() {
        var world = World.radioOnly(.threeG)
        _ = world.transfer(Self.tiny, .down, for: Consumer(app: .a))
        let end = world.settleDown()
        #expect(world.energy.total == .millijoules(9500))
        #expect(end == .after(2000 + 4000 + 10_000))
        #expect(world.cellularRadio == .idle)
        #expect(world.cellularWakeups == 1)
    }

    @Test("Ten scattered tiny transfers cost 95 J, ten together what one costs")
    func scatteredAndTogether() {
        var scattered = World.radioOnly(.threeG)
        for number in 0..<10 {
            scattered.advance(to: .after(Int64(number) * 60_000))
            _ = scattered.transfer(Self.tiny, .down, for: Consumer(app: .a))
        }
        scattered.settleDown()
        #expect(scattered.energy.total == .millijoules(95_000))
        #expect(scattered.cellularWakeups == 10)

        var together = World.radioOnly(.threeG)
        for _ in 0..<10 { _ = together.transfer(Self.tiny, .down, for: Consumer(app: .a)) }
        together.settleDown()
        // More than 320 bytes in 0.3 s: DCH counts from their end, 120 ms of latency and 8 ms of data later.
        #expect(together.energy.total == .millijoules(9500) + Power(milliwatts: 1300) * .milliseconds(128))
        #expect(together.cellularWakeups == 1)
    }

    @Test("Isolated tiny transfers over LTE and Wi-Fi cost what their models say")
    func others() {
        var lte = World.radioOnly(.lte)
        _ = lte.transfer(Self.tiny, .up, for: Consumer(app: .a))
        lte.settleDown()
        // 100 bytes at 700 kB/s take 142,857.1 ns; the end falls on the next whole nanosecond.
        let sending = Span(nanoseconds: 70_000_000 + 142_858)
        let bits = Energy(picojoules: 438_000 * 8 * 100)
        let expected =
            Power(milliwatts: 1210) * .milliseconds(260) + Power(milliwatts: 1200) * sending + bits
            + Power(milliwatts: 1060) * .milliseconds(10_000)
        #expect(lte.energy.total == expected)

        var wifi = World.radioOnly(.threeG, .wifi)
        _ = wifi.transfer(50_000, .down, for: Consumer(app: .a))
        wifi.settleDown()
        #expect(wifi.energy.total == Power(milliwatts: 403) * .milliseconds(20 + 20 + 250))
        #expect(wifi.energy.total(of: .wifi) == wifi.energy.total)
    }

    @Test("LTE: a megabyte costs 438 nJ a bit up and 52 nJ a bit down, at whatever rate it goes")
    func perBit() {
        for (direction, perBit) in [(Direction.up, Int64(438_000)), (.down, 52_000)] {
            for rate: Int64 in [10_000, 333_333, 5_000_000] {
                var world = World.radioOnly(.lte)
                world.setLink(
                    Link(sentBytesPerSecond: rate, receivedBytesPerSecond: rate, latency: .zero), of: .cellular)
                _ = world.transfer(1_000_000, direction, for: Consumer(app: .a))
                world.settleDown()
                let (whole, rest) = (1_000_000 * 1_000_000_000).quotientAndRemainder(dividingBy: rate)
                let moving = Span(nanoseconds: whole + (rest > 0 ? 1 : 0))
                let expected =
                    Power(milliwatts: 1210) * .milliseconds(260) + Power(milliwatts: 1200) * moving
                    + Power(milliwatts: 1060) * .milliseconds(10_000) + Energy(picojoules: perBit * 8_000_000)
                #expect(world.energy.total == expected)
            }
        }
    }

    @Test("At once is cheaper than in pieces every 30 seconds (E2)")
    func bulkBeatsTrickle() {
        func cost(pieces: Int64) -> Energy {
            var world = World.radioOnly(.threeG)
            for piece in 0..<pieces {
                world.advance(to: .after(piece * 30_000))
                _ = world.transfer(3_000_000 / pieces, .down, for: Consumer(app: .a, .streaming))
            }
            world.settleDown()
            return world.energy.total(of: .a, .streaming)
        }
        #expect(cost(pieces: 1).joules < 45)
        #expect(cost(pieces: 10).joules > 125)
    }

    // MARK: The states of 3G

    /// What a radio of 3G is in, and what it takes to get there.
    enum Situation: CaseIterable {
        case idle, promoting, carrying, dch, fach, promotingFromFACH
    }

    /// At ten seconds it is in the situation; DCH since nine, FACH since six.
    private func world(in situation: Situation) -> World {
        var world = World.radioOnly(.threeG)
        world.setLink(
            Link(sentBytesPerSecond: 1_000_000, receivedBytesPerSecond: 1_000_000, latency: .zero), of: .cellular)
        func begin(at milliseconds: Int64, bytes: Int64) {
            world.advance(to: .after(milliseconds))
            _ = world.transfer(bytes, .down, for: Consumer(app: .a))
        }
        switch situation {
        case .idle: break
        case .promoting: begin(at: 9000, bytes: 1_000_000)
        case .carrying: begin(at: 7000, bytes: 9_000_000)
        case .dch: begin(at: 6000, bytes: 1_000_000)
        case .fach, .promotingFromFACH: begin(at: 0, bytes: 0)
        }
        if situation == .promotingFromFACH { begin(at: 9000, bytes: 1_000_000) }
        world.advance(to: .after(10_000))
        return world
    }

    @Test("Every situation is the state that it should be, and goes on to the next at its time")
    func table() {
        let table: [(Situation, Radio.State, next: Instant?, then: Radio.State?)] = [
            (.idle, .idle, nil, nil),
            (.promoting, .promoting(fromTail: nil, until: .after(11_000)), .after(11_000), .carrying),
            (.carrying, .carrying, .after(18_000), .tail(0, until: .after(22_000))),
            (.dch, .tail(0, until: .after(13_000)), .after(13_000), .tail(1, until: .after(23_000))),
            (.fach, .tail(1, until: .after(16_000)), .after(16_000), .idle),
            (.promotingFromFACH, .promoting(fromTail: 1, until: .after(10_500)), .after(10_500), .carrying),
        ]
        #expect(table.map(\.0) == Situation.allCases)
        for (situation, state, next, then) in table {
            var world = world(in: situation)
            #expect(world.cellularRadio == state, "\(situation)")
            #expect(world.nextChange == next, "\(situation)")
            if let next, let then {
                world.advance(to: next)
                #expect(world.cellularRadio == then, "\(situation)")
            }
        }
    }

    @Test("New data promotes from idle and FACH only; large data starts DCH anew, small data does not")
    func newData() {
        // When data can flow, and when DCH ends after 100 bytes and after 1000.
        let table: [(Situation, ready: Int64, afterSmall: Int64, afterLarge: Int64)] = [
            (.idle, 12_000, 16_000, 16_001),
            (.dch, 10_000, 13_000, 14_001),
            (.fach, 11_500, 15_500, 15_501),
        ]
        for (situation, ready, afterSmall, afterLarge) in table {
            for (bytes, dch) in [(Int64(100), afterSmall), (1000, afterLarge)] {
                var world = world(in: situation)
                _ = world.takeChanges()
                let id = world.transfer(bytes, .down, for: Consumer(app: .b))
                while !world.hasChanges, let next = world.nextChange { world.advance(to: next) }
                #expect(world.takeChanges() == [.transferFinished(id)])
                #expect(world.now == .after(ready) + Span(nanoseconds: bytes * 1000), "\(situation), \(bytes) bytes")
                #expect(world.cellularRadio == .tail(0, until: .after(dch)), "\(situation), \(bytes) bytes")
            }
        }
    }

    @Test("Small packets that together exceed 320 bytes in 0.3 s start DCH anew; spread out they do not")
    func smallPackets() {
        func dchEnd(every gap: Int64) -> Radio.State {
            var world = world(in: .dch)
            for number in 0..<8 {
                world.advance(to: .after(10_000 + Int64(number) * gap))
                _ = world.transfer(100, .down, for: Consumer(app: .b))
            }
            world.advance(by: .milliseconds(1))
            return world.cellularRadio
        }
        #expect(dchEnd(every: 110) == .tail(0, until: .after(13_000)))
        let last = Instant.after(10_000 + 7 * 90) + Span(nanoseconds: 100_000)
        #expect(dchEnd(every: 90) == .tail(0, until: last + .milliseconds(4000)))
    }

    @Test("Small data that outlasts DCH goes on in FACH, at its own cost")
    func smallDataOutlastsDCH() {
        var world = world(in: .dch)
        world.setLink(Link(sentBytesPerSecond: 50, receivedBytesPerSecond: 50, latency: .zero), of: .cellular)
        world.advance(to: .after(12_000))
        _ = world.transfer(100, .down, for: Consumer(app: .b))
        world.advance(to: .after(13_500))
        #expect(world.cellularRadio == .carrying)
        let before = world.energy.total(of: .b)
        world.advance(to: .after(14_000))
        #expect(world.cellularRadio == .tail(1, until: .after(24_000)))
        world.settleDown()
        // Until 23 s it is also the tail of what the first app did.
        let shared = Power(milliwatts: 150) * .milliseconds(9000)
        let alone = Power(milliwatts: 300) * .milliseconds(1000)
        #expect(world.energy.total(of: .b) - before == Power(milliwatts: 1300) * .milliseconds(500) + shared + alone)
    }

    // MARK: Who pays

    @Test("Those who wake the radio together share it; who lengthens a tail alone pays the rest alone")
    func shares() {
        var world = World.radioOnly(.threeG)
        world.setLink(
            Link(sentBytesPerSecond: 1_000_000, receivedBytesPerSecond: 1_000_000, latency: .zero), of: .cellular)
        _ = world.transfer(1000, .down, for: Consumer(app: .a))
        _ = world.transfer(1_999_000, .down, for: Consumer(app: .b, .transfer))
        world.settleDown()
        // Promotion to 2 s; both move until 2.002 s, the second alone until 4 s; DCH until 8 s, FACH until 18 s.
        // The first one's own tails end at 6.002 s and 16.002 s.
        let promotion = Power(milliwatts: 325) * .milliseconds(2000)
        let both = Power(milliwatts: 650) * .milliseconds(2)
        let tails = Power(milliwatts: 650) * .milliseconds(4000) + Power(milliwatts: 150) * .milliseconds(8002)
        #expect(world.energy.total(of: .a) == promotion + both + tails)
        let alone = Power(milliwatts: 1300) * .milliseconds(1998) + Power(milliwatts: 300) * .milliseconds(1998)
        #expect(world.energy.total(of: .b, .transfer) == promotion + both + alone + tails)
        #expect(world.energy.total == world.energy.total(of: .a) + world.energy.total(of: .b))
    }

    @Test("What cannot be divided is not lost")
    func oddShares() {
        for count in 1...7 {
            for total: Int64 in [0, 1, 6, 7, 1_000_003] {
                let parts = (0..<count).map { Energy(picojoules: total).part($0, of: count).picojoules }
                #expect(parts.reduce(0, +) == total)
                #expect((parts.max() ?? 0) - (parts.min() ?? 0) <= 1)
            }
        }
    }

    @Test("A transfer that is cancelled before its data flows pays for the promotion and the tails that it caused")
    func cancelledInPromotion() {
        var world = World.radioOnly(.threeG)
        let id = world.transfer(5000, .up, for: Consumer(app: .a))
        world.advance(to: .after(500))
        world.cancel(id)
        #expect(world.settleDown() == .after(16_000))
        #expect(world.energy.total(of: .a) == .millijoules(9500))
        #expect(world.energy.total == .millijoules(9500))
    }

    @Test("Turned off, the cellular radio is idle at once; Wi-Fi goes on")
    func turnedOff() {
        var world = World(WorldSetup())
        let id = world.transfer(1_000_000, .down, for: Consumer(app: .a))
        world.advance(to: .after(4000))
        #expect(world.cellularRadio == .carrying)
        world.setCellular(isOn: false)
        #expect(world.cellularRadio == .idle)
        #expect(world.tower == nil)
        #expect(world.takeChanges() == [.reachability(.none), .transferStalled(id)])
        world.force(.wifi)
        world.advance(by: .milliseconds(100))
        #expect(world.wifiRadio == .carrying)
        #expect(world.takeChanges() == [.reachability(.wifi), .transferResumed(id)])
    }
}
