import Foundation
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// The example with local notifications.
    @Suite("Reminder", .serialized, .enabled(if: ReminderApp.isBuilt, "NOT TESTED: Reminder is not built"))
    struct Reminders {
        private func badge(_ system: TestSystem) throws -> Int? {
            try JSONValue(parsing: system.expect("push", "status", "--json")).array("apps").first?["badge"]?.int
        }

        private func sleeps(_ system: TestSystem) throws {
            try system.play(["home"])
            try system.until("it sleeps") { try system.app(ReminderApp.id).state == "suspended" }
        }

        private func printed(_ words: String, _ system: TestSystem) -> Bool {
            system.output(ReminderApp.id).contains { $0.contains(words) }
        }

        @Test("Reminders come at their times, in order, and the number on the icon counts those that are overdue")
        func comes() throws {
            let system = try TestSystem()
            defer { system.end() }
            try ReminderApp.install(in: system)
            for order in ["text=Tea&after=1", "text=Cake&after=1.5", "text=Walk&daily=07:15", "text=Bed&at=23:59"] {
                try system.expect("open", "reminder:add?\(order)")
            }
            try sleeps(system)
            try system.until("both are shown") { try system.shown().count == 2 }
            #expect(try badge(system) == 2)
            let titles = try system.notifications().compactMap { $0["request"]?["content"]?["title"]?.string }
            #expect(Set(titles.prefix(2)) == ["Walk", "Bed"] && titles.suffix(2) == ["Cake", "Tea"])
            let walk = try #require(try system.notifications().first { $0["place"]?.string == "pending" })
            #expect(walk["date"]?.number != nil)
            try system.play(["open reminder"])
            try system.until("the list says so") { printed("Tea  overdue", system) }
        }

        @Test("Done and Snooze work without opening the app, also when it is gone; each is told once")
        func actions() throws {
            let system = try TestSystem()
            defer { system.end() }
            try ReminderApp.install(in: system)
            try system.expect("open", "reminder:add?text=Tea&after=0.5")
            try system.expect("open", "reminder:add?text=Cake&after=0.6")
            try sleeps(system)
            try system.until("both are shown") { try system.shown().count == 2 }
            let ids = try system.shown().compactMap { $0["id"]?.string }
            try system.expect("notifications", "act", ids[0], "--action", "snooze")
            try system.until("it is snoozed") { printed("· snoozed: Cake", system) }
            try system.until("it is pending again") {
                try system.notifications().first?["place"]?.string == "pending" && badge(system) == 1
            }
            let date = try #require(try system.notifications().first?["date"]?.number)
            #expect(abs(date - Date().timeIntervalSince1970 - 600) < 60)
            try system.until("it sleeps") { try system.app(ReminderApp.id).state == "suspended" }
            try PidFD(CInt(#require(system.app(ReminderApp.id).pid))).send(9)
            try system.until("it is gone") { try system.app(ReminderApp.id).state == "not-running" }
            try system.expect("notifications", "act", ids[1], "--action", "done")
            try system.until("it is done") { printed("· done: Tea", system) }
            try system.until("nothing is overdue") { try badge(system) == 0 && system.notifications().count == 1 }
            try system.until("it sleeps again") { try system.app(ReminderApp.id).state == "suspended" }
            #expect(system.output(ReminderApp.id).count { $0.contains("· ") } == 2)
        }

        @Test("A reminder that fell due while the system was down is shown when it is up again")
        func down() throws {
            let system = try TestSystem()
            defer { system.end() }
            try ReminderApp.install(in: system)
            try system.expect("open", "reminder:add?text=Tea&after=2")
            try sleeps(system)
            try system.play(["down"])
            try system.pass(seconds: 2)
            try system.up()
            try system.until("it is shown") { try system.shown().count == 1 }
            #expect(try system.app(ReminderApp.id).state == "not-running")
        }
    }
}

private enum ReminderApp {
    static let id = "org.greenroom.examples.reminder"
    static let isBuilt = FileSystem.exists("\(Machine.programs)/Reminder")

    static func install(in system: TestSystem) throws {
        let bundle = "\(system.folder)/Reminder.app"
        let files = FileManager.default
        try files.createDirectory(atPath: bundle, withIntermediateDirectories: true)
        try files.copyItem(
            atPath: "\(Machine.repository)/Examples/Reminder/Info.plist", toPath: "\(bundle)/Info.plist")
        try files.copyItem(atPath: "\(Machine.programs)/Reminder", toPath: "\(bundle)/Reminder")
        try system.expect("install", bundle)
    }
}
