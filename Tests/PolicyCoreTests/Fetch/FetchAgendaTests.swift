import Model
import PolicyCore
import Testing

@Suite("Apps of which a planner of fetches knows that nothing can come yet") struct FetchAgendaTests {
    /// Whatever a system tells a planner, at random.
    private static func happen(_ planner: inout FetchPlanner, at moment: WallTime, _ random: inout SplitMix64) {
        let app = AppIndex(UInt32(random.below(24)))
        switch random.below(11) {
        case 0, 1, 2: planner.opened(app, at: moment, utcOffset: 3600)
        case 3, 4: planner.left(app, at: moment)
        case 5: planner.setMinimumInterval(app, random.oneIn(4) ? nil : .seconds(Double(random.below(4000))))
        case 6: planner.userIsPresent(random.oneIn(2), at: moment)
        case 7: planner.moved(app, FetchBytes(sent: 100, received: Int64(random.below(100_000))), model: .lte)
        case 8: if random.oneIn(8) { planner.forget(app) }
        case 9: if random.oneIn(20) { planner.remember(planner.memory) }
        default:
            let result: FetchResult = random.oneIn(3) ? .failed : random.oneIn(3) ? .noData : .newData
            planner.ended(app, at: moment, result: result, cost: nil)
        }
    }

    private static func pause(_ random: inout SplitMix64) -> Span {
        switch random.below(40) {
        case 0: .seconds(Double(random.below(100_000)))
        case 1: .seconds(-Double(random.below(9000)))
        case 2...9: .seconds(Double(random.below(1500)))
        default: .seconds(Double(random.below(40)))
        }
    }

    @Test("It plans what one that weighs all apps each time does", arguments: UInt64(1)...8)
    func sameAsWeighingAll(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var rules = FetchRules()
        if seed % 4 == 1 { (rules.ahead, rules.join) = (.seconds(900), .seconds(300)) }
        if seed % 4 == 2 { rules.prior = nil }
        if seed % 4 == 3 { (rules.join, rules.freshness) = (.zero, .seconds(900)) }
        var planner = FetchPlanner(rules: rules)
        for app: UInt32 in 0..<20 { planner.setMinimumInterval(AppIndex(app), .zero) }
        var moment = FetchPlannerTests.begin
        let radios: [RadioState] = [
            RadioState(.wifi), RadioState(.threeG), RadioState(.lte, .high, warmFor: .seconds(10)), .noNetwork,
        ]
        var fetches = 0
        for step in 0..<500 {
            moment = moment + Self.pause(&random)
            Self.happen(&planner, at: moment, &random)
            let radio = radios[random.below(4)]
            // What was read anew knows of none that rests.
            var plain = try CompactFormat.decode(FetchPlanner.self, from: CompactFormat.encode(planner))
            let due = planner.due(at: moment, radio: radio)
            #expect(due == plain.due(at: moment, radio: radio), "step \(step)")
            try #require(planner == plain, "step \(step)")
            #expect(planner.nextLook(at: moment, radio: radio) == plain.nextLook(at: moment, radio: radio))
            for app in due {
                let later = moment + .seconds(1)
                let anew = try CompactFormat.decode(FetchPlanner.self, from: CompactFormat.encode(planner))
                #expect(planner.plan(app, at: moment, radio: radio) == anew.plan(app, at: moment, radio: radio))
                #expect(planner.plan(app, at: later, radio: radio) == anew.plan(app, at: later, radio: radio))
                planner.began(app, at: moment)
                fetches += 1
                if !random.oneIn(3) { planner.ended(app, at: moment, result: .newData, cost: nil) }
            }
        }
        #expect(fetches > 20)
    }
}
