internal import AudioModel
internal import Model
internal import ServiceCore

// What the sound server says of streams, and players on the desktop's bus.
extension AudioSystem {
    mutating func nodeAppeared(_ node: NodeID, _ description: NodeDescription) {
        guard nodes[node] == nil else { return }
        let id = description.owner
        introduce(id, kind(of: id), name: description.name)
        if parties[id]?.kind != .app, parties[id]?.streams.isEmpty == true {
            with(id) { $0.session.settings = description.role.settings }
        }
        var key = description.stream.map(StreamKey.own) ?? .node(node)
        // A number that was given for the loudspeaker is none for the microphone.
        if let known = parties[id]?.streams[key], known.direction != description.direction { key = .node(node) }
        let isNew = giveWay(id, key) || parties[id]?.streams[key] == nil
        nodes[node] = (id, key)
        with(id) { [now] party in
            var stream = party.streams[key] ?? Stream(key, description.direction, wish: false, at: now)
            stream.node = node
            stream.runs = description.isRunning
            if isNew, party.kind != .app { stream.wish = description.isRunning }
            party.streams[key] = stream
        }
        connectNode(id, key)
        guard parties[id]?.kind != .app else { return beginUnasked(id, key) }
        // One that comes back with the sound server is none that somebody has begun.
        if description.isRunning, parties[id]?.awaited == nil, !graphIsNew { insist(id) }
    }

    /// A second node of a number takes the place of the first, which is nobody's stream then.
    private mutating func giveWay(_ id: PartyID, _ key: StreamKey) -> Bool {
        guard let stream = parties[id]?.streams[key], let node = stream.node else { return false }
        let other = StreamKey.node(node)
        nodes[node] = (id, other)
        with(id) { [now] party in
            var left = Stream(other, stream.direction, wish: false, at: now)
            (left.node, left.runs, left.phase) = (node, stream.runs, stream.phase)
            (left.gain, left.isGainKnown, left.device) = (stream.gain, stream.isGainKnown, stream.device)
            party.streams[other] = left
        }
        return true
    }

    /// It sounds by a way that this service did not give it: as if it had started a player.
    private mutating func beginUnasked(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], party.streams[key]?.runs == true, case .node = key,
            party.session.activity == .inactive
        else { return }
        try? activate(id)
    }

    /// Its node is there, or there anew: the sound server has to know what was decided.
    private mutating func connectNode(_ id: PartyID, _ key: StreamKey) {
        guard let stream = parties[id]?.streams[key], let node = stream.node else { return }
        with(id, key) {
            // Whoever made it has linked it, or will.
            if case .up = $0.phase {} else { $0.phase = .up }
            $0.device = nil
            $0.isLooking = false
            $0.isGainKnown = false
        }
        emit(.own(.permit(node, true, order())))
    }

    mutating func nodeRuns(_ node: NodeID, _ runs: Bool) {
        guard let owner = nodes[node], let party = parties[owner.party], let stream = party.streams[owner.stream] else {
            return
        }
        with(owner.party, owner.stream) { [now] in
            $0.runs = runs
            // What we have taken down stands still for us, not by its own wish.
            guard party.kind != .app, $0.phase == .up else { return }
            if runs, !stream.wish { $0.sound = .unknown(since: now) }
            $0.wish = runs
        }
        if stream.isUp, runs || stream.wish { rests(owner.party, !runs) }
        if party.kind == .app { beginUnasked(owner.party, owner.stream) }
    }

    /// A program has begun, or gives nothing any more. Whoever paused it is not kept waiting.
    private mutating func rests(_ id: PartyID, _ rests: Bool) {
        guard let party = parties[id], party.kind == .program else { return }
        let isPaused = party.player != nil && party.playerState.state != .playing
        with(id) { [now, rules] in $0.restsUntil = rests && !isPaused ? now + rules.restTime : nil }
    }

    mutating func nodeGone(_ node: NodeID) {
        guard let owner = nodes.removeValue(forKey: node), let stream = parties[owner.party]?.streams[owner.stream],
            stream.node == node
        else { return }
        if stream.wish, stream.isUp { rests(owner.party, true) }
        with(owner.party, owner.stream) {
            ($0.node, $0.runs, $0.isLooking, $0.lookAt) = (nil, false, false, nil)
            if $0.phase != .up { $0.phase = .down }
        }
        let isForgotten: Bool
        switch owner.stream {
        case .node: isForgotten = true
        case .own: isForgotten = parties[owner.party]?.streams[owner.stream]?.wish != true
        }
        if isForgotten { with(owner.party) { $0.streams[owner.stream] = nil } }
    }

    mutating func permitted(_ node: NodeID, _ order: OrderID) {
        guard let owner = nodes[node] else { return }
        with(owner.party, owner.stream) { if $0.phase == .lowering(order) { $0.phase = .down } }
    }

    /// What it tells of now was there before.
    var graphIsNew: Bool { graphIsNewUntil.map { now < $0 } ?? false }

    mutating func graphAttached() {
        hasGraph = true
        graphIsNewUntil = now + rules.reconnectTime
        restand()
        for id in parties.keys.sorted() where parties[id]?.kind != .app {
            if case .until? = parties[id]?.awaited { expectAgain(id) }
        }
    }

    /// Nobody is to blame for the time without a sound server.
    private mutating func restand() {
        for id in parties.keys.sorted() {
            with(id) { party in for key in party.orderedKeys { party.streams[key]?.standsSince = nil } }
        }
    }

    mutating func graphDetached() {
        hasGraph = false
        restand()
        // Programs make their streams anew when the server is back, and must be able to.
        for id in parties.keys.sorted() {
            guard let party = parties[id], party.kind != .app else { continue }
            guard !party.streams.isEmpty || party.session.activity != .inactive else { continue }
            with(id) { [now, rules] in $0.awaited = .until(now + rules.serverTime) }
        }
        for node in nodes.keys.sorted() { nodeGone(node) }
    }

    // MARK: Players on the bus

    mutating func playerAppeared(_ player: PlayerID, _ description: PlayerDescription) {
        let id = description.owner
        introduce(id, kind(of: id), name: description.name)
        // An app that speaks to this service is asked by it alone.
        guard parties[id]?.kind != .app else { return }
        players[player] = id
        with(id) {
            $0.player = player
            $0.name = description.name
            $0.playerCommands = description.commands
            $0.playerState = description.nowPlaying
        }
    }

    mutating func playerChanged(_ player: PlayerID, _ playing: NowPlaying, _ commands: Set<AudioCommandKind>) {
        guard let id = players[player], let before = parties[id]?.playerState.state else { return }
        with(id) {
            $0.playerState = playing
            $0.playerCommands = commands
            if playing.state == .playing { $0.isPausedByUs = false } else { $0.restsUntil = nil }
        }
        guard playing.state == .playing, before != .playing else { return }
        // It is heard in a moment, or it is not.
        with(id) { [now, rules] in if $0.kind == .program { $0.restsUntil = now + rules.newsTime } }
        lookAnew(id)
        insist(id)
    }

    mutating func playerGone(_ player: PlayerID) {
        guard let id = players.removeValue(forKey: player), parties[id]?.player == player else { return }
        with(id) {
            $0.player = nil
            $0.playerCommands = []
            $0.playerState = NowPlaying()
            $0.isPausedByUs = false
        }
        failControls(of: id)
    }

    /// What it played in silence before is forgotten: somebody wants to hear it.
    mutating func lookAnew(_ id: PartyID) {
        with(id) { [now] party in
            for key in party.orderedKeys where party.streams[key]?.sound == .dismissed {
                party.streams[key]?.sound = .unknown(since: now)
            }
        }
    }

    /// Somebody lets a program play that an app has interrupted.
    private mutating func insist(_ id: PartyID) {
        guard let by = parties[id]?.session.interruption?.by, !somethingGoesBefore else { return }
        guard by.allSatisfy({ $0 != .call && $0 != .person }) else { return }
        with(id) {
            $0.session.apply(.activated)
            for key in $0.orderedKeys where $0.player != nil { $0.streams[key]?.wish = true }
        }
        silenceOthers(than: id)
    }
}
