import Glibc
import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Notifications that apps ask for themselves, with real processes, without anything that shows them: they are
    /// kept and listed then, and acted on by the tool.
    @Suite("Local notifications", .serialized, .enabled(if: Beacon.isBuilt, "NOT TESTED: Beacon is not built"))
    struct LocalNotifications {
        /// An app that may notify.
        private func begin(_ app: String = Beacon.app) throws -> (TestSystem, Beacon) {
            let system = try TestSystem()
            let beacon = try Beacon(in: system, as: app)
            try beacon.obey("register")
            try beacon.hears("authorization")
            return (system, beacon)
        }

        private func id(_ system: TestSystem) throws -> String {
            try system.until("it is shown") { try system.shown().count == 1 }
            return try #require(try system.shown().first?["id"]?.string)
        }

        @Test(
            "At a time, and after an interval, each is shown once, although app, service and daemon were killed",
            arguments: ["after=3", "at"])
        func survives(_ trigger: String) throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            let due = Clock.wall() / 1_000_000_000 + 4
            try beacon.obey("add?id=tea&title=Tea&badge=2&\(trigger == "at" ? "at=\(due)" : trigger)")
            #expect(try beacon.hears("added")["error"] == nil)
            #expect(try system.notifications().compactMap { $0["place"]?.string } == ["pending"])
            try beacon.sleeps()
            try beacon.kill()
            let service = try system.pushService()
            try service.send(9)
            try system.killDaemon()
            try system.until("it is shown") { try system.shown().count == 1 }
            let shown = try #require(try system.shown().first)
            #expect(shown["request"]?["content"]?["title"]?.string == "Tea")
            #expect(try system.pushService().pid != service.pid)
            try system.pushService().send(9)
            try system.until("it is not shown again") { try system.notifications().count == 1 }
            #expect(try system.shown().first?["id"] == shown["id"])
            #expect(try system.app(Beacon.app).state == "not-running")
            let status = try JSONValue(parsing: system.expect("push", "status", "--json"))
            #expect(try status.array("apps").first?["badge"]?.int == 2)
        }

        @Test("The app on the screen is asked, and what it wants is shown")
        func onScreen() throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            for (manner, count) in [("none", 0), ("list", 1), ("all", 2)] {
                try beacon.obey("present?as=\(manner)")
                try beacon.obey("add?id=\(manner)&title=Tea")
                try system.until("it is asked") {
                    try beacon.heard("present").last?["id"]?.string == manner
                }
                try system.until("what it said counts") { try system.shown().count == count }
            }
            #expect(try beacon.heard("present").count == 3)
        }

        @Test("A tap brings a suspended app to the screen, which hears of it; one that is gone is launched for it")
        func tapped() throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            for (number, isKilled) in [(1, false), (2, true)] {
                try beacon.obey("add?id=tea\(number)&title=Tea&after=0.5")
                try beacon.sleeps()
                if isKilled { try beacon.kill() }
                try system.expect("notifications", "act", id(system))
                let response = try beacon.hears("response", number)
                #expect(response["id"]?.string == "tea\(number)" && response["background"] == false)
                #expect(response["action"]?.string == "com.apple.UNNotificationDefaultActionIdentifier")
                try beacon.isOn("active")
                #expect(try system.shown().isEmpty)
            }
            let why = try system.expect("why", "beacon")
            #expect(why.contains("the user tapped a notification"), "\(why)")
            let launches = try beacon.heard("launched").compactMap { $0["options"]?.array?.first?.string }
            #expect(launches == ["UIApplicationLaunchOptionsURLKey", "UIApplicationLaunchOptionsLocalNotificationKey"])
        }

        @Test("An action wakes the app in the background, or brings it to the screen, as it was declared")
        func actions() throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            for (number, action) in [(1, "done"), (2, "look")] {
                try beacon.obey("add?id=tea\(number)&title=Tea&after=0.5&category=task")
                try beacon.sleeps()
                try system.expect("notifications", "act", id(system), "--action", action)
                let response = try beacon.hears("response", number)
                #expect(response["action"]?.string == action && response["background"] == .bool(action == "done"))
                try beacon.isOn(action == "done" ? "suspended" : "active")
            }
        }

        @Test("What is pending can be cancelled, and what is shown withdrawn; a badge is set and taken away")
        func withdrawn() throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            try beacon.obey("add?id=later&title=Later&after=3600")
            try beacon.obey("present?as=list")
            try beacon.obey("add?id=now&title=Now")
            try system.until("one is shown") { try system.shown().count == 1 }
            try beacon.obey("list")
            #expect(try beacon.hears("pending")["ids"] == ["later"])
            #expect(try beacon.hears("delivered")["ids"] == ["now"])
            try beacon.obey("cancel?id=later")
            try beacon.obey("withdraw?id=now")
            try system.until("both are gone") { try system.notifications().isEmpty }
            for count in [7, 0] {
                try beacon.obey("badge?count=\(count)")
                try system.until("the badge is \(count)") {
                    let status = try JSONValue(parsing: system.expect("push", "status", "--json"))
                    return try status.array("apps").first?["badge"]?.int == count
                }
            }
        }

        @Test("The API of before there was a center does the same")
        func older() throws {
            let system = try TestSystem()
            defer { system.end() }
            let beacon = try Beacon(in: system, as: "org.greenroom.fixtures.older")
            try beacon.obey("older?body=Tea&message=m1")
            #expect(try beacon.hears("older settings")["types"] == 5)
            // On the screen the delegate is told, and nothing is shown.
            #expect(try beacon.hears("older")["body"]?.string == "Tea")
            try beacon.obey("older?body=Cake&message=m2&badge=4&after=0.5")
            try beacon.sleeps()
            try system.expect("notifications", "act", id(system))
            let told = try beacon.hears("older", 2)
            #expect(told["body"]?.string == "Cake" && told["info"] == ["message": "m2"])
            try beacon.obey("older?body=Never&after=3600")
            try system.until("it is pending") { try system.notifications().count == 1 }
            try beacon.obey("older-cancel")
            try system.until("it is cancelled") { try system.notifications().isEmpty }
        }

        @Test("What the user does not allow is accepted and not shown")
        func denied() throws {
            let (system, beacon) = try begin()
            defer { system.end() }
            try system.expect("notifications", "deny", "beacon")
            try beacon.obey("add?id=tea&title=Tea&after=0.3")
            #expect(try beacon.hears("added")["error"] == nil)
            try beacon.sleeps()
            try system.until("its time has come") { try system.notifications().isEmpty }
            try system.expect("notifications", "allow", "beacon")
            try beacon.obey("add?id=cake&title=Cake&after=0.3")
            try beacon.sleeps()
            try system.until("it is shown") { try system.shown().count == 1 }
        }
    }
}
