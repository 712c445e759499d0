import AudioCore
import AudioModel
import Model
import ServiceCore

/// Machines to which everything happens, drawn from a seed.
struct Storm {
    var machine = Machine()
    var dice: Dice
    private(set) var seen: [String: Int] = [:]
    var call = DeviceFacts.Call.none
    private var isLocked = false

    private static let outsiders = [PartyID.outsider(pid: 71), .outsider(pid: 72)]
    private static let settings: [AudioSettings] =
        AudioCategory.allCases.map { AudioSettings($0) } + [
            AudioSettings(.playback), AudioSettings(.playback, options: .mixWithOthers),
            AudioSettings(.playback, options: .duckOthers), AudioSettings(.playback, options: .duckOthers),
            AudioSettings(.playback, options: .mixWithOthers), AudioSettings(.playback, mode: .spokenAudio),
            AudioSettings(.playback, options: .interruptSpokenAudioAndMixWithOthers),
            AudioSettings(.playAndRecord, mode: .voiceChat),
        ]

    init(seed: UInt64) {
        dice = Dice(seed: seed)
        graphReturns()
        daemonReturns()
    }

    mutating func run(events: Int) {
        for _ in 0..<events {
            step()
            if !machine.broken.isEmpty { return }
            note()
        }
    }

    private mutating func note() {
        for party in machine.system.parties.values {
            let kind = "\(party.kind)"
            if party.sounds { seen[kind == "app" ? "plays" : kind, default: 0] += 1 }
            if party.records { seen["records", default: 0] += 1 }
            if machine.system.isDucked(party), party.sounds { seen["ducked", default: 0] += 1 }
            if party.session.interruption != nil { seen["interrupted", default: 0] += 1 }
            if party.standing.state == .suspended { seen["suspended", default: 0] += 1 }
            if party.streams.values.contains(where: { $0.sound == .dismissed }) { seen["dismissed", default: 0] += 1 }
        }
    }

    // MARK: What happens

    private mutating func step() {
        pass(.milliseconds(Int64(dice.oneIn(6) ? dice.below(9000) : dice.below(400))))
        let place = dice.below(machine.apps.count)
        switch dice.below(35) {
        case 0...6: if !machine.due.isEmpty { machine.answer(dice.below(machine.due.count), &dice) }
        case 7...9: machine.hear(place, &dice)
        case 10...15: speak(place)
        case 16...19: live(place)
        case 20: suspend()
        case 21: conditions()
        case 22: tool()
        case 23...24: player()
        case 25: nodes()
        case 26: if dice.oneIn(2) { machine.end(place) }
        case 27: if dice.oneIn(3) { machine.hasSystem ? daemonDies() : daemonReturns() }
        case 28: if dice.oneIn(3) { machine.hasGraph ? graphDies() : graphReturns() }
        case 29: if dice.oneIn(4) { restart() }
        case 30: breakConnection(place)
        case 31: forget(place)
        case 32: if !machine.hasSystem { daemonReturns() }
        case 33: if !machine.hasGraph { graphReturns() }
        default: if dice.oneIn(3) { quiet() }
        }
    }

    /// Everything is answered for a while, and nothing else happens.
    private mutating func quiet() {
        let place = dice.below(3)
        if machine.apps[place].state == .none { machine.launch(place, .active) }
        machine.stand(place, .active)
        if machine.apps[place].connection == nil { machine.connect(place) }
        let records = dice.oneIn(4)
        let options: AudioOptions = dice.oneIn(2) ? [] : .duckOthers
        machine.ask(place, .set(AudioSettings(records ? .playAndRecord : .playback, options: options)))
        machine.ask(place, records ? .start(4, .input) : .start(3, .output))
        for _ in 0..<machine.due.count { machine.answer(0, &dice) }
        machine.stand(place, .background)
        for _ in 0..<20 {
            for _ in 0..<machine.due.count { machine.answer(0, &dice) }
            suspend()
            pass(.seconds(1))
        }
    }

    mutating func pass(_ span: Span) {
        let end = machine.now + span
        var steps = 0
        while let next = machine.system.nextDeadline, next <= end, steps < 500 {
            steps += 1
            machine.now = max(machine.now, next)
            machine.send(.timer)
        }
        if steps == 500 { machine.broken.append("what is due is not done") }
        machine.now = end
    }

    private mutating func speak(_ place: Int) {
        guard !machine.apps[place].isProgram else { return }
        switch dice.below(12) {
        case 0...1: if let settings = dice.pick(Self.settings) { machine.ask(place, .set(settings)) }
        case 2...4: machine.ask(place, .start(1, .output))
        case 5: machine.ask(place, .start(2, dice.oneIn(2) ? .input : .output))
        case 6: machine.ask(place, .stop(1))
        case 7: machine.ask(place, .activate)
        case 8...9: machine.ask(place, .deactivate(notifies: dice.oneIn(2)))
        case 10: machine.ask(place, .remote(commands: [.play, .pause], events: dice.oneIn(2)))
        default: machine.ask(place, dice.oneIn(2) ? .override(toSpeaker: dice.oneIn(2)) : .requestPermission)
        }
    }

    private mutating func live(_ place: Int) {
        let app = machine.apps[place]
        switch app.state {
        case .none:
            machine.launch(place, .active)
            if !dice.oneIn(3) { machine.connect(place) }
        case .active: machine.stand(place, dice.oneIn(3) ? .inactive : .background)
        case .inactive: machine.stand(place, dice.oneIn(2) ? .active : .background)
        case .background, .suspended: machine.stand(place, .active)
        }
        if app.connection == nil, dice.oneIn(2) { machine.connect(place) }
        if machine.apps[place].isProgram, !machine.players.values.contains(where: { $0.owner == .app(app.id) }) {
            appear(.app(app.id))
        }
    }

    private mutating func appear(_ owner: PartyID) {
        if let app = owner.app, machine.place(app).map({ machine.apps[$0].runs }) != true { return }
        let player = PlayerID(machine.number())
        machine.players[player] = (owner, false)
        machine.send(.playerAppeared(player, Self.description(owner, plays: false)))
    }

    private static func description(_ owner: PartyID, plays: Bool) -> PlayerDescription {
        var playing = NowPlaying()
        playing.state = plays ? .playing : .paused
        return PlayerDescription(owner: owner, name: "p", nowPlaying: playing, commands: [.play, .pause, .toggle])
    }

    /// What is held by nothing is frozen.
    private mutating func suspend() {
        guard machine.hasSystem else { return }
        for place in machine.apps.indices {
            let app = machine.apps[place]
            if app.state == .background, app.held.isEmpty, app.stops.isEmpty, !isAsking(app.id) {
                machine.stand(place, .suspended)
            }
        }
    }

    /// What was asked before is answered before.
    private func isAsking(_ app: AppIdentifier) -> Bool {
        machine.due.contains { due in
            switch due {
            case .held(app, _, _), .woken(app, _): true
            case .runs(let node): machine.nodes[node]?.owner == .app(app)
            default: false
            }
        }
    }

    private mutating func conditions() {
        switch dice.below(3) {
        case 0 where dice.oneIn(2): isLocked.toggle()
        default:
            call =
                switch call {
                case .none: dice.oneIn(4) ? .ringing : .none
                case .ringing: dice.oneIn(3) ? .none : .connected
                case .connected: .none
                }
        }
        if machine.hasSystem { machine.send(.conditions(facts(isLocked: isLocked, call: call))) }
    }

    private mutating func tool() {
        let requests: [AudioOrder] = [
            .press(1), .press(2), .command(.play), .command(.pause), .ringer(isSilent: dice.oneIn(2)),
            .interruption(isBegin: dice.oneIn(4), resumes: dice.oneIn(2)), .interruption(isBegin: false, resumes: true),
            .plug(.headphones), .unplug(.headphones), .route("speaker"),
            .permission(machine.apps[0].id, dice.oneIn(2) ? .denied : .granted),
        ]
        guard let request = dice.pick(requests) else { return }
        machine.send(.tool(RequestID(machine.number()), request))
    }

    private mutating func player() {
        guard let player = dice.pick(machine.players.keys.sorted()), let known = machine.players[player] else {
            return appear(dice.pick(Self.outsiders) ?? Self.outsiders[0])
        }
        if let app = known.owner.app, machine.place(app).map({ machine.apps[$0].runs }) != true { return }
        machine.play(player, dice.oneIn(2))
    }

    /// Streams of those who say nothing, and some that nobody announced.
    private mutating func nodes() {
        if dice.oneIn(3), let id = dice.pick(machine.nodes.keys.sorted()), machine.nodes[id]?.stream == nil {
            return machine.remove(id)
        }
        let running = machine.apps.filter(\.runs).map { PartyID.app($0.id) }
        guard let owner = dice.pick(running + Self.outsiders) else { return }
        machine.add(
            Machine.Node(
                owner: owner, stream: dice.oneIn(4) ? 2 : nil, direction: dice.oneIn(5) ? .input : .output,
                runs: dice.oneIn(2)))
    }

    private mutating func breakConnection(_ place: Int) {
        guard let connection = machine.apps[place].connection else { return machine.connect(place) }
        guard dice.oneIn(2) else { return machine.connect(place) }
        machine.apps[place].connection = nil
        machine.send(.detached(connection))
    }

    private mutating func forget(_ place: Int) {
        guard dice.oneIn(8), machine.hasSystem else { return }
        machine.end(place)
        machine.send(.forgotten(machine.apps[place].id))
    }

    // MARK: Deaths

    private mutating func daemonDies() {
        machine.hasSystem = false
        machine.send(.systemDetached)
        for due in machine.due {
            switch due {
            case .held(let app, _, let hold): machine.send(.held(app, hold, .lost))
            case .woken(let app, let number): machine.send(.woken(app, number, .lost))
            default: break
            }
        }
        machine.due.removeAll {
            switch $0 {
            case .held, .woken: true
            default: false
            }
        }
        for place in machine.apps.indices { machine.apps[place].stops = [:] }
    }

    mutating func daemonReturns() {
        // It says how everything is, and only then that it is there; what is not stated is dropped.
        let stated = machine.system.holds
        machine.hasSystem = true
        for place in machine.apps.indices {
            let app = machine.apps[place]
            let mine = stated.filter { $0.app == app.id }
            machine.apps[place].held = Set(mine.filter { $0.process == app.process }.map(\.name))
            machine.send(.appState(app.id, app.standing))
            if app.isProgram, app.runs { machine.send(.programStarted(machine.description(place))) }
            for hold in mine where hold.process != app.process || app.state == .none {
                machine.apps[place].held.remove(hold.name)
                machine.send(.holdEnded(app.id, hold.name))
            }
        }
        machine.send(.conditions(facts(isLocked: isLocked, call: call)))
        machine.send(.systemAttached)
        // Whatever left the screen meanwhile without the key has to stop now.
        for place in machine.apps.indices where machine.apps[place].state == .background {
            machine.stand(place, .background)
        }
    }

    private mutating func graphDies() {
        machine.hasGraph = false
        machine.due.removeAll {
            switch $0 {
            case .permitted, .level, .runs: true
            default: false
            }
        }
        machine.send(.graphDetached)
    }

    mutating func graphReturns() {
        machine.hasGraph = true
        machine.send(.graphAttached)
        machine.send(.ports(Bench.ports))
        // Whoever lives makes new ones.
        let before = machine.nodes.sorted { $0.key < $1.key }.map(\.value)
        machine.nodes = [:]
        for var node in before {
            (node.isPermitted, node.gain) = (true, 1)
            if let place = node.owner.app.flatMap(machine.place), machine.apps[place].state == .suspended {
                node.runs = false
            }
            machine.add(node)
        }
    }

    private mutating func restart() {
        let records = machine.records.values.sorted { "\($0.key)" < "\($1.key)" }
        machine.system = AudioSystem(records, firstNews: machine.lastNews + 1)
        (machine.due, machine.requests, machine.unanswered) = ([], [:], [])
        for place in machine.apps.indices {
            (machine.apps[place].connection, machine.apps[place].stops) = (nil, [:])
        }
        let hadGraph = machine.hasGraph
        machine.hasGraph = true
        machine.send(.graphAttached)
        machine.send(.ports(Bench.ports))
        for (id, node) in machine.nodes.sorted(by: { $0.key < $1.key }) { machine.announce(id, node) }
        if !hadGraph { graphDies() }
        for (player, known) in machine.players.sorted(by: { $0.key < $1.key }) {
            machine.send(.playerAppeared(player, Self.description(known.owner, plays: known.plays)))
        }
        if machine.hasSystem { daemonReturns() }
        for place in machine.apps.indices where !dice.oneIn(4) { machine.connect(place) }
    }
}
