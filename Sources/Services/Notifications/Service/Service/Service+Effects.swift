internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import ServiceKit
internal import Wire

/// A request that waits for the Core's answer.
struct PendingRequest {
    weak var peer: Peer?
    let id: RPCID
    /// What else its answer depends on.
    var detail = Detail.none

    enum Detail {
        case none
        /// Of a list, the last one that is known.
        case after(String?)
        /// A tool's `show`.
        case shown(AppIdentifier, identifier: String)
        /// A tool's `push`.
        case pushed(PushID)
    }
}

extension Service {
    func perform(_ effect: NotificationEffect) {
        switch effect {
        case .store, .erase: break
        case .present(let presentation): present(presentation)
        case .withdraw(let id): withdraw(id)
        // No desktop plays a sound without a notification, or numbers the pictures of apps. Tools are told of badges.
        case .playSound, .badge: break
        case .reply(let request, let reply): answer(request, reply)
        case .refuse(let request, let refusal):
            if let answer = askedByServices.removeValue(forKey: request) { return answer(.failure(refusal.rpc)) }
            if let pending = take(request) { pending.peer?.send(.failure(id: pending.id, refusal.rpc)) }
        case .tell(let connection, let telling): tell(connection, telling)
        case .tellBadge(let connection, let count):
            peers[connection.rawValue]?.send(
                .notification(
                    method: NotificationClientMessage.badge.rawValue,
                    params: NotificationBadge(count: Int64(count)).json))
        case .wake(let order): wake(order)
        case .open(let order): open(order)
        case .mutate(let order): mutate(order)
        case .acknowledge(let sequence): link.acknowledge(Int64(clamping: sequence))
        case .register(let topic): link.register(topic)
        case .unregister(let topic): link.unregister(topic)
        case .sendKeepAlive: link.ping()
        case .hold(let topic, let hold): link.hold(topic, hold)
        case .patience(let span): link.patience(span)
        case .linkIsDead: link.isDead()
        case .watch(let app, let places): watch(app, places)
        case .report(let report): note(report.sentence)
        }
    }

    /// Writes it down, unless too much was.
    func note(_ line: String) {
        for line in reportLog.lines(line, at: Instant(nanoseconds: Clock.boot())) { Diagnostics.write(line) }
    }

    /// An app without a helper shows what was sent.
    private func mutate(_ order: MutationOrder) {
        guard let program = apps[order.app].flatMap({ HelperProgram($0) }) else { return post(.mutated(order.id, nil)) }
        helpers.mutate(order.id, program, NotificationRequestInfo(order.request)) { [weak self] content in
            self?.mutated(order, content)
        }
    }

    private func mutated(_ order: MutationOrder, _ info: NotificationContentInfo?) {
        var content: NotificationContent?
        do throws(RPCError) {
            content = try info.map { info throws(RPCError) in try NotificationContent(wire: info) }
        } catch {
            note("\(order.app): what its notification extension made cannot be shown: \(error.message)")
        }
        post(.mutated(order.id, content))
    }

    // MARK: Requests

    /// A number for the Core that leads back to who asked.
    func request(
        _ peer: Peer, _ id: RPCID, _ detail: PendingRequest.Detail = .none
    ) throws(RPCError) -> RequestID {
        guard unanswered[peer.number, default: 0] < Self.mostUnanswered else {
            throw RPCError(.tooMuch, "\(Self.mostUnanswered) requests wait for their answers")
        }
        unanswered[peer.number, default: 0] += 1
        let number = RequestID(nextRequest)
        nextRequest += 1
        requests[number] = PendingRequest(peer: peer, id: id, detail: detail)
        return number
    }

    private static let mostUnanswered = 64

    private func take(_ request: RequestID) -> PendingRequest? {
        guard let pending = requests.removeValue(forKey: request) else { return nil }
        if let peer = pending.peer { unanswered[peer.number, default: 1] -= 1 }
        return pending
    }

    private func answer(_ request: RequestID, _ reply: NotificationReply) {
        if let answer = askedByServices.removeValue(forKey: request) { return answer(.success(reply.json(after: nil))) }
        guard let pending = take(request), let peer = pending.peer else { return }
        peer.send(.response(id: pending.id, result: json(reply, pending.detail)))
    }

    private func json(_ reply: NotificationReply, _ detail: PendingRequest.Detail) -> JSONValue {
        switch detail {
        case .none: reply.json(after: nil)
        case .after(let last): reply.json(after: last)
        case .shown(let app, let identifier): NotificationName(id: name(of: identifier, app)).json
        case .pushed(let id):
            if case .outcome(let sentence, let isDropped) = reply {
                ["id": .string(id.description), "sentence": .string(sentence), "dropped": .bool(isDropped)]
            } else {
                NotificationName(id: id.description).json
            }
        }
    }

    private func tell(_ connection: ConnectionID, _ telling: Telling) {
        guard let peer = peers[connection.rawValue] else { return }
        let (method, params) = telling.message
        peer.request(method.rawValue, params, number: Int64(clamping: telling.id.number)) { [weak self] result in
            self?.answered(connection, telling, result)
        }
    }

    /// An app answers again on a new connection: the answer may have been lost with an earlier one.
    func answered(
        _ connection: ConnectionID, of app: AppIdentifier, _ number: Int64, _ result: Result<JSONValue, RPCError>
    ) {
        guard let telling = system.tellings(of: app).first(where: { $0.id.number == UInt64(clamping: number) }) else {
            return
        }
        answered(connection, telling, result)
    }

    private func answered(_ connection: ConnectionID, _ telling: Telling, _ result: Result<JSONValue, RPCError>) {
        if case .failure(let error) = result {
            note("\(telling.id.app): it refused what it was told (\(telling.id.number)): \(error.message.prefix(200))")
        }
        post(.answered(connection, telling.id.number, telling.answer(result)))
    }
}

extension NotificationReport {
    /// For the log.
    var sentence: String {
        switch self {
        case .overflow(let app, let dropped):
            "\(app): 64 notifications are pending; \(dropped), which is due last, is dropped"
        case .notShown(let app, let identifier, let reason): "\(app): \(identifier) is not shown: \(reason.sentence)"
        case .pushDropped(let app, let id, let reason): "\(app): push \(id) is dropped: \(reason.sentence)"
        case .pushOdd(let app, let id, let remarks): "\(app): push \(id): \(remarks.joined(separator: "; "))"
        case .untold(let id, let reason): "\(id.app): what it was to be told (\(id.number)) is given up: \(reason)"
        case .late(let app, let identifier, let span):
            "\(app): \(identifier) is shown \(Int(span.seconds)) s after its time"
        case .unwatched(let app, let reason): "\(app): its notifications that wait for a place stay away: \(reason)"
        }
    }
}

extension NotShown {
    fileprivate var sentence: String {
        switch self {
        case .notAuthorized: "the user has not allowed the app's notifications"
        case .declinedByApp: "the app is on screen and does not want it shown"
        case .noAnswer: "the app is on screen and did not say how to show it"
        }
    }
}
