import Model
import NotificationsCore
import Testing

@Suite("Calendar triggers") struct CalendarTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let title: String
        let zone: ZoneRules
        let components: CalendarComponents
        let after: String
        let times: [String]

        init(
            _ title: String, _ zone: ZoneRules = .utc, after: String, _ times: [String],
            _ change: (inout CalendarComponents) -> Void
        ) {
            self.title = title
            self.zone = zone
            self.after = after
            self.times = times
            var components = CalendarComponents()
            change(&components)
            self.components = components
        }

        var testDescription: String { title }
    }

    static let plain: [Case] = [
        Case(
            "An hour alone is that hour of each day", after: "2026-07-01T07:59:59Z",
            ["2026-07-01T08:00:00Z", "2026-07-02T08:00:00Z", "2026-07-03T08:00:00Z"]
        ) { $0.hour = 8 },
        Case("What matches now is not next", after: "2026-07-01T08:00:00Z", ["2026-07-02T08:00:00Z"]) { $0.hour = 8 },
        Case(
            "A minute alone is that minute of each hour", after: "2026-12-31T22:31:00Z",
            ["2026-12-31T23:30:00Z", "2027-01-01T00:30:00Z"]
        ) { $0.minute = 30 },
        Case(
            "A second alone is that second of each minute", after: "2026-07-01T23:59:10Z",
            ["2026-07-02T00:00:10Z", "2026-07-02T00:01:10Z"]
        ) { $0.second = 10 },
        Case(
            "What is left out between two matches anything", after: "2026-07-01T22:00:00Z",
            ["2026-07-01T22:30:00Z", "2026-07-01T23:30:00Z", "2026-08-01T00:30:00Z"]
        ) {
            $0.day = 1
            $0.minute = 30
        },
        Case(
            "An hour and a second leave the minute open", after: "2026-07-01T08:58:05Z",
            ["2026-07-01T08:58:10Z", "2026-07-01T08:59:10Z", "2026-07-02T08:00:10Z"]
        ) {
            $0.hour = 8
            $0.second = 10
        },
        Case(
            "A day alone is midnight of that day", after: "2026-07-15T00:00:00Z",
            ["2026-08-15T00:00:00Z", "2026-09-15T00:00:00Z"]
        ) { $0.day = 15 },
        Case("A month alone begins on its first day", after: "2026-07-01T00:00:00Z", ["2027-05-01T00:00:00Z"]) {
            $0.month = 5
        },
        Case("A year alone begins with it", after: "2026-07-01T00:00:00Z", ["2030-01-01T00:00:00Z"]) { $0.year = 2030 },
        Case(
            "A quarter alone begins with it", after: "2026-07-01T00:00:00Z",
            ["2027-04-01T00:00:00Z", "2028-04-01T00:00:00Z"]
        ) { $0.quarter = 2 },
        Case(
            "A month and an hour are that hour of each of its days", after: "2026-05-30T09:00:00Z",
            ["2026-05-31T08:00:00Z", "2027-05-01T08:00:00Z"]
        ) {
            $0.month = 5
            $0.hour = 8
        },
        Case("A date that is over never comes", after: "2026-07-01T00:00:00Z", []) {
            $0.year = 2026
            $0.month = 6
            $0.day = 30
        },
        Case("A whole date comes once", after: "2026-07-01T00:00:00Z", ["2026-12-24T18:05:09Z", ""]) {
            $0.year = 2026
            $0.month = 12
            $0.day = 24
            $0.hour = 18
            $0.minute = 5
            $0.second = 9
        },
        Case("A day that no month has never comes", after: "2026-07-01T00:00:00Z", []) {
            $0.month = 2
            $0.day = 30
        },
        Case(
            "Months that lack the 31st are left out", after: "2026-07-01T00:00:00Z",
            [
                "2026-07-31T00:00:00Z", "2026-08-31T00:00:00Z", "2026-10-31T00:00:00Z", "2026-12-31T00:00:00Z",
                "2027-01-31T00:00:00Z", "2027-03-31T00:00:00Z",
            ]
        ) { $0.day = 31 },
        Case(
            "29 February comes in leap years, of which 2100 is none", after: "2094-01-01T00:00:00Z",
            ["2096-02-29T09:00:00Z", "2104-02-29T09:00:00Z"]
        ) {
            $0.month = 2
            $0.day = 29
            $0.hour = 9
        },
        Case(
            "29 February on a Monday takes 40 years around 2100", after: "2072-03-01T00:00:00Z",
            ["2112-02-29T00:00:00Z"]
        ) {
            $0.month = 2
            $0.day = 29
            $0.weekday = 2
        },
    ]

    static let weeks: [Case] = [
        Case(
            "A weekday is midnight of it", after: "2026-07-01T12:00:00Z",
            ["2026-07-06T00:00:00Z", "2026-07-13T00:00:00Z"]
        ) { $0.weekday = 2 },
        Case("A weekday and an hour", after: "2026-07-06T08:30:00Z", ["2026-07-13T08:30:00Z"]) {
            $0.weekday = 2
            $0.hour = 8
            $0.minute = 30
        },
        Case("Friday the thirteenth", after: "2026-07-01T00:00:00Z", ["2026-11-13T00:00:00Z", "2027-08-13T00:00:00Z"]) {
            $0.weekday = 6
            $0.day = 13
        },
        Case(
            "The second Tuesday of each month", after: "2026-07-01T00:00:00Z",
            ["2026-07-14T20:00:00Z", "2026-08-11T20:00:00Z"]
        ) {
            $0.weekday = 3
            $0.weekdayOrdinal = 2
            $0.hour = 20
        },
        Case(
            "The last Friday of each month", after: "2026-07-01T00:00:00Z",
            ["2026-07-31T00:00:00Z", "2026-08-28T00:00:00Z"]
        ) {
            $0.weekday = 6
            $0.weekdayOrdinal = -1
        },
        Case(
            "The fifth Thursday of the months that have it", after: "2026-07-01T00:00:00Z",
            ["2026-07-30T00:00:00Z", "2026-10-29T00:00:00Z"]
        ) {
            $0.weekday = 5
            $0.weekdayOrdinal = 5
        },
        Case("A week of the year begins on its first day", after: "2026-01-01T00:00:00Z", ["2026-03-02T00:00:00Z"]) {
            $0.weekOfYear = 10
            $0.firstWeekday = 2
            $0.minimumDaysInFirstWeek = 4
        },
        Case(
            "ISO weeks: 2026 has 53, and its first begins in 2025", after: "2025-12-01T00:00:00Z",
            ["2025-12-29T00:00:00Z", "2027-01-04T00:00:00Z"]
        ) {
            $0.weekOfYear = 1
            $0.firstWeekday = 2
            $0.minimumDaysInFirstWeek = 4
        },
        Case("The 53rd ISO week", after: "2026-01-01T00:00:00Z", ["2026-12-28T00:00:00Z", "2032-12-27T00:00:00Z"]) {
            $0.weekOfYear = 53
            $0.firstWeekday = 2
            $0.minimumDaysInFirstWeek = 4
        },
        Case(
            "Weeks as Americans count: 1 January is in the first", after: "2026-12-20T00:00:00Z",
            ["2026-12-27T00:00:00Z"]
        ) {
            $0.weekOfYear = 1
        },
        Case(
            "The second week of a month begins with its Sunday", after: "2026-07-01T00:00:00Z",
            ["2026-07-05T00:00:00Z", "2026-08-02T00:00:00Z"]
        ) { $0.weekOfMonth = 2 },
        Case(
            "The first week of a month begins with the month", after: "2026-07-02T00:00:00Z",
            ["2026-08-01T00:00:00Z", "2026-09-01T00:00:00Z"]
        ) { $0.weekOfMonth = 1 },
        Case(
            "The year of a week alone begins with its first week", after: "2026-01-01T00:00:00Z",
            ["2027-01-04T00:00:00Z"]
        ) {
            $0.yearForWeekOfYear = 2027
            $0.firstWeekday = 2
            $0.minimumDaysInFirstWeek = 4
        },
    ]

    static let zones: [Case] = [
        Case(
            "Eight o'clock stays eight o'clock in Berlin", .berlin, after: "2026-10-23T12:00:00Z",
            ["2026-10-24T06:00:00Z", "2026-10-25T07:00:00Z", "2026-10-26T07:00:00Z"]
        ) { $0.hour = 8 },
        Case(
            "Half past two is skipped in spring: three o'clock, when the clocks go on", .berlin,
            after: "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
        ) {
            $0.hour = 2
            $0.minute = 30
        },
        Case(
            "Half past two comes twice in autumn: the first time counts", .berlin, after: "2026-10-24T12:00:00Z",
            ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
        ) {
            $0.hour = 2
            $0.minute = 30
        },
        Case(
            "Half past each hour is half past each hour that there is", .berlin, after: "2026-10-25T00:00:00Z",
            ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z"]
        ) { $0.minute = 30 },
        Case(
            "No half hour is made up in spring", .berlin, after: "2026-03-29T00:00:00Z",
            ["2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"]
        ) { $0.minute = 30 },
        Case(
            "In Sydney summer begins in October", .sydney, after: "2026-10-02T12:00:00Z",
            ["2026-10-02T22:00:00Z", "2026-10-03T21:00:00Z", "2026-10-04T21:00:00Z"]
        ) { $0.hour = 8 },
        Case(
            "and ends in April, when half past two comes twice", .sydney, after: "2026-04-04T00:00:00Z",
            ["2026-04-04T15:30:00Z", "2026-04-05T16:30:00Z"]
        ) {
            $0.hour = 2
            $0.minute = 30
        },
        Case(
            "A gap of half an hour", .lordHowe, after: "2026-10-03T00:00:00Z",
            ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"]
        ) {
            $0.hour = 2
            $0.minute = 15
        },
        Case(
            "Where midnight is skipped, the day begins at one", .santiago, after: "2026-09-05T12:00:00Z",
            ["2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z"]
        ) { $0.hour = 0 },
        Case(
            "A day that a zone skipped is when the next one began", .apia, after: "2011-12-29T12:00:00Z",
            ["2011-12-30T10:00:00Z", "2012-01-29T10:00:00Z"]
        ) { $0.day = 30 },
        Case(
            "Every Friday, though the zone had none that week", .apia, after: "2011-12-24T12:00:00Z",
            ["2011-12-30T10:00:00Z", "2012-01-05T19:00:00Z"]
        ) {
            $0.weekday = 6
            $0.hour = 9
        },
        Case(
            "Components may name a zone of their own", .berlin, after: "2026-07-01T00:00:00Z", ["2026-07-01T12:00:00Z"]
        ) {
            $0.hour = 8
            $0.zone = .newYork
        },
        Case(
            "Far behind the last transition of a list, the rule goes on", .berlin, after: "2180-06-01T12:00:00Z",
            ["2180-06-02T06:00:00Z"]
        ) { $0.hour = 8 },
    ]

    @Test("Each comes when it is due, and then again", arguments: plain + weeks + zones)
    func table(_ test: Case) {
        var time = WallTime(test.after)
        for expected in test.times where !expected.isEmpty {
            guard let next = test.components.next(after: time, in: test.zone) else {
                Issue.record("nothing comes after \(time.text)")
                return
            }
            #expect(next.text == expected)
            time = next
        }
        if test.times.isEmpty || test.times.last?.isEmpty == true {
            #expect(test.components.next(after: time, in: test.zone) == nil)
        }
    }

    @Test("A list of transitions says the same as the rule that it was made from")
    func lists() {
        for day in stride(from: 1_750_000_000, to: 2_050_000_000, by: 40_000) {
            #expect(ZoneRules.listedBerlin.offset(at: day) == ZoneRules.berlin.offset(at: day))
        }
    }

    @Test("The last one that was missed is found, however long the time was", arguments: [0, 3600, 90_000, 40_000_000])
    func last(_ distance: Int64) {
        for components in [
            CalendarComponents(second: 7), CalendarComponents(minute: 5), CalendarComponents(hour: 8),
            CalendarComponents(day: 31, hour: 2, minute: 30), CalendarComponents(month: 2, day: 29),
        ] {
            let end = WallTime("2026-10-25T03:00:00Z")
            let start = end + .seconds(Double(-distance))
            var expected: WallTime?
            var time = start
            if distance < 1_000_000 || components.second == nil && components.minute != 5 {
                while let next = components.next(after: time, in: .berlin), next <= end {
                    expected = next
                    time = next
                }
                #expect(components.last(after: start, until: end, in: .berlin) == expected)
            } else if let found = components.last(after: start, until: end, in: .berlin) {
                #expect(found <= end && components.next(after: found, in: .berlin).map { $0 > end } == true)
            } else {
                Issue.record("none was found")
            }
        }
    }
}
