import AudioCore
import AudioModel
import Model
import ServiceCore

/// Numbers that look random and are the same for each seed.
struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

/// All that surrounds the Core, roughly as it is: apps that obey, a system that suspends what is not held, a sound
/// server, players. It answers late, and in any order.
struct Machine {
    struct App {
        let id: AppIdentifier
        let isProgram: Bool
        let hasKey: Bool
        var state = AppStanding.State.none
        var process: Int64 = 0
        var connection: ConnectionID?
        /// The framework's side.
        var hello = AppHello()
        /// What it was told and has not come to.
        var told: [(number: NewsNumber, news: AudioNews)] = []
        var held: Set<AudioHold> = []
        var stops: [OrderID: AudioHold] = [:]

        var isVisible: Bool { state == .active || state == .inactive }
        var runs: Bool { isVisible || state == .background }
        var standing: AppStanding { AppStanding(state, process: process, isVisible: isVisible) }
    }

    struct Node {
        let owner: PartyID
        let stream: Int64?
        let direction: AudioDirection
        var runs: Bool
        var isPermitted = true
        var gain: Float = 1
        /// What the Core was told: it runs, and is linked.
        var isSeen = false
        var isSilent = false
    }

    enum Due {
        case held(AppIdentifier, process: Int64, AudioHold)
        case permitted(NodeID, OrderID)
        case woken(AppIdentifier, NewsNumber)
        case controlled(PlayerID, AudioCommand, OrderID)
        case level(NodeID)
        case runs(NodeID)
    }

    var system = AudioSystem()
    var now = Instant(nanoseconds: 1_000_000_000)
    var apps: [App]
    var nodes: [NodeID: Node] = [:]
    var players: [PlayerID: (owner: PartyID, plays: Bool)] = [:]
    var due: [Due] = []
    var records: [AudioRecordKey: AudioRecord] = [:]
    var lastNews: NewsNumber = 0
    var hasSystem = false
    var hasGraph = false
    var requests: [RequestID: (app: Int, AudioRequest)] = [:]
    var unanswered: Set<RequestID> = []
    var nextNumber: UInt64 = 1
    var isClearing = false
    /// What must not be.
    var broken: [String] = []

    init() {
        let names = ["org.a", "org.b", "org.c", "org.nokey", "io.program", "io.programs.nokey"]
        apps = names.compactMap { AppIdentifier($0) }.map { id in
            App(id: id, isProgram: id.rawValue.hasPrefix("io"), hasKey: !id.rawValue.hasSuffix("nokey"))
        }
    }

    mutating func number() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    func place(_ app: AppIdentifier) -> Int? { apps.firstIndex { $0.id == app } }

    // MARK: The Core

    mutating func send(_ event: AudioEvent) {
        let effects = system.handle(event, at: now)
        broken += system.brokenInvariants().map { "\($0), after \(event)" }
        for effect in effects { perform(effect) }
    }

    mutating func send(_ event: AudioWords.Event) { send(AudioEvent.own(event)) }

    private mutating func perform(_ effect: AudioEffect) {
        switch effect {
        case .store(let record): records[record.key] = record
        case .erase(let key): records[key] = nil
        case .reply(let request, let reply): answered(request, reply)
        case .refuse(let request, _): unanswered.remove(request)
        case .tell(let connection, let number, let news):
            lastNews = max(lastNews, number)
            guard let place = apps.firstIndex(where: { $0.connection == connection }) else { return }
            if !apps[place].told.contains(where: { $0.number == number }) { apps[place].told.append((number, news)) }
        case .hold(let app, let process, let hold, _): due.append(.held(app, process: process, hold))
        case .drop(let app, let process, let hold, _):
            if let place = place(app), apps[place].process == process { apps[place].held.remove(hold) }
        case .stopped(let order): stopped(order)
        case .wake(let app, let upTo, _, _, _): due.append(.woken(app, upTo))
        case .own(let effect): perform(effect)
        case .notify, .note, .ask: break
        }
    }

    private mutating func perform(_ effect: AudioWords.Effect) {
        switch effect {
        case .permit(let node, let isPermitted, let order):
            nodes[node]?.isPermitted = isPermitted
            due += [.permitted(node, order), .runs(node)]
        case .setGain(let node, let gain, _): nodes[node]?.gain = gain
        case .meter(let node, _): due.append(.level(node))
        case .control(let player, let command, let order): due.append(.controlled(player, command, order))
        case .move, .setVolume, .setDefault, .publish, .unpublish, .report: break
        }
    }

    private mutating func answered(_ request: RequestID, _ reply: AudioReply) {
        unanswered.remove(request)
        guard let (place, asked) = requests.removeValue(forKey: request) else { return }
        switch asked {
        case .start(let number, let direction):
            (apps[place].hello.isActive, apps[place].hello.isInterrupted) = (true, false)
            apps[place].hello.streams[number] = direction
            let known = nodes.filter { $0.value.owner == .app(apps[place].id) && $0.value.stream == number }
            if let id = known.keys.min() {
                nodes[id]?.runs = true
                tellRuns(id)
            } else {
                add(Node(owner: .app(apps[place].id), stream: number, direction: direction, runs: true))
            }
        case .activate: (apps[place].hello.isActive, apps[place].hello.isInterrupted) = (true, false)
        default: break
        }
    }

    private mutating func stopped(_ order: OrderID) {
        for place in apps.indices {
            guard let hold = apps[place].stops.removeValue(forKey: order) else { continue }
            apps[place].held.remove(hold)
        }
    }

    mutating func add(_ node: Node) {
        let id = NodeID(number())
        nodes[id] = node
        nodes[id]?.isSilent = id.rawValue % 3 == 0
        if hasGraph { announce(id, node) }
    }

    func announcement(_ id: NodeID, _ node: Node) -> AudioWords.Event {
        .nodeAppeared(
            id,
            NodeDescription(
                owner: node.owner, name: "x", direction: node.direction, stream: node.stream,
                isRunning: node.runs && node.isPermitted))
    }

    mutating func announce(_ id: NodeID, _ node: Node) {
        nodes[id]?.isSeen = node.runs && node.isPermitted
        send(announcement(id, node))
    }

    /// One without a way out stands still.
    mutating func tellRuns(_ id: NodeID) {
        guard let node = nodes[id], hasGraph, node.isSeen != (node.runs && node.isPermitted) else { return }
        nodes[id]?.isSeen.toggle()
        send(.nodeRuns(id, !node.isSeen))
    }

    // MARK: Answers

    mutating func answer(_ place: Int, _ dice: inout Dice) {
        switch due.remove(at: place) {
        case .held(let app, let process, let hold): answerHold(app, process, hold)
        case .permitted(let node, let order): if hasGraph { send(.permitted(node, order)) }
        case .woken(let app, let number): woken(app, number, &dice)
        case .controlled(let player, let command, let order): controlled(player, command, order, &dice)
        case .level(let node):
            let isHeard = nodes[node].map { $0.isSeen && $0.gain > 0 && !$0.isSilent } ?? false
            if hasGraph { send(.level(node, isHeard ? 0.5 : 0)) }
        case .runs(let node): tellRuns(node)
        }
    }

    private mutating func answerHold(_ app: AppIdentifier, _ process: Int64, _ hold: AudioHold) {
        guard hasSystem, let place = place(app) else { return }
        guard apps[place].process == process, apps[place].state != .none, apps[place].hasKey || apps[place].isVisible
        else { return send(.held(app, hold, .refused)) }
        apps[place].held.insert(hold)
        // It runs for that.
        if apps[place].state == .suspended { stand(place, .background) }
        send(.held(app, hold, .allowed))
    }

    private mutating func woken(_ app: AppIdentifier, _ number: NewsNumber, _ dice: inout Dice) {
        guard hasSystem, let place = place(app) else { return }
        guard apps[place].hasKey, !dice.oneIn(4) else {
            return send(.woken(app, number, dice.oneIn(2) ? .never : .notNow))
        }
        switch apps[place].state {
        case .none: launch(place, .background)
        case .suspended: stand(place, .background)
        case .active, .inactive, .background: break
        }
        send(.woken(app, number, .allowed))
    }

    private mutating func controlled(
        _ player: PlayerID, _ command: AudioCommand, _ order: OrderID, _ dice: inout Dice
    ) {
        guard let known = players[player] else { return }
        if let place = known.owner.app.flatMap(place), !apps[place].runs { return }
        switch command {
        case .play: play(player, true)
        case .pause, .stop: play(player, false)
        case .toggle: play(player, !known.plays)
        default: break
        }
        send(.controlled(player, order, .success))
    }

    mutating func play(_ player: PlayerID, _ plays: Bool) {
        guard let owner = players[player]?.owner else { return }
        players[player]?.plays = plays
        if let id = nodes.filter({ $0.value.owner == owner }).keys.min() {
            nodes[id]?.runs = plays
            tellRuns(id)
        } else if plays {
            add(Node(owner: owner, stream: nil, direction: .output, runs: true))
        }
        var playing = NowPlaying()
        playing.state = plays ? .playing : .paused
        send(.playerChanged(player, playing, commands: [.play, .pause, .toggle]))
    }

    // MARK: The system

    mutating func stand(_ place: Int, _ state: AppStanding.State) {
        apps[place].state = state
        // A program without the key may begin in the moment in which it is frozen.
        if state == .suspended, apps[place].hasKey || !apps[place].isProgram {
            for (id, node) in nodes
            where node.owner == .app(apps[place].id) && node.isPermitted && hasGraph {
                broken.append("\(apps[place].id) is frozen, and the server waits for \(id.rawValue)")
            }
        }
        if hasSystem { send(.appState(apps[place].id, apps[place].standing)) }
        guard hasSystem, state == .background, !apps[place].hasKey else { return }
        for hold in apps[place].held.sorted() {
            let order = OrderID(1 << 40 | number())
            apps[place].stops[order] = hold
            send(.stop(apps[place].id, hold, order))
        }
    }

    mutating func launch(_ place: Int, _ state: AppStanding.State) {
        apps[place].process += 1
        (apps[place].hello, apps[place].told, apps[place].held) = (AppHello(), [], [])
        stand(place, state)
        if apps[place].isProgram, hasSystem { send(.programStarted(description(place))) }
    }

    func description(_ place: Int) -> AppDescription {
        AppDescription(
            apps[place].id, process: apps[place].process, name: apps[place].id.rawValue, hasKey: apps[place].hasKey)
    }

    /// It crashes, or is ended.
    mutating func end(_ place: Int) {
        guard apps[place].state != .none else { return }
        let owner = PartyID.app(apps[place].id)
        if let connection = apps[place].connection {
            apps[place].connection = nil
            send(.detached(connection))
        }
        for (id, _) in nodes.filter({ $0.value.owner == owner }).sorted(by: { $0.key < $1.key }) { remove(id) }
        for (id, _) in players.filter({ $0.value.owner == owner }).sorted(by: { $0.key < $1.key }) {
            players[id] = nil
            send(.playerGone(id))
        }
        (apps[place].held, apps[place].stops, apps[place].told) = ([], [:], [])
        requests = requests.filter { $0.value.app != place }
        stand(place, .none)
    }

    mutating func remove(_ id: NodeID) {
        nodes[id] = nil
        if hasGraph { send(.nodeGone(id)) }
    }

    mutating func connect(_ place: Int) {
        guard apps[place].runs, !apps[place].isProgram else { return }
        let connection = ConnectionID(number())
        apps[place].connection = connection
        send(.attached(connection, description(place)))
        var hello = apps[place].hello
        hello.running = Set(apps[place].told.map(\.number))
        let request = RequestID(number())
        send(.app(connection, request, .hello(hello)))
    }

    mutating func ask(_ place: Int, _ asked: AudioRequest) {
        guard apps[place].runs, let connection = apps[place].connection else { return }
        switch asked {
        case .set(let settings): if settings.contradiction == nil { apps[place].hello.settings = settings }
        case .deactivate:
            apps[place].hello.isActive = false
            stand(still: place, only: nil)
        case .stop(let number): stand(still: place, only: number)
        case .remote(let commands, let events):
            (apps[place].hello.commands, apps[place].hello.wantsEvents) = (commands, events)
        default: break
        }
        let request = RequestID(number())
        requests[request] = (place, asked)
        unanswered.insert(request)
        send(.app(connection, request, asked))
    }

    private mutating func stand(still place: Int, only number: Int64?) {
        for stream in apps[place].hello.streams.keys.sorted() where number == nil || stream == number {
            apps[place].hello.streams[stream] = nil
            for (id, node) in nodes.sorted(by: { $0.key < $1.key })
            where node.owner == .app(apps[place].id) && node.stream == stream && node.runs {
                nodes[id]?.runs = false
                tellRuns(id)
            }
        }
    }

    /// The app comes to the first thing that it was told.
    mutating func hear(_ place: Int, _ dice: inout Dice) {
        guard apps[place].runs, let connection = apps[place].connection, !apps[place].told.isEmpty else { return }
        let (number, news) = apps[place].told.removeFirst()
        switch news {
        case .interrupted(let reason):
            apps[place].hello.isActive = false
            apps[place].hello.isInterrupted = reason != .appWasSuspended
            requests = requests.filter { $0.value.app != place }
            stand(still: place, only: nil)
        case .interruptionEnded(let resumes):
            apps[place].hello.isInterrupted = false
            if resumes, !isClearing, !dice.oneIn(3) { ask(place, .start(1, .output)) }
        case .command(let command):
            if command == .pause { ask(place, .stop(1)) } else if !isClearing { ask(place, .start(1, .output)) }
        case .routeChanged(_, _, let pauses): if pauses { stand(still: place, only: nil) }
        case .silenceHint: break
        }
        send(.answered(connection, number, .success))
    }
}
