import Model
import NotificationsCore
import Simulation
import Testing

@Suite("Calendar triggers beside a search of each second") struct CalendarOracleTests {
    private static let length = 90_000

    private func components(_ random: inout SplitMix64) -> CalendarComponents {
        var components = CalendarComponents()
        // Hours around which clocks are set.
        if random.oneIn(2) { components.hour = random.below(5) }
        if random.oneIn(2) { components.minute = random.pick([0, 15, 30, 59]) }
        if random.oneIn(3) { components.second = random.pick([0, 10, 59]) }
        if random.oneIn(6) { components.weekday = 1 + random.below(7) }
        if components.weekday != nil, random.oneIn(2) { components.weekdayOrdinal = random.pick([-1, 1, 2, 4, 5]) }
        if random.oneIn(6) { components.day = 1 + random.below(31) }
        if random.oneIn(8) { components.month = 1 + random.below(12) }
        if random.oneIn(10) { components.quarter = 1 + random.below(4) }
        if random.oneIn(10) { components.year = 2026 + random.below(2) }
        if components == CalendarComponents() { components.hour = 2 }
        return components
    }

    /// A moment near a change of clocks, or any.
    private func moment(_ random: inout SplitMix64, _ zone: ZoneRules) -> Int {
        let any = zone == .apia ? 1_325_000_000 : 1_767_225_600 + random.below(400 * 86_400)
        let end = zone.end(at: any)
        let isNear = end < 2_000_000_000 && !random.oneIn(3)
        return (isNear ? end : any) - random.below(86_400) + random.below(3600)
    }

    @Test("Near changes of clocks and anywhere, the next moment is what the search finds", arguments: UInt64(1)...24)
    func search(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var found = 0
        for _ in 0..<12 {
            let zone = random.pick(ZoneRules.kinds) ?? .utc
            let components = components(&random)
            let start = moment(&random, zone)
            let expected = CalendarOracle(components: components, zone: zone).next(after: start, within: Self.length)
            let time = WallTime(nanoseconds: Int64(start) * 1_000_000_000)
            let next = components.next(after: time, in: zone).map { Int($0.nanoseconds / 1_000_000_000) }
            let isRight = expected.map { $0 == next } ?? (next.map { $0 > start + Self.length } ?? true)
            #expect(
                isRight,
                "\(zone.identifier) after \(time.text): \(next ?? -1), not \(expected ?? -1), for \(components)")
            if expected != nil { found += 1 }
        }
        #expect(found > 2, "the search finds nothing: it says nothing either")
    }

    @Test("A list of the days that match has the same moments as the units of those days", arguments: UInt64(1)...12)
    func listed(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<20 {
            let zone = random.pick(ZoneRules.kinds) ?? .utc
            let components = components(&random)
            let start = moment(&random, zone)
            let time = WallTime(nanoseconds: Int64(start) * 1_000_000_000)
            var listed = CalendarComponents(
                hour: components.hour, minute: components.minute, second: components.second)
            let day = start / 86_400
            listed.days = DayList(calendar: "some", runs: components.runs(of: day - 3..<day + 800))
            let end = time + .seconds(700 * 86_400)
            let expected = components.next(after: time, in: zone).flatMap { $0 < end ? $0 : nil }
            let next = listed.next(after: time, in: zone).flatMap { $0 < end ? $0 : nil }
            #expect(next == expected, "\(zone.identifier) after \(time.text), for \(components)")
        }
    }
}

extension CalendarComponents {
    /// The days in UTC that match, each by itself: the units below a day do not count.
    fileprivate func runs(of days: Range<Int>) -> [Int32] {
        var whole = self
        let hasTime = hour != nil || minute != nil || second != nil
        (whole.hour, whole.minute, whole.second) = hasTime ? (0, 0, 0) : (nil, nil, nil)
        return days.flatMap { day -> [Int32] in
            let before = WallTime(nanoseconds: Int64(day) * 86_400_000_000_000 - 1)
            let next = whole.next(after: before, in: .utc)
            return next?.nanoseconds == Int64(day) * 86_400_000_000_000 ? [Int32(day), 1] : []
        }
    }
}
