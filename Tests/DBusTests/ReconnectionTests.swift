import DBus
import LinuxSystem
import TestBus
import Testing

@Suite("A bus that comes and goes", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct ReconnectionTests {
    @Test("A bus that is not there yet is waited for")
    func comes() throws {
        let bus = try TestBus(isRunning: false)
        let peer = BusPeer(bus.address)
        #expect(try peer.call(.bus("GetId")) == .failure(.notConnected))
        try bus.start()
        try peer.awaitConnection()
        #expect(try peer.call(.bus("GetId")).get().count == 1)
    }

    @Test("Waiting for a bus costs nothing: no thread of the process runs for it")
    func waitsQuietly() throws {
        let bus = try TestBus(isRunning: false)
        let peer = BusPeer(bus.address)
        // It has begun to wait when this is answered.
        #expect(try peer.call(.bus("GetId")) == .failure(.notConnected))
        #expect(peer.states.rest.isEmpty, "no attempt has failed: it waits for the socket itself")
    }

    @Test("When the bus went away and came back, subscriptions, watches, objects and names hold as before")
    func goes() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let (heard, owners) = (Mailbox<[DBusValue]>(), Mailbox<String?>())
        let kept = peer.on { connection in
            [
                connection.subscribe(DBusMatch(sender: Echo.name, member: "Said")) { heard.post($0.arguments) },
                connection.watch(Echo.name) { owners.post($0) },
            ]
        }
        #expect(try owners.next() != nil)
        bus.stop()
        #expect(try owners.next() == nil)
        guard case .waiting(.some) = try peer.states.next() else {
            Issue.record("it does not say that the bus went")
            return
        }
        try bus.start()
        try peer.awaitConnection()
        // The other one may be back later.
        while try owners.next() == nil {}
        _ = try peer.call(.bus("GetId"))
        try echo.emit("Said", [.string("again")])
        #expect(try heard.next() == [.string("again")])
        #expect(try peer.call(.echo("Add", [.int32(4), .int32(5)])) == .success([.int32(9)]))
        withExtendedLifetime(kept) {}
    }

    @Test("A call that waits when the bus goes ends as disconnected")
    func callEnds() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        peer.on { $0.call(.echo("Hold")) { answers.post($0) } }
        _ = try echo.held.next()
        bus.stop()
        #expect(try answers.next() == .failure(.disconnected))
    }

    @Test("A closed connection stays closed, and its calls fail")
    func closed() throws {
        let bus = try TestBus()
        let peer = try BusPeer(bus)
        peer.on { $0.close() }
        #expect(try peer.states.next() == .closed)
        #expect(try peer.call(.bus("GetId")) == .failure(.notConnected))
        #expect(peer.on { $0.state } == .closed)
    }

    @Test(
        "What is no address is said, and not tried without end", arguments: ["", "nothing", "unix:", "tcp:host=\u{1}"])
    func badAddress(_ text: String) throws {
        let peer = BusPeer(.at(text))
        guard case .waiting(.some) = try peer.states.next() else {
            Issue.record("“\(text)” was taken for an address")
            return
        }
    }

    @Test("A socket that belongs to no bus is given up, and tried again after pauses that grow")
    func notABus() throws {
        let folder = "/tmp/greenroom-nobus-\(CurrentProcess.pid)"
        try FileSystem.makeDirectory(folder)
        defer { try? FileSystem.removeTree(folder) }
        let listener = try UnixSocket.listen(at: "\(folder)/bus", mode: 0o600)
        let epoll = try Epoll()
        try epoll.add(listener.rawValue, .readable, token: 1)
        let peer = BusPeer(.at(DBusAddress.path("\(folder)/bus")))
        let begin = Clock.monotonic()
        for _ in 0..<4 {
            var ready: [Epoll.Ready] = []
            try epoll.wait(milliseconds: 20_000, &ready)
            let socket = try #require(try UnixSocket.accept(listener))
            _ = try socket.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)[...])
        }
        guard case .waiting(.some) = try peer.states.next() else {
            Issue.record("it was taken for a bus")
            return
        }
        // A tenth of a second, then two, then four.
        #expect(Clock.monotonic() - begin >= 700_000_000)
    }
}
