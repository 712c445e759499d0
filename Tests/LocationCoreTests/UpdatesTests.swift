import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("Standard updates") struct UpdatesTests {
    private let best = UpdateSettings(allowsBackground: true)

    @Test("The receiver is on while somebody wants the best, and off when nobody does")
    func power() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        #expect(!bench.system.powered.contains(.gps))
        #expect(bench.ask(journal, .update(best)).isDone)
        #expect(bench.system.powered.contains(.gps))
        bench.pass(10)
        #expect(bench.fixes[journal]?.count == 6)
        bench.ask(journal, .stopUpdates)
        #expect(!bench.system.powered.contains(.gps))
    }

    @Test("With the key and the flag it goes on behind the lock screen, and is suspended when it stops")
    func background() {
        var bench = Bench()
        bench.open(journal, hasKey: true, allows: .whenInUse)
        bench.ask(journal, .update(best))
        #expect(bench.isHeld(journal))
        bench.leave(journal)
        #expect(bench.isHeld(journal) && bench.system.powered.contains(.gps))
        bench.pass(20)
        #expect((bench.fixes[journal]?.count ?? 0) > 10)
        bench.ask(journal, .stopUpdates)
        #expect(!bench.isHeld(journal) && !bench.system.powered.contains(.gps))
    }

    @Test("Without the key, or without the flag, it is let go when it leaves the screen", arguments: [true, false])
    func suspended(hasKey: Bool) {
        var bench = Bench()
        bench.open(journal, hasKey: hasKey, allows: .whenInUse)
        bench.ask(journal, .update(UpdateSettings(allowsBackground: !hasKey)))
        bench.pass(10)
        if !hasKey {
            let order = OrderID(7)
            let done = bench.send(.stop(journal, .updating, order))
            #expect(done.contains(.stopped(order)))
        }
        bench.leave(journal)
        #expect(!bench.isHeld(journal) && !bench.system.powered.contains(.gps))
        let count = bench.fixes[journal]?.count
        bench.stand(journal, .suspended)
        bench.pass(30)
        #expect(bench.fixes[journal]?.count == count)
        // Opened again it gets them again.
        bench.stand(journal, .active)
        bench.pass(10)
        #expect(bench.fixes[journal]?.count != count)
    }

    @Test("In 2010 the key was enough")
    func oldProfile() {
        var bench = Bench(profile: "iphone-4")
        bench.open(journal, hasKey: true, allows: nil)
        #expect(bench.ask(journal, .update(UpdateSettings())).isDone, "and nobody asked for leave")
        bench.leave(journal)
        #expect(bench.isHeld(journal))
    }

    @Test("Only what is farther off than the filter is told")
    func filter() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(UpdateSettings(distanceFilter: 100)))
        bench.pass(10)
        #expect(bench.fixes[journal]?.count == 1)
        bench.go(to: home.moved(1000, bearing: 0), speed: 10)
        let count = bench.fixes[journal]?.count ?? 0
        #expect((9...11).contains(count), "\(count)")
    }

    @Test("What the cell says is enough for three kilometres, and satellites stay off")
    func cheap() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(UpdateSettings(accuracy: 3000)))
        bench.pass(5)
        bench.go(to: home.moved(2000, bearing: 0), speed: 20)
        #expect(bench.satelliteTime == 0)
        #expect((bench.fixes[journal]?.count ?? 0) >= 2)
        #expect(bench.fixes[journal]?.allSatisfy { $0.source == .cell } == true)
    }

    @Test("Where the cell is nowhere satellites are asked after a while")
    func dearer() {
        var bench = Bench()
        bench.knowsTowers = false
        bench.send(.own(.tower(CellTower("unknown"))))
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(UpdateSettings(accuracy: 3000)))
        bench.pass(30)
        #expect(bench.fixes[journal]?.isEmpty == false)
    }

    @Test("Without a sky the app is told once, and the next fix takes that back")
    func noFix() {
        var bench = Bench()
        bench.hasSky = false
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(best))
        bench.pass(60)
        #expect(bench.failures[journal] == [.locationUnknown])
        bench.hasSky = true
        bench.pass(5)
        #expect(bench.fixes[journal]?.isEmpty == false)
    }

    @Test("A receiver that goes away and comes back is told of by what it says")
    func sourceGoes() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(best))
        bench.pass(10)
        bench.hasSky = false
        bench.send(.own(.source(.gps, .absent("gpsd does not answer"))))
        bench.pass(70)
        #expect(bench.failures[journal] == [.locationUnknown])
        #expect(bench.system.why(journal).contains("gpsd does not answer"))
        // Who does not ask does not hear that it is back.
        #expect(bench.system.powered.contains(.gps))
        #expect(bench.system.status.sources.allSatisfy { $0.users.isEmpty && $0.since == nil })
        bench.send(.own(.source(.gps, .present)))
        bench.hasSky = true
        let count = bench.fixes[journal]?.count ?? 0
        bench.pass(10)
        #expect(bench.fixes[journal]?.count ?? 0 > count)
    }

    @Test("One fix is one fix, and an error after ten seconds without")
    func once() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        #expect(bench.ask(journal, .once(UpdateSettings())) == nil)
        bench.pass(6)
        guard
            case .reply(_, .fix(let fix))? = bench.effects.last(where: {
                if case .reply(_, .fix) = $0 { true } else { false }
            })
        else {
            Issue.record("no fix was answered")
            return
        }
        #expect(fix.source == .gps)
        #expect(!bench.system.powered.contains(.gps))
        bench.hasSky = false
        bench.pass(20)
        #expect(bench.ask(journal, .once(UpdateSettings())) == nil)
        bench.pass(11)
        guard case .refuse(_, .unknown)? = bench.effects.last(where: { if case .refuse = $0 { true } else { false } })
        else {
            Issue.record("no error was answered")
            return
        }
        #expect(!bench.system.powered.contains(.gps))
    }

    @Test("Who stands still for a quarter of an hour is paused, and goes on when it is opened or moves")
    func pauses() {
        var bench = Bench()
        bench.open(journal, hasKey: true, allows: .whenInUse)
        bench.ask(journal, .update(best))
        bench.leave(journal)
        bench.pass(1000)
        #expect(bench.heard[journal]?.map(\.word) == ["paused"])
        #expect(!bench.isHeld(journal) && !bench.system.powered.contains(.gps))
        bench.stand(journal, .suspended)
        bench.stand(journal, .active)
        #expect(bench.system.powered.contains(.gps))
        var never = best
        never.pausesAutomatically = false
        bench.ask(journal, .update(never))
        bench.pass(4000)
        #expect(bench.system.powered.contains(.gps))
    }

    @Test("Whom the user denies gets nothing, and who may know roughly gets it roughly")
    func permit() {
        var bench = Bench()
        bench.open(journal, allows: .whenInUse)
        bench.ask(journal, .update(best))
        bench.pass(6)
        bench.send(.tool(RequestID(1 << 40), .permit(journal, .whenInUse, isReduced: true)))
        bench.pass(3)
        let rough = bench.fixes[journal]?.last
        #expect((rough?.accuracy ?? 0) >= 5000)
        #expect(rough.map { $0.coordinate.roughDistance(to: home) > 100 } == true)
        bench.send(.tool(RequestID(1 << 41), .permit(journal, .denied, isReduced: false)))
        #expect(bench.failures[journal] == [.denied])
        #expect(!bench.system.powered.contains(.gps))
        #expect(bench.ask(journal, .update(best)).refusal == .denied)
    }

    @Test("Two share one receiver, and it is on for both")
    func shared() {
        var bench = Bench()
        bench.open(flags, hasKey: true)
        bench.ask(flags, .update(best))
        bench.leave(flags)
        bench.open(journal)
        bench.ask(journal, .update(best))
        let users = bench.system.status.sources.first { $0.source == .gps }?.users
        #expect(users == [flags, journal])
        bench.kill(flags)
        #expect(bench.system.status.sources.first { $0.source == .gps }?.users == [journal])
    }
}
