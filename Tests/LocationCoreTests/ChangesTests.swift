import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("Significant changes and visits") struct ChangesTests {
    private func listening(profile: String = "linux", _ prepare: (inout Bench) -> Void = { _ in }) -> Bench {
        var bench = Bench(profile: profile)
        prepare(&bench)
        bench.open(flags)
        #expect(bench.ask(flags, .significantChanges(true)).isDone)
        bench.leave(flags)
        bench.pass(10)
        return bench
    }

    @Test("The place that is known comes first, then one for at least 500 m and five minutes")
    func changes() {
        var bench = listening()
        #expect(bench.heard[flags]?.map(\.word) == ["change"])
        let began = bench.now
        bench.go(to: home.moved(20_000, bearing: 90), speed: 15)
        bench.pass(400)
        let places = (bench.heard[flags] ?? []).compactMap { news -> Fix? in
            if case .significantChange(let fix) = news { fix } else { nil }
        }
        for (a, b) in zip(places, places.dropFirst()) {
            #expect(a.coordinate.roughDistance(to: b.coordinate) >= 500)
        }
        let most = Int((bench.now - began).seconds / 300) + 1
        #expect((3...most).contains(places.count - 1), "\(places.count) of \(most)")
        #expect(bench.satelliteTime == 0)
    }

    @Test("In 2010 every tower was a change")
    func everyTower() {
        var bench = listening(profile: "iphone-3gs")
        let first = bench.heard[flags]?.count ?? 0
        bench.go(to: home.moved(4500, bearing: 90), speed: 15)
        #expect((6...8).contains((bench.heard[flags]?.count ?? 0) - first))
    }

    @Test("While the screen is off several become one, the newest")
    func asleep() {
        var bench = listening()
        bench.send(.conditions(facts(isLocked: true)))
        let first = bench.heard[flags]?.count ?? 0
        bench.go(to: home.moved(20_000, bearing: 90), speed: 15)
        let count = (bench.heard[flags]?.count ?? 0) - first
        #expect((1...2).contains(count), "\(count)")
    }

    @Test("An app that was ended is woken; one that has stopped is not")
    func ended() {
        var bench = listening()
        bench.kill(flags)
        bench.go(to: home.moved(8000, bearing: 90), speed: 15)
        #expect(!bench.wakes.isEmpty)
        bench.stand(flags, .active)
        bench.ask(flags, .significantChanges(false))
        bench.leave(flags)
        let count = bench.wakes.count
        bench.go(to: home, speed: 15)
        bench.pass(3600)
        #expect(bench.wakes.count == count)
    }

    @Test("Without a cell radio they are refused")
    func noRadio() {
        var bench = Bench(towers: nil)
        bench.open(flags)
        #expect(bench.ask(flags, .significantChanges(true)).refusal == .noCellRadio)
    }

    @Test("Where towers stand it learns from what satellites say in their cells")
    func learns() {
        var bench = listening { $0.knowsTowers = false }
        let goal = home.moved(6000, bearing: 90)
        for _ in 0..<3 {
            bench.go(to: goal, speed: 12)
            bench.pass(600)
            bench.go(to: home, speed: 12)
            bench.pass(600)
        }
        let spent = bench.satelliteTime
        #expect(!bench.system.status.look.isEmpty || spent > 0)
        #expect((bench.device?.towers.count ?? 0) > 3)
    }

    @Test("A stay of five minutes is a visit, with its arrival, and its departure when it is over")
    func visits() {
        var bench = Bench()
        bench.open(flags)
        #expect(bench.ask(flags, .visits(true)).isDone)
        bench.leave(flags)
        bench.pass(900)
        #expect(bench.heard[flags]?.map(\.word) == ["arrived"])
        bench.go(to: home.moved(6000, bearing: 90), speed: 15)
        bench.pass(1800)
        #expect(bench.heard[flags]?.map(\.word) == ["arrived", "departed", "arrived"])
        guard case .visit(let visit)? = bench.heard[flags]?[1] else { return }
        #expect(visit.coordinate.roughDistance(to: home) < 100)
        #expect((visit.departure ?? 0) > (visit.arrival ?? 0))
    }
}
