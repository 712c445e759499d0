import DBus
import LinuxSystem
import NotificationsService
import TestBus
import Testing

/// `python3-dbusmock`'s daemon, which others test their programs with.
@Suite(
    "Notifications on dbusmock's daemon",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: MockDaemon.isThere, "NOT TESTED: needs dbusmock (Debian: python3-dbusmock)"))
struct MockDaemonTests {
    @Test("It is introduced, shows one, replaces it and closes it")
    func life() throws {
        let bus = try TestBus()
        let stage = Stage(bus.address)
        let mock = try MockDaemon(bus, capabilities: "body actions")
        let daemon = try stage.awaitDaemon()
        #expect(daemon.name == "mock-notify" && daemon.version == "1.0" && daemon.capabilities == ["body", "actions"])
        stage.show(.plain("a", "First"))
        let handle = try stage.awaitDisplay("a")
        stage.show(.plain("a", "Second"))
        #expect(try stage.awaitDisplay("a") == handle)
        stage.withdraw("a")
        let calls = try mock.calls(3, of: ["Notify", "CloseNotification"])
        #expect(calls.map(\.method) == ["Notify", "Notify", "CloseNotification"])
        let replaced = calls.prefix(2).map { $0.arguments[1].plain }
        #expect(replaced == [.uint32(0), .uint32(handle.number)])
        #expect(calls.prefix(2).map { $0.arguments[3].plain } == [.string("First"), .string("Second")])
        // The mock reads the number with a sign.
        #expect(calls[2].arguments.first?.plain.int == Int(handle.number))
    }

    @Test("What a person does there comes back")
    func acting() throws {
        let bus = try TestBus()
        let mock = try MockDaemon(bus, capabilities: "actions")
        let stage = try Stage(bus)
        var shown = Shown.plain("a")
        shown.actions = [.init(id: "listen", title: "Listen")]
        stage.show(shown)
        try mock.emit("ActionInvoked", "us", [.uint32(stage.awaitDisplay("a").number), .string("action-0")])
        #expect(try stage.told.next() == .acted("a", ShownAnswer(action: "listen")))
        stage.show(.plain("b"))
        try mock.emit("NotificationClosed", "uu", [.uint32(stage.awaitDisplay("b").number), .uint32(2)])
        #expect(try stage.told.next() == .dismissed("b"))
    }

    @Test("The bus starts one for the first notification, where one is installed")
    func activation() throws {
        let command = ([MockDaemon.program] + MockDaemon.arguments).joined(separator: " ")
        let bus = try TestBus(starting: [FakeDaemon.name: command])
        let stage = Stage(bus.address)
        try stage.awaitStatus(.noDaemon(nil))
        #expect(stage.statuses.rest.isEmpty, "nothing is to be shown yet")
        stage.show(.plain("a"))
        try stage.awaitDisplay("a")
        // Its process is the bus's child, and ends with it.
        #expect(stage.isShowing)
    }
}

/// Dunst, which draws them: with a screen of the test's own.
@Suite(
    "Notifications on Dunst",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: Dunst.isThere, "NOT TESTED: needs dunst and Xvfb (Debian: dunst, xvfb)"))
struct DunstTests {
    @Test("It draws one, a tap opens it, and it is gone from the screen")
    func tapping() throws {
        let bus = try TestBus()
        let stage = Stage(bus.address)
        let dunst = try Dunst(bus)
        let daemon = try stage.awaitDaemon()
        #expect(daemon.name == "dunst" && daemon.hasActions && daemon.hasBody)
        #expect("\(stage.status)" == "Notifications are shown by dunst \(daemon.version).")
        stage.show(.plain("a", "Title <b>"))
        try stage.awaitDisplay("a")
        try dunst.awaitDisplayed(1)
        try dunst.call("NotificationAction", [.uint32(0)])
        #expect(try stage.told.next() == .acted("a", ShownAnswer()))
        try dunst.awaitDisplayed(0)
        #expect(stage.told.rest.isEmpty, "it was not dismissed as well")
    }

    @Test("Dismissing is told, replacing keeps one on the screen, and withdrawing takes it away")
    func dismissing() throws {
        let bus = try TestBus()
        let dunst = try Dunst(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a", "1"))
        let handle = try stage.awaitDisplay("a")
        stage.show(.plain("a", "2"))
        #expect(try stage.awaitDisplay("a") == handle)
        try dunst.awaitDisplayed(1)
        try dunst.call("NotificationCloseAll")
        #expect(try stage.told.next() == .dismissed("a"))
        stage.show(.plain("b"))
        try stage.awaitDisplay("b")
        try dunst.awaitDisplayed(1)
        stage.withdraw("b")
        try dunst.awaitDisplayed(0)
        #expect(stage.told.rest.isEmpty && !stage.isShowing)
    }

    @Test("Killed and started again, it shows what it had")
    func killed() throws {
        let bus = try TestBus()
        let stage = Stage(bus.address)
        var dunst: Dunst? = try Dunst(bus)
        try stage.awaitDaemon()
        // Dunst makes one of two that look alike.
        for id in ["a", "b"] {
            stage.show(.plain(id, "Title of \(id)"))
            try stage.awaitDisplay(id)
        }
        stage.withdraw("b")
        try dunst?.awaitDisplayed(1)
        dunst = nil
        try stage.awaitStatus(.noDaemon(nil))
        dunst = try Dunst(bus)
        try stage.awaitDisplay("a")
        try dunst?.awaitDisplayed(1)
        try dunst?.call("NotificationAction", [.uint32(0)])
        #expect(try stage.told.next() == .acted("a", ShownAnswer()))
    }
}
