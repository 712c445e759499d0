internal import AudioCore
internal import AudioModel
package import Model
internal import ServiceCore
internal import Simulation

// What the Core wants done, and what people do.
extension SimulatedAudio {
    mutating func perform(_ effect: AudioEffect) {
        switch effect {
        case .store, .erase: break
        case .reply(let request, let reply): answered(request, .success(reply))
        case .refuse(let request, let refusal): answered(request, .failure(refusal))
        case .tell(let connection, let seq, let news): tell(connection.rawValue, seq, news)
        case .notify(let connection, let surroundings): surround(connection.rawValue, surroundings)
        case .hold(let app, let process, let hold, let because):
            let number = number()
            askedHolds[number] = (app, hold)
            acts.append(
                .hold(ServiceModelHold(app, process: process, hold.rawValue), because: because, number: number))
        case .drop(let app, let process, let hold, let because):
            if !because.isEmpty { acts.append(.note(app, because)) }
            acts.append(.drop(ServiceModelHold(app, process: process, hold.rawValue)))
        case .stopped(let order): acts.append(.stopped(order: order.rawValue & ~Self.stopMark))
        case .wake(let app, let upTo, let window, let because, let payload):
            let number = number()
            wakes[number] = (app, upTo)
            acts.append(.wake(app, window: window.rawValue, because: because, payload: payload, number: number))
        case .note(let app, let sentence): acts.append(.note(app, sentence))
        case .ask: break
        case .own(let effect): perform(effect)
        }
    }

    private mutating func perform(_ effect: AudioWords.Effect) {
        switch effect {
        case .permit(let node, let isPermitted, let order):
            facts.nodes[node]?.isPermitted = isPermitted
            post(.permitted(node, order))
        case .setGain(let node, let gain, _): facts.nodes[node]?.gain = gain
        case .meter(let node, let span): meters.append((now + span, node))
        case .setVolume(let volume): facts.volume = volume
        case .move, .setDefault: break
        case .control(let player, let command, let order): control(player, command, order)
        case .publish(let app, let player): facts.published[app] = player
        case .unpublish(let app): facts.published[app] = nil
        case .report(let report): log.append(report)
        }
    }

    /// A program's player does what it is told, if its process runs.
    private mutating func control(_ player: PlayerID, _ command: AudioCommand, _ order: OrderID) {
        guard let owner = facts.players.first(where: { $0.value.id == player })?.key else { return }
        if let app = owner.app, standings[app]?.isRunning != true { return }
        switch command {
        case .play: play(owner, true)
        case .pause, .stop: play(owner, false)
        case .toggle: play(owner, facts.players[owner]?.isPlaying != true)
        default: break
        }
        post(.controlled(player, order, .success))
    }

    private mutating func play(_ owner: PartyID, _ plays: Bool, level: Float = 1) {
        guard let player = facts.players[owner] else { return }
        facts.players[owner]?.isPlaying = plays
        let process = owner.app.flatMap { standings[$0]?.process } ?? 0
        run(owner, process, nil, .output, level, runs: plays)
        var playing = NowPlaying()
        playing.state = plays ? .playing : .paused
        let commands: Set<AudioCommandKind> = [.play, .pause, .toggle, .next, .previous, .stop]
        post(.playerChanged(player.id, playing, commands: commands))
    }

    // MARK: People

    mutating func perform(_ deed: SpokenDeed, isAlive: Bool) {
        switch deed {
        case .tool(let request):
            guard isAlive else { return }
            let id = RequestID(number())
            requests[id] = AudioAsked(connection: 0, kind: .deed, asked: nil)
            post(.tool(id, request))
        case .program(let app, let plays, let level):
            guard isAlive, standings[app]?.isRunning == true else { return }
            play(.app(app), plays, level: level)
        case .outsider(let plays): outsider(plays, isAlive)
        case .server(let isThere): server(isThere, isAlive)
        case .raise:
            guard isAlive, let app = system.target?.app else { return }
            acts.append(
                .wake(app, window: "raised", because: "the user tapped its controls", payload: "", number: number()))
        }
    }

    private mutating func outsider(_ plays: Bool?, _ isAlive: Bool) {
        let owner = AudioFacts.outsider
        guard isAlive else { return }
        if facts.players[owner] == nil {
            let player = AudioFacts.Player(id: PlayerID(facts.nextNode))
            facts.nextNode += 1
            facts.players[owner] = player
            announce(owner, player)
        }
        if let plays { return play(owner, plays) }
        for (id, _) in facts.orderedNodes.filter({ $0.value.owner == owner }) {
            facts.nodes[id] = nil
            post(.nodeGone(id))
        }
        if let player = facts.players.removeValue(forKey: owner) { post(.playerGone(player.id)) }
    }

    /// With it all streams go; whoever played makes new ones.
    private mutating func server(_ isThere: Bool, _ isAlive: Bool) {
        guard facts.hasServer != isThere else { return }
        facts.hasServer = isThere
        if !isThere {
            facts.lost = facts.orderedNodes.map(\.value)
            facts.nodes = [:]
            meters = []
            if isAlive { post(.graphDetached) }
            return
        }
        for var node in facts.lost where node.process == node.owner.app.flatMap({ standings[$0]?.process }) ?? 0 {
            (node.gain, node.isPermitted) = (1, true)
            facts.nodes[NodeID(facts.nextNode)] = node
            facts.nextNode += 1
        }
        facts.lost = []
        if isAlive { serverReturned() }
    }

    // MARK: Questions

    package func answer(_ question: String, at now: Instant) -> String? {
        let words = question.split(separator: " ", maxSplits: 1).map(String.init)
        let app = words.count == 2 ? AppIdentifier(words[1]) : nil
        switch words.first {
        case "sounds":
            guard words.count == 2 else { return sounding }
            return sound[words[1] == "outsider" ? "a program" : words[1]] ?? "silent"
        case "records": return recording
        case "target": return system.target.map(system.name(of:)) ?? "nobody"
        case "why": return app.map(system.why)
        case "session":
            return app.flatMap { app in system.status.players.first { $0.id == .app(app) }?.session } ?? "none"
        case "route":
            let route = app.flatMap { app in system.status.players.first { $0.id == .app(app) }?.route }
            return (route ?? []).map(\.kind.rawValue).joined(separator: " ")
        case "desktop":
            return facts.published.keys.map { key in
                "\(key.rawValue) \(facts.published[key]?.isPlaying == true ? "plays" : "is paused")"
            }.sorted().joined(separator: ", ")
        case "log": return log.map { "\($0)" }.joined(separator: "; ")
        default: return nil
        }
    }

    /// What one hears, by the name of who makes it.
    private var sound: [String: String] {
        var heard: [String: Float] = [:]
        for (_, node) in facts.orderedNodes where node.direction == .output && isLinked(node) {
            let loudness = node.level * node.gain
            if loudness > 0 { heard[system.name(of: node.owner)] = loudness }
        }
        return heard.mapValues { $0 == 1 ? "in full" : "at \($0)" }
    }

    func isLinked(_ node: AudioFacts.Node) -> Bool {
        let isFrozen = node.owner.app.map { standings[$0]?.isRunning != true } ?? false
        return node.runs && node.isPermitted && !isFrozen
    }

    private var sounding: String {
        let sound = sound
        guard !sound.isEmpty else { return "nothing" }
        return sound.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// What the red bar would name.
    private var recording: String {
        let nodes = facts.orderedNodes.map(\.value).filter { $0.direction == .input && isLinked($0) }
        let names = Set(nodes.map { system.name(of: $0.owner) })
        return names.isEmpty ? "nobody" : names.sorted().joined(separator: ", ")
    }
}
