import DBus
import LinuxSystem
import TestBus
import Testing
import Wire

extension SystemTests {
    /// Notifications on a bus, from a provider or an app to a person and back.
    @Suite(
        "Notifications on the screen", .serialized, .enabled(if: Beacon.isBuilt, "NOT TESTED: Beacon is not built"),
        .enabled(if: PushGate.isThere, "NOT TESTED: needs greenroom-pushgate, curl and openssl"),
        .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
    struct ShownNotifications {
        @Test("A provider's alert is shown, and a tap on it opens the suspended app, which hears of it")
        func tapped() throws {
            let bus = try TestBus()
            let daemon = try FakeDaemon(bus)
            let world = try PushWorld(environment: bus.environment)
            defer { world.system.end() }
            try world.beacon.sleeps()
            let process = try world.system.app(Beacon.app).pid
            try world.send(PushWorld.alert)
            let shown = try daemon.notified.next()
            #expect(shown.app == "Beacon" && shown.title == "News" && shown.body.contains("Read them"))
            #expect(try world.system.app(Beacon.app).state == "suspended", "nothing has woken it")
            try daemon.act(1)
            let response = try world.beacon.hears("response")
            #expect(response["message"]?.string == "m1" && response["background"] == false)
            try world.beacon.isOn("active")
            #expect(try world.system.app(Beacon.app).pid == process)
            #expect(try world.system.shown().isEmpty)
            #expect(daemon.notified.rest.isEmpty)
        }

        @Test("A tap on a push of an app that is gone launches it with the payload")
        func launched() throws {
            let bus = try TestBus()
            let daemon = try FakeDaemon(bus)
            let world = try PushWorld(environment: bus.environment)
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.beacon.kill()
            try world.send(PushWorld.alert)
            _ = try daemon.notified.next()
            try daemon.act(1)
            let launch = try world.beacon.hears("launched", 2)
            #expect(launch["background"] == false)
            #expect(launch["payload"] == (try JSONValue(parsing: PushWorld.alert)))
            #expect(try world.beacon.hears("response")["message"]?.string == "m1")
        }

        @Test("An alert with content available is shown, and wakes the app as well")
        func both() throws {
            let bus = try TestBus()
            let daemon = try FakeDaemon(bus)
            let world = try PushWorld(environment: bus.environment)
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.send(#"{"aps":{"alert":"News","content-available":1},"message":"m1"}"#)
            _ = try daemon.notified.next()
            #expect(try world.beacon.hears("push")["payload"]?["message"]?.string == "m1")
            try world.beacon.isOn("suspended")
            #expect(try world.system.shown().count == 1)
        }

        @Test("What is on the screen stays there when the service dies, replaced by its own kind, and is withdrawn")
        func replaced() throws {
            let bus = try TestBus()
            let daemon = try FakeDaemon(bus)
            let world = try PushWorld(environment: bus.environment)
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.send(PushWorld.alert, "apns-collapse-id: news")
            #expect(try daemon.notified.next().replaced == 0)
            try world.system.until("its place is known") {
                try world.system.expect("push", "status").contains("fake")
            }
            try world.system.pushService().send(9)
            try world.send(PushWorld.alert.replacing("News", with: "More"), "apns-collapse-id: news")
            // The next service shows it again in its place, and then what replaces it.
            while try daemon.notified.next().title != "More" {}
            #expect(try world.system.shown().count == 1)
            try world.beacon.obey("withdraw?id=news")
            #expect(try daemon.closed.next() == 1)
            #expect(try world.system.shown().isEmpty)
        }

        @Test(
            "On Dunst a notification that an app asked for is drawn at its time, and a tap opens the app",
            .enabled(if: Dunst.isThere, "NOT TESTED: needs dunst and Xvfb (Debian: dunst, xvfb)"))
        func dunst() throws {
            let bus = try TestBus()
            let dunst = try Dunst(bus)
            let system = try TestSystem(environment: bus.environment)
            defer { system.end() }
            let beacon = try Beacon(in: system)
            try beacon.obey("register")
            try beacon.hears("authorization")
            try beacon.obey("add?id=tea&title=Tea&body=It%20is%20ready&after=1")
            try beacon.sleeps()
            try dunst.awaitDisplayed(1)
            try dunst.call("NotificationAction", [.uint32(0)])
            #expect(try beacon.hears("response")["id"]?.string == "tea")
            try beacon.isOn("active")
            try dunst.awaitDisplayed(0)
        }
    }
}
