import LocationCore
import LocationModel
import Model
import Testing

@Suite("Many regions") struct RegionIndexTests {
    /// What is decided of one region when each fix is compared with it.
    private struct Watched {
        let region: Region
        var state = RegionState.unknown
        var candidate: (state: RegionState, since: Instant)?

        mutating func decide(_ place: Coordinate, _ now: Instant, _ rules: LocationRules) {
            let distance = region.center.nearDistance(to: place)
            let side: RegionState? =
                switch state {
                case .unknown: distance <= region.radius ? .inside : .outside
                case .outside: distance <= region.radius ? .inside : nil
                case .inside: distance >= region.radius + rules.exitDistance ? .outside : nil
                }
            if let side, state == .unknown {
                state = side
            } else if let side, let known = candidate, known.state == side {
                if now - known.since >= rules.dwell { (state, candidate) = (side, nil) }
            } else {
                candidate = side.map { ($0, now) }
            }
        }
    }

    @Test("Of hundreds each is decided as if every fix were compared with it", arguments: 1...6)
    func decided(seed: UInt64) {
        var random = Dice(seed: seed)
        var bench = Bench()
        bench.system.rules.mostRegions = 500
        bench.open(flags)
        bench.ask(flags, .update(UpdateSettings()))
        func place(_ reach: Double) -> Coordinate {
            home.moved(.random(in: 0...reach, using: &random), bearing: .random(in: 0..<360, using: &random))
        }
        var all: [Watched] = []
        for number in 0..<400 {
            let radius = Double.random(in: 20...(number % 40 == 0 ? 4000 : 400), using: &random)
            let region = Region("\(number)", center: place(9000), radius: radius)
            #expect(bench.ask(flags, .monitor(region)).isDone)
            all.append(Watched(region: region))
        }
        bench.pass(10)
        var crossings = 0
        for leg in 0..<10 {
            let (goal, speed) = (place(8000), [3.0, 15, 40][leg % 3])
            for _ in 0..<200 where bench.place.roughDistance(to: goal) > speed {
                bench.place = bench.place.moved(speed, bearing: bench.place.bearing(to: goal))
                bench.pass(1)
                guard let last = bench.system.lastFix, last.at == bench.now else { continue }
                for index in all.indices {
                    let before = all[index].state
                    all[index].decide(last.fix.coordinate, bench.now, bench.system.rules)
                    if before != .unknown, all[index].state != before { crossings += 1 }
                }
            }
            let states = bench.system.status.apps.first?.regions.map(\.state)
            #expect(states == all.map(\.state), "leg \(leg)")
            if leg == 5 {
                for number in 0..<100 {
                    bench.ask(flags, .unmonitor("\(number)"))
                    all.removeFirst()
                }
            }
        }
        #expect(crossings > 20)
        #expect(bench.system.brokenInvariants().isEmpty)
    }
}
