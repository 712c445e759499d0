import DBus
import Synchronization
import TestBus
import Testing

@Suite("Signals and names on a bus", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct SignalTests {
    /// A peer that hears what matches, from when the bus has heard of it.
    private func listen(
        _ peer: BusPeer, _ match: DBusMatch
    ) throws -> (heard: Mailbox<DBusSignal>, registration: DBusRegistration) {
        let heard = Mailbox<DBusSignal>()
        let registration = peer.on { $0.subscribe(match) { heard.post($0) } }
        _ = try peer.call(.bus("GetId"))
        return (heard, registration)
    }

    @Test("A signal comes to those that asked for it, with its values")
    func delivery() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let (heard, registration) = try listen(peer, DBusMatch(sender: Echo.name, path: Echo.path, member: "Said"))
        try echo.emit("Done")
        try echo.emit("Said", [.string("hello")])
        let signal = try heard.next()
        #expect(signal.member == "Said" && signal.interface == Echo.interface && signal.path == Echo.path.text)
        #expect(signal.arguments == [.string("hello")])
        #expect(heard.rest.isEmpty, "the other one was not asked for")
        withExtendedLifetime(registration) {}
    }

    @Test("A signal for one peer comes to no other")
    func unicast() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let (one, other) = (try BusPeer(bus), try BusPeer(bus))
        let match = DBusMatch(interface: Echo.interface)
        let (heard, first) = try listen(one, match)
        let (overheard, second) = try listen(other, match)
        let name = try one.call(.bus("GetNameOwner", [.string(Echo.name)])).get()
        #expect(name.count == 1)
        let mine = try one.on { connection in
            guard case .connected(let name) = connection.state else { throw DBusError.notConnected }
            return name
        }
        try echo.emit("Said", [.string("for one")], to: mine)
        try echo.emit("Done")
        #expect(try heard.next().member == "Said")
        #expect(try overheard.next().member == "Done")
        withExtendedLifetime((first, second)) {}
    }

    @Test("Nobody can speak in a name's place: a signal counts only if the name's owner sent it")
    func forgery() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let forger = try Echo(bus, name: "dev.greenroom.Forger")
        let peer = try BusPeer(bus)
        let (heard, registration) = try listen(peer, DBusMatch(sender: Echo.name, interface: Echo.interface))
        let mine = try peer.on { connection in
            guard case .connected(let name) = connection.state else { throw DBusError.notConnected }
            return name
        }
        try forger.emit("Said", [.string("forged")], to: mine)
        // The forger's turn is over when it answers: its signal has been on its way before.
        _ = try peer.call(DBusCall("Ping", of: "org.freedesktop.DBus.Peer", at: "/", to: "dev.greenroom.Forger"))
        try echo.emit("Said", [.string("true")])
        #expect(try heard.next().arguments == [.string("true")])
        withExtendedLifetime(registration) {}
    }

    @Test("The first argument can be asked for, and the names below one")
    func arguments() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let (exact, first) = try listen(peer, DBusMatch(interface: Echo.interface, argument: "it's \\ \"a, b\""))
        let (below, second) = try listen(peer, DBusMatch(interface: Echo.interface, namespace: "org.a"))
        for text in ["x", "it's \\ \"a, b\"", "org.ab", "org.a", "org.a.b"] { try echo.emit("Said", [.string(text)]) }
        #expect(try exact.next().arguments == [.string("it's \\ \"a, b\"")])
        #expect(try below.next().arguments == [.string("org.a")])
        #expect(try below.next().arguments == [.string("org.a.b")])
        #expect(exact.rest.isEmpty && below.rest.isEmpty)
        withExtendedLifetime((first, second)) {}
    }

    @Test("A subscription ends with its registration")
    func unsubscribing() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let match = DBusMatch(sender: Echo.name, interface: Echo.interface)
        let (kept, registration) = try listen(peer, match)
        let dropped = Mailbox<DBusSignal>()
        var other: DBusRegistration? = peer.on { $0.subscribe(match) { dropped.post($0) } }
        _ = try peer.call(.bus("GetId"))
        try echo.emit("Said", [.string("1")])
        #expect(try kept.next().arguments == [.string("1")])
        #expect(try dropped.next().arguments == [.string("1")])
        withExtendedLifetime(other) {}
        other = nil
        // The bus has heard of it when this is answered.
        _ = try peer.call(.bus("GetId"))
        try echo.emit("Said", [.string("2")])
        #expect(try kept.next().arguments == [.string("2")], "the other one's rule is still needed")
        #expect(dropped.rest.isEmpty)
        withExtendedLifetime(registration) {}
    }

    @Test("A handler that ends another subscription ends it at once, in the middle of a signal")
    func endingAnother() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let match = DBusMatch(sender: Echo.name, interface: Echo.interface)
        let (first, second) = (Mailbox<DBusSignal>(), Mailbox<DBusSignal>())
        let other = Mutex<DBusRegistration?>(nil)
        let registration = peer.on { connection in
            let registration = connection.subscribe(match) { signal in
                other.withLock { $0 = nil }
                first.post(signal)
            }
            other.withLock { $0 = connection.subscribe(match) { second.post($0) } }
            return registration
        }
        _ = try peer.call(.bus("GetId"))
        try echo.emit("Said", [.string("1")])
        try echo.emit("Done")
        #expect(try first.next().member == "Said")
        #expect(try first.next().member == "Done")
        #expect(second.rest.isEmpty)
        withExtendedLifetime(registration) {}
    }

    @Test("An undeclared signal, or one with other values, is not sent")
    func declared() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        #expect(throws: DBusError.self) { try echo.emit("Other") }
        #expect(throws: DBusError.self) { try echo.emit("Said", [.int32(1)]) }
    }

    @Test("A watch hears who owns a name, and each change")
    func watching() throws {
        let bus = try TestBus()
        let peer = try BusPeer(bus)
        let owners = Mailbox<String?>()
        let registration = peer.on { $0.watch(Echo.name) { owners.post($0) } }
        #expect(try owners.next() == nil)
        var echo: Echo? = try Echo(bus)
        let owner = try owners.next()
        #expect(owner.map(DBusNames.isUnique) == true)
        let late = Mailbox<String?>()
        let second = peer.on { $0.watch(Echo.name) { late.post($0) } }
        #expect(try late.next() == owner, "one that comes later hears what is known")
        echo?.releaseName()
        #expect(try owners.next() == nil)
        echo = try Echo(bus)
        #expect(try owners.next() != nil)
        echo?.peer.on { $0.close() }
        #expect(try owners.next() == nil, "its owner went without a word")
        withExtendedLifetime((registration, second, echo)) {}
    }

    @Test("A name is queued for while another program has it, and lost to one that may replace it")
    func claims() throws {
        let bus = try TestBus()
        let (one, other) = (try BusPeer(bus), try BusPeer(bus))
        let (ofOne, ofOther) = (Mailbox<DBusClaim>(), Mailbox<DBusClaim>())
        let name = "dev.greenroom.Claimed"
        var first: DBusRegistration? = one.on { $0.own(name) { ofOne.post($0) } }
        #expect(try ofOne.next() == .owned)
        var second: DBusRegistration? = other.on { $0.own(name) { ofOther.post($0) } }
        #expect(try ofOther.next() == .queued)
        first = nil
        #expect(try ofOther.next() == .owned)
        first = one.on { $0.own(name, replaces: true) { ofOne.post($0) } }
        #expect(try ofOne.next() == .owned)
        #expect(try ofOther.next() == .queued)
        second = one.on { $0.own(":1.1") { ofOther.post($0) } }
        guard case .refused = try ofOther.next() else {
            Issue.record("a name that only the bus gives was given")
            return
        }
        withExtendedLifetime((first, second)) {}
    }
}
