package import DBus
package import Dispatch
internal import LocationModel

/// The cell that the telephone is in, by ModemManager.
///
/// Modems are asked to report their cell; whether they still do when this is turned off is left alone, since others
/// may want it too. ModemManager is never started: where it has something to do it runs.
///
/// Unchecked: used on its queue only; its client is called there.
package final class ModemCells: LocationSource, @unchecked Sendable {
    static let name = "org.freedesktop.ModemManager1"
    private static let root: DBusObjectPath = "/org/freedesktop/ModemManager1"
    private static let objects = "org.freedesktop.DBus.ObjectManager"
    private static let modem = "org.freedesktop.ModemManager1.Modem"
    private static let location = "org.freedesktop.ModemManager1.Modem.Location"
    /// ModemManager's number of places that are cells.
    private static let cellSource: UInt32 = 1
    private static let mostModems = 16

    private let queue: DispatchQueue
    private let bus: DBusConnection
    private weak var client: (any LocationSourceClient)?
    private var told = ToldState()
    private var toldTower: CellTower?
    private var registrations: [DBusRegistration] = []
    private var nameWatch: DBusRegistration?
    private var owner: String?
    private var modems: [DBusObjectPath: Modem] = [:]
    /// The modem whose cell counts: the same one for as long as it is in one.
    private var current: DBusObjectPath?

    private struct Modem {
        var knowsCells = false
        var enabled: UInt32 = 0
        var signals = false
        var isAsked = false
        /// Why it does not report its cell.
        var failure: DBusError?
        var tower: CellTower?

        var reports: Bool { signals && enabled & ModemCells.cellSource != 0 }
    }

    package init(queue: DispatchQueue, bus: DBusConnection) { (self.queue, self.bus) = (queue, bus) }

    package func begin(_ client: any LocationSourceClient) {
        dispatchPrecondition(condition: .onQueue(queue))
        self.client = client
        tell(.present)
    }

    package func end() {
        dispatchPrecondition(condition: .onQueue(queue))
        client = nil
        isOn = false
    }

    package var isOn = false {
        didSet {
            dispatchPrecondition(condition: .onQueue(queue))
            guard isOn != oldValue else { return }
            (owner, registrations, nameWatch) = (nil, [], nil)
            forgetModems()
            guard isOn else { return }
            if !bus.isConnected { tell(.absent(SystemService.noBus)) }
            nameWatch = bus.watch(Self.name) { [weak self] in self?.ownerChanged($0) }
        }
    }

    private func tell(_ state: SourceState) {
        if told.set(state) { client?.source(.cell, is: state) }
    }

    // MARK: ModemManager comes and goes

    private func ownerChanged(_ new: String?) {
        guard isOn else { return }
        owner = new
        registrations = []
        forgetModems()
        guard let new else {
            judge()
            return
        }
        // By the connection's own name: what comes is always of this owner.
        let matches = [
            DBusMatch(sender: new, path: Self.root, interface: Self.objects),
            DBusMatch(sender: new, interface: SystemService.properties, member: "PropertiesChanged"),
        ]
        registrations = matches.map { match in bus.subscribe(match) { [weak self] in self?.heard($0) } }
        let call = DBusCall(
            "GetManagedObjects", of: Self.objects, at: Self.root, to: new, startsDestination: false)
        bus.call(call) { [weak self] result in
            guard let self, owner == new else { return }
            if case .dictionary(_, _, let entries)? = try? result.get().first {
                for entry in entries {
                    if case .objectPath(let path) = entry.key { add(path, entry.value) }
                }
            }
            judge()
        }
    }

    private func forgetModems() {
        (modems, current) = ([:], nil)
        tellTower(nil)
    }

    private func heard(_ signal: DBusSignal) {
        let arguments = signal.arguments
        switch signal.member {
        case "InterfacesAdded":
            guard arguments.count == 2, case .objectPath(let path) = arguments[0] else { return }
            add(path, arguments[1])
        case "InterfacesRemoved":
            guard arguments.count == 2, case .objectPath(let path) = arguments[0],
                arguments[1].strings?.contains(Self.location) == true
            else { return }
            modems[path] = nil
        case "PropertiesChanged":
            guard let path = DBusObjectPath(text: signal.path), modems[path] != nil else { return }
            if let changes = SystemService.changes(signal, of: Self.location) {
                read(path, changes)
            } else if let changes = SystemService.changes(signal, of: Self.modem), changes["State"] != nil {
                // A modem that is off or locked refuses, and this may have ended.
                modems[path]?.isAsked = false
                setUp(path)
            }
        default: return
        }
        judge()
    }

    // MARK: Modems

    private func add(_ path: DBusObjectPath, _ interfaces: DBusValue) {
        guard let properties = interfaces[Self.location], modems[path] != nil || modems.count < Self.mostModems else {
            return
        }
        modems[path] = Modem()
        read(path, properties)
        setUp(path)
    }

    private func read(_ path: DBusObjectPath, _ properties: DBusValue) {
        if let capabilities = properties["Capabilities"]?.int {
            modems[path]?.knowsCells = capabilities & Int(Self.cellSource) != 0
        }
        if let enabled = properties["Enabled"]?.int { modems[path]?.enabled = UInt32(clamping: enabled) }
        if let signals = properties["SignalsLocation"]?.bool { modems[path]?.signals = signals }
        if let places = properties["Location"] { readPlaces(path, places) }
    }

    private func readPlaces(_ path: DBusObjectPath, _ places: DBusValue) {
        guard case .dictionary(.uint32, _, let entries) = places else { return }
        let cell = entries.first { $0.key == .uint32(Self.cellSource) }?.value.plain.string
        modems[path]?.tower = cell.flatMap { CellName.tower($0) }
    }

    private func setUp(_ path: DBusObjectPath) {
        guard let modem = modems[path], let owner, modem.knowsCells, !modem.isAsked, !modem.reports else { return }
        modems[path]?.isAsked = true
        let call = DBusCall(
            "Setup", of: Self.location, at: path, to: owner,
            [.uint32(modem.enabled | Self.cellSource), .boolean(true)], startsDestination: false)
        bus.call(call) { [weak self] result in
            guard let self, self.owner == owner, modems[path] != nil else { return }
            switch result {
            case .success:
                modems[path]?.failure = nil
                readNow(path, owner)
            case .failure(let error):
                modems[path]?.failure = error
                judge()
            }
        }
    }

    /// Where it is already; from here on there are signals.
    private func readNow(_ path: DBusObjectPath, _ owner: String) {
        let call = DBusCall("GetLocation", of: Self.location, at: path, to: owner, startsDestination: false)
        bus.call(call) { [weak self] result in
            guard let self, self.owner == owner, modems[path] != nil else { return }
            if let places = try? result.get().first { readPlaces(path, places) }
            judge()
        }
    }

    // MARK: The client is told

    private func judge() {
        if current.flatMap({ modems[$0]?.tower }) == nil {
            current = modems.filter { $0.value.tower != nil }.keys.min { $0.text < $1.text }
        }
        let tower = current.flatMap { modems[$0]?.tower }
        guard let problem else {
            tell(.present)
            return tellTower(tower)
        }
        tellTower(nil)
        tell(.absent(problem))
    }

    private func tellTower(_ tower: CellTower?) {
        guard tower != toldTower else { return }
        toldTower = tower
        client?.moved(to: tower)
    }

    private var problem: String? {
        guard bus.isConnected else { return SystemService.noBus }
        guard owner != nil else { return "ModemManager does not run: install and start it (Debian: modemmanager)" }
        guard current == nil else { return nil }
        let able = modems.values.filter(\.knowsCells)
        guard !able.isEmpty else { return "ModemManager has no modem that knows its cell: plug one in" }
        guard let failure = able.lazy.compactMap(\.failure).first else {
            return "The modem is in no cell: check its SIM card, and that flight mode is off"
        }
        return failure.isDenial || failure.isUnauthorized
            ? "ModemManager lets Greenroom not read the cell (\(failure.plainText)): allow "
                + "org.freedesktop.ModemManager1.Location to Greenroom's user in a rule of polkit"
            : "The modem does not report its cell (\(failure.plainText)): turn it on, and unlock its SIM card"
    }
}

extension DBusError {
    fileprivate var isUnauthorized: Bool {
        if case .refused("org.freedesktop.ModemManager1.Error.Core.Unauthorized", _) = self { return true }
        return false
    }
}
