import DBus
import Dispatch
import LinuxSystem
import Synchronization
import TestBus
import Testing

@Suite("Calls on a bus", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct CallTests {
    static let values: [DBusValue] = [
        .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
        .int64(.min), .uint64(.max), .double(-0.5), .double(.infinity), .string(""), .string("ä\u{1F600}\n"),
        .objectPath("/"), .objectPath("/org/a"), .signature([]), .signature([.array(.variant), .int32]),
        .variant(.int16(5)), .variant(.variant(.string("deep"))), .bytes([]), .bytes([0, 1, 255]),
        .array(.string, []), .strings(["a", "", "b"]), .array(.int64, [.int64(1), .int64(-1)]),
        .array(.array(.byte), [.bytes([1]), .bytes([])]),
        .array(.variant, [.variant(.byte(1)), .variant(.string("x"))]),
        .array(.structure([.string, .uint32]), [.structure([.string("a"), .uint32(1)])]),
        .dictionary(key: .string, value: .variant, []),
        .properties(["a": .uint32(1), "b": .strings(["c"]), "d": .properties(["e": .boolean(true)])]),
        .dictionary(
            key: .uint32, value: .structure([.double, .string]),
            [DBusEntry(.uint32(2), .structure([.double(1), .string("z")]))]),
        .structure([.byte(1), .structure([.string("in"), .int64(2)]), .bytes([3])]),
    ]

    @Test("Every value comes back as it was, with its type")
    func echo() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        defer { withExtendedLifetime(echo) {} }
        for value in Self.values {
            #expect(try peer.call(.echo("Echo", [.variant(value)])) == .success([.variant(value)]), "\(value)")
        }
    }

    @Test("A descriptor arrives as another one of the same file")
    func descriptors() throws {
        let bus = try TestBus()
        let echo = try Echo(bus, takesDescriptors: true)
        let peer = try BusPeer(bus, takesDescriptors: true)
        let (mine, other) = try UnixSocket.pair()
        let sent = DBusValue.descriptor(DBusDescriptor(mine))
        defer { withExtendedLifetime(echo) {} }
        let answer = try peer.call(.echo("Echo", [.variant(sent)])).get()
        guard case .descriptor(let came)? = answer.first?.plain else {
            Issue.record("\(answer)")
            return
        }
        #expect(came.descriptor.rawValue != mine.rawValue)
        _ = try came.descriptor.send([1, 2])
        var bytes: [UInt8] = []
        #expect(try other.read(into: &bytes, upTo: 8) == .bytes(2))
    }

    @Test("An error has the name and the words that the peer gave it")
    func refused() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let failing = DBusCall.echo("Fail", [.string("dev.greenroom.Wrong"), .string("it is wrong")])
        defer { withExtendedLifetime(echo) {} }
        #expect(
            try peer.call(failing) == .failure(.refused(name: "dev.greenroom.Wrong", message: "it is wrong")))
        // A name that D-Bus does not allow cannot be sent: the caller hears that it failed.
        let nameless = try peer.call(.echo("Fail", [.string("no name"), .string("")]))
        #expect(Self.errorName(nameless) == DBusError.Name.failed)
    }

    static func errorName(_ result: Result<[DBusValue], DBusError>) -> String? {
        if case .failure(.refused(let name, _)) = result { return name }
        return nil
    }

    @Test("What an object does not have is refused with the error that D-Bus has for it")
    func unknown() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        defer { withExtendedLifetime(echo) {} }
        #expect(Self.errorName(try peer.call(.echo("Nothing"))) == DBusError.Name.unknownMethod)
        #expect(
            Self.errorName(try peer.call(.echo("Add", [.string("1"), .string("2")])))
                == DBusError.Name.invalidArgs)
        #expect(Self.errorName(try peer.call(.echo("Add", [.int32(1)]))) == DBusError.Name.invalidArgs)
        var elsewhere = DBusCall.echo("Add")
        elsewhere.path = "/dev/greenroom"
        #expect(Self.errorName(try peer.call(elsewhere)) == DBusError.Name.unknownObject)
        var other = DBusCall.echo("Add")
        other.interface = "dev.greenroom.Other"
        #expect(Self.errorName(try peer.call(other)) == DBusError.Name.unknownInterface)
        // The handler let the call go.
        #expect(Self.errorName(try peer.call(.echo("Forget"))) == DBusError.Name.noReply)
        // It answered with another type than it declared.
        #expect(Self.errorName(try peer.call(.echo("Lie"))) == DBusError.Name.failed)
    }

    @Test("An answer of other types than were asked for is an error")
    func unexpected() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let call = DBusCall.echo("Add", [.int32(2), .int32(3)], returns: [.int32])
        defer { withExtendedLifetime(echo) {} }
        #expect(try peer.call(call) == .success([.int32(5)]))
        var wrong = call
        wrong.returns = [.string]
        #expect(try peer.call(wrong) == .failure(.unexpected(types: "i")))
    }

    @Test("A call without an answer ends at its time, and no other call waits for it")
    func timeout() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let ends = Mailbox<String>()
        let begin = Clock.monotonic()
        defer { withExtendedLifetime(echo) {} }
        peer.on { connection in
            connection.call(.echo("Hold", timeout: .milliseconds(300))) { ends.post("hold \($0)") }
            connection.call(.echo("Add", [.int32(1), .int32(1)])) { ends.post("add \($0)") }
        }
        #expect(try ends.next() == "add \(Result<[DBusValue], DBusError>.success([.int32(2)]))")
        #expect(try ends.next() == "hold \(Result<[DBusValue], DBusError>.failure(.timedOut))")
        #expect(Clock.monotonic() - begin >= 300_000_000)
    }

    @Test("A call that is let go on another thread is answered on the queue, and never beside what happens there")
    func letGoElsewhere() throws {
        let bus = try TestBus()
        let (callee, peer) = (try BusPeer(bus), try BusPeer(bus))
        let kept = Mutex<Kept?>(nil)
        let came = Mailbox<Bool>()
        let object = callee.on { connection in
            connection.export(
                "/kept",
                [
                    .init(
                        "dev.greenroom.Kept",
                        methods: [
                            .init("Keep") { call in
                                kept.withLock { $0 = Kept(call: call) }
                                came.post(true)
                            }
                        ])
                ])
        }
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        guard case .connected(let name) = callee.on({ $0.state }) else { throw DBusError.notConnected }
        peer.on { $0.call(DBusCall("Keep", of: "dev.greenroom.Kept", at: "/kept", to: name)) { answers.post($0) } }
        _ = try came.next()
        let isOver = DispatchSemaphore(value: 0)
        callee.queue.async { isOver.wait() }
        kept.withLock { $0 = nil }
        // The bus would have handed an answer on before this one.
        let daemon = "org.freedesktop.DBus"
        #expect(throws: Never.self) {
            try peer.call(DBusCall("GetId", of: daemon, at: "/org/freedesktop/DBus", to: daemon)).get()
        }
        #expect(answers.rest.isEmpty)
        isOver.signal()
        #expect(Self.errorName(try answers.next()) == DBusError.Name.noReply)
        withExtendedLifetime(object) {}
    }

    /// Unchecked: made on the queue, and let go elsewhere, which is what the test is about.
    private struct Kept: @unchecked Sendable { let call: DBusInvocation }

    @Test("A name that no program has is an error of its own")
    func noOwner() throws {
        let peer = try BusPeer(TestBus())
        let call = DBusCall("A", of: "a.b", at: "/", to: "dev.greenroom.Nobody")
        #expect(try peer.call(call) == .failure(.disconnected) || peer.call(call) == .failure(.notConnected))
        let bus = try TestBus()
        let other = try BusPeer(bus)
        #expect(try other.call(call) == .failure(.noOwner("dev.greenroom.Nobody")))
    }

    @Test("A call whose peer goes ends at once")
    func peerGoes() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        peer.on { $0.call(.echo("Hold")) { answers.post($0) } }
        _ = try echo.held.next()
        echo.peer.on { $0.close() }
        #expect(CallTests.errorName(try answers.next()) == DBusError.Name.noReply)
    }

    @Test("What D-Bus does not allow is not sent")
    func invalid() throws {
        let bus = try TestBus()
        let peer = try BusPeer(bus)
        func isInvalid(_ call: DBusCall) throws -> Bool {
            if case .failure(.invalid) = try peer.call(call) { return true }
            return false
        }
        #expect(try isInvalid(DBusCall("no method", of: "a.b", at: "/", to: "a.b")))
        #expect(try isInvalid(DBusCall("A", of: "no interface", at: "/", to: "a.b")))
        #expect(try isInvalid(DBusCall("A", of: "a.b", at: "/", to: "nobody")))
        for value: DBusValue in [
            .string("a\0b"), .array(.string, [.int32(1)]), .structure([]),
            .dictionary(key: .variant, value: .string, []),
            .dictionary(key: .string, value: .int32, [DBusEntry(.string("a"), .string("b"))]),
        ] {
            #expect(try isInvalid(.echo("Echo", [.variant(value)])), "\(value)")
        }
        let large = DBusValue.bytes([UInt8](repeating: 0, count: 2 << 20))
        #expect(try peer.call(.echo("Echo", [.variant(large)])) == .failure(.tooLarge))
        // The connection is as good as before.
        #expect(try peer.call(.bus("GetId")).get().count == 1)
    }

    @Test("The largest message that is taken comes whole")
    func large() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let bytes = DBusValue.bytes([UInt8](repeating: 7, count: 1 << 20))
        defer { withExtendedLifetime(echo) {} }
        #expect(try peer.call(.echo("Count", [bytes])) == .success([.uint32(1 << 20)]))
    }

    @Test("More calls than may wait at once are refused, and the others are answered")
    func many() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        let count = 1500
        defer { withExtendedLifetime(echo) {} }
        peer.on { connection in
            for _ in 0..<count { connection.call(.echo("Add", [.int32(1), .int32(2)])) { answers.post($0) } }
        }
        let all = try (0..<count).map { _ in try answers.next() }
        #expect(all.filter { $0 == .failure(.tooMany) }.count == count - 1024)
        #expect(all.filter { $0 == .success([.int32(3)]) }.count == 1024)
    }
}

extension DBusCall {
    /// A call of the bus itself.
    static func bus(_ method: String, _ arguments: [DBusValue] = []) -> DBusCall {
        DBusCall(
            method, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: "org.freedesktop.DBus", arguments)
    }
}
