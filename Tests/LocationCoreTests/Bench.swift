import LocationCore
import LocationModel
import Model
import ServiceCore

let flags = app("com.example.flags")
let journal = app("com.example.journal")
let home = Coordinate(46.0569, 14.5058)

private func app(_ name: String) -> AppIdentifier {
    // A test that cannot name its app has no result.
    guard let app = AppIdentifier(name) else { preconditionFailure("\(name) is no identifier") }
    return app
}

/// A Core with a system around it that does what it is asked, and a device that can be carried about.
struct Bench {
    var system: LocationSystem
    var now = Instant(nanoseconds: 1_000_000_000)
    var effects: [LocationEffect] = []
    var records: [AppIdentifier: AppRecord] = [:]
    var device: DeviceRecord?
    var holdAnswer: HoldAnswer? = .allowed
    var wakeAnswer: WakeAnswer? = .allowed
    /// What an app hears it has dealt with at once.
    var hearsAtOnce = true
    /// What each app has heard, in order.
    var heard: [AppIdentifier: [LocationNews]] = [:]
    /// What standard updates have brought.
    var fixes: [AppIdentifier: [Fix]] = [:]
    var failures: [AppIdentifier: [LocationFailure]] = [:]
    var wakes: [AppIdentifier] = []
    var place = home
    var accuracy = 8.0
    /// Seconds until a receiver that was switched on has a fix.
    var firstFix = 4.0
    var hasSky = true
    /// Metres between two towers; `nil`: there is no radio.
    var towers: Double?
    /// Somebody knows where they stand.
    var knowsTowers = true
    /// Seconds for which the receiver was on.
    var satelliteTime = 0.0
    var connections: [AppIdentifier: ConnectionID] = [:]
    private var processes: [AppIdentifier: Int64] = [:]
    private var next: UInt64 = 1
    private var hasKey: [AppIdentifier: Bool] = [:]
    private var sockets: [AppIdentifier: [(ConnectionID, NewsNumber, LocationNews)]] = [:]

    init(profile: String = "linux", gps: SourceState = .present, towers: Double? = 900) {
        self.towers = towers
        system = LocationSystem(rules: LocationRules(profile: profile))
        send(.clock(.seconds(1_700_000_000)))
        send(.systemAttached)
        send(.own(.source(.gps, gps)))
        sendTower()
    }

    mutating func number() -> UInt64 {
        defer { next += 1 }
        return next
    }

    @discardableResult
    mutating func send(_ event: LocationEvent) -> [LocationEffect] {
        let done = system.handle(event, at: now)
        effects += done
        for effect in done { perform(effect) }
        return done
    }

    private mutating func perform(_ effect: LocationEffect) {
        switch effect {
        case .store(.app(let record)): records[record.app] = record
        case .store(.device(let record)): device = record
        case .erase(.app(let app)): records[app] = nil
        case .hold(let app, _, let hold, _): if let holdAnswer { send(.held(app, hold, holdAnswer)) }
        case .wake(let app, let upTo, _, _, _):
            wakes.append(app)
            guard let wakeAnswer else { return }
            send(.woken(app, upTo, wakeAnswer))
            if wakeAnswer == .allowed { run(app) }
        case .tell(let connection, let number, let news):
            guard let app = connections.first(where: { $0.value == connection })?.key else { return }
            sockets[app, default: []].append((connection, number, news))
            read(app)
        case .notify(let connection, .fixes(let some)):
            guard let app = connections.first(where: { $0.value == connection })?.key else { return }
            fixes[app, default: []] += some
        case .notify(let connection, .failed(let code, _)):
            guard let app = connections.first(where: { $0.value == connection })?.key else { return }
            failures[app, default: []].append(code)
        default: break
        }
    }

    /// What has come while it was suspended waits in its socket.
    private mutating func read(_ app: AppIdentifier) {
        guard system.parties[app]?.standing.isRunning == true else { return }
        for (connection, number, news) in sockets.removeValue(forKey: app) ?? [] {
            heard[app, default: []].append(news)
            if hearsAtOnce { send(.answered(connection, number, Nothing())) }
        }
    }

    /// It has been woken: it is launched or thawed, hears what there is, and is suspended again.
    private mutating func run(_ app: AppIdentifier) {
        if processes[app] == nil { connect(app) }
        stand(app, .background)
        guard hearsAtOnce else { return }
        send(.windowEnded(app, .moved, .done))
        stand(app, .suspended)
    }

    // MARK: Apps

    /// A process of it begins, and greets the service.
    @discardableResult
    mutating func connect(_ app: AppIdentifier, updates: UpdateSettings? = nil) -> ConnectionID {
        let process = processes[app] ?? Int64(number())
        processes[app] = process
        let connection = ConnectionID(number())
        connections[app] = connection
        if system.parties[app]?.standing.process != process {
            send(.appState(app, AppStanding(.background, process: process, isVisible: false)))
        }
        send(.attached(connection, AppDescription(app, process: process, name: "App", hasKey: hasKey[app] ?? false)))
        ask(app, .hello(updates: updates, heading: false, running: []))
        return connection
    }

    @discardableResult
    mutating func open(_ app: AppIdentifier, hasKey: Bool = false, allows level: LocationRequest.Authorize? = .always)
        -> ConnectionID
    {
        self.hasKey[app] = hasKey
        let connection = connections[app] ?? connect(app)
        stand(app, .active)
        if let level { ask(app, .authorize(level)) }
        return connection
    }

    mutating func stand(_ app: AppIdentifier, _ state: AppStanding.State) {
        guard let process = processes[app] else { return }
        send(.appState(app, AppStanding(state, process: process, isVisible: state == .active || state == .inactive)))
        read(app)
    }

    /// It leaves the screen, and is suspended if nothing keeps it.
    mutating func leave(_ app: AppIdentifier) {
        stand(app, .background)
        if !isHeld(app) { stand(app, .suspended) }
    }

    mutating func kill(_ app: AppIdentifier) {
        guard let process = processes.removeValue(forKey: app) else { return }
        let connection = connections.removeValue(forKey: app)
        sockets[app] = nil
        send(.appState(app, AppStanding(.none, process: process, isVisible: false)))
        if let connection { send(.detached(connection)) }
    }

    @discardableResult
    mutating func ask(_ app: AppIdentifier, _ request: LocationRequest) -> Result<LocationReply, LocationRefusal>? {
        let id = RequestID(number())
        guard let connection = connections[app] else { return nil }
        send(.app(connection, id, request))
        return answer(id)
    }

    func answer(_ id: RequestID) -> Result<LocationReply, LocationRefusal>? {
        for effect in effects.reversed() {
            switch effect {
            case .reply(id, let reply): return .success(reply)
            case .refuse(id, let refusal): return .failure(refusal)
            default: continue
            }
        }
        return nil
    }

    func isHeld(_ app: AppIdentifier) -> Bool { system.holds.contains { $0.app == app } }

    /// A process of the service after this one, with what it had stored.
    mutating func restart(attaches: Bool = true) {
        var stored = records.values.map(LocationRecord.app)
        if let device { stored.append(.device(device)) }
        system = LocationSystem(stored, rules: system.rules)
        let apps = connections.keys.sorted { $0.rawValue < $1.rawValue }
        for app in apps { connections[app] = nil }
        sockets = [:]
        guard attaches else { return }
        for app in processes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            send(.appState(app, AppStanding(.suspended, process: processes[app] ?? 0, isVisible: false)))
        }
        send(.clock(.seconds(1_700_000_000)))
        send(.systemAttached)
        send(.own(.source(.gps, .present)))
        sendTower()
    }

    // MARK: The world

    private func fix() -> Fix {
        Fix(place, accuracy: accuracy, time: 1_700_000_000 + now.seconds, source: .gps)
    }

    /// Which square of a grid the device is in.
    private mutating func sendTower() {
        guard let towers else { return }
        let degrees = towers / 111_195
        let (row, column) = ((place.latitude / degrees).rounded(.down), (place.longitude / degrees).rounded(.down))
        let middle = Coordinate((row + 0.5) * degrees, (column + 0.5) * degrees)
        let tower = CellTower(
            "\(Int(row))-\(Int(column))", coordinate: knowsTowers ? middle : nil,
            reach: knowsTowers ? towers * 0.71 : nil)
        send(.own(.tower(tower)))
    }

    /// Time passes: timers are due, and whoever is powered finds the device.
    mutating func pass(_ seconds: Int) {
        for _ in 0..<seconds {
            now = now + .seconds(1)
            while let due = system.nextDeadline, due <= now { send(.timer) }
            guard system.powered.contains(.gps) else {
                warmth = 0
                continue
            }
            satelliteTime += 1
            warmth += 1
            if hasSky, warmth > firstFix { send(.own(.fix(fix()))) }
        }
    }

    private var warmth = 0.0

    /// The device goes there in a straight line.
    mutating func go(to goal: Coordinate, speed: Double) {
        while place.roughDistance(to: goal) > speed {
            place = place.moved(speed, bearing: place.bearing(to: goal))
            sendTower()
            pass(1)
        }
        place = goal
        sendTower()
        pass(1)
    }
}

func facts(isLocked: Bool) -> DeviceFacts {
    var facts = DeviceFacts()
    facts.isLocked = isLocked
    return facts
}

extension Instant {
    var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension LocationNews {
    var word: String {
        switch self {
        case .significantChange: "change"
        case .entered(let region, _): "entered \(region.identifier)"
        case .exited(let region, _): "exited \(region.identifier)"
        case .visit(let visit): visit.departure == nil ? "arrived" : "departed"
        case .paused: "paused"
        case .resumed: "resumed"
        }
    }
}

extension Result<LocationReply, LocationRefusal>? {
    var isDone: Bool {
        if case .success = self { true } else { false }
    }

    var refusal: LocationRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }
}
