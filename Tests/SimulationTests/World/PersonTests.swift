import Model
import PolicyCore
import Simulation
import Testing

@Suite("A person") struct PersonTests {
    private func actions(seed: UInt64, days: Int64, _ habits: Habits = Habits()) -> [Person.TimedAction] {
        var person = Person(habits: habits, apps: 30, seed: seed)
        var actions: [Person.TimedAction] = []
        while true {
            let next = person.next()
            guard next.at.nanoseconds < days * 86_400_000_000_000 else { return actions }
            actions.append(next)
        }
    }

    @Test("Time never goes back, and a seed says everything", arguments: 0..<20)
    func order(seed: UInt64) {
        let first = actions(seed: seed, days: 20)
        #expect(zip(first, first.dropFirst()).allSatisfy { $0.at <= $1.at })
        let second = actions(seed: seed, days: 20)
        #expect(first.map(\.at) == second.map(\.at))
        #expect(first.map(\.action) == second.map(\.action))
        #expect(first.map(\.action) != actions(seed: seed + 100, days: 20).map(\.action))
    }

    @Test(
        "What a person does can be done: a device that is taken up was away, apps are opened unlocked, calls end",
        arguments: 0..<20)
    func grammar(seed: UInt64) {
        var (isAwake, isUnlocked, isOn, isRinging, isTalking) = (false, false, true, false, false)
        for (at, action) in actions(seed: seed, days: 30) {
            switch action {
            case .wake:
                #expect(isOn && !isAwake, "\(at)")
                isAwake = true
            case .unlock:
                #expect(isAwake && !isUnlocked, "\(at)")
                isUnlocked = true
            case .open(let app):
                #expect((0..<30).contains(app))
                #expect(isUnlocked && !isRinging && !isTalking, "\(at)")
            case .home: #expect(isUnlocked && !isRinging && !isTalking, "\(at)")
            case .sleep:
                #expect(isAwake && !isRinging && !isTalking, "\(at)")
                (isAwake, isUnlocked) = (false, false)
            case .turnedOff:
                #expect(isOn && !isAwake)
                isOn = false
            case .turnedOn:
                #expect(!isOn)
                isOn = true
            case .callComes:
                #expect(isOn && !isRinging && !isTalking, "\(at)")
                isRinging = true
            case .callAccepted:
                #expect(isRinging)
                (isRinging, isTalking) = (false, true)
            case .callDeclined:
                #expect(isRinging)
                isRinging = false
            case .callEnds:
                #expect(isTalking)
                isTalking = false
            case .messageComes:
                #expect(isOn && !isRinging && !isTalking, "\(at)")
                isRinging = true
            case .messageDismissed:
                #expect(isRinging)
                isRinging = false
            case .notification, .pluggedIn, .unplugged: continue
            }
        }
    }

    @Test("A month is like those of real people: some hundred pickups a day, nights, a few favourites")
    func statistics() {
        let actions = actions(seed: 3, days: 30)
        var opens: [Int: Int] = [:]
        var (wakes, unlocks, atNight) = (0, 0, 0)
        for (at, action) in actions {
            let hour = at.nanoseconds / 3_600_000_000_000 % 24
            switch action {
            case .wake:
                wakes += 1
                if (2..<7).contains(hour) { atNight += 1 }
            case .unlock: unlocks += 1
            case .open(let app): opens[app, default: 0] += 1
            default: continue
            }
        }
        #expect((60...160).contains(wakes / 30))
        #expect((650...850).contains(unlocks * 1000 / wakes))
        #expect(atNight == 0)
        let all = opens.values.reduce(0, +)
        #expect((120...400).contains(all / 30))
        let favourites = opens.values.sorted(by: >).prefix(5).reduce(0, +)
        #expect((450...800).contains(favourites * 1000 / all))
        #expect(opens.count == 30)
    }

    @Test("Exponential times have their mean, and come without floating point")
    func exponential() {
        var random = SplitMix64(seed: 8)
        var sum: Int64 = 0
        var short = 0
        for _ in 0..<100_000 {
            let span = random.exponential(mean: .seconds(10)).nanoseconds
            sum += span
            if span < 10_000_000_000 { short += 1 }
        }
        #expect((9_900_000_000...10_100_000_000).contains(sum / 100_000))
        // 1 - 1/e.
        #expect((62_700...63_700).contains(short))
        var first = SplitMix64(seed: 1)
        #expect(first.exponential(mean: .seconds(1)) == Span(nanoseconds: 568_173_062))
        #expect(first.exponential(mean: .zero) == .zero)
    }

    @Test("On a device everything that a person does is accepted, and no invariant breaks", arguments: 0..<6)
    func onDevice(seed: UInt64) throws {
        let names = (0..<30).map { "app\($0)" }
        let device = Device(seed.isMultiple(of: 2) ? .linux : .iPhone4, seed: seed)
        for name in names {
            let identifier = try #require(AppIdentifier(name))
            device.install(AppScript(name: name, manifest: AppManifest(identifier: identifier, name: name)))
        }
        device.boot()
        let midnight = device.now
        for (at, action) in actions(seed: seed, days: 3) {
            device.advance(to: midnight + (at - .zero))
            guard let input = action.input(names), let command = device.perform(input) else { continue }
            // A shutdown is answered once the system is down.
            guard input != .shutDown else { continue }
            device.advance(by: .milliseconds(200))
            if case .refused(let refusal)? = device.answers[command]?.answer {
                Issue.record("\(input) at \(device.elapsed.seconds) s: \(refusal.sentence)")
            }
        }
        #expect(device.violations.isEmpty)
        #expect(device.eventCount > 3000)
    }

    @Test("To a device an action is an input with the app's name")
    func inputs() {
        #expect(PersonAction.open(1).input(["a", "b"]) == .open("b", role: .primary))
        #expect(PersonAction.open(2).input(["a", "b"]) == nil)
        #expect(PersonAction.callAccepted.input([]) == .accept(.call))
        #expect(PersonAction.notification(0).input(["a"]) == nil)
    }
}
