internal import AudioModel
internal import Model
package import ServiceCore

// Which sessions are in force, and who interrupts whom.
extension AudioSystem {
    // MARK: In force

    /// Something goes before whatever an app wants.
    var somethingGoesBefore: Bool { conditions.call == .connected || isInterrupted }

    mutating func activate(_ id: PartyID) throws(AudioRefusal) {
        guard let party = parties[id], !party.session.isActive else { return }
        if somethingGoesBefore { throw .insufficientPriority }
        let settings = party.session.settings
        if party.kind == .app, !party.isInSight {
            if let sentence = silentOutOfSight(party) {
                throw settings.category.hasOutput ? .cannotStartPlaying(sentence) : .cannotStartRecording(sentence)
            }
            guard settings.mixes || isActing(party) || !someoneElseSounds(id) else { throw .cannotInterruptOthers }
        }
        with(id) { $0.session.apply(.activated) }
        silenceOthers(than: id)
    }

    /// Why an app may not begin to sound where it is not seen; `nil`: it may.
    func silentOutOfSight(_ party: Party) -> String? {
        guard party.kind == .app, !party.isInSight else { return nil }
        let category = party.session.settings.category
        guard category.goesOnInBackground else {
            return "the category \(category.rawValue) is silent when its app is not on the screen: set playback"
        }
        return party.hasKey ? nil : "add audio to UIBackgroundModes in Info.plist to use audio in the background"
    }

    /// Whoever speaks over the connection would be refused to begin.
    package func isSilentOutOfSight(_ connection: ConnectionID) -> Bool {
        connections[connection].flatMap { parties[$0] }.flatMap(silentOutOfSight) != nil
    }

    /// It was handed a command, or told to go on, and has the time for that.
    func isActing(_ party: Party) -> Bool { party.actsUntil.map { now < $0 } ?? false }

    /// Someone with a session that does not mix is heard.
    private func someoneElseSounds(_ id: PartyID) -> Bool {
        parties.contains { $0.key != id && $0.value.sounds && !$0.value.session.settings.mixes }
    }

    /// By what it is for, an active session interrupts others.
    mutating func silenceOthers(than id: PartyID, where isMeant: (Party) -> Bool = { _ in true }) {
        guard let party = parties[id], party.session.isActive else { return }
        let settings = party.session.settings
        for other in parties.keys.sorted() where other != id {
            guard let party = parties[other], isMeant(party) else { continue }
            if silences(settings, party.session.settings) { interrupt(other, by: Interrupter(id)) }
        }
    }

    /// Whether a session with the first settings interrupts one with the others.
    private func silences(_ settings: AudioSettings, _ others: AudioSettings) -> Bool {
        settings.mixes ? settings.interruptsSpeech && others.mode == .spokenAudio : !others.mixes
    }

    mutating func set(_ settings: AudioSettings, _ id: PartyID) throws(AudioRefusal) {
        if let contradiction = settings.contradiction { throw .invalid(contradiction) }
        guard parties[id]?.session.settings != settings else { return }
        with(id) {
            $0.session.settings = settings
            $0.isRefused = false
        }
        routeReason = .categoryChange
        silenceOthers(than: id)
    }

    /// - Parameter notifies: who was interrupted by it is told that this is over.
    mutating func deactivate(_ id: PartyID, notifies: Bool) {
        with(id) { $0.session.apply(.deactivated) }
        // Also where something interrupted it since, and is over: whom it interrupted may wait for it.
        release(Interrupter(id), tells: notifies, resumes: notifies)
    }

    // MARK: Interruptions

    mutating func interrupt(_ id: PartyID, by interrupter: Interrupter) {
        guard let party = parties[id] else { return }
        let wasPlaying = party.streams.values.contains { $0.wish } || party.playerState.state == .playing
        var outcome: Session.Outcome?
        with(id) {
            outcome = $0.session.apply(
                .interrupted(by: interrupter, process: $0.standing.process, wasPlaying: wasPlaying))
        }
        guard outcome == .changed else { return }
        switch party.kind {
        case .app:
            endStreams(id, .insufficientPriority)
            tell(id, .interrupted(.other))
        case .program, .outsider:
            guard let player = party.player, party.playerState.state == .playing else { return }
            with(id) { $0.isPausedByUs = true }
            emit(.own(.control(player, .pause, order())))
        }
    }

    /// - Parameters:
    ///   - tells: those for whom it is over hear of it.
    ///   - resumes: they may go on if they were heard before.
    mutating func release(_ interrupter: Interrupter, tells: Bool, resumes: Bool) {
        for id in parties.keys.sorted() {
            var outcome: Session.Outcome?
            with(id) { outcome = $0.session.apply(.released(interrupter)) }
            guard case .over(let wasPlaying)? = outcome, let party = parties[id] else { continue }
            switch party.kind {
            case .app:
                // Also of one that has not spoken since this process of the service began.
                if let app = id.app { change(app) { $0.interruption = nil } }
                if tells { tell(id, .interruptionEnded(shouldResume: resumes && wasPlaying)) }
            case .program, .outsider:
                guard party.isPausedByUs, let player = party.player else { continue }
                with(id) { $0.isPausedByUs = false }
                guard resumes else { continue }
                control(player, .play, nil)
            }
        }
    }

    private mutating func interruptAll(by interrupter: Interrupter) {
        for id in parties.keys.sorted() { interrupt(id, by: interrupter) }
    }

    mutating func conditionsChanged(_ new: DeviceFacts) {
        let old = conditions
        conditions = new
        if new.call == .connected, old.call != .connected { interruptAll(by: .call) }
        if old.call == .connected, new.call != .connected { release(.call, tells: true, resumes: true) }
    }

    mutating func interruption(isBegin: Bool, resumes: Bool) throws(AudioRefusal) {
        if isBegin {
            isInterrupted = true
            interruptAll(by: .person)
        } else {
            guard isInterrupted else { throw .nothingToEnd }
            isInterrupted = false
            release(.person, tells: true, resumes: resumes)
        }
    }

    // MARK: After each event

    mutating func settleSession(_ id: PartyID) {
        guard let party = parties[id] else { return }
        if party.kind != .app { followStreams(id) }
        if let app = id.app, party.kind == .app, party.isGreeted {
            let interruption = parties[id]?.session.interruption
            change(app) { $0.interruption = interruption }
        }
    }

    /// What interrupted somebody may be over, and nobody has said so: it happened in the time of a service before this
    /// one, or who did it was interrupted as well and does not go on.
    ///
    /// - Returns: whether there was such a thing.
    mutating func releaseIdleCauses() -> Bool {
        let causes = parties.values.reduce(into: Set<Interrupter>()) { $0.formUnion($1.session.interruption?.by ?? []) }
        let idle = causes.sorted().filter { !isUnderWay($0) }
        for interrupter in idle {
            switch interrupter {
            case .call, .person: release(interrupter, tells: true, resumes: true)
            case .session, .outsider: release(interrupter, tells: false, resumes: false)
            }
        }
        return !idle.isEmpty
    }

    private func isUnderWay(_ interrupter: Interrupter) -> Bool {
        switch interrupter {
        case .call: return !hasSystem || conditions.call == .connected
        case .person: return !hasSystem || isInterrupted
        case .session(let app):
            guard let party = parties[.app(app)] else { return !hasSystem || standings[app] != nil }
            return isUnderWay(party)
        case .outsider(let pid):
            guard let party = parties[.outsider(pid: pid)] else { return !hasGraph }
            return isUnderWay(party)
        }
    }

    private func isUnderWay(_ party: Party) -> Bool {
        if party.session.activity != .inactive || party.awaited != nil { return true }
        guard party.kind == .app else { return false }
        // What it was told it may be about to act on.
        return !party.hasSpoken || isActing(party) || party.news.items.contains { $0.news.resumes }
    }

    /// Of programs that say nothing, what they do says it.
    private mutating func followStreams(_ id: PartyID) {
        guard let party = parties[id] else { return }
        // What was taken down and stands still may have been paused since.
        let isUsed = party.streams.values.contains {
            $0.direction == .output && $0.wish && ($0.isUp || $0.runs)
                && mayRun($0, party, ignoresSession: true)
        }
        switch party.session.activity {
        case .inactive where isUsed:
            with(id) { $0.session.apply(.activated) }
            if conditions.call == .connected { interrupt(id, by: .call) }
            if isInterrupted { interrupt(id, by: .person) }
            if graphIsNew, let rival = rival(of: party) {
                // It was there before, and has not begun now.
                interrupt(id, by: Interrupter(rival))
            } else {
                silenceOthers(than: id)
            }
        case .active where !isUsed && party.awaited == nil: deactivate(id, notifies: isCall(id))
        default: break
        }
    }

    /// An app in force beside which the party cannot be.
    func rival(of party: Party) -> PartyID? {
        parties.values.filter { other in
            other.id != party.id && other.kind == .app && other.session.isActive
                && silences(other.session.settings, party.session.settings)
                && silences(party.session.settings, other.session.settings)
        }.map(\.id).min()
    }

    /// Who was heard last gets what the controls ask for.
    mutating func noteBegin(_ id: PartyID) {
        guard let party = parties[id] else { return }
        let sounds = party.sounds && !party.session.settings.mixes || party.playerState.state == .playing
        guard sounds != party.wasSounding else { return }
        // It has not stopped: its streams, or its own word on them, are about to come.
        if party.awaited != nil, !sounds || party.kind == .app && !party.hasSpoken { return }
        with(id) { $0.wasSounding = sounds }
        guard sounds else { return }
        changeDevice { $0.plays += 1 }
        let play = device.plays
        with(id) { $0.lastPlay = play }
        if let app = id.app { change(app) { $0.lastPlay = play } }
    }
}
