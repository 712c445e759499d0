internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// The daemon's side of the transfer service: a process of its own, which is started when somebody needs it, outlives
/// the daemon, and leaves by itself when nothing is left to do.
final class TransferLink {
    private enum Phase {
        case down
        case starting
        case greeting(Connection)
        case up(Connection)
    }

    unowned let host: Host
    private var phase = Phase.down
    private var process: PidFD?
    private var watch: Loop.Watch?
    private var nextRequest: Int64 = 1
    private var answers: [RPCID: (Result<JSONValue, RPCError>) -> Void] = [:]
    /// Who waits for the service to be there.
    private var waiting: [(Result<Connection, RPCError>) -> Void] = []
    private var toldStates: [AppIndex: TransferAppPresence] = [:]
    private var toldConditions: TransferConditionsInfo?
    private var conditionsVersion: UInt64?
    /// When the radio will have gone cold, if nothing more moves.
    private var coldAt: Int64?
    /// While the system goes down.
    private var ended: PidFD?
    /// The connection to a service broke that goes on ending: another one can begin when its lock is free.
    private var resumesAtEnd = false

    /// Milliseconds for an end in order.
    private static let longestEnd: CInt = 2000
    /// Nanoseconds for the answer to a greeting: who waits for the service waits no longer.
    private static let longestGreeting: Int64 = 10_000_000_000

    init(_ host: Host) { self.host = host }

    private var folder: String { host.home.transfers }
    private var control: String { folder + "/control" }

    /// A system that had transfers goes on with them.
    func resume() {
        guard FileSystem.exists(folder + "/transfers.sqlite") else { return }
        withService { _ in }
    }

    /// The system goes down, and transfers pause: the service is told first, and has ended when the daemon does.
    func end() {
        ended = process ?? recorded
        try? ended?.send(15)
    }

    func waitForEnd() {
        guard let ended, !ended.waitUntilDead(milliseconds: Self.longestEnd) else { return }
        try? ended.send(9)
        _ = ended.waitUntilDead(milliseconds: Self.longestEnd)
    }

    /// One that an earlier daemon started.
    private var recorded: PidFD? {
        let fields = (FileSystem.read(folder + "/pid") ?? []).split { $0 == 0x20 || $0 == 0x0A }
        let numbers = fields.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 2, let pid = CInt(exactly: numbers[0]), let found = try? PidFD(pid),
            ProcFS().stat(pid)?.startTime == numbers[1]
        else { return nil }
        return found
    }

    // MARK: What apps and tools ask

    /// Starts the service if need be; `ready` hears whether it is there.
    func withService(_ ready: @escaping (Result<Connection, RPCError>) -> Void) {
        if case .up(let connection) = phase { return ready(.success(connection)) }
        waiting.append(ready)
        if case .down = phase { begin() }
    }

    /// A tool speaks to the service itself, and is told where; by then the service is there.
    func serve(_ tool: Connection, _ id: RPCID) {
        withService { [weak tool, control] outcome in
            switch outcome {
            case .success: tool?.send(.response(id: id, result: ["path": .string(control)]))
            case .failure(let error): tool?.send(.failure(id: id, error))
            }
        }
    }

    /// Hands the service one end of a new connection, and `done` the other.
    func connect(_ app: AppHost, _ done: @escaping (Result<Descriptor, RPCError>) -> Void) {
        let installation = app.installation
        let attach = TransferAttach(
            app: installation.identifier, container: host.home.container(installation.identifier),
            user: Int64(installation.uid ?? CurrentProcess.uid), group: Int64(installation.uid ?? CurrentProcess.gid))
        withService { [unowned self] outcome in
            do throws(RPCError) {
                let connection = try outcome.get()
                let ends = try pair()
                request(.attach, attach.json, on: connection, with: ends.service) { answer in
                    done(answer.map { _ in ends.app })
                }
            } catch {
                done(.failure(error))
            }
        }
    }

    private func pair() throws(RPCError) -> (app: Descriptor, service: Descriptor) {
        do throws(SystemError) {
            let (app, service) = try UnixSocket.pair()
            return (app, service)
        } catch {
            throw RPCError(.internalError, "no connection to the transfer service can be made: \(error)")
        }
    }

    /// Its transfers, its files and all that is known of it go.
    func forget(_ app: String) {
        guard FileSystem.exists(folder + "/transfers.sqlite") else { return }
        withService { [unowned self] outcome in
            guard case .success(let connection) = outcome else { return }
            request(.forget, TransferAppParameters(app: app).json, on: connection) { _ in }
        }
    }

    // MARK: What the Core decided

    /// What the service has to know of an event's outcome.
    func note(_ effects: [Effect]) {
        guard case .up(let connection) = phase else { return }
        for effect in effects {
            guard case .log(let entry) = effect.action, let index = entry.app else { continue }
            tell(index, on: connection)
            if case .end(.closedByUser, _, _) = entry.reason, host.system.profile.windowRules.closingEndsTransfers,
                let app = host.host(index)
            {
                let parameters = TransferAppParameters(app: app.installation.identifier)
                request(.userEnded, parameters.json, on: connection) { _ in }
            }
        }
        tellConditions(on: connection)
    }

    /// How an app is, if the service does not know it.
    private func news(of index: AppIndex) -> TransferAppState? {
        guard let app = host.system.app(index) else { return nil }
        let presence = host.system.isAboutToHearOfTransfers(index) ? .suspended : TransferAppPresence(app.state)
        guard toldStates[index] != presence else { return nil }
        toldStates[index] = presence
        return TransferAppState(app: app.manifest.identifier.rawValue, state: presence)
    }

    /// A new service knows nobody: it speaks to no app, and wakes none, of which it was told nothing. It is told of
    /// thousands in messages of a length that no limit refuses, each when the one before is read.
    private func tellAll(_ indices: ArraySlice<AppIndex>, on connection: Connection) {
        var rest = indices
        var states: [TransferAppState] = []
        while states.count < TransferAppStates.most, let index = rest.popFirst() {
            if let state = news(of: index) { states.append(state) }
        }
        guard !states.isEmpty else { return }
        request(.apps, TransferAppStates(apps: states).json, on: connection) {
            [weak self, weak connection, rest] answer in
            if case .success = answer, let self, let connection { tellAll(rest, on: connection) }
        }
    }

    private func tell(_ index: AppIndex, on connection: Connection) {
        guard let state = news(of: index) else { return }
        connection.send(.notification(method: TransferSystemMethod.app.rawValue, params: state.json))
    }

    /// As they are; that they are the same costs little to find out, since every decision of the Core asks for it.
    private func tellConditions(on connection: Connection) {
        let system = host.system
        let usesCellular = system.conditions.presentNetwork == .cellular
        guard usesCellular || conditionsVersion != system.conditions.changeCount else { return }
        conditionsVersion = system.conditions.changeCount
        let isWarm = usesCellular && isRadioWarm()
        let info = TransferConditionsInfo(system.conditions, radioIsWarm: isWarm)
        guard info != toldConditions else { return }
        toldConditions = info
        connection.send(.notification(method: TransferSystemMethod.conditions.rawValue, params: info.json))
    }

    /// What can wait goes while somebody else keeps the radio awake; when that will be over, it is looked at again.
    private func isRadioWarm() -> Bool {
        let now = Clock.boot()
        let radio = host.system.radio(in: host.system.energyAccount(at: Instant(nanoseconds: now)))
        guard radio.isWarm else { return false }
        if coldAt.map({ $0 <= now }) ?? true {
            let rest = max(radio.warmFor.nanoseconds, 1_000_000)
            coldAt = now + rest
            host.loop.after(nanoseconds: rest) { [weak self] in
                guard let self, case .up(let connection) = phase else { return }
                coldAt = nil
                tellConditions(on: connection)
            }
        }
        return true
    }

    // MARK: The service comes and goes

    private func begin() {
        // One that is on its way out has the lock still.
        guard process == nil else { return }
        if let socket = try? UnixSocket.connect(to: control) {
            if let recorded { attend(recorded) }
            return greet(socket)
        }
        start()
    }

    /// The service is born with its connection to the system, so that nobody has to wait for its socket.
    private func start() {
        phase = .starting
        let program = host.transferProgram
        let folder = folder
        host.workers.run(.launches) { () -> Result<(PidFD, Descriptor), RPCError> in
            do {
                try FileSystem.makeDirectory(folder, mode: 0o700)
                let (own, other) = try UnixSocket.pair()
                let null = try Descriptor.open("/dev/null", .readWrite)
                let log = try Descriptor.open(folder + "/log", .append, create: 0o600)
                var spawn = Spawn(
                    path: program, arguments: [program, "--home", folder, "--system", "--control", "3"],
                    environment: CurrentProcess.allEnvironment)
                spawn.descriptors = [(null, 0), (log, 1), (log, 2), (other, 3)]
                return .success((try spawn.start(), own))
            } catch {
                return .failure(RPCError(.internalError, "\(program) cannot be started: \(error)"))
            }
        } then: { [weak self] outcome in
            guard let self else { return }
            switch outcome {
            case .success(let (process, socket)): started(process, socket)
            case .failure(let error): fail(error)
            }
        }
    }

    private func started(_ process: PidFD, _ socket: Descriptor) {
        attend(process)
        greet(socket)
    }

    private func attend(_ process: PidFD) {
        self.process = process
        watch = try? host.loop.watch(process.descriptor.rawValue, .readable) { [unowned self] _ in
            let status = process.reap()
            watch = nil
            self.process = nil
            // After an end in order there was nothing left to do.
            if resumesAtEnd, status != .exited(0) { resume() }
            resumesAtEnd = false
            if case .down = phase, !waiting.isEmpty { begin() }
        }
    }

    private func greet(_ socket: Descriptor) {
        guard let connection = try? Connection(socket, host.loop) else {
            return fail(RPCError(.internalError, "the transfer service cannot be watched"))
        }
        phase = .greeting(connection)
        connection.onMessage = { [unowned self, unowned connection] in receive($0, from: connection) }
        connection.onClose = { [unowned self] in lost() }
        host.loop.after(nanoseconds: Self.longestGreeting) { [weak self, weak connection] in
            guard let self, let connection, case .greeting(let present) = phase, present === connection else { return }
            connection.onClose = {}
            connection.close()
            answers = [:]
            // Nothing that it answered is lost with it; the next who needs one starts it.
            try? process?.send(9)
            fail(RPCError(.ended, "the transfer service took a connection and did not answer: ask again"))
        }
        let greeting = TransferHello.control(.system).json
        ask(TransferToolMethod.hello.rawValue, greeting, on: connection) { [unowned self, unowned connection] answer in
            switch answer {
            case .success: greeted(connection)
            case .failure(let error):
                connection.close()
                fail(error)
            }
        }
    }

    private func greeted(_ connection: Connection) {
        phase = .up(connection)
        toldStates = [:]
        toldConditions = nil
        conditionsVersion = nil
        tellConditions(on: connection)
        tellAll(host.system.allApps.map(\.index)[...], on: connection)
        let waiting = waiting
        self.waiting = []
        for ready in waiting { ready(.success(connection)) }
    }

    /// It ended: killed, or because nothing was left to do. Who waits is told; what is left to transfer goes on.
    private func lost() {
        let wasUp = if case .up = phase { true } else { false }
        let unanswered = answers
        answers = [:]
        phase = .down
        let error = RPCError(.ended, "the transfer service ended: ask again")
        for answer in unanswered.values { answer(.failure(error)) }
        // One that never answered is not tried again by itself.
        guard wasUp, !host.isHalting else { return fail(error) }
        resumesAtEnd = process != nil
        if !resumesAtEnd { host.loop.soon { [weak self] in self?.resume() } }
    }

    private func fail(_ error: RPCError) {
        phase = .down
        let waiting = waiting
        self.waiting = []
        for ready in waiting { ready(.failure(error)) }
    }

    // MARK: Messages

    private func request(
        _ method: TransferSystemMethod, _ params: JSONValue, on connection: Connection,
        with descriptor: Descriptor? = nil,
        _ answered: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        ask(method.rawValue, params, on: connection, with: descriptor, answered)
    }

    private func ask(
        _ method: String, _ params: JSONValue, on connection: Connection, with descriptor: Descriptor? = nil,
        _ answered: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        let id = RPCID.int(nextRequest)
        nextRequest += 1
        answers[id] = answered
        let message = RPCMessage.request(id: id, method: method, params: params)
        if let descriptor {
            // It reads so slowly that it may as well not be there.
            if !connection.send(message, with: descriptor) { connection.close() }
        } else {
            connection.send(message)
        }
    }

    private func receive(_ message: RPCMessage, from connection: Connection) {
        switch message {
        case .response(let id, let result): answers.removeValue(forKey: id)?(.success(result))
        case .failure(let id, let error): if let id { answers.removeValue(forKey: id)?(.failure(error)) }
        case .request(let id, let method, let params):
            do throws(RPCError) {
                guard method == TransferSystemMessage.sessionEvents.rawValue else { throw .methodNotFound(method) }
                try sessionEvents(try TransferSessionEvents(json: params))
                connection.send(.response(id: id, result: [:]))
            } catch {
                connection.send(.failure(id: id, error))
            }
        case .notification(let method, let params):
            if method == TransferSystemMessage.traffic.rawValue, let traffic = try? TransferTraffic(json: params) {
                trafficSeen(traffic)
            }
        }
    }

    /// The Core decides what becomes of it; once it has been told, the journal has it.
    private func sessionEvents(_ events: TransferSessionEvents) throws(RPCError) {
        guard let identifier = AppIdentifier(events.app), let index = host.system.index(of: identifier) else {
            throw RPCError(.unknown, "no such app is installed")
        }
        host.post(
            .transferEvents(index, session: events.session, authentication: events.reason == .authentication))
    }
}
