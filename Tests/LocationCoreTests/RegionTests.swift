import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("Regions") struct RegionTests {
    /// 1.2 km east of home.
    private static let office = Region("office", center: home.moved(1200, bearing: 90), radius: 150)

    private func monitoring(_ region: Region = office) -> Bench {
        var bench = Bench()
        bench.open(flags)
        #expect(bench.ask(flags, .monitor(region)).isDone)
        bench.leave(flags)
        bench.pass(60)
        return bench
    }

    @Test("A suspended app is woken when the device has entered and stays, and when it has left")
    func entersAndLeaves() {
        var bench = monitoring()
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
        #expect(bench.wakes == [flags])
        bench.go(to: home, speed: 12)
        bench.pass(300)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office", "exited office"])
        #expect(bench.system.brokenInvariants().isEmpty)
    }

    @Test("An app that was ended is woken as well")
    func ended() {
        var bench = monitoring()
        bench.kill(flags)
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("A receiver that goes away while it is asked is asked still, and what was crossed is told when it is back")
    func receiverGoes() {
        var bench = monitoring()
        bench.send(.own(.source(.network, .absent("there is no bus"))))
        bench.hasSky = false
        bench.go(to: Self.office.center, speed: 12)
        for _ in 0..<120 where !bench.system.powered.contains(.gps) { bench.pass(1) }
        #expect(bench.system.powered.contains(.gps))
        bench.send(.own(.source(.gps, .absent("it closed the connection"))))
        bench.pass(5)
        // Nobody hears of a receiver that nobody asks.
        #expect(bench.system.powered.contains(.gps) && bench.system.satellitesSince == nil)
        bench.hasSky = true
        bench.send(.own(.source(.gps, .present)))
        bench.pass(60)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("How long it waits for the next look is true whenever somebody asks")
    func countsDown() throws {
        var bench = monitoring()
        bench.hasSky = false
        bench.go(to: home.moved(300, bearing: 90), speed: 12)
        for _ in 0..<300 where !bench.system.status.look.contains("the next look comes in") { bench.pass(1) }
        let due = try #require(bench.system.nextDeadline)
        let look = bench.system.status(at: Instant(nanoseconds: due.nanoseconds - 5_000_000_000)).look
        #expect(look.contains("the next look comes in 5 s"), "\(look)")
    }

    @Test("Where it stands still nothing is powered and no timer runs")
    func rests() {
        var bench = monitoring()
        bench.pass(2 * 3600)
        let spent = bench.satelliteTime
        #expect(bench.system.nextDeadline == nil)
        bench.pass(24 * 3600)
        #expect(bench.satelliteTime == spent)
        #expect(spent < 60, "\(spent) s of reception until it rests")
    }

    @Test("Driving through without a stop is no entry, and the edge of it none either")
    func passesThrough() {
        var bench = monitoring()
        bench.go(to: home.moved(3000, bearing: 90), speed: 25)
        bench.pass(300)
        #expect(bench.heard[flags] == nil)
    }

    @Test("Who goes to and fro over the edge is told once")
    func hysteresis() {
        var bench = monitoring()
        bench.go(to: Self.office.center, speed: 10)
        bench.pass(60)
        for _ in 0..<10 {
            bench.go(to: Self.office.center.moved(220, bearing: 90), speed: 5)
            bench.go(to: Self.office.center.moved(100, bearing: 90), speed: 5)
        }
        bench.pass(120)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("Only what it asked to be told of is told")
    func notifies() {
        var region = Self.office
        region.notifiesOnEntry = false
        var bench = monitoring(region)
        bench.go(to: region.center, speed: 12)
        bench.pass(60)
        #expect(bench.heard[flags] == nil)
        #expect(bench.ask(flags, .state("office")).map { try? $0.get() } == .state(.inside))
        bench.go(to: home, speed: 12)
        bench.pass(300)
        #expect(bench.heard[flags]?.map(\.word) == ["exited office"])
    }

    @Test("An app has twenty, and the same identifier takes the place of the one before")
    func limits() {
        var bench = Bench()
        bench.open(flags)
        for number in 0..<20 {
            #expect(bench.ask(flags, .monitor(Region("r\(number)", center: home, radius: 100))).isDone)
        }
        #expect(bench.ask(flags, .monitor(Self.office)).refusal == .tooManyRegions(20))
        let other = Region("r3", center: Self.office.center, radius: 400)
        #expect(bench.ask(flags, .monitor(other)).isDone)
        #expect(bench.records[flags]?.regions.count == 20)
        #expect(bench.records[flags]?.regions.contains { $0.region == other } == true)
        bench.ask(flags, .unmonitor("r4"))
        #expect(bench.ask(flags, .monitor(Self.office)).isDone)
        #expect(bench.system.brokenInvariants().isEmpty)
    }

    @Test("What cannot be a region is refused")
    func invalid() {
        var bench = Bench()
        bench.open(flags)
        for region in [
            Region("", center: home, radius: 10), Region("a", center: home, radius: 0),
            Region("a", center: home, radius: .infinity), Region("a", center: home, radius: .nan),
            Region(String(repeating: "a", count: 600), center: home, radius: 10),
        ] {
            guard case .invalidRegion = bench.ask(flags, .monitor(region)).refusal else {
                Issue.record("\(region) is taken")
                continue
            }
        }
    }

    @Test("Without the user's leave for always there are none")
    func authorization() {
        var bench = Bench()
        bench.open(flags, allows: nil)
        #expect(bench.ask(flags, .monitor(Self.office)).refusal == .denied)
        bench.ask(flags, .authorize(.whenInUse))
        #expect(bench.ask(flags, .monitor(Self.office)).refusal == .needsAlways)
        bench.ask(flags, .authorize(.always))
        #expect(bench.ask(flags, .monitor(Self.office)).isDone)
    }

    @Test("A device of 2009 monitors none")
    func profile() {
        var bench = Bench(profile: "iphone-3gs")
        bench.open(flags)
        #expect(bench.ask(flags, .monitor(Self.office)).refusal == .noRegions)
    }

    @Test("After it was stopped nothing wakes the app, and nothing is powered")
    func stopped() {
        var bench = monitoring()
        bench.stand(flags, .active)
        bench.ask(flags, .unmonitor("office"))
        bench.leave(flags)
        for _ in 0..<7 {
            bench.go(to: Self.office.center, speed: 12)
            bench.pass(3600)
            bench.go(to: home, speed: 12)
            bench.pass(3600)
        }
        #expect(bench.wakes.isEmpty && bench.heard[flags] == nil)
        #expect(!bench.system.powered.contains(.gps))
    }

    @Test("They outlive the service and the machine, and where the device is by then is told")
    func restart() {
        var bench = monitoring()
        bench.kill(flags)
        bench.place = Self.office.center
        bench.restart()
        bench.pass(90)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("A crossing that was decided and not yet heard is told by the next process of the service, once")
    func restartBeforeItHears() {
        var bench = monitoring()
        bench.wakeAnswer = nil
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(60)
        #expect(bench.heard[flags] == nil && bench.wakes.count == 1)
        bench.wakeAnswer = .allowed
        bench.kill(flags)
        bench.restart()
        bench.pass(600)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("A service that dies again and again while it waits to be sure loses none of the time")
    func diesWhileWaiting() {
        var bench = monitoring()
        bench.kill(flags)
        bench.go(to: Self.office.center, speed: 12)
        for _ in 0..<6 {
            bench.pass(9)
            bench.restart()
        }
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
        let record = bench.records[flags]
        #expect(record?.regions.allSatisfy { $0.candidate == nil } == true)
        // One that came to nothing is forgotten.
        bench.kill(flags)
        bench.go(to: Self.office.center.moved(400, bearing: 0), speed: 12)
        bench.pass(8)
        bench.go(to: Self.office.center, speed: 12)
        bench.pass(25)
        bench.restart()
        bench.pass(300)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("After a long absence of the service one fix on the other side is no crossing")
    func absentForLong() {
        var bench = monitoring()
        bench.kill(flags)
        bench.go(to: Self.office.center, speed: 12)
        for _ in 0..<30 where bench.records[flags]?.regions.first?.candidate == nil { bench.pass(1) }
        #expect(bench.records[flags]?.regions.first?.candidate?.state == .inside)
        bench.now = bench.now + .seconds(3600)
        bench.restart()
        bench.pass(8)
        #expect(bench.heard[flags] == nil)
        bench.pass(60)
        #expect(bench.heard[flags]?.map(\.word) == ["entered office"])
    }

    @Test("The energy of regions on an ordinary way is a small part of what satellites cost")
    func energy() {
        var bench = monitoring()
        let began = bench.now
        for _ in 0..<3 {
            bench.go(to: home.moved(9000, bearing: 0), speed: 14)
            bench.pass(1800)
            bench.go(to: home, speed: 14)
            bench.pass(1800)
        }
        let share = bench.satelliteTime / (bench.now - began).seconds
        #expect(share < 0.05, "\(share)")
    }
}
