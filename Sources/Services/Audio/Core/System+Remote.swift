internal import AudioModel
internal import Model
internal import ServiceCore

// Who gets what controls ask for: the last one that was heard and obeys.
extension AudioSystem {
    /// A command for a player of a program, which has to run for it.
    struct Control: Sendable {
        let party: PartyID
        let command: AudioCommand
        let request: RequestID?
        var isSent = false
        var until: Instant
    }

    /// Whom the controls belong to.
    package var target: PartyID? {
        var best: (play: UInt64, id: PartyID)?
        func consider(_ play: UInt64, _ id: PartyID) {
            if play > 0, best.map({ $0.play < play }) ?? true { best = (play, id) }
        }
        for (id, party) in parties where party.player != nil { consider(party.lastPlay, id) }
        for (app, record) in records where record.isControllable && parties[.app(app)]?.kind != .program {
            consider(record.lastPlay, .app(app))
        }
        return best?.id
    }

    package func name(of id: PartyID) -> String {
        if let name = parties[id]?.name, !name.isEmpty { return name }
        guard let app = id.app else { return "a program" }
        return records[app].map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? app.rawValue
    }

    package func isPlaying(_ id: PartyID) -> Bool {
        guard let party = parties[id] else { return false }
        return party.sounds || party.playerState.state == .playing
    }

    // MARK: Commands

    mutating func command(_ command: AudioCommand, _ request: RequestID) throws(AudioRefusal) {
        // The player that began to seek is told when to end, whoever has played since.
        let ended = command.seeking == .end ? seeker.flatMap { parties[$0] == nil ? nil : $0 } : nil
        if command.seeking == .end { seeker = nil }
        guard let id = ended ?? target else { throw .noPlayer }
        try self.command(command, to: id, request)
        if command.seeking == .begin { seeker = id }
    }

    mutating func commandFromBus(_ command: AudioCommand, _ app: AppIdentifier, _ request: RequestID) {
        do throws(AudioRefusal) {
            try self.command(command, to: .app(app), request)
        } catch {
            emit(.refuse(request, error))
        }
    }

    private mutating func command(
        _ command: AudioCommand, to id: PartyID, _ request: RequestID
    ) throws(AudioRefusal) {
        let name = name(of: id)
        if let party = parties[id], party.kind != .app {
            guard let player = party.player else { throw .noPlayer }
            guard control(player, command, request) != nil else { throw .notWoken(name) }
            return
        }
        guard let app = id.app, let record = records[app] else { throw .noSuchApp }
        guard let understood = translate(command, record, isPlaying: isPlaying(id)) else {
            throw .playerDoesNot(name, command.kind)
        }
        introduce(id, .app, name: record.name)
        // The system wakes nobody for its audio without the key.
        guard let party = parties[id], party.standing.isRunning || party.hasKey else { throw .notWoken(name) }
        tell(id, .command(understood), request: request)
    }

    /// What the player takes in its place; `nil`: it takes nothing of the kind.
    private func translate(_ command: AudioCommand, _ record: AppRecord, isPlaying: Bool) -> AudioCommand? {
        func takes(_ command: AudioCommand) -> Bool {
            record.commands.contains(command.kind)
                || record.wantsEvents && AudioCommandKind.events.contains(command.kind)
        }
        if takes(command) { return command }
        let other: AudioCommand?
        switch command {
        case .toggle: other = isPlaying ? .pause : .play
        case .play: other = isPlaying ? nil : .toggle
        case .pause: other = isPlaying ? .toggle : nil
        case .stop: other = .pause
        default: other = nil
        }
        return other.flatMap { takes($0) ? $0 : nil }
    }

    // MARK: Players of programs

    /// - Returns: `nil`: the program cannot run for it.
    @discardableResult
    mutating func control(_ player: PlayerID, _ command: AudioCommand, _ request: RequestID?) -> OrderID? {
        guard let id = players[player], let party = parties[id] else { return nil }
        guard party.kind == .outsider || party.standing.isRunning || (party.hasKey && hasSystem) else { return nil }
        if controls.count >= rules.mostControls, let oldest = controls.keys.min() { fail(oldest) }
        let order = order()
        controls[order] = Control(
            party: id, command: command, request: request, until: now + rules.commandTime)
        with(id) { $0.isRefused = false }
        lookAnew(id)
        settleControls()
        return order
    }

    /// What can be said now is said.
    mutating func settleControls() {
        for (order, control) in controls.sorted(by: { $0.key < $1.key }) {
            guard let party = parties[control.party], let player = party.player else {
                fail(order)
                continue
            }
            guard now < control.until else {
                fail(order)
                continue
            }
            guard !control.isSent, party.kind == .outsider || party.standing.isRunning else { continue }
            controls[order]?.isSent = true
            emit(.own(.control(player, control.command, order)))
        }
    }

    private mutating func fail(_ order: OrderID) {
        guard let control = controls.removeValue(forKey: order) else { return }
        if let request = control.request { emit(.reply(request, .status(.failed))) }
    }

    mutating func failControls(of id: PartyID) {
        for (order, control) in controls.sorted(by: { $0.key < $1.key }) where control.party == id { fail(order) }
    }

    mutating func controlled(_ player: PlayerID, _ order: OrderID, _ status: AudioCommandStatus) {
        guard let control = controls[order], let request = control.request else {
            // It may take a moment until it is heard: the rest of the time is for that.
            controls[order]?.until = now + rules.newsTime
            return
        }
        emit(.reply(request, .status(status)))
        // What is silent now needs no time.
        guard control.command != .pause, control.command != .stop else {
            controls[order] = nil
            return
        }
        controls[order] = Control(
            party: control.party, command: control.command, request: nil, isSent: true, until: now + rules.newsTime)
    }

    // MARK: The headset's button

    mutating func press(_ count: Int, _ request: RequestID) {
        var requests = presses?.requests ?? []
        if requests.count >= rules.mostControls { emit(.reply(requests.removeFirst(), .done)) }
        requests.append(request)
        presses = Presses(count: (presses?.count ?? 0) + count, until: now + rules.pressTime, requests: requests)
    }

    struct Presses: Sendable {
        var count: Int
        var until: Instant
        var requests: [RequestID]
    }

    mutating func settlePresses() {
        guard let presses, presses.until <= now else { return }
        self.presses = nil
        let command: AudioCommand =
            switch presses.count {
            case ...1: .toggle
            case 2: .next
            default: .previous
            }
        for request in presses.requests.dropLast() { emit(.reply(request, .done)) }
        guard let last = presses.requests.last else { return }
        do throws(AudioRefusal) {
            try self.command(command, last)
        } catch {
            emit(.refuse(last, error))
        }
    }

    // MARK: As the desktop sees it

    /// Apps that obey, while they live or are the ones that controls belong to.
    mutating func settlePublished() {
        let target = target
        var wanted: [AppIdentifier: PublishedPlayer] = [:]
        for (app, record) in records where record.isControllable && record.lastPlay > 0 {
            let id = PartyID.app(app)
            guard parties[id]?.kind == .app && parties[id]?.standing.state != AppStanding.State.none || target == id
            else { continue }
            guard parties[id]?.kind != .program else { continue }
            var commands = record.commands
            if record.wantsEvents { commands.formUnion(AudioCommandKind.events) }
            wanted[app] = PublishedPlayer(
                name: name(of: id), nowPlaying: record.nowPlaying, isPlaying: isPlaying(id), commands: commands)
        }
        for app in published.keys.sorted(by: { $0.rawValue < $1.rawValue }) where wanted[app] == nil {
            emit(.own(.unpublish(app)))
        }
        for (app, player) in wanted.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where published[app] != player {
            emit(.own(.publish(app, player)))
        }
        published = wanted
    }
}
