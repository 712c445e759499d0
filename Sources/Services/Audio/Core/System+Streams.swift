internal import AudioModel
internal import Model
internal import ServiceCore

// Who may sound, how loud, and for whom the system is asked.
extension AudioSystem {
    /// By all that is known now.
    func mayRun(_ stream: Stream, _ party: Party, ignoresSession: Bool = false) -> Bool {
        if party.awaited != nil, !party.session.isActive, party.session.interruption == nil {
            return party.standing.isRunning && party.holding(hold(for: stream.direction)) == .held
        }
        // A program that records, or listens to what others play, has no session of which that were a part.
        let isApart = party.kind != .app && stream.direction == .input
        guard ignoresSession || isApart || party.session.isActive || isUnasked(party) else { return false }
        if party.kind == .app {
            let category = party.session.settings.category
            guard stream.direction == .input ? category.hasInput : category.hasOutput else { return false }
        }
        if stream.direction == .input, let app = party.app, records[app]?.permission == .denied { return false }
        guard party.kind != .outsider else { return true }
        guard party.stops.isEmpty, party.standing.isRunning else { return false }
        if party.isInSight { return !party.isRefused }
        guard party.hasKey, !party.isRefused, party.session.settings.category.goesOnInBackground else { return false }
        guard stream.sound != .dismissed else { return false }
        // What stands still is taken down before its app may be suspended.
        return stream.isInUse || party.isExpected(at: now) || controls.values.contains { $0.party == party.id }
    }

    /// A program that says nothing may begin whenever it likes: its way out has to be there before.
    private func isUnasked(_ party: Party) -> Bool {
        guard party.kind != .app else { return false }
        return party.session.activity == .inactive && !somethingGoesBefore
    }

    // MARK: After each event

    mutating func settleStreams(_ id: PartyID) {
        guard let keys = parties[id]?.orderedKeys else { return }
        for key in keys {
            settleStand(id, key)
            guard let party = parties[id], let stream = party.streams[key] else { continue }
            if mayRun(stream, party) {
                raise(id, key)
            } else {
                lower(id, key)
            }
        }
        answerStarts(id)
        answerStops(id)
    }

    /// When it is decided who sounds: how loud that depends on others.
    mutating func settleGains(_ id: PartyID) {
        for key in parties[id]?.orderedKeys ?? [] {
            if parties[id]?.streams[key]?.isUp == true { settleGain(id, key) }
            settleLook(id, key)
        }
    }

    private mutating func raise(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], let stream = party.streams[key] else { return }
        switch stream.phase {
        case .up, .lowering: return
        case .fading:
            with(id, key) { $0.phase = .up }
        case .down:
            // The system's word comes first: who sounds must not be suspended.
            guard party.kind != .app || party.holding(hold(for: stream.direction)) == .held else { return }
            with(id, key) {
                $0.phase = .up
                // What stood still while it was down may have done so for us, or by its own wish: it will tell.
                if party.kind != .app { $0.wish = $0.runs }
            }
            if let node = stream.node { emit(.own(.permit(node, true, order()))) }
        }
    }

    private mutating func lower(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], let stream = party.streams[key] else { return }
        let hasTime = party.kind == .outsider || party.standing.isRunning && !mayBeFrozen(party)
        switch stream.phase {
        case .down, .lowering: return
        case .fading(let until) where now < until && hasTime && stream.node != nil: return
        case .up where stream.node != nil && stream.runs && stream.direction == .output && hasTime:
            if let node = stream.node, stream.gain > 0 { emit(.own(.setGain(node, 0, over: rules.fade))) }
            with(id, key) { [now, rules] in
                $0.phase = .fading(until: now + rules.fade)
                ($0.gain, $0.isGainKnown) = (0, true)
            }
        case .up, .fading:
            guard let node = stream.node else { return with(id, key) { $0.phase = .down } }
            let order = order()
            with(id, key) { $0.phase = .lowering(order) }
            emit(.own(.permit(node, false, order)))
        }
    }

    /// The system does not wait for it.
    private func mayBeFrozen(_ party: Party) -> Bool {
        !party.isInSight && party.isConnectionRefused
            && [.connected, .playing, .recording].allSatisfy { party.holding($0) == .none }
    }

    /// What is heard of a stream, beside what its app and the user chose.
    func gain(_ party: Party) -> Float {
        let settings = party.session.settings
        if conditions.call == .ringing { return 0 }
        if party.kind == .app, settings.category.yieldsToRingerSwitch, device.isSilent || conditions.isLocked {
            return 0
        }
        return isDucked(party) ? rules.duckedGain : 1
    }

    /// Somebody speaks over it.
    package func isDucked(_ party: Party) -> Bool {
        guard !party.session.settings.ducks else { return false }
        return parties.contains { id, other in id != party.id && ducks(other) }
    }

    /// Others are softer for it: as long as its session is in force and could sound.
    private func ducks(_ party: Party) -> Bool {
        guard party.session.isActive, party.session.settings.ducks else { return false }
        guard party.kind == .app else { return party.sounds }
        return party.standing.isRunning && !party.isRefused && silentOutOfSight(party) == nil
    }

    private mutating func settleGain(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], let stream = party.streams[key], stream.direction == .output else { return }
        let wanted = gain(party)
        guard stream.gain != wanted || !stream.isGainKnown else { return }
        with(id, key) { ($0.gain, $0.isGainKnown) = (wanted, stream.node != nil) }
        guard let node = stream.node else { return }
        let fade = wanted > stream.gain ? rules.unduckFade : wanted == 0 ? rules.fade : rules.duckFade
        emit(.own(.setGain(node, wanted, over: fade)))
    }

    private mutating func answerStarts(_ id: PartyID) {
        guard let party = parties[id], !party.starts.isEmpty else { return }
        for key in party.starts.keys.sorted() {
            guard let stream = party.streams[key] else {
                refuseStarts(id, key, .noSuchStream)
                continue
            }
            if party.isRefused {
                endStream(id, key)
                let sentence = "add audio to UIBackgroundModes in Info.plist to use audio in the background"
                refuseStarts(
                    id, key,
                    stream.direction == .output ? .cannotStartPlaying(sentence) : .cannotStartRecording(sentence))
            } else if stream.isUp, party.holding(hold(for: stream.direction)) == .held {
                for request in party.starts[key] ?? [] { emit(.reply(request, .done)) }
                with(id) { $0.starts[key] = nil }
            } else if party.standing.isRunning, !mayRun(stream, party) {
                // It left the screen, or its session, before it was answered.
                endStream(id, key)
                let sentence = silentOutOfSight(party) ?? "the app's session is not active, or has another category"
                refuseStarts(
                    id, key,
                    stream.direction == .output ? .cannotStartPlaying(sentence) : .cannotStartRecording(sentence))
            }
        }
    }

    private mutating func endStream(_ id: PartyID, _ key: StreamKey) {
        with(id, key) { $0.wish = false }
        if parties[id]?.streams[key]?.node == nil { with(id) { $0.streams[key] = nil } }
    }

    // MARK: What the system holds

    func hold(for direction: AudioDirection) -> AudioHold { direction == .output ? .playing : .recording }

    mutating func stop(_ app: AppIdentifier, _ hold: AudioHold, _ order: OrderID) {
        guard parties[.app(app)] != nil else { return emit(.stopped(order)) }
        with(.app(app)) { $0.stops[hold] = order }
    }

    private mutating func answerStops(_ id: PartyID) {
        // An app that has yet to say what it does may play on from before the service's death.
        guard let party = parties[id], party.awaited == nil else { return }
        for (hold, order) in party.stops.sorted(by: { $0.key < $1.key }) {
            let isRaised = party.streams.values.contains {
                $0.isRaised && (hold == .connected || self.hold(for: $0.direction) == hold)
            }
            guard !isRaised else { continue }
            with(id) {
                $0.stops[hold] = nil
                $0.holds[hold] = Party.Holding.none
            }
            emit(.stopped(order))
        }
    }

    /// What it is held for: what it does, and what is on its way down.
    private func needs(_ hold: AudioHold, _ party: Party) -> Bool {
        if party.awaited != nil, party.holding(hold) == .held { return true }
        switch hold {
        case .connected:
            return party.kind != .outsider && party.standing.isRunning
                && party.streams.values.contains { $0.node != nil && $0.isRaised }
                && ![.playing, .recording].contains { party.holding($0) == .held && needs($0, party) }
        case .playing, .recording:
            if hold == .playing, party.holding(hold) == .held, party.isExpected(at: now) { return true }
            return party.streams.values.contains { stream in
                guard self.hold(for: stream.direction) == hold else { return false }
                if stream.wish && mayRun(stream, party) { return true }
                switch stream.phase {
                case .down: return false
                case .up: return stream.isInUse
                // It must not be frozen before it is off.
                case .fading, .lowering: return party.standing.isRunning && party.holding(hold) == .held
                }
            }
        case .telling: return isTold(party) || controls.values.contains { $0.party == party.id }
        }
    }

    mutating func settleHolds(_ id: PartyID) {
        guard hasSystem, let app = id.app else { return }
        for hold in AudioHold.allCases {
            guard let party = parties[id], party.standing.state != .none, party.stops[hold] == nil else { continue }
            let isNeeded = needs(hold, party)
            switch party.holding(hold) {
            case .none where isNeeded && !(hold == .connected ? party.isConnectionRefused : party.isRefused):
                with(id) { $0.holds[hold] = .asked }
                emit(.hold(app, process: party.standing.process, hold, because: sentence(hold, party)))
            case .held where !isNeeded:
                // One is not given back before the other one is there: nothing would keep the app meanwhile.
                guard hold == .telling || party.holding(.connected) != .asked else { continue }
                with(id) {
                    $0.holds[hold] = Party.Holding.none
                    $0.because = ""
                }
                emit(.drop(app, process: party.standing.process, hold, because: party.because))
            default: continue
            }
        }
        storeHolds(id)
    }

    /// A process of the service after this one has to state them.
    private mutating func storeHolds(_ id: PartyID) {
        guard let party = parties[id], let app = party.app else { return }
        let holds = Set(AudioHold.allCases.filter { party.holding($0) == .held })
        change(app) { record in
            record.holds = holds
            guard !holds.isEmpty else { return }
            record.name = party.name
            record.hasKey = party.hasKey
            record.process = party.standing.process
            record.isProgram = party.kind == .program
        }
    }

    /// What the app does, for people.
    func sentence(_ hold: AudioHold, _ party: Party) -> String {
        let title = party.app.flatMap { records[$0]?.nowPlaying.title } ?? party.playerState.title
        switch hold {
        case .playing: return title.map { "it plays “\($0.prefix(60))”" } ?? "it plays audio"
        case .recording: return "it records"
        case .connected: return "it is connected to the sound server"
        case .telling: return "it is told what became of its audio"
        }
    }

    mutating func held(_ app: AppIdentifier, _ hold: AudioHold, _ answer: HoldAnswer) {
        let id = PartyID.app(app)
        guard parties[id]?.holding(hold) == .asked else {
            // It was not needed any more, and is there all the same.
            let lives = parties[id].map { $0.standing.state != .none } ?? false
            if answer == .allowed, lives, hasSystem { with(id) { $0.holds[hold] = .held } }
            return
        }
        with(id) {
            switch answer {
            case .allowed: $0.holds[hold] = .held
            case .refused:
                $0.holds[hold] = Party.Holding.none
                $0.refuse(hold)
            case .lost: $0.holds[hold] = Party.Holding.none
            }
        }
        if answer == .refused, hold != .connected { failControls(of: id) }
    }

    mutating func holdEnded(_ app: AppIdentifier, _ hold: AudioHold) {
        let id = PartyID.app(app)
        guard parties[id]?.holding(hold) == .held else { return }
        with(id) {
            $0.holds[hold] = Party.Holding.none
            $0.refuse(hold)
        }
    }

    // MARK: What is really heard

    /// How long somebody out of sight may say that it plays, and give nothing.
    var longestStand: Span { hasGraph ? rules.silence : rules.serverTime }

    private mutating func settleStand(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], let stream = party.streams[key] else { return }
        let gives = stream.node != nil && stream.runs
        guard party.kind == .app, !party.isInSight, stream.wish, stream.isUp, !gives else {
            if stream.standsSince != nil { with(id, key) { $0.standsSince = nil } }
            return
        }
        guard let since = stream.standsSince else { return with(id, key) { [now] in $0.standsSince = now } }
        if now - since >= longestStand { dismiss(id, key, after: now - since) }
    }

    private mutating func dismiss(_ id: PartyID, _ key: StreamKey, after span: Span) {
        emit(.own(.report(.silent(id, span))))
        with(id) { [rules] in $0.because = "it has played nothing but silence for \(rules.silence)" }
        with(id, key) { ($0.sound, $0.standsSince) = (.dismissed, nil) }
    }

    private mutating func settleLook(_ id: PartyID, _ key: StreamKey) {
        guard let party = parties[id], let stream = party.streams[key] else { return }
        let isWorth =
            stream.isUp && stream.runs && stream.direction == .output && !party.isInSight && party.kind != .outsider
            && stream.gain > 0 && hasGraph && stream.node != nil
        guard isWorth else {
            if stream.lookAt != nil { with(id, key) { $0.lookAt = nil } }
            return
        }
        guard !stream.isLooking else { return }
        guard let at = stream.lookAt else {
            return with(id, key) { [now, rules] in
                $0.lookAt = now + rules.lookPause
                $0.sound = .unknown(since: now)
            }
        }
        guard at <= now, let node = stream.node else { return }
        with(id, key) { $0.isLooking = true }
        emit(.own(.meter(node, rules.lookTime)))
    }

    mutating func level(_ node: NodeID, _ peak: Float?) {
        guard let owner = nodes[node], let stream = parties[owner.party]?.streams[owner.stream], stream.isLooking else {
            return
        }
        let isAudible = peak.map { $0 >= rules.audibleLevel } ?? true
        var sound = stream.sound
        switch sound {
        case _ where isAudible: sound = .audible(now)
        case .unknown, .audible: sound = .silent(since: now)
        case .silent(let since) where now - since >= rules.silence:
            sound = .dismissed
            dismiss(owner.party, owner.stream, after: now - since)
        case .silent: break
        case .dismissed: break
        }
        with(owner.party, owner.stream) { [now, rules] in
            $0.isLooking = false
            $0.sound = sound
            // Once it is silent, the end of that is not missed.
            let pause = isAudible ? rules.lookPause : min(rules.lookPause, .seconds(1))
            $0.lookAt = now + pause
        }
    }
}
