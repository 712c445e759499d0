internal import AudioControls
internal import AudioCore
internal import AudioModel
internal import LinuxSystem
internal import Model
internal import ServiceCore
internal import ServiceKit
internal import Wire

// The desktop's bus: apps are players there, and players there are players here.
extension AudioWorld: OtherPlayersClient {
    func appeared(_ player: OtherPlayer) {
        guard let pid = player.process else { return appeared(player, .outsider(pid: 0)) }
        whose(pid) { [weak self] answer in
            switch answer {
            case .app(let app):
                self?.started(app.description)
                self?.appeared(player, .app(app.description.app))
            case .outsider: self?.appeared(player, .outsider(pid: pid))
            }
        }
    }

    private func appeared(_ player: OtherPlayer, _ owner: PartyID) {
        let id = PlayerID(nextPlayer)
        nextPlayer += 1
        playerIDs[player.id] = id
        post(
            .playerAppeared(
                id,
                PlayerDescription(
                    owner: owner, name: player.identity, nowPlaying: player.nowPlaying, commands: player.commands)))
    }

    func changed(_ player: OtherPlayer) {
        guard let id = playerIDs[player.id] else { return }
        post(.playerChanged(id, player.nowPlaying, commands: player.commands))
    }

    func gone(_ id: OtherPlayer.ID) {
        if let known = playerIDs.removeValue(forKey: id) { post(.playerGone(known)) }
    }

    /// Seconds that a program has to do what it is told.
    private static let patience = 5

    func control(_ player: PlayerID, _ command: AudioCommand, _ order: OrderID) {
        guard let id = playerIDs.first(where: { $0.value == player })?.key else {
            return post(.controlled(player, order, .deviceNotFound))
        }
        players.send(command, to: id, timeout: .seconds(Self.patience)) { [weak self] result in
            switch result {
            case .success: self?.post(.controlled(player, order, .success))
            case .failure(let failure): self?.post(.controlled(player, order, failure.status))
            }
        }
    }

    // MARK: Apps as players

    func publish(_ app: AppIdentifier, _ player: AudioCore.PublishedPlayer) {
        var playing = player.nowPlaying
        if player.isPlaying {
            playing.state = .playing
        } else if playing.state == .playing || playing.state == .unknown {
            playing.state = .paused
        }
        let state = PublishedState(playing, saidAt: Clock.boot(), commands: player.commands)
        if let known = published[app] { return known.update(state) }
        let identity = PublishedApp(identifier: app.rawValue, name: player.name)
        let one = AudioControls.PublishedPlayer(identity, queue: queue)
        published[app] = one
        one.onCommand = { [weak self] command, answer in self?.command(command, app, answer) }
        one.onRaise = { [weak self] in self?.raise(app) }
        one.begin(state)
    }

    private func command(_ command: AudioCommand, _ app: AppIdentifier, _ answer: @escaping (PublishedAnswer) -> Void) {
        guard let number = host?.assumeIsolated({ $0.requestOfWorld() }) else { return }
        answers[number] = answer
        post(.command(app, command, number))
    }

    func answered(_ request: RequestID, _ result: Result<AudioReply, AudioRefusal>) {
        let answer = answers.removeValue(forKey: request)
        switch result {
        case .success(.status(let status)): answer?(PublishedAnswer(status))
        case .success: answer?(.done)
        case .failure(let refusal): answer?(.failed(.failed, why: refusal.sentence))
        }
    }

    /// Its controls lead to it.
    private func raise(_ app: AppIdentifier) {
        let params: JSONValue = ["app": .string(app.rawValue), "window": .string(AudioWords.Window.raised.rawValue)]
        host?.assumeIsolated { $0.broker }?.request(.wake, params) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.host?.assumeIsolated { $0.note("\(app) is not opened: \(error.message)") }
        }
    }
}
