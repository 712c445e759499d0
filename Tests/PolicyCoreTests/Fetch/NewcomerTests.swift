import Foundation
import Model
import PolicyCore
import Testing

@Suite("Fetches for a user of whom nothing is known") struct NewcomerTests {
    static let app = AppIndex(0)
    static let wifi = RadioState(.wifi)
    static let awake = RadioState(.threeG, .tail(0), warmFor: .seconds(14))

    static func at(day: Int = 0, _ hour: Double) -> WallTime { FetchPlannerTests.at(day: day, hour) }

    /// Installed, opened for twenty seconds at noon, and left.
    static func newcomer(rules: FetchRules = FetchRules()) -> FetchPlanner {
        var planner = FetchPlanner(rules: rules)
        planner.userIsPresent(true, at: at(12))
        planner.setMinimumInterval(app, .zero)
        planner.opened(app, at: at(12), utcOffset: 0)
        planner.left(app, at: at(12) + .seconds(20))
        return planner
    }

    /// Openings within the hour that a planner expects, in thousandths.
    static func expected(_ planner: FetchPlanner, at moment: WallTime) -> Int32 {
        var planner = planner
        planner.began(app, at: moment)
        return planner.decisions(app).last?.expected ?? -1
    }

    /// The rules of recordings from before there was a prior.
    static var early: FetchRules {
        var rules = FetchRules()
        rules.prior = nil
        return rules
    }

    @Test("After one opening and Home, little is expected and nothing is fetched within minutes")
    func oneOpening() {
        var planner = Self.newcomer()
        let left = Self.at(12) + .seconds(20)
        let expected = Self.expected(planner, at: left + .milliseconds(1))
        #expect(expected > 0 && expected < 500)
        for minute in 0..<25 {
            let moment = left + .seconds(60) * Int64(minute)
            #expect(planner.due(at: moment, radio: Self.wifi).isEmpty)
            #expect(planner.due(at: moment, radio: Self.awake).isEmpty)
        }
        // A radio that is dear is not woken for it on that day at all.
        for quarter in 0..<48 {
            let moment = left + .seconds(900) * Int64(quarter)
            #expect(planner.due(at: moment, radio: FetchPlannerTests.asleep).isEmpty)
        }
    }

    @Test("An app that has just left the screen is not fetched for until its content would be stale")
    func seen() {
        var planner = FetchPlannerTests.accustomed(days: 10)
        let left = Self.at(day: 10, 8.5)
        planner.userIsPresent(true, at: Self.at(day: 10, 8))
        planner.opened(Self.app, at: Self.at(day: 10, 8), utcOffset: 0)
        planner.left(Self.app, at: left)
        let fresh = planner.plan(Self.app, at: left + .seconds(60), radio: Self.wifi)
        #expect(fresh.reason == .fresh(until: left + .seconds(3600)))
        for minute in 0..<59 {
            let due = planner.due(at: left + .seconds(60) * Int64(minute), radio: Self.wifi)
            #expect(due.isEmpty, "after \(minute) minutes")
        }
        #expect(planner.due(at: left + .seconds(3600), radio: Self.wifi) == [Self.app])
    }

    @Test("What was fetched later than it was seen is fresh for longer")
    func fetchedLater() {
        var planner = Self.newcomer()
        planner.began(Self.app, at: Self.at(13))
        planner.ended(Self.app, at: Self.at(13), result: .newData, cost: nil)
        let plan = planner.plan(Self.app, at: Self.at(13.5), radio: Self.wifi)
        #expect(plan.reason == .fresh(until: Self.at(14)))
    }

    @Test("With evidence the assumptions fade: of an app that is opened every third hour, a third is expected")
    func evidence() {
        var planner = Self.newcomer()
        for visit in 1..<80 {
            let hour = 12 + 3 * Double(visit)
            planner.opened(Self.app, at: Self.at(hour), utcOffset: 0)
            planner.left(Self.app, at: Self.at(hour) + .seconds(60))
        }
        // Of the tenth day, hour by hour; what comes is not learned in between.
        var sum = 0.0
        for hour in 0..<3 {
            let moment = Self.at(12 + 3 * 79 + Double(hour) + 0.5)
            sum += Double(Self.expected(planner, at: moment)) / 1000
        }
        #expect(sum / 3 > 0.2 && sum / 3 < 0.5, "\(sum / 3)")
    }

    @Test(
        "Recordings from before there was a prior are decided as they were: one opening promised twelve within the hour"
    )
    func early() throws {
        var planner = Self.newcomer(rules: Self.early)
        #expect(Self.expected(planner, at: Self.at(12)) == 12_333)
        #expect(planner.due(at: Self.at(12) + .seconds(20), radio: Self.wifi) == [Self.app])
        let json = try JSONEncoder().encode(planner)
        #expect(!String(decoding: json, as: UTF8.self).contains("prior"))
        #expect(try JSONDecoder().decode(FetchPlanner.self, from: json) == planner)
    }

    @Test("A prior by which nothing can be divided is not gone on with")
    func unsound() throws {
        var system = System(profile: .linux)
        _ = system.handle(.booted, at: .zero)
        #expect(system.unsoundness == nil)
        let json = String(decoding: try JSONEncoder().encode(system), as: UTF8.self)
        let damaged = json.replacing(/"usualDays":3/, with: "\"usualDays\":0")
        #expect(damaged != json)
        #expect(try JSONDecoder().decode(System.self, from: Data(damaged.utf8)).unsoundness != nil)
    }
}
