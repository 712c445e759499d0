package import DBus
package import Dispatch
internal import LinuxSystem
internal import LocationModel

/// Networks and addresses, by GeoClue.
///
/// GeoClue is started by the bus when this is turned on, and left to end itself when it is turned off. A GeoClue that
/// ends, refuses or breaks down is asked again after growing pauses; one that does not answer is asked once, since it
/// answers as soon as it can: it waits for an agent, which lets users decide what may know where they are.
///
/// Unchecked: used on its queue only; its client is called there.
package final class GeoClueSource: LocationSource, @unchecked Sendable {
    private let queue: DispatchQueue
    private let bus: DBusConnection
    /// How long it may take to find the first place.
    private let patience: Duration
    /// How long GeoClue may take to answer.
    private let answerTime: Duration
    private weak var client: (any LocationSourceClient)?
    private var told = ToldState()
    private var pauses = Pauses(from: 250, to: 300_000)
    private var nameWatch: DBusRegistration?
    private var owner: String?
    /// Of sessions: what is answered to an earlier one means nothing.
    private var number: UInt64 = 0
    private let timers: SessionTimers
    private var session = Session.none

    private enum Session {
        case none
        /// GeoClue was asked for a client.
        case asking
        case open(OpenSession)
    }

    private struct OpenSession {
        let path: DBusObjectPath
        var registrations: [DBusRegistration] = []
        var hasStarted = false
        var hasLocation = false
        /// One location is asked for at a time; of those that come meanwhile the last one counts.
        var isReading = false
        var next: DBusObjectPath?
    }

    package init(
        queue: DispatchQueue, bus: DBusConnection, level: GeoClue.Level = .exact, patience: Duration = .seconds(60),
        answerTime: Duration = .seconds(5)
    ) {
        (self.queue, self.bus, self.patience, self.answerTime) = (queue, bus, patience, answerTime)
        timers = SessionTimers(queue)
        self.level = level
    }

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
            pauses.reset()
            if isOn { listen() } else { rest() }
        }
    }

    /// GeoClue reads it when it starts to look, so a change begins anew.
    package var level: GeoClue.Level {
        didSet {
            guard isOn, level != oldValue, case .open = session else { return }
            leave()
            ask()
        }
    }

    private func tell(_ state: SourceState) {
        if told.set(state) { client?.source(.network, is: state) }
    }

    // MARK: GeoClue comes and goes

    private func listen() {
        if !bus.isConnected { tell(.absent(SystemService.noBus)) }
        nameWatch = bus.watch(GeoClue.name) { [weak self] in self?.ownerChanged($0) }
    }

    private func rest() {
        leave()
        (nameWatch, owner) = (nil, nil)
    }

    private func ownerChanged(_ new: String?) {
        guard isOn else { return }
        defer { owner = new }
        switch session {
        case .none: ask()
        // This is what the call has started.
        case .asking where owner == nil: break
        case .asking, .open:
            forget()
            tell(.absent(bus.isConnected ? "GeoClue has ended; it is started again" : SystemService.noBus))
            if new == nil { askLater() } else { ask() }
        }
    }

    /// What is under way means nothing any more.
    private func forget() {
        number += 1
        timers.cancel()
        session = .none
    }

    private func leave() {
        if case .open(let open) = session {
            call("Stop", of: GeoClue.client, at: open.path)
            delete(open.path)
        }
        forget()
    }

    private func delete(_ path: DBusObjectPath) {
        call("DeleteClient", of: GeoClue.manager, at: GeoClue.managerPath, [.objectPath(path)])
    }

    /// To a GeoClue that runs.
    private func call(_ method: String, of interface: String, at path: DBusObjectPath, _ arguments: [DBusValue] = []) {
        bus.call(DBusCall(method, of: interface, at: path, to: GeoClue.name, arguments, startsDestination: false))
    }

    // MARK: A client

    private func ask() {
        forget()
        session = .asking
        let current = number
        let call = DBusCall(
            "GetClient", of: GeoClue.manager, at: GeoClue.managerPath, to: GeoClue.name, returns: [.objectPath],
            timeout: SystemService.longestWait)
        bus.call(call) { [weak self] in self?.received($0, current) }
        later(answerTime) { source in
            guard case .asking = source.session else { return }
            source.tell(.absent(source.noAgent))
        }
    }

    private func received(_ result: Result<[DBusValue], DBusError>, _ current: UInt64) {
        switch result {
        case .success(let values):
            guard case .objectPath(let path)? = values.first else { return }
            if number == current { open(path) } else if !isOn { delete(path) }
        case .failure(let error):
            if number == current { failed(error) }
        }
    }

    private func open(_ path: DBusObjectPath) {
        let current = number
        var open = OpenSession(path: path)
        let matches = [
            DBusMatch(sender: GeoClue.name, path: path, interface: GeoClue.client, member: "LocationUpdated"),
            DBusMatch(
                sender: GeoClue.name, path: path, interface: SystemService.properties, member: "PropertiesChanged"),
        ]
        open.registrations = matches.map { match in
            bus.subscribe(match) { [weak self] signal in
                if let self, number == current { heard(signal) }
            }
        }
        session = .open(open)
        let values: [(String, DBusValue)] = [
            ("DesktopId", .string(GeoClue.desktopID)), ("RequestedAccuracyLevel", .uint32(level.rawValue)),
            ("DistanceThreshold", .uint32(0)),
        ]
        for (property, value) in values {
            bus.call(SystemService.set(property, value, of: GeoClue.client, at: path, of: GeoClue.name))
        }
        let start = DBusCall(
            "Start", of: GeoClue.client, at: path, to: GeoClue.name, timeout: SystemService.longestWait,
            startsDestination: false)
        bus.call(start) { [weak self] result in
            guard let self, number == current else { return }
            switch result {
            case .success: started()
            case .failure(let error): failed(error)
            }
        }
        later(answerTime) { source in
            guard case .open(let open) = source.session, !open.hasStarted else { return }
            source.tell(.absent(source.noAgent))
        }
    }

    private func change(_ body: (inout OpenSession) -> Void) {
        guard case .open(var open) = session else { return }
        body(&open)
        session = .open(open)
    }

    private func started() {
        change { $0.hasStarted = true }
        tell(.present)
        later(patience) { source in
            guard case .open(let open) = source.session, !open.hasLocation else { return }
            source.tell(
                .absent(
                    "GeoClue has found no place yet: turn on Wi-Fi and the network, or check its sources in "
                        + GeoClue.configuration))
        }
    }

    // MARK: Places

    private func heard(_ signal: DBusSignal) {
        if signal.member == "LocationUpdated" {
            guard signal.arguments.count == 2, case .objectPath(let path) = signal.arguments[1] else { return }
            change { $0.next = path }
            read()
        } else if let changes = SystemService.changes(signal, of: GeoClue.client), changes["Active"]?.bool == false,
            case .open(let open) = session, open.hasStarted
        {
            leave()
            tell(.absent("GeoClue stopped: turn on location services in the settings of the desktop"))
            askLater()
        }
    }

    private func read() {
        guard case .open(let open) = session, !open.isReading, let path = open.next else { return }
        change { ($0.isReading, $0.next) = (true, nil) }
        let current = number
        bus.call(SystemService.getAll(GeoClue.location, at: path, of: GeoClue.name)) { [weak self] result in
            guard let self, number == current else { return }
            change { $0.isReading = false }
            if let location = try? result.get().first,
                let fix = GeoClue.fix(location, now: Double(Clock.wall()) / 1e9)
            {
                pauses.reset()
                change { $0.hasLocation = true }
                tell(.present)
                client?.found(fix)
            }
            read()
        }
    }

    // MARK: It cannot

    private func failed(_ error: DBusError) {
        leave()
        switch error {
        // The watch on the name says when there is a bus again.
        case .notConnected, .disconnected: tell(.absent(SystemService.noBus))
        case .noOwner:
            tell(.absent("GeoClue is not there: install it (Debian: geoclue-2.0) for positions without satellites"))
            askLater()
        case let error where error.isDenial:
            tell(
                .absent(
                    "GeoClue refuses Greenroom (\(error.plainText)): add the section [\(GeoClue.desktopID)] with the "
                        + "lines allowed=true, system=true and users= to \(GeoClue.configuration), and restart GeoClue")
            )
            askLater()
        default:
            tell(.absent("GeoClue does not work: \(error.plainText). Restart it, and see its journal"))
            askLater()
        }
    }

    private var noAgent: String {
        "GeoClue does not answer: it waits for an agent of the user that Greenroom runs as. Most desktops bring one; "
            + "without a desktop run /usr/libexec/geoclue-2.0/demos/agent (Debian: geoclue-2-demo)"
    }

    private func askLater() {
        later(.milliseconds(pauses.next())) { source in
            if case .none = source.session { source.ask() }
        }
    }

    /// Does something if the session of now is that of then.
    private func later(_ pause: Duration, _ body: @escaping @Sendable (GeoClueSource) -> Void) {
        timers.after(pause.dispatch) { [weak self] in
            if let self, isOn { body(self) }
        }
    }
}
