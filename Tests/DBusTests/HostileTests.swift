import DBus
import Glibc
import LinuxSystem
import TestBus
import Testing

@Suite("Peers that mean harm", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct HostileTests {
    @Test("A message that is too large is thrown away unread, and the next one is read")
    func tooLarge() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        defer { withExtendedLifetime(echo) {} }
        let peer = try BusPeer(bus)
        let attacker = try RawClient("\(bus.folder)/bus")
        for _ in 0..<3 { try attacker.send(to: Echo.name, "Count", "ay", RawClient.bytes(24 << 20)) }
        // What lies in it does not pass for messages, either.
        let inner = RawClient.message(1, to: Echo.name, "Hold", "", [])
        let body = Array(repeatElement(inner, count: (4 << 20) / inner.count).joined())
        try attacker.send(to: Echo.name, "Count", "ay", RawClient.number(UInt32(body.count)) + body)
        try attacker.send(to: Echo.name, "Hold", "", [])
        _ = try echo.held.next()
        #expect(try peer.call(.echo("Count", [.bytes([1, 2, 3])])) == .success([.uint32(3)]))
        #expect(echo.held.rest.isEmpty)
        #expect(echo.peer.on { $0.discarded } == 4)
    }

    @Test("One of many small values is refused before they take memory, and its sender hears why")
    func manyValues() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        defer { withExtendedLifetime(echo) {} }
        let peer = try BusPeer(bus)
        let many = DBusValue.array(.int32, (0..<70_000).map { .int32($0) })
        #expect(CallTests.errorName(try peer.call(.echo("Echo", [.variant(many)]))) == DBusError.Name.limitsExceeded)
        #expect(try peer.call(.echo("Add", [.int32(2), .int32(2)])) == .success([.int32(4)]))
    }

    @Test("A flood of calls leaves the queue to others, and nothing of it stays")
    func flood() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        defer { withExtendedLifetime(echo) {} }
        let attacker = try RawClient("\(bus.folder)/bus")
        let chunk = (1...2000).flatMap { RawClient.message($0, to: Echo.name, "Add", "", []) }
        let peer = try BusPeer(bus)
        for _ in 0..<20 {
            try attacker.write(chunk)
            #expect(echo.peer.on { _ in true }, "the queue is free in between")
            #expect(try peer.call(.echo("Add", [.int32(2), .int32(2)])) == .success([.int32(4)]))
        }
    }

    @Test(
        "Values that are wrong inside a right message are refused, and the connection stays",
        arguments: [
            ("s", RawClient.number(3) + [0xff, 0xfe, 0xfd, 0]), ("o", RawClient.number(2) + [0x61, 0x62, 0]),
            ("b", RawClient.number(7)), ("v", [1, 0x7a, 0, 0]),
        ])
    func malformed(_ signature: String, _ body: [UInt8]) throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        defer { withExtendedLifetime(echo) {} }
        // The bus itself ends the connection of a peer that sends such a thing.
        try? RawClient("\(bus.folder)/bus").send(to: Echo.name, "Echo", signature, body)
        let peer = try BusPeer(bus)
        #expect(try peer.call(.echo("Add", [.int32(2), .int32(2)])) == .success([.int32(4)]))
    }
}

@Suite("Messages that are too large")
struct OversizeGuardTests {
    private static func header(_ body: UInt32, fields: UInt32 = 5, first: UInt8 = UInt8(ascii: "l")) -> [UInt8] {
        [first, 1, 0, 1] + RawClient.number(body) + RawClient.number(1) + RawClient.number(fields)
    }

    @Test("The length of a message follows from its header, in both byte orders")
    func size() {
        #expect(OversizeGuard.size(Self.header(100)) == 16 + 8 + 100)
        #expect(OversizeGuard.size(Self.header(0, fields: 8)) == 16 + 8)
        let big = [UInt8(ascii: "B"), 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 16] as [UInt8]
        #expect(OversizeGuard.size(big) == 16 + 16 + 256)
        for (index, byte) in [(0, 0x6d), (1, 0), (1, 5), (3, 2), (8, 0)] as [(Int, UInt8)] {
            var wrong = Self.header(100)
            wrong[index] = byte
            #expect(OversizeGuard.size(wrong) == nil)
        }
        #expect(OversizeGuard.size(Self.header(1 << 28)) == nil)
    }

    @Test("Only what certainly begins a message is judged, and a discarded one may come in pieces")
    func looking() throws {
        let (here, there) = try UnixSocket.pair()
        var oversize = OversizeGuard()
        #expect(oversize.look(at: here.rawValue) == .empty)
        let large = UInt32(OversizeGuard.mostBytes)
        _ = try there.send(Self.header(large, fields: 0)[...])
        #expect(oversize.look(at: here.rawValue) == .discarding)
        var left = Int(large)
        while left > 0 {
            let piece = [UInt8](repeating: UInt8(ascii: "l"), count: min(left, 50_000))
            guard case .bytes(let count) = try there.send(piece[...]) else { break }
            left -= count
            #expect(oversize.look(at: here.rawValue) == (left > 0 ? .discarding : .empty))
        }
        #expect(oversize.discarded == 1)
        // A small one is not this guard's affair; neither is what follows a part of one.
        _ = try there.send((Self.header(0, fields: 0) + Self.header(large, fields: 0))[...])
        #expect(oversize.look(at: here.rawValue) == .admitted)
        var bytes: [UInt8] = []
        _ = try here.read(into: &bytes, upTo: 8)
        oversize.readSome()
        #expect(oversize.look(at: here.rawValue) == .admitted)
        _ = try here.read(into: &bytes, upTo: 8)
        oversize.sawMessage()
        #expect(oversize.look(at: here.rawValue) == .discarding)
    }

    @Test("What follows a part of a message is no message, whatever it looks like")
    func parts() throws {
        let (here, there) = try UnixSocket.pair()
        var oversize = OversizeGuard()
        let large = Self.header(UInt32(OversizeGuard.mostBytes), fields: 0)
        _ = try there.send(Self.header(100, fields: 0)[...])
        #expect(oversize.look(at: here.rawValue) == .admitted)
        var bytes: [UInt8] = []
        _ = try here.read(into: &bytes, upTo: 16)
        _ = try there.send(large[...])
        #expect(oversize.look(at: here.rawValue) == .admitted && oversize.discarded == 0)
    }

    @Test("The end of the stream is libsystemd's to see, also in the middle of what is thrown away")
    func end() throws {
        let (here, there) = try UnixSocket.pair()
        var oversize = OversizeGuard()
        _ = try there.send(Self.header(UInt32(OversizeGuard.mostBytes), fields: 0)[...])
        #expect(oversize.look(at: here.rawValue) == .discarding)
        #expect(shutdown(there.rawValue, CInt(SHUT_RDWR)) == 0)
        #expect(oversize.look(at: here.rawValue) == .admitted)
        #expect(oversize.look(at: here.rawValue) == .admitted)
    }
}
