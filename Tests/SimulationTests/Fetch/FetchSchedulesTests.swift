import Model
import PolicyCore
import Simulation
import Testing

@Suite("Schedules of fetches") struct FetchSchedulesTests {
    /// Six days on each of which one app is opened at nine, and again five minutes later.
    static func habitual() throws -> FetchDays {
        var rows = ""
        for day in 10..<16 {
            rows += "2024-01-\(day)T08:59:50,unlock,,1\n2024-01-\(day)T09:00:00,open,mail,60\n"
            rows += "2024-01-\(day)T09:05:00,open,mail,30\n2024-01-\(day)T09:06:00,sleep,,3600\n"
        }
        return FetchDays(try UsageTrace(csv: Array("time,event,app,duration_s\n\(rows)".utf8)))
    }

    @Test("Polling finds as many openings fresh as its interval lets it, and costs what its wakings do")
    func polling() throws {
        let days = try Self.habitual()
        #expect(days.apps == ["mail"] && days.openingCount == 12 && days.visitCount == 6)
        let costs = FetchCosts()
        let hourly = FetchSchedules.polled(days, costs, every: .seconds(3600))
        #expect(hourly.fetches == hourly.batches && hourly.fetches == 121)
        // Isolated: up, DCH, FACH, and the time of the bytes; 10.043 J each.
        let each = costs.radio.energy(of: [costs.fetches(1, at: .zero)])
        #expect(hourly.energy == each * 121)
        #expect(hourly.fresh == 6 && hourly.visits == 6)
        let daily = FetchSchedules.polled(days, costs, every: .seconds(86_400))
        #expect(daily.fetches == 6 && daily.energy == each * 6)
    }

    @Test("With the future known there is one fetch a day: the second opening finds what was seen at the first")
    func clairvoyant() throws {
        let days = try Self.habitual()
        let outcome = FetchSchedules.clairvoyant(days, FetchCosts())
        #expect(outcome.fetches == 6 && outcome.fresh == 6)
        #expect(FetchSchedules.clairvoyant(days, FetchCosts(), leastTogether: 2).fetches == 0)
    }

    @Test("In the first week of somebody new, apps are fetched for once they were opened")
    func firstWeek() throws {
        let month = SyntheticMonth(seed: 4, days: 20, apps: 30)
        let trace = try UsageTrace(csv: Array(month.trace.utf8))
        let week = FetchDays(trace, first: .seconds(7 * 86_400))
        #expect(week.end <= .zero + .seconds(7 * 86_400) && week.visitCount > 50)
        for app in week.apps.indices {
            #expect(week.asked[app] == week.openings[app].first ?? week.end)
            #expect(!week.visits(app).contains(week.asked[app]))
        }
        var early = FetchRules()
        early.prior = nil
        let costs = FetchCosts()
        let polled = FetchSchedules.polled(week, costs, every: .seconds(3600))
        let before = FetchSchedules.planned(week, costs, early)
        let ours = FetchSchedules.planned(week, costs, FetchRules())
        #expect(ours.visits == polled.visits && before.visits == polled.visits)
        // What the user has just seen is not fetched again.
        #expect(ours.energy < before.energy && ours.energy < polled.energy, "\(ours) \(before) \(polled)")
        #expect(ours.share > 0.3, "\(ours)")
    }

    @Test("An app that is on screen is not fetched for before it is left")
    func onScreen() throws {
        let days = try Self.habitual()
        let nine = days.openings[0][0]
        #expect(days.onScreen(0, at: nine) == nine + .seconds(60))
        #expect(days.onScreen(0, at: nine + .seconds(60)) == nil)
        #expect(days.onScreen(0, at: nine + .seconds(-1)) == nil)
    }

    @Test(
        "On months that were made up, learning beats polling: more is fresh for the energy, and less energy is spent",
        arguments: [1, 2, 3])
    func madeUp(seed: UInt64) throws {
        let month = SyntheticMonth(seed: seed, days: 20, apps: 30)
        let days = FetchDays(try UsageTrace(csv: Array(month.trace.utf8)))
        let costs = FetchCosts()
        let polled = FetchSchedules.polled(days, costs, every: .seconds(4 * 3600))
        var rules = FetchRules()
        rules.worth = .joules(5)
        let ours = FetchSchedules.planned(days, costs, rules)
        #expect(ours.visits == polled.visits)
        #expect(ours.share >= 1.2 * polled.share, "\(ours) \(polled)")
        // The very same calls again.
        #expect(FetchSchedules.planned(days, costs, rules) == ours)
    }
}
