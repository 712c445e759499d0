import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

@Suite("What sources say wrongly") struct BadInputTests {
    private static let flag = Region("flag", center: home, radius: 150)

    private func away() -> Bench {
        var bench = Bench()
        bench.place = home.moved(2000, bearing: 90)
        bench.open(flags)
        bench.ask(flags, .monitor(Self.flag))
        bench.ask(flags, .update(UpdateSettings()))
        bench.pass(60)
        return bench
    }

    private func fix(_ place: Coordinate, _ bench: Bench, accuracy: Double = 5, time: Double? = nil) -> Fix {
        Fix(place, accuracy: accuracy, time: time ?? 1_700_000_000 + bench.now.seconds, source: .gps)
    }

    @Test(
        "No number makes it crash or believe",
        arguments: [
            Fix(Coordinate(.nan, 0), accuracy: 5, time: 0, source: .gps),
            Fix(Coordinate(91, 0), accuracy: 5, time: 0, source: .gps),
            Fix(Coordinate(0, 181), accuracy: 5, time: 0, source: .gps),
            Fix(home, accuracy: -1, time: 0, source: .gps), Fix(home, accuracy: .nan, time: 0, source: .gps),
            Fix(home, accuracy: 5, time: .infinity, source: .gps),
            Fix(home, accuracy: 5, time: 0, source: .gps, speed: .nan),
            Fix(Coordinate(.infinity, -.infinity), accuracy: .infinity, time: .nan, source: .cell),
        ])
    func unsound(_ fix: Fix) {
        var bench = away()
        let before = bench.system.lastFix?.fix
        bench.send(.own(.fix(fix)))
        #expect(bench.system.lastFix?.fix == before)
        #expect(bench.system.brokenInvariants().isEmpty)
    }

    @Test("A jump of a thousand kilometres and back fires nothing")
    func jump() {
        var bench = away()
        let there = home.moved(1_000_000, bearing: 10)
        bench.ask(flags, .monitor(Region("far", center: there, radius: 500)))
        bench.pass(5)
        for _ in 0..<5 {
            for _ in 0..<2 { bench.send(.own(.fix(fix(there, bench)))) }
            bench.pass(30)
        }
        #expect(bench.heard[flags] == nil)
        #expect(bench.system.lastFix.map { $0.fix.coordinate.roughDistance(to: home) < 3000 } == true)
    }

    @Test("A device that was carried far while it was off is believed in the end")
    func carried() {
        var bench = away()
        bench.place = home.moved(1_000_000, bearing: 10)
        bench.pass(20)
        #expect(bench.system.lastFix.map { $0.fix.coordinate.roughDistance(to: bench.place) < 10 } == true)
    }

    @Test(
        "A far place of another source is believed once satellites confirm it, and of no other pair",
        arguments: [
            (FixSource.cell, FixSource.gps, 300.0, true), (.gps, .network, 100, false), (.network, .gps, 0, true),
            (.cell, .gps, 5000, false), (.cell, .network, 0, false), (.gps, .gps, 0, false),
        ])
    func agreement(first: FixSource, second: FixSource, apart: Double, isBelieved: Bool) {
        var bench = away()
        let there = home.moved(1_000_000, bearing: 10)
        func fix(_ source: FixSource, _ place: Coordinate) -> Fix {
            Fix(
                place, accuracy: source == .gps ? 5 : 700, time: 1_700_000_000 + bench.now.seconds, source: source)
        }
        bench.send(.own(.fix(fix(first, there))))
        #expect(bench.system.lastFix.map { $0.fix.coordinate.roughDistance(to: there) > 100_000 } == true)
        bench.send(.own(.fix(fix(second, there.moved(apart, bearing: 90)))))
        #expect(bench.system.lastFix.map { $0.fix.coordinate.roughDistance(to: there) < 10_000 } == isBelieved)
        #expect(bench.system.brokenInvariants().isEmpty)
    }

    @Test("A hundred fixes a second that lie for a moment are contradicted before they count")
    func lies() {
        var bench = away()
        for _ in 0..<10 {
            for _ in 0..<100 {
                bench.now = bench.now + .milliseconds(10)
                bench.send(.own(.fix(fix(home, bench))))
            }
            bench.pass(15)
        }
        #expect(bench.heard[flags] == nil)
    }

    @Test("A fix that says it is exact and one that is not are weighed by what they say")
    func rough() {
        var bench = away()
        bench.send(.tool(RequestID(1 << 40), .permit(flags, .always, isReduced: false)))
        bench.ask(flags, .stopUpdates)
        bench.leave(flags)
        for _ in 0..<60 {
            bench.now = bench.now + .seconds(1)
            bench.send(.own(.fix(Fix(home, accuracy: 2000, time: 1_700_000_000 + bench.now.seconds, source: .network))))
        }
        #expect(bench.heard[flags] == nil)
    }

    @Test("Fixes out of the past, and those of a receiver whose clock is wrong, do no harm")
    func times() {
        var bench = away()
        let count = bench.fixes[flags]?.count ?? 0
        bench.send(.own(.fix(fix(home, bench, time: 1_700_000_000 + bench.now.seconds - 100))))
        #expect(bench.fixes[flags]?.count == count, "it came late")
        for year in [-1e9, 0, 4e9, 1e12] {
            bench.send(.own(.fix(fix(bench.place, bench, time: year))))
            bench.pass(3)
        }
        #expect(bench.heard[flags] == nil && bench.system.brokenInvariants().isEmpty)
    }

    @Test(
        "Regions at the poles and over the date line are entered as others are",
        arguments: [
            Coordinate(89.9999, 0), Coordinate(-89.9999, 120), Coordinate(12, 180), Coordinate(12, -179.9999),
        ])
    func edges(_ center: Coordinate) {
        var bench = Bench(towers: nil)
        bench.place = center.moved(3000, bearing: 250)
        bench.open(flags)
        bench.ask(flags, .monitor(Region("edge", center: center, radius: 300)))
        bench.leave(flags)
        bench.pass(60)
        bench.place = center
        bench.pass(1500)
        #expect(bench.heard[flags]?.map(\.word) == ["entered edge"])
    }
}
