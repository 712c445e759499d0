import DBus
import LinuxSystem
import NotificationsService
import TestBus
import Testing

@Suite(
    "A notification daemon that comes and goes", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct ComingAndGoingTests {
    @Test("Without a bus, and without a daemon, that is said in a sentence")
    func sentences() throws {
        let bus = try TestBus(isRunning: false)
        let stage = Stage(bus.address)
        #expect(stage.status == .noBus(nil))
        #expect("\(stage.status)" == "Notifications are kept, not shown: there is no D-Bus session bus.")
        try bus.start()
        try stage.awaitStatus(.noDaemon(nil))
        #expect("\(stage.status)" == "Notifications are kept, not shown: no notification daemon runs.")
        let daemon = try FakeDaemon(bus)
        try stage.awaitDaemon()
        #expect("\(stage.status)" == "Notifications are shown by fake 1.0.")
        daemon.die()
        try stage.awaitStatus(.noDaemon(nil))
        bus.stop()
        while true {
            if case .noBus = try stage.statuses.next() { break }
        }
    }

    @Test("What came before there was a daemon is shown when there is one, in its order and with its sound")
    func late() throws {
        let bus = try TestBus()
        let stage = Stage(bus.address)
        try stage.awaitStatus(.noDaemon(nil))
        for id in ["a", "b", "c", "d"] { stage.show(.plain(id, id)) }
        stage.show(.plain("b", "b, later"))
        stage.withdraw("c")
        let daemon = try FakeDaemon(bus)
        for title in ["a", "b, later", "d"] {
            let notify = try daemon.notified.next()
            #expect(notify.title == title && !notify.isSilent)
        }
        for id in ["a", "b", "d"] { try stage.awaitDisplay(id) }
        #expect(daemon.notified.rest.isEmpty)
    }

    @Test("After the daemon's death what should still be shown is shown again, once and without a sound")
    func again() throws {
        let bus = try TestBus()
        let first = try FakeDaemon(bus)
        let stage = try Stage(bus)
        for id in ["stays", "acted", "dismissed", "withdrawn", "expired", "replaced"] { stage.show(.plain(id, id)) }
        for id in ["stays", "acted", "dismissed", "withdrawn", "expired", "replaced"] { try stage.awaitDisplay(id) }
        try first.act(2)
        try first.close(3, reason: 2)
        #expect(try stage.told.next() == .acted("acted", ShownAnswer()))
        #expect(try stage.told.next() == .dismissed("dismissed"))
        stage.withdraw("withdrawn")
        try first.close(5, reason: 1)
        stage.show(.plain("replaced", "replaced, later"))
        try stage.awaitDisplay("replaced")
        first.die()
        try stage.awaitStatus(.noDaemon(nil))
        #expect(!stage.isShowing)
        stage.show(.plain("new", "new"))
        let second = try FakeDaemon(bus, first: 100)
        let shown = try (0..<3).map { _ in try second.notified.next() }
        #expect(shown.map(\.title) == ["stays", "replaced, later", "new"])
        #expect(shown.map(\.isSilent) == [true, true, false])
        #expect(shown.allSatisfy { $0.replaced == 0 }, "the numbers of the first mean nothing to the second")
        for (id, number) in [("stays", 100), ("replaced", 101), ("new", 102)] as [(String, UInt32)] {
            #expect(try stage.awaitDisplay(id).number == number)
        }
        #expect(second.notified.rest.isEmpty && second.closed.rest.isEmpty)
        try second.act(100)
        #expect(try stage.told.next() == .acted("stays", ShownAnswer()))
    }

    @Test("Two daemons that die of the same notification are enough")
    func poison() throws {
        let bus = try TestBus()
        let first = try FakeDaemon(bus, manner: .holds)
        let stage = try Stage(bus)
        stage.show(.plain("poison"))
        _ = try first.notified.next()
        first.die()
        try stage.awaitStatus(.noDaemon(nil))
        let second = try FakeDaemon(bus, manner: .holds)
        _ = try second.notified.next()
        second.die()
        #expect(try stage.told.next() == .refused("poison", .disconnected))
        try stage.awaitStatus(.noDaemon(nil))
        stage.show(.plain("good", "good"))
        let third = try FakeDaemon(bus)
        #expect(try third.notified.next().title == "good")
    }

    @Test("When only the bus went, each is shown once by the daemon that comes with the next one")
    func busRestarts() throws {
        let bus = try TestBus()
        var daemon: FakeDaemon? = try FakeDaemon(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a"))
        let before = try stage.awaitDisplay("a")
        daemon = nil
        bus.stop()
        try bus.start()
        daemon = try FakeDaemon(bus)
        let notify = try daemon?.notified.next()
        #expect(notify?.replaced == 0 && notify?.isSilent == true)
        let after = try stage.awaitDisplay("a")
        #expect(before.bus != after.bus, "the daemon's name and number may be the same by chance")
    }

    @Test("The next process finds on the screen what the one before has shown, and replaces or closes it")
    func recovery() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        var earlier: Stage? = try Stage(bus)
        let handles = try ["a", "b", "c"].map { id in
            earlier?.show(.plain(id, id))
            _ = try daemon.notified.next()
            return try earlier?.awaitDisplay(id)
        }.compactMap { $0 }
        earlier = nil
        let other = ShownHandle(bus: handles[0].bus, owner: ":9.9", number: 9)
        let stage = Stage(bus.address) { presenter in
            presenter.recover(.plain("a", "a"), as: handles[0])
            presenter.recover(.plain("b", "b"), as: handles[1])
            presenter.recover(.plain("x", "x"), as: other)
            // It was to be shown, and its process died before that.
            presenter.recover(.plain("y", "y"), as: nil, isSilent: false)
            presenter.withdraw("b")
        }
        #expect(try daemon.closed.next() == 2)
        let again = try (0..<3).map { _ in try daemon.notified.next() }
        #expect(again.map(\.title) == ["a", "x", "y"] && again.map(\.replaced) == [1, 0, 0])
        #expect(again.map(\.isSilent) == [true, true, false])
        for id in ["a", "x", "y"] { try stage.awaitDisplay(id) }
        try daemon.act(1)
        #expect(try stage.told.next() == .acted("a", ShownAnswer()))
    }

    @Test("A daemon that does not say what it can do is asked again with the next notification")
    func silent() throws {
        let bus = try TestBus()
        let peer = try BusPeer(bus)
        let name = peer.on { $0.own(FakeDaemon.name) }
        let stage = Stage(bus.address)
        while true {
            if case .noDaemon(.some) = try stage.statuses.next() { break }
        }
        #expect("\(stage.status)".contains("the notification daemon does not answer"))
        let object = peer.on { connection in
            connection.export(
                FakeDaemon.path,
                [
                    DBusInterface(
                        FakeDaemon.name,
                        methods: [
                            .init("GetCapabilities", returns: ["capabilities": .array(.string)]) {
                                $0.answer([.strings([])])
                            }
                        ])
                ])
        }
        stage.show(.plain("a"))
        #expect(try stage.awaitDaemon().name == "a daemon without a name")
        withExtendedLifetime((name, object)) {}
    }
}
