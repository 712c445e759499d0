import AudioCore
import AudioModel
import Model
import ServiceCore
import Testing

let pandora = name("org.example.pandora")
let radio = name("org.example.radio")
let navigator = name("org.example.navigator")
let mpv = name("io.mpv.mpv")

private func name(_ text: String) -> AppIdentifier {
    // A test that cannot name its app has no result.
    guard let app = AppIdentifier(text) else { preconditionFailure("\(text) is no identifier") }
    return app
}

/// A service around the Core, whose system and sound server answer at once unless a test answers for them.
struct Bench {
    private(set) var system: AudioSystem
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    /// All since the last time that they were forgotten.
    private(set) var effects: [AudioEffect] = []
    private(set) var records: [AudioRecordKey: AudioRecord] = [:]
    private(set) var lastNews: NewsNumber = 0
    /// What the system says when it is asked to hold an app; `nil`: nothing yet.
    var holdAnswer: HoldAnswer? = .allowed
    var wakeAnswer: WakeAnswer?
    var permitsAtOnce = true
    private var nextRequest: UInt64 = 1
    private var nextConnection: UInt64 = 1
    private var nextNode: UInt64 = 1
    private(set) var processes: [AppIdentifier: Int64] = [:]

    init(_ records: [AudioRecord] = [], rules: AudioRules = AudioRules(), isAttached: Bool = true) {
        system = AudioSystem(records, rules: rules)
        guard isAttached else { return }
        send(.graphAttached)
        send(.ports(Bench.ports))
        send(.systemAttached)
        // What is told from now on has just begun.
        pass(10)
        forget()
    }

    static let ports = [
        DevicePort(device: 1, AudioPort(.receiver, name: "Receiver")),
        DevicePort(device: 2, AudioPort(.speaker, name: "Speaker")),
        DevicePort(device: 3, AudioPort(.microphone, name: "Microphone")),
    ]

    // MARK: Events

    /// - Returns: what followed, also from the answers.
    @discardableResult
    mutating func send(_ event: AudioEvent) -> [AudioEffect] {
        var (queue, all): ([AudioEvent], [AudioEffect]) = ([event], [])
        while !queue.isEmpty {
            let event = queue.removeFirst()
            let effects = system.handle(event, at: now)
            #expect(system.brokenInvariants() == [], "after \(event)")
            for effect in effects {
                take(effect)
                queue += answers(effect)
            }
            all += effects
        }
        effects += all
        return all
    }

    @discardableResult
    mutating func send(_ event: AudioWords.Event) -> [AudioEffect] { send(AudioEvent.own(event)) }

    private mutating func take(_ effect: AudioEffect) {
        switch effect {
        case .store(let record): records[record.key] = record
        case .erase(let key): records[key] = nil
        case .tell(_, let number, _): lastNews = max(lastNews, number)
        default: break
        }
    }

    private func answers(_ effect: AudioEffect) -> [AudioEvent] {
        switch effect {
        case .hold(let app, _, let hold, _): holdAnswer.map { [.held(app, hold, $0)] } ?? []
        case .own(.permit(let node, _, let order)) where permitsAtOnce: [.own(.permitted(node, order))]
        case .wake(let app, let upTo, _, _, _): wakeAnswer.map { [.woken(app, upTo, $0)] } ?? []
        default: []
        }
    }

    /// Time passes, from one thing that is due to the next.
    @discardableResult
    mutating func pass(_ seconds: Double) -> [AudioEffect] {
        var all: [AudioEffect] = []
        let end = now + .seconds(seconds)
        var steps = 0
        while let next = system.nextDeadline, next <= end, steps < 10_000 {
            steps += 1
            now = max(now, next)
            all += send(.timer)
        }
        #expect(steps < 10_000, "what is due is not done")
        now = end
        return all
    }

    mutating func forget() { effects = [] }

    /// Its process ends, and another one goes on with what it stored.
    mutating func restart(isAttached: Bool = true) {
        let stored = records.values.sorted { "\($0.key)" < "\($1.key)" }
        system = AudioSystem(stored, rules: system.rules, firstNews: lastNews + 1)
        effects = []
        if isAttached { send(.graphAttached) }
    }

    // MARK: Apps

    /// An app that runs, is seen and has said hello.
    @discardableResult
    mutating func open(_ app: AppIdentifier, hasKey: Bool = true, _ hello: AppHello = AppHello()) -> ConnectionID {
        processes[app] = (processes[app] ?? 0) + 1
        stand(app, .active)
        return connect(app, hasKey: hasKey, hello)
    }

    @discardableResult
    mutating func connect(_ app: AppIdentifier, hasKey: Bool = true, _ hello: AppHello = AppHello()) -> ConnectionID {
        let connection = ConnectionID(nextConnection)
        nextConnection += 1
        send(.attached(connection, description(app, hasKey: hasKey)))
        ask(connection, .hello(hello))
        return connection
    }

    func description(_ app: AppIdentifier, hasKey: Bool = true) -> AppDescription {
        AppDescription(
            app, process: processes[app] ?? 1, name: "\(app.rawValue.split(separator: ".").last ?? "")",
            hasKey: hasKey)
    }

    /// A program that knows nothing of the service.
    mutating func run(_ app: AppIdentifier, hasKey: Bool = true) {
        processes[app] = (processes[app] ?? 0) + 1
        stand(app, .active)
        send(.programStarted(description(app, hasKey: hasKey)))
    }

    @discardableResult
    mutating func stand(
        _ app: AppIdentifier, _ state: AppStanding.State, isVisible: Bool? = nil
    ) -> [AudioEffect] {
        let isSeen = isVisible ?? (state == .active || state == .inactive)
        return send(.appState(app, AppStanding(state, process: processes[app] ?? 1, isVisible: isSeen)))
    }

    /// - Returns: what it was answered.
    @discardableResult
    mutating func ask(_ connection: ConnectionID, _ request: AudioRequest) -> Result<AudioReply, AudioRefusal>? {
        let id = self.request()
        return send(.app(connection, id, request)).answer(to: id)
    }

    mutating func request() -> RequestID {
        defer { nextRequest += 1 }
        return RequestID(nextRequest)
    }

    @discardableResult
    mutating func tool(_ request: AudioOrder) -> Result<AudioReply, AudioRefusal>? {
        let id = self.request()
        return send(.tool(id, request)).answer(to: id)
    }

    /// An app asks to play, and does where it may.
    @discardableResult
    mutating func play(
        _ connection: ConnectionID, _ app: AppIdentifier, stream: Int64 = 1, _ settings: AudioSettings? = nil
    ) -> NodeID? {
        if let settings { ask(connection, .set(settings)) }
        guard case .success = ask(connection, .start(stream, .output)) else { return nil }
        return node(.app(app), stream: stream)
    }

    @discardableResult
    mutating func node(
        _ owner: PartyID, stream: Int64? = nil, _ direction: AudioDirection = .output, role: NodeRole = .music,
        isRunning: Bool = true
    ) -> NodeID {
        let node = NodeID(nextNode)
        nextNode += 1
        send(
            .nodeAppeared(
                node,
                NodeDescription(
                    owner: owner, name: "a program", direction: direction, stream: stream, role: role,
                    isRunning: isRunning)))
        return node
    }

    /// The app is done with all that it was told.
    @discardableResult
    mutating func hear(_ connection: ConnectionID, _ status: AudioCommandStatus = .success) -> [AudioNews] {
        let told = effects.tellings(connection)
        for (number, _) in told { send(.answered(connection, number, status)) }
        return told.map(\.news)
    }

    // MARK: What is so

    func party(_ app: AppIdentifier) -> Party? { system.parties[.app(app)] }

    func sounds(_ app: AppIdentifier) -> Bool { party(app)?.sounds ?? false }

    func session(_ app: AppIdentifier) -> String {
        system.status.players.first { $0.id == .app(app) }?.session ?? "none"
    }

    /// How loud the stream is that its node was given.
    func gain(_ node: NodeID) -> Float? {
        for party in system.parties.values {
            for stream in party.streams.values where stream.node == node { return stream.isUp ? stream.gain : 0 }
        }
        return nil
    }

    func isHeld(_ app: AppIdentifier, _ hold: AudioHold = .playing) -> Bool {
        system.holds.contains { $0.app == app && $0.name == hold }
    }
}

extension [AudioEffect] {
    func answer(to request: RequestID) -> Result<AudioReply, AudioRefusal>? {
        for effect in self {
            switch effect {
            case .reply(request, let reply): return .success(reply)
            case .refuse(request, let refusal): return .failure(refusal)
            default: continue
            }
        }
        return nil
    }

    func tellings(_ connection: ConnectionID) -> [(number: NewsNumber, news: AudioNews)] {
        compactMap {
            if case .tell(connection, let number, let news) = $0 { (number, news) } else { nil }
        }
    }

    func news(_ connection: ConnectionID) -> [AudioNews] { tellings(connection).map(\.news) }

    var wakes: [AppIdentifier] {
        compactMap { if case .wake(let app, _, _, _, _) = $0 { app } else { nil } }
    }

    var controls: [AudioCommand] {
        compactMap { if case .own(.control(_, let command, _)) = $0 { command } else { nil } }
    }

    var reports: [AudioReport] {
        compactMap { if case .own(.report(let report)) = $0 { report } else { nil } }
    }

    func gains(_ node: NodeID) -> [Float] {
        compactMap { if case .own(.setGain(node, let gain, _)) = $0 { gain } else { nil } }
    }
}

func facts(isLocked: Bool = false, call: DeviceFacts.Call = .none) -> DeviceFacts {
    var facts = DeviceFacts()
    (facts.isLocked, facts.call) = (isLocked, call)
    return facts
}

extension Result<AudioReply, AudioRefusal>? {
    var isDone: Bool {
        if case .success(.done)? = self { true } else { false }
    }

    var refusal: AudioRefusal? {
        if case .failure(let refusal)? = self { refusal } else { nil }
    }
}
