import Foundation
import Model
import PolicyCore
import Testing

@Suite("The planner of fetches") struct FetchPlannerTests {
    static let app = AppIndex(0)
    static let other = AppIndex(1)
    /// A Monday's midnight.
    static let begin = WallTime(nanoseconds: 1_704_067_200 * 1_000_000_000)
    static let asleep = RadioState(.threeG)

    static func at(day: Int = 0, _ hour: Double) -> WallTime {
        begin + .seconds(Double(day) * 86_400 + hour * 3600)
    }

    /// Opened every day at eight, for so many days, and asked for a fetch by then.
    static func accustomed(days: Int, rules: FetchRules = FetchRules()) -> FetchPlanner {
        var planner = FetchPlanner(rules: rules)
        planner.setMinimumInterval(app, .zero)
        for day in 0..<days {
            planner.userIsPresent(true, at: at(day: day, 7.99))
            for minute in 0..<6 { planner.opened(app, at: at(day: day, 8 + Double(minute) / 60), utcOffset: 0) }
            planner.userIsPresent(false, at: at(day: day, 8.2))
        }
        return planner
    }

    /// What is left of ten days and a fetch, as a version had it that knew no prior: its bytes are among the samples.
    static var remembered: FetchMemory {
        var planner = accustomed(days: 10, rules: NewcomerTests.early)
        planner.began(app, at: at(day: 9, 12))
        planner.ended(app, at: at(day: 9, 12.01), result: .newData, cost: Energy(picojoules: 5))
        planner.began(other, at: at(day: 9, 13))
        return planner.memory
    }

    /// What is left of a fetch alone, whose bytes were seen.
    static var rememberedWithBytes: FetchMemory {
        var planner = FetchPlanner(rules: FetchRules())
        planner.began(app, at: begin + .seconds(43_200))
        planner.moved(app, FetchBytes(sent: 300, received: 7000), model: .lte)
        planner.ended(app, at: begin + .seconds(43_236), result: .newData, cost: nil)
        return planner.memory
    }

    @Test("What was learned goes on in another system, of the apps that are still there, whatever their numbers")
    func memory() {
        let memory = Self.remembered
        var next = FetchPlanner(rules: FetchRules())
        next.setMinimumInterval(Self.other, .zero)
        next.remember(memory.renumbered { $0 == Self.app ? Self.other : nil })
        #expect(next.decisions(Self.other).map(\.result) == [.newData])
        #expect(next.due(at: Self.at(day: 10, 2), radio: Self.asleep).isEmpty)
        #expect(next.due(at: Self.at(day: 10, 7.8), radio: Self.asleep) == [Self.other])
        #expect(memory.renumbered { _ in nil }.apps.isEmpty)
    }

    @Test("What was learned and then damaged is not believed")
    func damagedMemory() throws {
        let text = String(decoding: try JSONEncoder().encode(Self.remembered), as: UTF8.self)
        let short = text.replacing(/"hours":\[[^\]]*\]/, with: #""hours":[1]"#)
        #expect(short != text)
        let damaged = try JSONDecoder().decode(FetchMemory.self, from: Data(short.utf8))
        var next = FetchPlanner(rules: FetchRules())
        next.remember(damaged)
        #expect(next.memory.apps.isEmpty)
    }

    @Test("An app that has not asked is never fetched for, whatever is known of it")
    func notAsked() {
        var planner = FetchPlanner(rules: FetchRules())
        for minute in 0..<60 { planner.opened(Self.app, at: Self.at(Double(minute) / 60), utcOffset: 0) }
        #expect(planner.due(at: Self.at(1.1), radio: Self.asleep).isEmpty)
        let plan = planner.plan(Self.app, at: Self.at(1.1), radio: Self.asleep)
        #expect(plan.earliest == nil && plan.reason == .notAsked && !plan.isDue)
        #expect(planner.nextLook(at: Self.at(1.1), radio: Self.asleep) == nil)
    }

    @Test("Before the habitual hour it is due, and in the middle of the night it is not")
    func habit() {
        var planner = Self.accustomed(days: 10)
        #expect(planner.due(at: Self.at(day: 10, 2), radio: Self.asleep).isEmpty)
        let night = planner.plan(Self.app, at: Self.at(day: 10, 2), radio: Self.asleep)
        // Three in the night are not unheard of: it would go along, and wakes nothing.
        guard case .waitsForRadio(_, let cost, let worth) = night.reason else {
            Issue.record("\(night.reason)")
            return
        }
        #expect(worth < cost)
        let latest = night.latest.map { $0 - Self.at(day: 10, 0) } ?? .zero
        #expect(latest > .seconds(7 * 3600) && latest <= .seconds(8 * 3600), "\(latest)")
        #expect(planner.due(at: Self.at(day: 10, 7.8), radio: Self.asleep) == [Self.app])
        let morning = planner.plan(Self.app, at: Self.at(day: 10, 7.8), radio: Self.asleep)
        #expect(morning.isDue && morning.earliest == Self.at(day: 10, 7.8))
        let hours = planner.expectedOpenings(Self.app, at: Self.at(day: 10, 2))
        #expect(hours.map(\.from) == [Self.at(day: 10, 8)])
        #expect(hours.allSatisfy { $0.chance > 700 })
    }

    @Test("The hour follows the user's clock, not Greenwich")
    func timeZone() {
        var planner = FetchPlanner(rules: FetchRules())
        planner.setMinimumInterval(Self.app, .zero)
        for day in 0..<8 { planner.opened(Self.app, at: Self.at(day: day, 8), utcOffset: 5 * 3600) }
        // The user has flown east: it is eight there three hours earlier.
        planner.opened(Self.other, at: Self.at(day: 8, 0), utcOffset: 8 * 3600)
        #expect(planner.expectedOpenings(Self.app, at: Self.at(day: 8, 0)).map(\.from) == [Self.at(day: 8, 5)])
    }

    @Test("Never nearer than the app's interval, and a failure is waited out, longer each time")
    func bars() {
        var planner = Self.accustomed(days: 10)
        planner.setMinimumInterval(Self.app, .seconds(7200))
        let first = Self.at(day: 10, 7.5)
        planner.began(Self.app, at: first)
        let underWay = planner.plan(Self.app, at: first + .seconds(1), radio: Self.asleep)
        #expect(underWay.reason == .underWay(since: first))
        planner.ended(Self.app, at: first + .seconds(3), result: .newData, cost: nil)
        let later = first + .seconds(4000)
        #expect(
            planner.plan(Self.app, at: later, radio: Self.asleep).reason == .interval(until: first + .seconds(7200)))
        #expect(planner.due(at: later, radio: Self.asleep).isEmpty)

        planner.setMinimumInterval(Self.app, .zero)
        for failure in 1...3 {
            let began = Self.at(day: 11, 7) + .seconds(Double(failure) * 1800)
            planner.began(Self.app, at: began)
            planner.ended(Self.app, at: began, result: .failed, cost: nil)
            let pause = Span.seconds(300) * (1 << Int64(failure - 1))
            let plan = planner.plan(Self.app, at: began + .seconds(10), radio: Self.asleep)
            #expect(plan.reason == .failedBefore(times: Int32(failure), until: began + pause))
            #expect(plan.earliest == began + max(pause, .seconds(600)) || plan.earliest == began + pause)
        }
    }

    @Test("Without a network nothing is due, and the plan says why")
    func noNetwork() {
        var planner = Self.accustomed(days: 10)
        let at = Self.at(day: 10, 7.8)
        #expect(planner.due(at: at, radio: .noNetwork).isEmpty)
        #expect(planner.plan(Self.app, at: at, radio: .noNetwork).reason == .noNetwork)
        #expect(planner.nextLook(at: at, radio: .noNetwork) == nil)
    }

    @Test("What is not worth waking the radio goes along when the radio is awake")
    func ride() {
        var rules = FetchRules()
        rules.worth = .joules(8)
        var planner = Self.accustomed(days: 10, rules: rules)
        let at = Self.at(day: 10, 7.8)
        #expect(planner.due(at: at, radio: Self.asleep).isEmpty)
        guard case .waitsForRadio = planner.plan(Self.app, at: at, radio: Self.asleep).reason else {
            Issue.record("\(planner.plan(Self.app, at: at, radio: Self.asleep).reason)")
            return
        }
        let awake = RadioState(.threeG, .tail(0), warmFor: .seconds(14))
        guard case .radioIsAwake = planner.plan(Self.app, at: at, radio: awake).reason else {
            Issue.record("\(planner.plan(Self.app, at: at, radio: awake).reason)")
            return
        }
        #expect(planner.due(at: at, radio: awake) == [Self.app])
    }

    @Test("Apps go together: the one whose content is nearly stale joins the one whose content is")
    func together() {
        var rules = FetchRules()
        rules.worth = .joules(200)
        var planner = FetchPlanner(rules: rules)
        for app in [Self.app, Self.other] { planner.setMinimumInterval(app, .zero) }
        for day in 0..<10 {
            planner.userIsPresent(true, at: Self.at(day: day, 7.9))
            for minute in 0..<12 {
                for app in [Self.app, Self.other] {
                    planner.opened(app, at: Self.at(day: day, 8 + Double(minute) / 20), utcOffset: 0)
                }
            }
            planner.userIsPresent(false, at: Self.at(day: day, 9))
        }
        let at = Self.at(day: 10, 7.9)
        planner.began(Self.other, at: at + .seconds(-3000))
        planner.ended(Self.other, at: at + .seconds(-2990), result: .newData, cost: nil)
        let reason = planner.plan(Self.app, at: at, radio: Self.asleep).reason
        #expect(Set(planner.due(at: at, radio: Self.asleep)) == [Self.app, Self.other], "\(reason)")
        // By itself it would have waited: it is fresh.
        planner.began(Self.app, at: at)
        planner.ended(Self.app, at: at + .seconds(3), result: .newData, cost: nil)
        #expect(planner.due(at: at + .seconds(3), radio: Self.asleep).isEmpty)
    }

    @Test("An app that never has anything new is fetched for less")
    func noData() {
        var planner = Self.accustomed(days: 10)
        func worth() -> Energy {
            guard
                case .worthIt(_, _, let worth) = planner.plan(Self.app, at: Self.at(day: 12, 7.9), radio: Self.asleep)
                    .reason
            else { return .zero }
            return worth
        }
        let before = worth()
        #expect(before > .zero)
        for hour in 0..<4 {
            planner.began(Self.app, at: Self.at(day: 10, Double(hour) * 2))
            planner.ended(Self.app, at: Self.at(day: 10, Double(hour) * 2), result: .noData, cost: nil)
        }
        #expect(worth() < before)
    }

    @Test("Each decision gets its verdict: hit, wasted, no data, failed; the last few are kept")
    func verdicts() {
        var planner = FetchPlanner(rules: FetchRules())
        planner.setMinimumInterval(Self.app, .zero)
        func fetch(_ hour: Double, _ result: FetchResult) {
            planner.began(Self.app, at: Self.at(hour))
            planner.ended(Self.app, at: Self.at(hour) + .seconds(5), result: result, cost: .joules(1))
        }
        fetch(1, .newData)
        #expect(planner.decisions(Self.app).map(\.verdict) == [.pending])
        planner.opened(Self.app, at: Self.at(1.5), utcOffset: 0)
        fetch(3, .newData)
        fetch(5, .noData)
        fetch(6, .failed)
        fetch(7, .newData)
        fetch(7.5, .newData)
        _ = planner.due(at: Self.at(9), radio: Self.asleep)
        let decisions = planner.decisions(Self.app)
        #expect(decisions.map(\.verdict) == [.hit(after: .seconds(1795)), .wasted, .noData, .failed, .wasted, .wasted])
        #expect(decisions.map(\.result) == [.newData, .newData, .noData, .failed, .newData, .newData])
        #expect(decisions[0].cost == .joules(1) && decisions[0].ended == Self.at(1) + .seconds(5))
        for number in 0..<40 { fetch(10 + Double(number), .noData) }
        #expect(planner.decisions(Self.app).count == 16)
        planner.forget(Self.app)
        #expect(planner.decisions(Self.app).isEmpty)
    }

    @Test("Written down and read again it goes on as it would have, and the same calls give the same plans")
    func coding() throws {
        var planner = Self.accustomed(days: 6)
        var again = Self.accustomed(days: 6)
        var copy = try JSONDecoder().decode(FetchPlanner.self, from: JSONEncoder().encode(planner))
        #expect(copy == planner && again == planner)
        for hour in stride(from: 0, to: 24, by: 0.1) {
            let at = Self.at(day: 6, hour)
            let due = planner.due(at: at, radio: Self.asleep)
            #expect(copy.due(at: at, radio: Self.asleep) == due && again.due(at: at, radio: Self.asleep) == due)
        }
        #expect(copy == planner && again == planner)
    }

    @Test("A clock that is set back, or years on, breaks nothing")
    func clock() {
        var planner = Self.accustomed(days: 5)
        for days in [-400, 0, 4000, 5, 4001] {
            planner.opened(Self.app, at: Self.at(day: days, 8), utcOffset: -12 * 3600)
            _ = planner.due(at: Self.at(day: days, 9), radio: Self.asleep)
            _ = planner.expectedOpenings(Self.app, at: Self.at(day: days, 9))
            let plan = planner.plan(Self.app, at: Self.at(day: days, 9), radio: Self.asleep)
            #expect(!plan.reason.sentence.isEmpty)
        }
    }

    @Test("When to look again is never past, and never far while an app fetches")
    func nextLook() throws {
        var planner = Self.accustomed(days: 5)
        for step in 0..<500 {
            let at = Self.at(day: 5, Double(step) / 10)
            let due = planner.due(at: at, radio: Self.asleep)
            let look = try #require(planner.nextLook(at: at, radio: Self.asleep))
            #expect(look >= at && look - at <= .seconds(3600))
            for app in due {
                planner.began(app, at: at)
                planner.ended(app, at: at + .seconds(2), result: .newData, cost: nil)
            }
        }
    }
}
