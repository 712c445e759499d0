import Foundation
import NotificationsWire
import Testing
import UserNotifications
import Wire

@Suite("Triggers in other calendars than the Gregorian") struct OtherCalendarTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let calendar: Calendar.Identifier
        let units: DateComponents
        /// In the Gregorian calendar, at 8 o'clock in UTC.
        let dates: [String]

        init(_ calendar: Calendar.Identifier, _ units: DateComponents, _ dates: [String]) {
            self.calendar = calendar
            self.units = units
            self.dates = dates
        }

        var testDescription: String { "\(calendar) \(units)" }
    }

    /// After 29 November 2026, and published in almanacs.
    static let cases: [Case] = [
        Case(.buddhist, DateComponents(year: 2570, month: 1, day: 1), ["2027-01-01"]),
        Case(.buddhist, DateComponents(month: 4, day: 13), ["2027-04-13", "2028-04-13"]),
        Case(.hebrew, DateComponents(month: 1, day: 1), ["2027-10-02", "2028-09-21"]),
        Case(.persian, DateComponents(month: 1, day: 1), ["2027-03-21", "2028-03-20"]),
        Case(.persian, DateComponents(year: 1406, month: 1, day: 1), ["2027-03-21"]),
        Case(.chinese, DateComponents(month: 1, day: 1), ["2027-02-06", "2028-01-26"]),
        Case(.japanese, DateComponents(era: 236, year: 9, month: 5, day: 1), ["2027-05-01"]),
        Case(.republicOfChina, DateComponents(year: 116, month: 10, day: 10), ["2027-10-10"]),
        Case(.coptic, DateComponents(month: 1, day: 1), ["2027-09-12", "2028-09-11"]),
        Case(.indian, DateComponents(month: 1, day: 1), ["2027-03-22", "2028-03-21"]),
        Case(.buddhist, DateComponents(year: 2570, month: 5, weekday: 2, weekdayOrdinal: -1), ["2027-05-31"]),
    ]

    private static let now = Date(timeIntervalSince1970: 1_795_910_400)

    private func trigger(_ `case`: Case, repeats: Bool = true) -> UNCalendarNotificationTrigger {
        var units = `case`.units
        units.calendar = Calendar(identifier: `case`.calendar)
        units.timeZone = .gmt
        units.hour = 8
        return UNCalendarNotificationTrigger(dateMatching: units, repeats: repeats)
    }

    @Test("Its next dates are those of the calendar", arguments: cases)
    func next(_ one: Case) throws {
        var date = Self.now
        for expected in one.dates {
            date = try #require(trigger(one).nextTriggerDate(after: date))
            #expect(date.ISO8601Format() == "\(expected)T08:00:00Z")
        }
        if one.units.year != nil { #expect(trigger(one).nextTriggerDate(after: date) == nil) }
    }

    @Test("The service is told on which days it matches", arguments: cases)
    func days(_ one: Case) throws {
        let first = try #require(one.dates.first)
        let request = UNNotificationRequest(
            identifier: "a", content: UNNotificationContent(), trigger: trigger(one))
        guard case .calendar(let components, true) = try request.record().trigger else {
            Issue.record("it is no calendar trigger")
            return
        }
        let days = try #require(components.calendar?.days)
        let number = try Date("\(first)T00:00:00Z", strategy: .iso8601).timeIntervalSince1970 / 86_400
        let runs = stride(from: 0, to: days.count, by: 2).map { days[$0]..<days[$0] + days[$0 + 1] }
        #expect(runs.contains { $0.contains(Int64(number)) })
        // Thirty years of a date that comes once a year; a lunar year is shorter.
        if one.units.year == nil { #expect((29...32).contains(runs.count)) }
    }

    @Test("A request that is read again has its calendar")
    func again() throws {
        var units = DateComponents(calendar: Calendar(identifier: .chinese), month: 6, day: 1)
        units.isLeapMonth = true
        let trigger = UNCalendarNotificationTrigger(dateMatching: units, repeats: true)
        let request = UNNotificationRequest(identifier: "a", content: UNNotificationContent(), trigger: trigger)
        var info = try NotificationRequestInfo(json: request.record().json)
        // The service lists no days.
        if case .calendar(var components, let repeats) = info.trigger {
            components.calendar?.days = nil
            info.trigger = .calendar(components, repeats: repeats)
        }
        let back = UNNotificationRequest(info)
        #expect(back == request)
        let found = try #require(back.trigger as? UNCalendarNotificationTrigger)
        #expect(found.dateComponents.calendar?.identifier == .chinese && found.dateComponents.isLeapMonth == true)
        #expect(found.nextTriggerDate(after: Self.now) == trigger.nextTriggerDate(after: Self.now))
    }

    @Test("Clocks and weekdays are the same in each calendar, and need no days")
    func same() throws {
        for calendar in [Calendar.Identifier.hebrew, .buddhist, .iso8601] {
            let units = DateComponents(calendar: Calendar(identifier: calendar), hour: 8, weekday: 2)
            guard
                case .calendar(let components, _) = UNCalendarNotificationTrigger(dateMatching: units, repeats: true)
                    .info
            else {
                Issue.record("it is no calendar trigger")
                continue
            }
            #expect(components.calendar == nil && components.weekday == 2)
        }
    }

    @Test("An action for text that was made by an inherited initializer asks for text")
    func text() throws {
        let plain = UNTextInputNotificationAction(identifier: "say", title: "Answer", options: [.foreground])
        let icon = UNTextInputNotificationAction(
            identifier: "say", title: "Answer", icon: UNNotificationActionIcon(systemImageName: "pen"))
        for action in [plain, icon] {
            #expect(action.textInputButtonTitle == "" && action.textInputPlaceholder == "")
            #expect(action.identifier == "say" && action.title == "Answer")
        }
        let category = UNNotificationCategory(
            identifier: "c", actions: [plain, UNNotificationAction(identifier: "b", title: "B")], intentIdentifiers: [])
        #expect(category.actions.map { $0 is UNTextInputNotificationAction } == [true, false])
    }
}
