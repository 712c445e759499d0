import Foundation
import Model
import PolicyCore
import Testing

/// A million random events through the Core, in a world that is as unkind as the real one (issue: "done when" 7).
///
/// `GREENROOM_STORM_EVENTS` sets the number of events, `GREENROOM_STORM_SEED` replays one storm.
@Suite("Storms") struct StormTests {
    #if DEBUG
        private static let defaultEvents = 40_000
    #else
        private static let defaultEvents = 1_000_000
    #endif

    static let events = number("GREENROOM_STORM_EVENTS") ?? defaultEvents
    static let seeds: [UInt64] = number("GREENROOM_STORM_SEED").map { [UInt64($0)] } ?? [1, 2, 3, 4, 5, 6, 7, 8]

    private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap(Int.init) }

    @Test("Whatever happens in whatever order, no invariant breaks and nothing waits for ever", arguments: seeds)
    func storm(seed: UInt64) {
        var storm = Storm(seed: seed)
        storm.run(events: Self.events / Self.seeds.count)
        #expect(storm.device.faults.isEmpty, "GREENROOM_STORM_SEED=\(seed) repeats this storm")
    }

    @Test("News of wrong apps, wrong generations and wrong moments changes nothing that matters", arguments: [11, 12])
    func rubbish(seed: UInt64) {
        var rubbish = Rubbish(seed: seed)
        rubbish.run(events: Self.events / 10)
    }

    @Test("The same seed gives the same storm")
    func deterministic() {
        var first = Storm(seed: 99)
        var second = Storm(seed: 99)
        first.run(events: 2000)
        second.run(events: 2000)
        #expect(first.device.log == second.device.log)
        #expect(first.device.log.count > 300)
    }
}
