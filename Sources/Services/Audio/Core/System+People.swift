internal import AudioModel
package import Model
internal import ServiceCore

// What people ask for, what time brings, and what everybody may know.
extension AudioSystem {
    mutating func tool(_ request: RequestID, _ asked: AudioOrder) {
        do throws(AudioRefusal) {
            switch asked {
            case .command(let command): return try self.command(command, request)
            case .press(let count): return press(count, request)
            case .ringer(let isSilent): changeDevice { $0.isSilent = isSilent }
            case .interruption(let isBegin, let resumes): try interruption(isBegin: isBegin, resumes: resumes)
            case .plug(let kind): plug(kind)
            case .unplug(let kind): try unplug(kind)
            case .route(let name): try choose(name)
            case .volume(let volume):
                self.volume = min(max(0, volume), 1)
                emit(.own(.setVolume(self.volume)))
            case .permission(let app, let permission):
                guard records[app] != nil || parties[.app(app)] != nil else { throw .noSuchApp }
                change(app) { $0.permission = permission }
            }
            emit(.reply(request, .done))
        } catch {
            emit(.refuse(request, error))
        }
    }

    // MARK: Permission

    mutating func askForPermission(_ id: PartyID) -> AudioPermission {
        guard let app = id.app else { return .granted }
        let known = records[app]?.permission ?? .undetermined
        guard known == .undetermined else { return known }
        // There is nobody to ask yet: whoever owns the device denies it by its tool.
        change(app) { $0.permission = .granted }
        return .granted
    }

    // MARK: Time

    mutating func passTime() {
        settlePresses()
        settleControls()
    }

    /// When the shell has to send `timer` at the latest.
    package var nextDeadline: Instant? {
        var times = [presses?.until].compactMap(\.self) + controls.values.map(\.until)
        for party in parties.values {
            if case .until(let until)? = party.awaited { times.append(until) }
            for until in [party.actsUntil, party.restsUntil] {
                if let until, now < until { times.append(until) }
            }
            for stream in party.streams.values {
                if case .fading(let until) = stream.phase { times.append(until) }
                if !stream.isLooking, let at = stream.lookAt { times.append(at) }
                if let since = stream.standsSince { times.append(since + longestStand) }
            }
            for item in party.news.items {
                if let until = item.until { times.append(until) }
                if hasSystem, !party.standing.isRunning, case .wanted(let at, _) = item.wakes { times.append(at) }
            }
        }
        return times.min()
    }

    // MARK: What surrounds an app

    func surroundings(of id: PartyID) -> AudioSurroundings {
        guard let party = parties[id] else { return AudioSurroundings() }
        return AudioSurroundings(
            route: party.route.isEmpty ? route(of: party.session) : party.route, volume: volume,
            otherAudioPlays: parties.contains { $0.key != id && $0.value.sounds },
            shouldBeSilent: shouldBeSilent(id),
            permission: id.app.flatMap { records[$0]?.permission } ?? .undetermined)
    }

    /// Somebody is heard whom a second sound would disturb.
    private func shouldBeSilent(_ id: PartyID) -> Bool {
        parties.contains { $0.key != id && $0.value.sounds && !$0.value.session.settings.mixes }
    }

    mutating func settleSurroundings(_ id: PartyID) {
        guard let party = parties[id], party.kind == .app, party.isGreeted, let connection = party.connection,
            party.standing.isRunning
        else { return }
        let surroundings = surroundings(of: id)
        if party.surroundings != surroundings {
            with(id) { $0.surroundings = surroundings }
            emit(.notify(connection, surroundings))
        }
        guard party.hint != surroundings.shouldBeSilent else { return }
        with(id) { $0.hint = surroundings.shouldBeSilent }
        if party.session.isActive, party.isInSight { tell(id, .silenceHint(surroundings.shouldBeSilent)) }
        settleNews(id)
    }

    // MARK: The end

    /// Programs that are silent and gone, and apps of which the records know all.
    mutating func dropUseless() {
        for id in parties.keys.sorted() {
            guard let party = parties[id], party.streams.isEmpty, party.player == nil, party.news.isEmpty,
                party.connection == nil, party.awaited == nil
            else { continue }
            switch party.kind {
            case .outsider: deactivate(id, notifies: isCall(id))
            case .app, .program: guard party.standing.state == .none else { continue }
            }
            if let app = id.app, party.kind == .app { change(app) { $0.interruption = nil } }
            parties[id] = nil
        }
    }

    /// Nobody needs the service: no app is connected, and no controls belong to one.
    package var isIdle: Bool {
        connections.isEmpty && controls.isEmpty && presses == nil && target == nil && !isInterrupted
            && !parties.values.contains { $0.kind == .program || !$0.news.isEmpty }
    }
}
