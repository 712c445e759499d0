import DBus
import LinuxSystem
import TestBus

/// ModemManager as python3-dbusmock plays it, with one modem.
final class MockModemManager {
    private static let program = "/usr/bin/python3"
    static let isThere = TestBus.isThere && (try? TestProgram.run(program, ["-c", "import dbusmock"]).isDone) == true
    static let missing = "NOT TESTED: needs dbus-daemon and python3-dbusmock (Debian: dbus-daemon python3-dbusmock)"
    static let name = "org.freedesktop.ModemManager1"
    static let path: DBusObjectPath = "/org/freedesktop/ModemManager1/Modem/0"
    private static let location = "org.freedesktop.ModemManager1.Modem.Location"
    private static let mock = "org.freedesktop.DBus.Mock"

    private let program: TestProgram
    private let peer: BusPeer
    private let folder: String

    /// - Parameters:
    ///   - capabilities: What kinds of places the modem knows; 1 is its cell.
    ///   - setUp: What the modem does when it is set up, in Python.
    init(_ bus: TestBus, capabilities: Int = 1, hasModem: Bool = true, setUp: String = MockModemManager.works) throws {
        folder = bus.folder
        peer = try BusPeer(bus)
        let owners = Mailbox<String?>()
        let watch = peer.on { $0.watch(Self.name) { owners.post($0) } }
        try FileSystem.replace("\(folder)/modems.py", with: Array(Self.template(capabilities, hasModem, setUp).utf8))
        program = try TestProgram(
            Self.program, ["-m", "dbusmock", "--session", "--template", "\(folder)/modems.py"],
            environment: bus.environment)
        while try owners.next() == nil {}
        withExtendedLifetime(watch) {}
    }

    func kill() { program.kill() }

    static let works = """
        self.UpdateProperties(L, {"Enabled": dbus.UInt32(args[0]), "SignalsLocation": dbus.Boolean(args[1])})
        """
    /// A modem that is off, until its state changes.
    static let needsState = """
        if self.props[M]["State"] < 8: raise dbus.exceptions.DBusException("it is off", name=M + ".Error")
        """ + "\n" + works

    private static func template(_ capabilities: Int, _ hasModem: Bool, _ setUp: String) -> String {
        """
        import dbus
        BUS_NAME = "\(name)"
        MAIN_OBJ = "/org/freedesktop/ModemManager1"
        MAIN_IFACE = "org.freedesktop.ModemManager1"
        SYSTEM_BUS = False
        IS_OBJECT_MANAGER = True
        L = "\(location)"
        M = "org.freedesktop.ModemManager1.Modem"
        def load(mock, parameters):
            if \(hasModem ? "True" : "False"): add(mock)
        # dbusmock 0.28 cannot change properties that are dictionaries.
        move = '''import dbus
        cells = {dbus.UInt32(1): dbus.String(args[0])} if args[0] else {}
        place = dbus.Dictionary(cells, signature="uv", variant_level=1)
        self.props["\(location)"]["Location"] = place
        change = dbus.Dictionary({"Location": place}, signature="sv")
        self.EmitSignal("org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
            ["\(location)", change, dbus.Array([], signature="s")])'''
        def add(mock):
            import dbusmock
            path = "\(path)"
            mock.AddObject(path, M, {"State": dbus.Int32(3)}, [])
            modem = dbusmock.get_object(path)
            code = '''import dbus
        L = "\(location)"; M = "org.freedesktop.ModemManager1.Modem"
        \(setUp)'''
            modem.AddProperties(L, {"Capabilities": dbus.UInt32(\(capabilities)), "Enabled": dbus.UInt32(0),
                "SignalsLocation": False, "Location": dbus.Dictionary({}, signature="uv")})
            modem.AddMethods("greenroom.Test", [("Move", "s", "", move)])
            modem.AddMethods(L, [("Setup", "ub", "", code),
                ("GetLocation", "", "a{uv}", 'ret = self.props["\(location)"]["Location"]')])
        """
    }

    private func call(_ method: String, at path: DBusObjectPath = MockModemManager.path, _ arguments: [DBusValue])
        throws
    {
        _ = try peer.call(DBusCall(method, of: Self.mock, at: path, to: Self.name, arguments)).get()
    }

    /// The cell that the modem is in.
    func move(to cell: String?) throws {
        _ = try peer.call(
            DBusCall("Move", of: "greenroom.Test", at: Self.path, to: Self.name, [.string(cell ?? "")])
        ).get()
    }

    func changeState(_ state: Int32) throws {
        try update("org.freedesktop.ModemManager1.Modem", ["State": .int32(state)])
    }

    private func update(_ interface: String, _ values: KeyValuePairs<String, DBusValue>) throws {
        try call("UpdateProperties", [.string(interface), .properties(values)])
    }

    func unplug() throws {
        try call(
            "EmitSignal", at: "/org/freedesktop/ModemManager1",
            [
                .string("org.freedesktop.DBus.ObjectManager"), .string("InterfacesRemoved"), .string("oas"),
                .array(
                    .variant,
                    [.variant(.objectPath(Self.path)), .variant(.strings([Self.location]))]),
            ])
    }

    /// As when it is plugged in again.
    func plugIn() throws {
        let properties = DBusValue.properties([
            "Capabilities": .uint32(1), "Enabled": .uint32(1), "SignalsLocation": .boolean(true),
            "Location": .dictionary(
                key: .uint32, value: .variant, [DBusEntry(.uint32(1), .variant(.string("262,01,1A,FF,0")))]),
        ])
        let type = DBusType.dictionary(key: .string, value: .variant)
        let interfaces = DBusValue.dictionary(
            key: .string, value: type, [DBusEntry(.string(Self.location), properties)])
        try call(
            "EmitSignal", at: "/org/freedesktop/ModemManager1",
            [
                .string("org.freedesktop.DBus.ObjectManager"), .string("InterfacesAdded"), .string("oa{sa{sv}}"),
                .array(.variant, [.variant(.objectPath(Self.path)), .variant(interfaces)]),
            ])
    }
}
