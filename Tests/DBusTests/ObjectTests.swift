import DBus
import LinuxSystem
import TestBus
import Testing

@Suite("Objects on a bus", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct ObjectTests {
    private func property(_ method: String, _ arguments: [DBusValue]) -> DBusCall {
        DBusCall(
            method, of: "org.freedesktop.DBus.Properties", at: Echo.path, to: Echo.name, arguments)
    }

    @Test("Properties are read, all at once too, and written where they may be")
    func properties() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let interface = DBusValue.string(Echo.interface)
        func get(_ name: String) throws -> DBusValue? {
            try peer.call(property("Get", [interface, .string(name)])).get().first?.plain
        }
        #expect(try get("Volume") == .double(1) && get("Identity") == .string("Echo"))
        #expect(
            try peer.call(property("Set", [interface, .string("Volume"), .variant(.double(0.5))])) == .success([]))
        #expect(try echo.volumes.next() == 0.5)
        let all = try peer.call(property("GetAll", [interface])).get().first
        #expect(all?["Volume"] == .double(0.5) && all?["Position"] == .int64(7) && all?["Queue"] == .strings(["a"]))
        func error(_ method: String, _ arguments: [DBusValue]) throws -> String? {
            CallTests.errorName(try peer.call(property(method, arguments)))
        }
        #expect(try error("Get", [interface, .string("None")]) == DBusError.Name.unknownProperty)
        #expect(try error("GetAll", [.string("a.b")]) == DBusError.Name.unknownInterface)
        #expect(
            try error("Set", [interface, .string("Identity"), .variant(.string("x"))])
                == DBusError.Name.propertyReadOnly)
        #expect(
            try error("Set", [interface, .string("Volume"), .variant(.int32(1))]) == DBusError.Name.invalidArgs)
        #expect(
            try error("Set", [interface, .string("Volume"), .variant(.double(2))]) == "dev.greenroom.TooLoud")
        #expect(try error("Get", [interface]) == DBusError.Name.invalidArgs)
        #expect(try error("Take", []) == DBusError.Name.unknownMethod)
    }

    @Test("A change is said as each property was declared: with its value, without it, or not at all")
    func changes() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let heard = Mailbox<[DBusValue]>()
        let match = DBusMatch(
            sender: Echo.name, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            argument: Echo.interface)
        let registration = peer.on { $0.subscribe(match) { heard.post($0.arguments) } }
        _ = try peer.call(.bus("GetId"))
        try echo.changed(["Position", "Identity"])
        try echo.changed(["Volume", "Queue", "Position"])
        #expect(
            try heard.next() == [.string(Echo.interface), .properties(["Volume": .double(1)]), .strings(["Queue"])])
        #expect(heard.rest.isEmpty)
        withExtendedLifetime(registration) {}
    }

    private static let sender = "/usr/bin/dbus-send"

    @Test(
        "Another implementation of D-Bus reads what an object offers, and uses it",
        .enabled(if: FileSystem.exists(sender), "NOT TESTED: needs dbus-send (Debian: dbus-bin)"))
    func otherImplementation() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        func send(_ path: String, _ method: String, _ arguments: String...) throws -> String {
            try TestProgram.run(
                Self.sender,
                ["--bus=\(bus.address.text)", "--print-reply", "--dest=\(Echo.name)", path, method] + arguments
            ).output
        }
        let introspect = "org.freedesktop.DBus.Introspectable.Introspect"
        let object = try send(Echo.path.text, introspect)
        for part in [
            "<interface name=\"dev.greenroom.Echo\">", "<method name=\"Add\">",
            "<arg name=\"a\" type=\"i\" direction=\"in\"/>", "<arg name=\"sum\" type=\"i\" direction=\"out\"/>",
            "<property name=\"Volume\" type=\"d\" access=\"readwrite\">",
            "<property name=\"Identity\" type=\"s\" access=\"read\">",
            "name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"const\"", "<signal name=\"Said\">",
            "<arg name=\"what\" type=\"s\"/>", "org.freedesktop.DBus.Properties",
        ] {
            #expect(object.contains(part), "\(part) is not in \(object)")
        }
        defer { withExtendedLifetime(echo) {} }
        #expect(try send("/dev", introspect).contains("<node name=\"greenroom\"/>"))
        #expect(try send("/", introspect).contains("<node name=\"dev\"/>"))
        #expect(try send(Echo.path.text, "\(Echo.interface).Add", "int32:2", "int32:40").contains("int32 42"))
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try send(
                Echo.path.text, "\(properties).Get", "string:\(Echo.interface)", "string:Identity"
            ).contains("\"Echo\""))
        #expect(try send("/any", "org.freedesktop.DBus.Peer.GetMachineId").contains("string \""))
    }

    @Test("An object goes with the last reference to it")
    func removal() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        #expect(try peer.call(.echo("Add", [.int32(1), .int32(1)])) == .success([.int32(2)]))
        echo.removeObject()
        #expect(CallTests.errorName(try peer.call(.echo("Add"))) == DBusError.Name.unknownObject)
    }

    @Test("A peer that leaves its calls unanswered is given no more than it may hold")
    func unanswered() throws {
        let bus = try TestBus()
        let echo = try Echo(bus)
        let peer = try BusPeer(bus)
        let answers = Mailbox<Result<[DBusValue], DBusError>>()
        defer { withExtendedLifetime(echo) {} }
        peer.on { connection in
            for _ in 0..<300 { connection.call(.echo("Hold")) { answers.post($0) } }
        }
        for _ in 0..<44 { #expect(CallTests.errorName(try answers.next()) == DBusError.Name.limitsExceeded) }
        for _ in 0..<256 { _ = try echo.held.next() }
        #expect(answers.rest.isEmpty)
    }
}
