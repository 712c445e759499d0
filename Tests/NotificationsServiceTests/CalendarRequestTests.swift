import Foundation
import NotificationsWire
import ServiceTesting
import Testing
import Wire

@Suite("Requests for a day or a time") struct CalendarRequestTests {
    @Test(
        "A zone may be named after its distance from Greenwich",
        arguments: [
            ("GMT+0200", 2 * 3600), ("GMT-0330", -12_600), ("GMT+5", 5 * 3600), ("UTC+05:30", 19_800), ("GMT", 0),
            ("+0145", 6300), ("GMT+123", 4980), ("GMT-01:00:30", -3630),
        ])
    func distances(_ name: String, _ offset: Int) throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try client.add("a", .calendar(NotificationComponents(hour: 12, timeZone: name), repeats: true))
        let due = try #require(try service.list().first?.date)
        #expect((Int(due) + offset) % 86_400 == 12 * 3600)
    }

    @Test(
        "A zone that is nowhere is refused by its name",
        arguments: ["GMT+1960", "GMT+02:60", "GMT+", "+", "GMT+2x", "Mars/Olympus", "", "GMT++2", "GMT+02:0"])
    func nowhere(_ name: String) throws {
        let service = try TestService()
        let client = try service.allowedClient()
        #expect {
            try client.add("a", .calendar(NotificationComponents(hour: 12, timeZone: name), repeats: true))
        } throws: {
            ($0 as? RPCError)?.data["parameter"] == "timeZone"
        }
    }

    @Test("Days of a calendar that only the app knows are kept, and come one after the other")
    func listedDays() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        let today = Int64(Date().timeIntervalSince1970 / 86_400)
        func add(_ days: [Int64]?) throws {
            let calendar = NotificationCalendar(identifier: "hebrew", days: days)
            try client.add(
                "a",
                .calendar(
                    NotificationComponents(month: 13, day: 1, hour: 8, timeZone: "GMT", calendar: calendar),
                    repeats: true))
        }
        try add([today - 5, 1, today + 10, 2, today + 40, 1])
        #expect(try service.list().first?.date == Double((today + 10) * 86_400 + 8 * 3600))
        let kept = try NotificationPendingPage(json: client.ask("pending")).requests.first?.trigger
        guard case .calendar(let components, true) = kept else { return #expect(kept == nil) }
        #expect(components.calendar == NotificationCalendar(identifier: "hebrew") && components.month == 13)
        #expect { try add([today - 5, 1]) } throws: {
            ($0 as? RPCError)?.notificationCode == .notificationInvalidNoDate
        }
        for wrong in [nil, [today], [today, 0], [today, 3, today + 2, 1], [Int64.max, 1]] as [[Int64]?] {
            #expect { try add(wrong) } throws: { ($0 as? RPCError)?.data["parameter"] == "calendar" }
        }
    }
}
