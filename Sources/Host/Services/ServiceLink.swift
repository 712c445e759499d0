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
    var offered: [AppIndex: Int] = [:]
    /// What it asked other services, and waits for.
    var relayed = 0
    /// Deaths in a row before a hello.
    private var silentDeaths = 0
    private var triesLater = false
    var trouble: String?

    /// Nanoseconds from its start to its hello.
    private static let longestGreeting: Int64 = 5_000_000_000
    private static let mostSilentDeaths = 4
    /// Nanoseconds between attempts with a service that does not come to its hello.
    private static let rarePause: Int64 = 60_000_000_000
    private static let mostStated = 4096
    /// Nanoseconds between two pings.
    private static let pingPause: Int64 = 10_000_000_000

    let registrations: ServiceRegistrations
    private(set) lazy var answerWatch = AnswerWatch(host.loop) { [unowned self] in replaceSilent(after: $0) }
    /// When the last ping was sent.
    private var pinged: Int64 = 0
    private var isPinged = false
    private var isPingDue = false

    init(
        _ host: Host, _ service: DeclaredService, _ index: ServiceIndex, _ registrations: ServiceRegistrations
    ) {
        self.host = host
        self.registrations = registrations
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

    /// What keeps it alive: what it holds, who waits, its declaration, or what it left for later.
    private var isNeeded: Bool {
        service.startsWithDaemon || !waiting.isEmpty || known?.holds.isEmpty == false
            || silentDeaths < Self.mostSilentDeaths && isUnfinished
    }

    private var isUnfinished: Bool { FileSystem.exists(host.home.serviceFolder(name) + "/unfinished") }

    /// Who waits for it hears soon that it does not come.
    private func ended() {
        awaitsGreeting = false
        if connection == nil {
            silentDeaths += 1
            if silentDeaths >= Self.mostSilentDeaths {
                fail(RPCError(.ended, "the service \(name) ended before it said hello: \(log) may say why"))
                tryLater()
            }
        }
        startIfNeeded()
    }

    /// What it left for later may have to wait for a disk with room; nobody else waits.
    private func tryLater() {
        guard isUnfinished, !triesLater else { return }
        triesLater = true
        host.loop.after(nanoseconds: Self.rarePause) { [weak self] in
            guard let self else { return }
            triesLater = false
            silentDeaths = min(silentDeaths, Self.mostSilentDeaths - 1)
            startIfNeeded()
        }
    }

    var log: String { host.home.serviceFolder(name) + "/log" }

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
        var greeting = page(after: nil)
        greeting.conditions = service.hearsConditions ? host.services.conditions.present() : nil
        greeting.profile = host.system.profile.name
        connection.send(.response(id: id, result: greeting.json))
        for app in known?.known ?? [] where host.system.isClosedByUser(app) { tellClosed(app) }
        for one in unknown { tell(.ended, one) }
        if service.hearsPrograms { tellPrograms() }
        let waiting = waiting
        self.waiting = []
        for ready in waiting { ready(.success(connection)) }
    }

    private func lost() {
        let unanswered = answers
        answers = [:]
        asked = [:]
        wakes = [:]
        (connection, relayed) = (nil, 0)
        host.post(.service(.lost(index)))
        let error = RPCError(.ended, "the service \(name) ended: connect to it again")
        for answer in unanswered.values { answer(.failure(error)) }
        startIfNeeded()
    }

    // MARK: Orders and news

    func request(
        _ order: ServiceOrder, _ params: JSONValue, with descriptor: Descriptor? = nil,
        _ answered: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        guard let connection else {
            return answered(.failure(RPCError(.ended, "the service \(name) is not there: ask again")))
        }
        let message = RPCMessage.request(id: nextID(answered), method: order.rawValue, params: params)
        if let descriptor {
            // It reads so slowly that it may as well not be there.
            if !connection.send(message, with: descriptor) { connection.close() }
        } else {
            connection.send(message)
        }
    }

    private func pingLater(in nanoseconds: Int64) {
        guard !isPingDue else { return }
        isPingDue = true
        host.loop.after(nanoseconds: nanoseconds) { [weak self] in
            self?.isPingDue = false
            self?.ping()
        }
    }

    private func nextID(_ answered: @escaping (Result<JSONValue, RPCError>) -> Void) -> RPCID {
        let id = RPCID.int(nextRequest)
        nextRequest += 1
        answers[id] = answered
        return id
    }

    func tell(_ news: ServiceNews, _ params: JSONValue) {
        connection?.send(.notification(method: news.rawValue, params: params))
        ping()
    }

    /// Asks whether the service is at work. This follows other news only, so that a service without news can sleep.
    private func ping() {
        let now = Clock.monotonic()
        guard let connection, !isPinged else { return }
        guard now - pinged >= Self.pingPause else { return pingLater(in: Self.pingPause - (now - pinged)) }
        (isPinged, pinged) = (true, now)
        sendPing(on: connection, limit: Self.longestPing) { [weak self] _ in self?.isPinged = false }
    }

    /// Any answer shows that the service is at work, an error as well.
    func sendPing(
        on connection: Connection, limit: Int64, _ answered: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        let asked = answerWatch.began(limit: limit)
        let id = nextID { [weak self] answer in
            self?.answerWatch.ended(asked)
            answered(answer)
        }
        connection.send(.request(id: id, method: ServiceOrder.ping, params: [:]))
    }

    func answered(_ id: RPCID, _ result: Result<JSONValue, RPCError>) { answers.removeValue(forKey: id)?(result) }

    /// Asks the Core in its name; `perform` has the answer.
    func ask(
        _ id: RPCID, _ woken: (app: AppIndex, name: String)?, _ event: (ServiceRequestID) -> ServiceEvent
    ) {
        let number = nextAsked
        nextAsked += 1
        asked[number] = id
        wakes[number] = woken
        host.post(.service(event(ServiceRequestID(number))))
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
            let asked = answerWatch.began(limit: Self.longestStop)
            request(.stop, params) { [unowned self] _ in
                answerWatch.ended(asked)
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
        if service.hearsPrograms, entry.event == .launched || entry.event == .launchedInBackground {
            programLaunched(app)
        }
        guard connection != nil, known?.known.contains(app) == true else { return }
        tell(app)
        switch entry.reason {
        case .end(.closedByUser, _, _): tellClosed(app)
        // Whatever came of it is what the app says to the system, not to the service.
        case .windowCompleted(let kind, _): windowEnded(app, kind, "done")
        case .windowOverrun(let kind, _): windowEnded(app, kind, "late")
        // It has had its time, and is ended for that.
        case .end(.windowNotCompleted(let end), _, _): windowEnded(app, end.kind, "late")
        default: break
        }
        // Perhaps it ended before it heard of it.
        if entry.event == .terminated {
            for window in (open[app] ?? []).sorted() { windowEnded(app, window, "gone") }
        }
    }

    private func windowEnded(_ app: AppIndex, _ kind: WindowKind, _ result: String) {
        guard let window = service.declaration.window(of: kind) else { return }
        windowEnded(app, window.name, result)
    }

    /// By the profile, what it has under way ends with that.
    private func tellClosed(_ index: AppIndex) {
        guard let app = host.host(index) else { return }
        let ends = host.system.profile.windowRules.closingEndsSessions
        tell(.closedByUser, ["app": .string(app.installation.identifier), "ends": .bool(ends)])
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
        registrations.forget(app, at: name)
        guard connection != nil || FileSystem.exists(host.home.serviceFolder(name)) else { return }
        withService { [unowned self] outcome in
            if case .success = outcome { tell(.forget, ["app": .string(app)]) }
        }
    }

    /// How it is, where the service does not know that yet.
    func tellState(_ app: AppIndex) { tell(app) }

    private func tell(_ app: AppIndex) {
        if let news = news(of: app) { tell(.app, news.json) }
    }

    /// How the apps are that have ever connected, from behind one of them; where that is gone, from the first.
    func page(after last: AppIndex?) -> ServiceGreeting {
        let apps = known?.known ?? []
        let from = last.flatMap { apps.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
        let part = apps[from...].prefix(ServiceGreeting.most)
        let states = part.compactMap { app in
            let state = state(of: app)
            told[app] = state
            return state
        }
        return ServiceGreeting(apps: states, more: part.endIndex < apps.endIndex)
    }

    /// How an app is, if the service does not know it.
    private func news(of index: AppIndex) -> ServiceAppState? {
        guard let state = state(of: index), told[index] != state else { return nil }
        told[index] = state
        return state
    }

    private func state(of index: AppIndex) -> ServiceAppState? {
        guard let app = host.system.app(index) else { return nil }
        return ServiceAppState(
            app: app.manifest.identifier.rawValue, process: Int64(app.generation.rawValue), state: app.state.name,
            visible: host.system.isVisible(index), awaitsCall: host.system.awaitsCall(index, from: self.index))
    }
}
