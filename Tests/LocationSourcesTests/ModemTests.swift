import DBus
import LocationModel
import LocationSources
import TestBus
import Testing

@Suite("Names of cells")
struct CellNameTests {
    @Test(
        arguments: [
            ("310,260,8BE3,E3A,0", "310-260-8BE3-E3A"), ("262,01,fffe,1a2d303,00B2", "262-01-B2-1A2D303"),
            ("262,01,0,1A2D303,B2", "262-01-B2-1A2D303"), ("262,1,1,1", nil), ("262, 01, 0001, 0002", "262-01-1-2"),
            ("", nil), (",,,,", nil), ("262,01,FFFE,1,0", nil), ("262,01,1,0,1", nil), ("262,01,G,1", nil),
            ("26,01,1,1,1", nil), ("262,01,1,1234567890,1", nil), ("262,01,1,1,1,1", nil), ("-62,01,1,1", nil),
            ("٢٦٢,01,1,1", nil), (String(repeating: "1,", count: 1000), nil),
        ] as [(String, String?)])
    func `A cell is named by country, network, area and number`(_ text: String, _ name: String?) {
        #expect(CellName.tower(text) == name.map { CellTower($0) })
    }
}

@Suite("Cells", .enabled(if: MockModemManager.isThere, Comment(rawValue: MockModemManager.missing)))
struct ModemTests {
    private let listener = Listener()

    private func awaitTower() throws -> String? {
        while true {
            if case .tower(let tower) = try listener.told.next() { return tower?.name }
        }
    }

    private func cells(_ bus: ListenerBus) -> ModemCells {
        ModemCells(queue: listener.queue, bus: bus.connection)
    }

    @Test func `Changes of the cell are told, until the modem or ModemManager goes`() throws {
        let bus = try TestBus()
        let connection = try ListenerBus(bus, listener)
        let cells = cells(connection)
        cells.start(listener)
        try listener.awaitAbsence("ModemManager does not run")
        let manager = try MockModemManager(bus)
        try listener.awaitAbsence("is in no cell")
        try manager.move(to: "310,260,8BE3,E3A,0")
        #expect(try listener.awaitState() == .present)
        #expect(try awaitTower() == "310-260-8BE3-E3A")
        try manager.move(to: "310,260,8BE3,E3A,0")
        try manager.move(to: "310,260,8BE3,E3B,0")
        #expect(try awaitTower() == "310-260-8BE3-E3B")
        try manager.move(to: nil)
        #expect(try awaitTower() == nil)
        try listener.awaitAbsence("is in no cell")
        try manager.move(to: "310,260,1,2,0")
        #expect(try awaitTower() == "310-260-1-2")
        try manager.unplug()
        #expect(try awaitTower() == nil)
        try listener.awaitAbsence("has no modem")
        try manager.plugIn()
        #expect(try awaitTower() == "262-01-1A-FF")
        manager.kill()
        #expect(try awaitTower() == nil)
        try listener.awaitAbsence("does not run")
        #expect(listener.told.rest.isEmpty)
        listener.on { cells.end() }
    }

    @Test func `A modem that is there is found, and while it is off nothing is told`() throws {
        let bus = try TestBus()
        let manager = try MockModemManager(bus)
        let connection = try ListenerBus(bus, listener)
        let cells = cells(connection)
        cells.start(listener)
        try listener.awaitAbsence("is in no cell")
        try manager.move(to: "310,260,1,2,0")
        #expect(try awaitTower() == "310-260-1-2")
        listener.on { cells.isOn = false }
        #expect(try awaitTower() == nil)
        try manager.move(to: "310,260,1,3,0")
        listener.on { cells.isOn = true }
        #expect(try awaitTower() == "310-260-1-3")
        #expect(listener.told.rest.isEmpty)
        listener.on { cells.end() }
    }

    @Test func `A modem that is off is asked again when its state changes`() throws {
        let bus = try TestBus()
        let manager = try MockModemManager(bus, setUp: MockModemManager.needsState)
        let connection = try ListenerBus(bus, listener)
        let cells = cells(connection)
        cells.start(listener)
        try listener.awaitAbsence("unlock its SIM card")
        try manager.changeState(8)
        try listener.awaitAbsence("is in no cell")
        try manager.move(to: "310,260,1,2,0")
        #expect(try awaitTower() == "310-260-1-2")
        listener.on { cells.end() }
    }

    @Test func `It is told when ModemManager refuses, and when no modem knows its cell`() throws {
        let refusal = """
            error = "org.freedesktop.ModemManager1.Error.Core.Unauthorized"
            raise dbus.exceptions.DBusException("not allowed", name=error)
            """
        let bus = try TestBus()
        let manager = try MockModemManager(bus, setUp: refusal)
        let connection = try ListenerBus(bus, listener)
        let cells = cells(connection)
        cells.start(listener)
        try listener.awaitAbsence("in a rule of polkit")
        manager.kill()
        try listener.awaitAbsence("does not run")
        let other = try MockModemManager(bus, capabilities: 2)
        try listener.awaitAbsence("has no modem that knows its cell")
        listener.on { cells.end() }
        withExtendedLifetime(other) {}
    }

    @Test func `Probes say what is there`() throws {
        let bus = try TestBus()
        let connection = try ListenerBus(bus, listener)
        let answers = Mailbox<SourceProbe>()
        func probe() throws -> [Bool] {
            listener.on {
                SourceProbe.modemManager(connection.connection) { answers.post($0) }
                SourceProbe.compass(connection.connection) { answers.post($0) }
                SourceProbe.geoClue(connection.connection) { answers.post($0) }
            }
            let all = try (0..<3).map { _ in try answers.next() }
            return all.sorted { $0.name < $1.name }.map(\.isThere)
        }
        #expect(try probe() == [false, false, false])
        let manager = try MockModemManager(bus)
        #expect(try probe() == [false, true, false])
        bus.stop()
        withExtendedLifetime(manager) {}
    }
}
