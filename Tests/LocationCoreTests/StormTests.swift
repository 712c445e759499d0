import LocationCore
import LocationModel
import Model
import ServiceCore
import Testing

/// SplitMix64, by which a seed tells a story again.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

@Suite("Storms of location") struct StormTests {
    @Test("Whatever happens in whichever order, what has to be true is true after every event", arguments: 0..<40)
    func storm(seed: UInt64) {
        var random = Dice(seed: seed)
        var bench = Bench(profile: ["linux", "iphone-4", "iphone-3gs"][Int(seed % 3)])
        let apps = [flags, journal]
        bench.open(flags, hasKey: true)
        bench.open(journal)
        for step in 0..<600 {
            act(&bench, &random, apps[random.below(2)])
            let broken = bench.system.brokenInvariants()
            guard broken.isEmpty else {
                Issue.record("seed \(seed), step \(step): \(broken.joined(separator: "; "))")
                return
            }
        }
        // When everybody is gone nothing is powered and nothing waits.
        for app in apps {
            bench.kill(app)
            bench.send(.forgotten(app))
        }
        bench.pass(120)
        #expect(bench.system.powered.isEmpty && bench.system.nextDeadline == nil && bench.system.isIdle)
    }

    private func act(_ bench: inout Bench, _ random: inout Dice, _ app: AppIdentifier) {
        let place = home.moved(Double(random.below(3000)), bearing: Double(random.below(360)))
        switch random.below(26) {
        case 0:
            bench.ask(
                app,
                .update(
                    UpdateSettings(accuracy: Double(random.below(2) * 3000), allowsBackground: random.below(2) == 0)))
        case 1: bench.ask(app, .stopUpdates)
        case 2: bench.ask(app, .once(UpdateSettings()))
        case 3: bench.ask(app, .significantChanges(random.below(3) > 0))
        case 4: bench.ask(app, .visits(random.below(3) > 0))
        case 5...6:
            bench.ask(
                app, .monitor(Region("r\(random.below(25))", center: place, radius: Double(50 + random.below(800)))))
        case 7: bench.ask(app, .unmonitor("r\(random.below(25))"))
        case 8: bench.ask(app, .authorize([.whenInUse, .always, .fullAccuracy][random.below(3)]))
        case 9: bench.leave(app)
        case 10: bench.open(app, hasKey: app == flags, allows: nil)
        case 11: bench.kill(app)
        case 12: bench.stand(app, [.active, .inactive, .background, .suspended][random.below(4)])
        case 13: bench.send(.systemDetached)
        case 14: bench.send(.systemAttached)
        case 15: bench.restart(attaches: random.below(4) > 0)
        case 16: bench.send(.own(.source(.gps, random.below(2) == 0 ? .present : .absent("nothing answers"))))
        case 17: bench.send(.conditions(facts(isLocked: random.below(2) == 0)))
        case 18: bench.holdAnswer = [.allowed, .refused, nil][random.below(3)]
        case 19: bench.wakeAnswer = [.allowed, .notNow, .never, nil, .allowed][random.below(5)]
        case 20: bench.hearsAtOnce.toggle()
        case 21:
            bench.send(
                .tool(
                    RequestID(bench.number() | 1 << 40),
                    .permit(
                        app, [.always, .whenInUse, .denied][random.below(3)], isReduced: random.below(4) == 0)))
        case 22: bench.send(.windowEnded(app, .moved, .done))
        case 23: bench.place = place
        case 24: bench.go(to: place, speed: 30)
        default: bench.pass(random.below(200))
        }
    }
}
