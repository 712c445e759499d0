import DBus
import NotificationsService
import TestBus
import Testing

@Suite("Notifications on the screen", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct PresenterTests {
    @Test("One is shown, and another one with the same identifier takes its place")
    func replacement() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, first: 7)
        let stage = try Stage(bus)
        #expect(!stage.isShowing)
        stage.show(.plain("a", "1"))
        #expect(try daemon.notified.next().replaced == 0)
        #expect(try stage.awaitDisplay("a").number == 7)
        stage.show(.plain("a", "2"))
        let second = try daemon.notified.next()
        #expect(second.replaced == 7 && second.title == "2" && !second.isSilent)
        stage.show(.plain("b"))
        #expect(try daemon.notified.next().replaced == 0)
        #expect(stage.isShowing)
    }

    @Test("What changes before the daemon has answered is sent when it has")
    func changes() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, manner: .holds)
        let stage = try Stage(bus)
        for title in ["1", "2", "3"] { stage.show(.plain("a", title)) }
        #expect(try daemon.notified.next().title == "1")
        daemon.behave(.answers)
        daemon.answer()
        let last = try daemon.notified.next()
        #expect(last.title == "3" && last.replaced == 1 && !last.isSilent)
        #expect(daemon.notified.rest.isEmpty)
    }

    @Test("What is withdrawn is closed, at once or when the daemon has answered")
    func withdrawal() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a"))
        try stage.awaitDisplay("a")
        stage.withdraw("a")
        #expect(try daemon.closed.next() == 1)
        daemon.behave(.holds)
        stage.show(.plain("b"))
        _ = try daemon.notified.next()
        _ = try daemon.notified.next()
        stage.withdraw("b")
        daemon.answer()
        #expect(try daemon.closed.next() == 2)
        daemon.behave(.answers)
        stage.show(.plain("c"))
        try stage.awaitDisplay("c")
        daemon.behave(.holds)
        stage.show(.plain("c", "Changed"))
        for _ in 0..<2 { _ = try daemon.notified.next() }
        stage.withdraw("c")
        daemon.answer()
        #expect(try daemon.closed.next() == 3)
        stage.withdraw("nothing")
        // Each was closed once.
        stage.show(.plain("d"))
        _ = try daemon.notified.next()
        #expect(daemon.closed.rest.isEmpty)
        stage.withdraw("d")
        daemon.answer()
        #expect(try daemon.closed.next() == 4)
        #expect(stage.told.rest.isEmpty && !stage.isShowing)
    }

    @Test("An action that a person chose, and the token of the desktop, are told once, and it is gone")
    func acting() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        var shown = Shown.plain("a")
        shown.actions = [.init(id: "default", title: "A"), .init(id: "ä\n", title: "B")]
        stage.show(shown)
        let handle = try stage.awaitDisplay("a")
        for key in ["other", "action-2", "action--1", "action-", "inline-reply"] { try daemon.act(handle.number, key) }
        try daemon.act(handle.number + 1)
        try daemon.act(handle.number, "action-1", token: "token-1")
        #expect(try stage.told.next() == .acted("a", ShownAnswer(action: "ä\n", token: "token-1")))
        #expect(try daemon.closed.next() == handle.number)
        try daemon.act(handle.number)
        try daemon.close(handle.number, reason: 2)
        stage.show(.plain("b"))
        try daemon.act(stage.awaitDisplay("b").number)
        #expect(try stage.told.next() == .acted("b", ShownAnswer()), "nothing else was told of the first")
    }

    @Test("A text that a person typed answers the action that asked for it")
    func replying() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        var shown = Shown.plain("a")
        shown.actions = [.init(id: "later", title: "Later"), .init(id: "reply", title: "Reply", placeholder: "Text")]
        stage.show(shown)
        try daemon.reply(stage.awaitDisplay("a").number, "Hello")
        #expect(try stage.told.next() == .acted("a", ShownAnswer(action: "reply", text: "Hello")))
        stage.show(.plain("b"))
        let number = try stage.awaitDisplay("b").number
        try daemon.reply(number, "nobody asked")
        try daemon.act(number)
        #expect(try stage.told.next() == .acted("b", ShownAnswer()))
    }

    @Test("Only what a person dismissed is told to be dismissed")
    func dismissing() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        for (id, reason) in [("expired", 1), ("closed", 3), ("lost", 4), ("dismissed", 2)] as [(String, UInt32)] {
            stage.show(.plain(id))
            try daemon.close(stage.awaitDisplay(id).number, reason: reason)
        }
        #expect(try stage.told.next() == .dismissed("dismissed"))
        #expect(stage.gone.rest == ["expired", "closed", "lost"])
        #expect(!stage.isShowing)
    }

    @Test("A tap is a tap, whether its daemon says first that it closed the notification or afterwards")
    func tapAndClose() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        for round in 0..<20 {
            let id = "n\(round)"
            var shown = Shown.plain(id)
            shown.actions = [.init(id: "a", title: "A"), .init(id: "reply", title: "R", placeholder: "")]
            stage.show(shown)
            let number = try stage.awaitDisplay(id).number
            switch round % 5 {
            case 0:
                try daemon.close(number, reason: 2)
                try daemon.act(number, "action-0", token: "t")
                #expect(try stage.told.next() == .acted(id, ShownAnswer(action: "a", token: "t")))
            case 1:
                try daemon.act(number)
                try daemon.close(number, reason: 2)
                #expect(try stage.told.next() == .acted(id, ShownAnswer()))
            case 2:
                try daemon.close(number, reason: 2)
                try daemon.reply(number, "Hello")
                #expect(try stage.told.next() == .acted(id, ShownAnswer(action: "reply", text: "Hello")))
            case 3:
                try daemon.close(number, reason: 2)
                // What was asked behind the end of the notification is answered before the action is told.
                for _ in 0..<3 {
                    _ = try daemon.peer.call(
                        DBusCall(
                            "GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                            to: "org.freedesktop.DBus"))
                }
                try daemon.act(number)
                #expect(try stage.told.next() == .acted(id, ShownAnswer()))
            default:
                try daemon.close(number, reason: 2)
                #expect(try stage.told.next() == .dismissed(id))
            }
        }
        #expect(stage.told.rest.isEmpty && stage.gone.rest.isEmpty)
    }

    @Test("One that went by itself can still be acted on, from the daemon's list of what it has shown")
    func history() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a"))
        let number = try stage.awaitDisplay("a").number
        try daemon.close(number, reason: 1)
        #expect(try stage.gone.next() == "a")
        stage.show(.plain("b"))
        let other = try stage.awaitDisplay("b").number
        try daemon.act(number)
        #expect(try stage.told.next() == .acted("a", ShownAnswer()))
        try daemon.act(number)
        try daemon.act(other)
        #expect(try stage.told.next() == .acted("b", ShownAnswer()), "the first was answered once")
        // What was withdrawn is nobody's affair any more.
        stage.show(.plain("c"))
        let withdrawn = try stage.awaitDisplay("c").number
        stage.withdraw("c")
        try daemon.act(withdrawn)
        stage.show(.plain("d"))
        try daemon.act(stage.awaitDisplay("d").number)
        #expect(try stage.told.next() == .acted("d", ShownAnswer()))
    }

    @Test("Other programs cannot act in the daemon's name")
    func forgery() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        let forger = try BusPeer(bus)
        stage.show(.plain("a"))
        let number = try stage.awaitDisplay("a").number
        let object = forger.on {
            $0.export(
                FakeDaemon.path,
                [
                    DBusInterface(
                        FakeDaemon.name,
                        signals: [.init("ActionInvoked", carries: ["id": .uint32, "key": .string])])
                ])
        }
        try forger.on { _ in
            try object.emit("ActionInvoked", of: FakeDaemon.name, [.uint32(number), .string("default")])
        }
        _ = try forger.call(
            DBusCall("GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus"))
        try daemon.close(number, reason: 2)
        #expect(try stage.told.next() == .dismissed("a"))
    }

    @Test("What the daemon refuses is told, and not asked for again")
    func refusal() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a", "1"))
        try stage.awaitDisplay("a")
        _ = try daemon.notified.next()
        daemon.behave(.refuses)
        stage.show(.plain("a", "2"))
        guard case .refused("a", .refused(let name, "too many")) = try stage.told.next() else {
            Issue.record("it was not told")
            return
        }
        #expect(name == "org.freedesktop.Notifications.Error.ExcessNotificationGeneration")
        #expect(try daemon.closed.next() == 1, "what it was to replace is out of date")
        daemon.behave(.answers)
        stage.show(.plain("b"))
        _ = try daemon.notified.next()
        #expect(try daemon.notified.next().title == "Title")
    }

    @Test("Where the daemon makes one of two, the one whose place was taken is gone, and the other answers")
    func merged() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, manner: .numbers(5))
        let stage = try Stage(bus)
        stage.show(.plain("a"))
        try stage.awaitDisplay("a")
        stage.show(.plain("b"))
        try stage.awaitDisplay("b")
        #expect(try stage.gone.next() == "a")
        // It is none of the daemon's affairs any more.
        stage.withdraw("a")
        try daemon.act(5)
        #expect(try stage.told.next() == .acted("b", ShownAnswer()))
        #expect(!stage.isShowing && !stage.isNeeded)
        #expect(try daemon.closed.next() == 5)
        #expect(daemon.closed.rest.isEmpty)
    }

    @Test("A daemon that gives what it replaces another number has the old one closed")
    func renumbered() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let stage = try Stage(bus)
        stage.show(.plain("a", "1"))
        #expect(try stage.awaitDisplay("a").number == 1)
        daemon.behave(.numbers(9))
        stage.show(.plain("a", "2"))
        #expect(try stage.awaitDisplay("a").number == 9)
        #expect(try daemon.closed.next() == 1)
        try daemon.act(1)
        try daemon.act(9)
        #expect(try stage.told.next() == .acted("a", ShownAnswer()))
        #expect(stage.told.rest.isEmpty)
    }

    @Test("A daemon that gives no number has shown nothing that could be found again")
    func zero() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, manner: .numbers(0))
        let stage = try Stage(bus)
        stage.show(.plain("a"))
        _ = try daemon.notified.next()
        guard case .refused("a", .unexpected) = try stage.told.next() else {
            Issue.record("it was not told")
            return
        }
        #expect(!stage.isNeeded)
    }

    @Test("The daemon is asked for a few at a time, and for no more than a thousand in all")
    func bounds() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, manner: .holds)
        let stage = try Stage(bus)
        let count = Presenter.most + 10
        stage.on { presenter in for number in 0..<count { presenter.show(.plain("\(number)", "\(number)")) } }
        for number in 0..<16 { #expect(try daemon.notified.next().title == "\(number)") }
        #expect(daemon.notified.rest.isEmpty)
        daemon.behave(.answers)
        daemon.answer()
        // The oldest ten gave way: they are told to be gone, and closed as soon as they have come.
        #expect(Set(stage.gone.rest) == Set((0..<10).map(String.init)))
        for number in 1...10 { #expect(try daemon.closed.next() == UInt32(number)) }
        for number in 16..<count { #expect(try daemon.notified.next().title == "\(number)") }
    }
}
