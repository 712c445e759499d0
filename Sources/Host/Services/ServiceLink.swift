internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// The daemon's side of one service: docs/SERVICES.md.
final class ServiceLink {
    unowned let host: Host
    let service: DeclaredService
    let index: ServiceIndex
    let process: ServiceProcess
    /// It said hello.
    private(set) var connection: Connection?
    /// The process at its other end; on old kernels nobody knows.
    private var peer: PidFD?
    private var nextRequest: Int64 = 1
    private var answers: [RPCID: (Result<JSONValue, RPCError>) -> Void] = [:]
    /// Who waits for it to be there.
    private var waiting: [(Result<Connection, RPCError>) -> Void] = []
    /// What it was told of apps.
    private var told: [AppIndex: ServiceAppState] = [:]
    /// What it asked and the Core has yet to answer.
    private var asked: [UInt64: RPCID] = [:]
    private var wakes: [UInt64: (app: AppIndex, name: String)] = [:]
    private var nextAsked: UInt64 = 1
    /// Windows that it opened and that have not ended.
    private var open: [AppIndex: Set<String>] = [:]
    private var isRestartDue = false
    /// Names the process whose hello is waited for: the limit of an earlier one is not its own.
    private var greeting: UInt64 = 0
    private var awaitsGreeting = false
    /// Connections of apps that the service has yet to take.
    private var offered: [AppIndex: Int] = [:]
    /// Deaths in a row before a hello.
    private var silentDeaths = 0
    private(set) var trouble: String?

    /// Nanoseconds from its start to its hello.
    private static let longestGreeting: Int64 = 5_000_000_000
    private static let mostSilentDeaths = 4
    private static let mostStated = 4096
    private static let mostOffered = 4

    init(_ host: Host, _ service: DeclaredService, _ index: ServiceIndex) {
        self.host = host
        self.service = service
        self.index = index
        process = ServiceProcess(host, service)
        process.onEnd = { [unowned self] in ended() }
        process.onFailure = { [unowned self] in fail($0) }
    }

    /// What the Core knows of it.
    var known: Broker.Service? { host.system.broker?[index] }
    var name: String { service.declaration.name }

    // MARK: It comes and goes

    /// What keeps it alive: what it holds, who waits, or its declaration.
    private var isNeeded: Bool {
        service.startsWithDaemon || !waiting.isEmpty || known?.holds.isEmpty == false
    }

    /// Who waits for it hears soon that it does not come.
    private func ended() {
        awaitsGreeting = false
        if connection == nil {
            silentDeaths += 1
            if silentDeaths >= Self.mostSilentDeaths {
                fail(RPCError(.ended, "the service \(name) ended before it said hello: \(log) may say why"))
            }
        }
        startIfNeeded()
    }

    private var log: String { host.home.serviceFolder(name) + "/log" }

    func startIfNeeded() {
        guard isNeeded, connection == nil, !host.isHalting, !isRestartDue else { return }
        guard process.present == nil else { return awaitGreeting() }
        isRestartDue = true
        host.loop.after(nanoseconds: process.pause) { [weak self] in
            guard let self else { return }
            isRestartDue = false
            guard isNeeded, connection == nil, !host.isHalting else { return }
            process.start()
            awaitGreeting()
        }
    }

    private func awaitGreeting() {
        guard !awaitsGreeting else { return }
        awaitsGreeting = true
        greeting += 1
        host.loop.after(nanoseconds: Self.longestGreeting) { [weak self, greeting] in
            guard let self, awaitsGreeting, self.greeting == greeting, !host.isHalting else { return }
            awaitsGreeting = false
            process.kill()
            fail(RPCError(.ended, "the service \(name) did not say hello: \(log) may say why"))
        }
    }

    private func fail(_ error: RPCError) {
        trouble = error.message
        let waiting = waiting
        self.waiting = []
        for ready in waiting { ready(.failure(error)) }
    }

    func withService(_ ready: @escaping (Result<Connection, RPCError>) -> Void) {
        if let connection { return ready(.success(connection)) }
        waiting.append(ready)
        startIfNeeded()
    }

    /// Its first message was a good one.
    func greeted(
        _ connection: Connection, _ id: RPCID, _ params: JSONValue, _ peer: PidFD?
    ) throws(RPCError) {
        // One that was killed and is there again may be faster than the news of its death.
        if let last = self.peer, last.isDead { self.connection?.close() }
        guard self.connection == nil else {
            throw RPCError(.refused, "the service \(name) is there already: one process may say its name")
        }
        let stated = try params.array("holds")
        guard stated.count <= Self.mostStated else { throw .invalidParameter("holds", "a service holds less") }
        var (holds, unknown): ([StatedHold], [JSONValue]) = ([], [])
        for one in stated {
            do throws(RPCError) {
                holds.append(try hold(one))
            } catch {
                unknown.append(one)
            }
        }
        self.connection = connection
        awaitsGreeting = false
        self.peer = peer
        trouble = nil
        silentDeaths = 0
        told = [:]
        process.attendPeer(peer)
        connection.onMessage = { [unowned self, unowned connection] in receive($0, from: connection) }
        connection.onClose = { [unowned self] in lost() }
        host.post(.service(.arrived(index, holds)))
        let apps = (known?.known ?? []).compactMap { news(of: $0)?.json }
        connection.send(.response(id: id, result: ["apps": .array(apps)]))
        for one in unknown { tell(.ended, one) }
        let waiting = waiting
        self.waiting = []
        for ready in waiting { ready(.success(connection)) }
    }

    private func lost() {
        let unanswered = answers
        answers = [:]
        asked = [:]
        wakes = [:]
        connection = nil
        host.post(.service(.lost(index)))
        let error = RPCError(.ended, "the service \(name) ended: connect to it again")
        for answer in unanswered.values { answer(.failure(error)) }
        startIfNeeded()
    }

    // MARK: Orders and news

    private func request(
        _ order: ServiceOrder, _ params: JSONValue, with descriptor: Descriptor? = nil,
        _ answered: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        guard let connection else {
            return answered(.failure(RPCError(.ended, "the service \(name) is not there: ask again")))
        }
        let id = RPCID.int(nextRequest)
        nextRequest += 1
        answers[id] = answered
        let message = RPCMessage.request(id: id, method: order.rawValue, params: params)
        if let descriptor {
            // It reads so slowly that it may as well not be there.
            if !connection.send(message, with: descriptor) { connection.close() }
        } else {
            connection.send(message)
        }
    }

    private func tell(_ news: ServiceNews, _ params: JSONValue) {
        connection?.send(.notification(method: news.rawValue, params: params))
    }

    /// Hands the service one end of a new connection, and `done` the other.
    func connect(_ app: AppHost, _ generation: Generation, _ done: @escaping (Result<Descriptor, RPCError>) -> Void) {
        let installation = app.installation
        let params: JSONValue = [
            "app": .string(installation.identifier), "process": .int(Int64(generation.rawValue)),
            "container": .string(host.home.container(installation.identifier)),
            "user": .int(Int64(installation.uid ?? CurrentProcess.uid)),
        ]
        // Who asks without waiting for an answer would have the service read for nobody else.
        guard offered[app.index, default: 0] < Self.mostOffered else {
            return done(.failure(RPCError(.tooMuch, "\(Self.mostOffered) connections are being made: wait for one")))
        }
        offered[app.index, default: 0] += 1
        withService { [unowned self] outcome in
            let answered: (Result<Descriptor, RPCError>) -> Void = { [unowned self] in
                offered[app.index] = offered[app.index].flatMap { $0 > 1 ? $0 - 1 : nil }
                done($0)
            }
            switch outcome {
            case .failure(let error): answered(.failure(error))
            case .success:
                guard let (mine, its) = try? UnixSocket.pair() else {
                    return answered(.failure(RPCError(.internalError, "no connection to the service can be made")))
                }
                // Before the service can speak of it.
                host.post(.service(.attached(index, Incarnation(app.index, generation))))
                tell(app.index)
                request(.attach, params, with: its) { answered($0.map { _ in mine }) }
            }
        }
    }

    func perform(_ action: ServiceAction) {
        switch action {
        case .answer(_, let number, let refusal):
            guard let id = asked.removeValue(forKey: number.rawValue) else { return }
            let window = wakes.removeValue(forKey: number.rawValue)
            if let refusal {
                connection?.send(.failure(id: id, RPCError(refusal)))
            } else {
                if let window { open[window.app, default: []].insert(window.name) }
                connection?.send(.response(id: id, result: [:]))
            }
        case .stop(_, let incarnation, let hold):
            guard let params = params(incarnation, hold) else { return }
            // Also one that does not know the word has stopped, as far as it ever will.
            request(.stop, params) { [unowned self] _ in
                host.post(.service(.stopped(index, incarnation, hold: hold)))
            }
        case .ended(_, let incarnation, let hold):
            if let params = params(incarnation, hold) { tell(.ended, params) }
        }
    }

    private func params(_ incarnation: Incarnation, _ hold: UInt8) -> JSONValue? {
        guard let app = host.system.app(incarnation.app), Int(hold) < service.declaration.holds.count else {
            return nil
        }
        return [
            "app": .string(app.manifest.identifier.rawValue), "process": .int(Int64(incarnation.generation.rawValue)),
            "hold": .string(service.declaration.holds[Int(hold)].name),
        ]
    }

    /// What the service has to know of an entry of the log.
    func note(_ entry: Model.LogEntry, _ app: AppIndex) {
        guard connection != nil, known?.known.contains(app) == true, let installed = host.host(app) else { return }
        tell(app)
        let identifier = JSONValue.string(installed.installation.identifier)
        switch entry.reason {
        case .end(.closedByUser, _, _): tell(.closedByUser, ["app": identifier])
        case .windowCompleted(.service(let wake), let result) where wake.service == name:
            windowEnded(app, wake.window, result.name)
        case .windowOverrun(.service(let wake), _) where wake.service == name: windowEnded(app, wake.window, "late")
        default: break
        }
        // Perhaps it ended before it heard of it.
        if entry.event == .terminated {
            for window in (open[app] ?? []).sorted() { windowEnded(app, window, "gone") }
        }
    }

    private func windowEnded(_ index: AppIndex, _ window: String, _ result: String) {
        guard let app = host.host(index) else { return }
        open[index]?.remove(window)
        tell(
            .windowEnded,
            [
                "app": .string(app.installation.identifier), "window": .string(window), "result": .string(result),
            ])
    }

    /// Also by one that does not run, if it ever did: it may have something of the app on the disk.
    func forget(_ app: String) {
        guard connection != nil || FileSystem.exists(host.home.serviceFolder(name)) else { return }
        withService { [unowned self] outcome in
            if case .success = outcome { tell(.forget, ["app": .string(app)]) }
        }
    }

    private func tell(_ app: AppIndex) {
        if let news = news(of: app) { tell(.app, news.json) }
    }

    /// How an app is, if the service does not know it.
    private func news(of index: AppIndex) -> ServiceAppState? {
        guard let app = host.system.app(index) else { return nil }
        let state = ServiceAppState(
            app: app.manifest.identifier.rawValue, process: Int64(app.generation.rawValue), state: app.state.name,
            visible: host.system.isVisible(index))
        guard told[index] != state else { return nil }
        told[index] = state
        return state
    }

    // MARK: What it says

    private func receive(_ message: RPCMessage, from connection: Connection) {
        switch message {
        case .response(let id, let result): answers.removeValue(forKey: id)?(.success(result))
        case .failure(let id, let error): if let id { answers.removeValue(forKey: id)?(.failure(error)) }
        case .request(let id, let method, let params):
            do throws(RPCError) {
                try handle(method, params, id)
            } catch {
                connection.send(.failure(id: id, error))
            }
        case .notification: break
        }
    }

    private func handle(_ method: String, _ params: JSONValue, _ id: RPCID) throws(RPCError) {
        guard let known = ServiceMethod(rawValue: method) else {
            throw RPCError(.methodNotFound, "there is no method \(method.prefix(100)); docs/SERVICES.md lists them")
        }
        let event: (ServiceRequestID) -> ServiceEvent
        var woken: (app: AppIndex, name: String)?
        switch known {
        case .hello: throw RPCError(.outOfOrder, "hello is said once a connection")
        case .hold:
            let (hold, limit) = (try hold(params), try params.optionalNumber("limit"))
            guard limit ?? 1 > 0 else { throw .invalidParameter("limit", "a limit is more than 0 seconds") }
            event = { [index] in .hold(index, $0, hold, limit: limit.map { .seconds($0) } ?? .zero) }
        case .drop:
            let hold = try hold(params)
            event = { [index] in .drop(index, $0, hold.incarnation, hold: hold.hold) }
        case .wake:
            let (app, name, payload) = (
                try app(params), try params.string("window"), try params.optionalString("payload") ?? ""
            )
            guard let window = service.declaration.windows.firstIndex(where: { $0.name == name }) else {
                throw RPCError(.undeclared(kind: String(name.prefix(64))))
            }
            guard payload.utf8.count <= ServiceWake.longestPayload else {
                throw .invalidParameter("payload", "a payload has at most \(ServiceWake.longestPayload) bytes")
            }
            let because = try sentence(params)
            woken = (app, name)
            event = { [index] in
                .wake(index, $0, app, window: UInt8(clamping: window), because: because, payload: payload)
            }
        }
        let number = nextAsked
        nextAsked += 1
        asked[number] = id
        wakes[number] = woken
        host.post(.service(event(ServiceRequestID(number))))
    }

    private func app(_ params: JSONValue) throws(RPCError) -> AppIndex {
        guard let identifier = AppIdentifier(try params.string("app")), let app = host.system.index(of: identifier)
        else { throw RPCError(.unknownApp) }
        return app
    }

    private func hold(_ params: JSONValue) throws(RPCError) -> StatedHold {
        let (app, name) = (try app(params), try params.string("hold"))
        guard let generation = UInt32(exactly: try params.int("process")) else { throw RPCError(.processGone) }
        guard let hold = service.declaration.holds.firstIndex(where: { $0.name == name }) else {
            throw RPCError(.undeclared(kind: String(name.prefix(64))))
        }
        return StatedHold(
            incarnation: Incarnation(app, Generation(generation)), hold: UInt8(clamping: hold),
            because: try sentence(params))
    }

    private func sentence(_ params: JSONValue) throws(RPCError) -> String {
        let text = try params.optionalString("because") ?? ""
        guard text.utf8.count <= ServiceDeclaration.longestText else {
            throw .invalidParameter("because", "a reason has at most \(ServiceDeclaration.longestText) bytes")
        }
        return text
    }
}
