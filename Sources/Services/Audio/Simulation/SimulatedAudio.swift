package import AudioCore
internal import AudioModel
package import Model
internal import ServiceCore
internal import ServiceSimulation
package import Simulation

/// Audio in virtual time: AudioCore decides, as in `greenroom-audiod`, behind a shell whose sound server, headsets and
/// people are simulated too. What apps say to it is `SpokenAudio`, what people do is `SpokenDeed`; the code of a real
/// app speaks the service's own protocol.
package struct SimulatedAudio: ServiceModel {
    var facts = AudioFacts()
    /// What it would have written into its log.
    var log: [AudioReport] = []
    /// Apps that were frozen while the sound server waited for them.
    var stalls: [String] = []

    /// What people did last, and were refused.
    var refusedDeed: AudioRefusal?

    // Of the process.
    package internal(set) var system = AudioSystem()
    var connections: [UInt64: AudioConnection] = [:]
    var requests: [RequestID: AudioAsked] = [:]
    var told: [UInt64: AudioTelling] = [:]
    var askedHolds: [UInt64: (app: AppIdentifier, hold: AudioHold)] = [:]
    var wakes: [UInt64: (app: AppIdentifier, upTo: NewsNumber)] = [:]
    var meters: [(at: Instant, node: NodeID)] = []
    var standings: [AppIdentifier: AppStanding] = [:]
    var acts: [ServiceModelAct] = []
    var now = Instant.zero
    private var pending: [AudioEvent] = []
    private var isPosting = false
    private var nextNumber: UInt64 = 1

    package init() {}

    package static var declaration: ServiceDeclaration {
        ServiceDeclaration(
            name: "audio",
            holds: [
                ServiceDeclaration.Hold(
                    name: "playing", sentence: "it plays audio", activity: .streaming, priority: .foreground),
                ServiceDeclaration.Hold(
                    name: "recording", sentence: "it records", activity: .streaming, priority: .foreground),
                ServiceDeclaration.Hold(name: "connected", sentence: "it is connected to the sound server"),
                ServiceDeclaration.Hold(
                    name: "telling", sentence: "it is told what became of its audio", limit: .seconds(30)),
            ],
            windows: [
                ServiceDeclaration.Window(
                    name: "told", sentence: "what became of its audio, or what the controls say", time: .seconds(10)),
                ServiceDeclaration.Window(
                    name: "raised", sentence: "its controls", time: .zero, callback: .opening),
            ],
            mode: "audio")
    }

    package static var hearsPrograms: Bool { true }
    package static var stormStream: UInt64 { 0x7a43 }

    package static func misunderstanding(of words: String) -> String? {
        words.hasPrefix("{") || SpokenAudio(words) != nil ? nil : SpokenAudio.forms
    }

    package static func misunderstandingFromOutside(of words: String) -> String? {
        SpokenDeed(words) == nil ? SpokenDeed.forms : nil
    }

    // MARK: Events

    package mutating func start(_ life: ServiceModelLife) {
        (connections, requests, told, askedHolds, wakes, meters) = ([:], [:], [:], [:], [:], [])
        (standings, acts, pending, isPosting) = ([:], [], [], false)
        system = AudioSystem(
            facts.stored, rules: AudioRules(profile: life.profile), firstNews: facts.lastNews + 1)
    }

    package mutating func handle(_ news: ServiceModelNews, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        switch news {
        case .timer: passTime()
        case .clock: beginWithServer()
        // Nobody asks it.
        case .zone, .network, .moved, .broken, .noRoom, .arrived, .asked, .replied: break
        case .conditions(let conditions):
            post(.conditions(DeviceFacts(conditions)))
        case .greeted: post(.systemAttached)
        case .lost:
            (askedHolds, wakes) = ([:], [:])
            post(.systemDetached)
        case .app(let app, let state, _, let process, let isVisible):
            stands(app, AppStanding(AppStanding.State(state), process: process, isVisible: isVisible))
        case .program(let app, let process, let modes): program(app, process, modes)
        case .closed(let app, let ends): post(.closedByUser(app, endsWork: ends))
        case .removed(let app):
            for node in facts.endProcess(of: app, but: nil) { post(.nodeGone(node)) }
            for connection in connections.filter({ $0.value.app == app }).keys { connections[connection] = nil }
            post(.forgotten(app))
        case .attached(let connection, let app, let client): attached(connection, app, client)
        case .detached(let connection):
            connections[connection] = nil
            post(.detached(ConnectionID(connection)))
        case .said(let connection, let number, let words): said(connection, number, words)
        case .heard(_, let number): heard(number)
        case .woken(let number, let answer):
            guard let wake = wakes.removeValue(forKey: number) else { break }
            post(.woken(wake.app, wake.upTo, WakeAnswer(answer)))
        case .windowEnded(let app, _, _): post(.windowEnded(app, .told, .done))
        case .held(let number, let answer):
            guard let hold = askedHolds.removeValue(forKey: number) else { break }
            post(.held(hold.app, hold.hold, HoldAnswer(answer)))
        case .stop(let hold, let order):
            guard let kind = AudioHold(rawValue: hold.hold) else { break }
            post(.stop(hold.app, kind, OrderID(order | Self.stopMark)))
        case .holdEnded(let hold):
            if let kind = AudioHold(rawValue: hold.hold) { post(.holdEnded(hold.app, kind)) }
        }
        defer { acts = [] }
        return acts
    }

    package mutating func hear(_ words: String, isAlive: Bool, at now: Instant) -> [ServiceModelAct] {
        self.now = now
        guard let deed = SpokenDeed(words) else { return [] }
        refusedDeed = nil
        perform(deed, isAlive: isAlive)
        defer { acts = [] }
        return isAlive ? acts : []
    }

    package mutating func nextDeadline() -> Instant? {
        [system.nextDeadline, meters.map(\.at).min()].compactMap(\.self).min()
    }

    package var isUnfinished: Bool { !system.isIdle }

    package var holds: [ServiceModelHold] {
        system.holds.map { ServiceModelHold($0.app, process: $0.process, $0.name.rawValue) }
    }

    package func brokenPromises() -> [String] { system.brokenInvariants() + stalls }

    /// Orders of the daemon beside those of the Core.
    static let stopMark: UInt64 = 1 << 62

    // MARK: Time and the Core

    private mutating func passTime() {
        let due = meters.filter { $0.at <= now }
        meters.removeAll { $0.at <= now }
        for meter in due {
            let node = facts.nodes[meter.node]
            post(.level(meter.node, node.map { $0.runs && $0.isPermitted ? $0.level * $0.gain : 0 }))
        }
        post(.timer)
    }

    mutating func post(_ event: AudioEvent) {
        pending.append(event)
        guard !isPosting else { return }
        isPosting = true
        while !pending.isEmpty {
            let effects = system.handle(pending.removeFirst(), at: now)
            facts.commit(effects)
            for effect in effects where !effect.isRecord { perform(effect) }
        }
        isPosting = false
    }

    mutating func post(_ event: AudioWords.Event) { post(AudioEvent.own(event)) }

    mutating func number() -> UInt64 {
        defer { nextNumber += 1 }
        return nextNumber
    }

    // MARK: The sound server

    private mutating func beginWithServer() {
        if facts.hasServer, !system.status.hasGraph { serverReturned() }
        for (owner, player) in facts.players.sorted(by: { $0.key < $1.key }) { announce(owner, player) }
    }

    mutating func serverReturned() {
        post(.graphAttached)
        post(
            .ports([
                DevicePort(device: 1, AudioPort(.receiver, name: "Receiver")),
                DevicePort(device: 2, AudioPort(.speaker, name: "Speaker")),
                DevicePort(device: 3, AudioPort(.microphone, name: "Microphone")),
            ]))
        post(.volume(facts.volume))
        for (id, node) in facts.orderedNodes { announce(id, node) }
    }

    mutating func announce(_ id: NodeID, _ node: AudioFacts.Node) {
        post(
            .nodeAppeared(
                id,
                NodeDescription(
                    owner: node.owner, name: "a program", direction: node.direction, stream: node.stream,
                    role: node.role, isRunning: node.runs)))
    }

    mutating func announce(_ owner: PartyID, _ player: AudioFacts.Player) {
        var playing = NowPlaying()
        playing.state = player.isPlaying ? .playing : .paused
        let commands: Set<AudioCommandKind> = [.play, .pause, .toggle, .next, .previous, .stop]
        post(
            .playerAppeared(
                player.id,
                PlayerDescription(
                    owner: owner, name: owner.app?.rawValue ?? "a program", nowPlaying: playing,
                    commands: commands)))
    }

    /// A stream begins to run, or stands still.
    mutating func run(
        _ owner: PartyID, _ process: Int64, _ stream: Int64?, _ direction: AudioDirection, _ level: Float, runs: Bool,
        role: NodeRole = .music
    ) {
        if let id = facts.node(of: owner, stream) {
            facts.nodes[id]?.level = level
            guard facts.nodes[id]?.runs != runs else { return }
            facts.nodes[id]?.runs = runs
            return post(.nodeRuns(id, runs))
        }
        guard facts.hasServer else {
            // Whoever waits for the server connects, and goes on as it is by then.
            facts.lost.removeAll { $0.owner == owner && $0.stream == stream }
            if runs { facts.lost.append(node(owner, process, stream, direction, level, role)) }
            return
        }
        guard runs else { return }
        let id = NodeID(facts.nextNode)
        facts.nextNode += 1
        let node = node(owner, process, stream, direction, level, role)
        facts.nodes[id] = node
        announce(id, node)
    }

    private func node(
        _ owner: PartyID, _ process: Int64, _ stream: Int64?, _ direction: AudioDirection, _ level: Float,
        _ role: NodeRole
    ) -> AudioFacts.Node {
        AudioFacts.Node(
            owner: owner, process: process, direction: direction, stream: stream, role: role, runs: true, level: level)
    }

    // MARK: Apps of the system

    private mutating func stands(_ app: AppIdentifier, _ standing: AppStanding) {
        let before = standings[app]
        standings[app] = standing
        let isGone = standing.state == .none
        for node in facts.endProcess(of: app, but: isGone ? nil : standing.process) { post(.nodeGone(node)) }
        if isGone, let player = facts.players.removeValue(forKey: .app(app)) { post(.playerGone(player.id)) }
        if standing.state == .suspended, before?.isRunning == true, before?.process == standing.process {
            for (_, node) in facts.orderedNodes where node.owner == .app(app) && node.isPermitted {
                stalls.append("\(app) was frozen while the sound server waited for its stream")
            }
        }
        post(.appState(app, standing))
    }

    private mutating func program(_ app: AppIdentifier, _ process: Int64, _ modes: BackgroundModes) {
        post(
            .programStarted(
                AppDescription(app, process: process, name: app.rawValue, hasKey: modes.contains("audio"))))
        guard facts.players[.app(app)] == nil else { return }
        let player = AudioFacts.Player(id: PlayerID(facts.nextNode))
        facts.nextNode += 1
        facts.players[.app(app)] = player
        announce(.app(app), player)
    }
}
