package import AudioModel
internal import DBus
internal import Dispatch
internal import LinuxSystem

extension OtherPlayers {
    /// Sends a player a command, and says after this has returned what became of it.
    ///
    /// The player has to show first that it answers: a frozen process would find the command when it thaws, and
    /// follow it long after the person who wanted it has given up.
    package func send(
        _ command: AudioCommand, to id: OtherPlayer.ID, timeout: Duration = .seconds(2),
        completion: @escaping (Result<Void, OtherPlayerFailure>) -> Void
    ) {
        guard let peer = peers[id], peer.told != nil else { return refuse(.unknown(id), completion) }
        // What cannot be is said without a question.
        if let failure = failure(of: command, peer) { return refuse(failure, completion) }
        let player = peer.player.identity
        let deadline = Clock.monotonic() + timeout.nanoseconds
        let ping = DBusCall(
            "Ping", of: "org.freedesktop.DBus.Peer", at: MPRIS.path, to: id, timeout: timeout, startsDestination: false)
        connection.call(ping) { [weak self] result in
            guard let self else { return completion(.failure(.noBus)) }
            let left = deadline - Clock.monotonic()
            // An error of the player is an answer as well.
            guard !Self.hasEnded(result), Self.isAnswer(result) else { return note(player, peer, result, completion) }
            guard left > 0 else { return note(player, peer, .failure(.timedOut), completion) }
            perform(command, player, peer, .nanoseconds(left), completion)
        }
    }

    private func perform(
        _ command: AudioCommand, _ player: String, _ peer: OtherPeer, _ timeout: Duration,
        _ completion: @escaping (Result<Void, OtherPlayerFailure>) -> Void
    ) {
        do throws(OtherPlayerFailure) {
            let message = try peer.report.message(for: command, to: player, at: Clock.boot())
            connection.call(message.call(peer.owner, timeout)) { [weak self] result in
                guard let self else { return completion(.failure(.noBus)) }
                note(player, peer, result, completion)
            }
        } catch {
            completion(.failure(error))
        }
    }

    private func failure(of command: AudioCommand, _ peer: OtherPeer) -> OtherPlayerFailure? {
        do throws(OtherPlayerFailure) {
            _ = try peer.report.message(for: command, to: peer.player.identity, at: Clock.boot())
            return nil
        } catch {
            return error
        }
    }

    /// What the answer says of the player, too.
    private func note(
        _ player: String, _ peer: OtherPeer, _ result: Result<[DBusValue], DBusError>,
        _ completion: (Result<Void, OtherPlayerFailure>) -> Void
    ) {
        let isSilent = result == .failure(.timedOut)
        if isSilent || Self.isAnswer(result), peer.answers == isSilent {
            peer.answers = !isSilent
            touch(peer)
        }
        switch result {
        case .success: completion(.success(()))
        case .failure where Self.hasEnded(result): completion(.failure(.ended(player: player)))
        case .failure where Self.isBusGone(result): completion(.failure(.noBus))
        case .failure(.timedOut): completion(.failure(.silent(player: player)))
        case .failure(.refused(let name, let message)):
            let why = Texts.clean(message.isEmpty ? name : message, NowPlaying.longestText)
            completion(.failure(.refused(player: player, why: why)))
        case .failure(let error): completion(.failure(.refused(player: player, why: error.description)))
        }
    }

    /// The bus answers for a player that has gone.
    private static func hasEnded(_ result: Result<[DBusValue], DBusError>) -> Bool {
        switch result {
        case .failure(.noOwner), .failure(.refused(DBusError.Name.noReply, _)): true
        default: false
        }
    }

    private static func isAnswer(_ result: Result<[DBusValue], DBusError>) -> Bool {
        switch result {
        case .success, .failure(.refused): true
        case .failure: false
        }
    }

    private static func isBusGone(_ result: Result<[DBusValue], DBusError>) -> Bool {
        result == .failure(.disconnected) || result == .failure(.notConnected)
    }

    private func refuse(
        _ failure: OtherPlayerFailure, _ completion: @escaping (Result<Void, OtherPlayerFailure>) -> Void
    ) {
        let answer = Answer(failure: failure, completion: completion)
        queue.async { answer.completion(.failure(answer.failure)) }
    }
}

/// Unchecked: made and used on the same queue.
private struct Answer: @unchecked Sendable {
    let failure: OtherPlayerFailure
    let completion: (Result<Void, OtherPlayerFailure>) -> Void
}

extension PlayerMessage {
    fileprivate func call(_ owner: String, _ timeout: Duration) -> DBusCall {
        switch self {
        case .method(let name, let arguments):
            DBusCall(
                name, of: MPRIS.player, at: MPRIS.path, to: owner, arguments, timeout: timeout, startsDestination: false
            )
        case .property(let name, let value):
            DBusCall(
                "Set", of: MPRIS.properties, at: MPRIS.path, to: owner,
                [.string(MPRIS.player), .string(name), .variant(value)], timeout: timeout, startsDestination: false)
        }
    }
}

extension Duration {
    /// At most a day.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(0, seconds), 86_400) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
