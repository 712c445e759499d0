internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import Simulation
internal import Wire

/// An app's end of a connection.
struct Client: Sendable {
    let app: AppIdentifier
    /// It speaks the service's own protocol.
    let isProgram: Bool
    /// What its delegate answers; no delegate, no answer.
    var presents: PresentationOptions = []
    /// What it has asked by this connection: it says all that waits for an answer whenever it says something.
    var asked: Set<UInt64> = []
}

/// Who waits for the Core's answer.
struct Asked: Sendable {
    enum Kind: Sendable {
        case hello
        /// What of what an app said it is.
        case said(number: UInt64, AppRequest)
        /// In the service's own protocol.
        case request(number: UInt64, RPCID, after: String?)
        /// Another service.
        case service(number: UInt64)
    }

    let connection: UInt64
    let kind: Kind
}

/// What an app was told, until it has heard it.
struct Told: Sendable {
    let connection: UInt64
    let telling: Telling?
}

// Apps and their connections.
extension SimulatedNotifications {
    mutating func attached(_ connection: UInt64, _ app: AppIdentifier, _ client: ServiceModelClient) {
        clients[connection] = Client(app: app, isProgram: client.isProgram)
        post(.appModes(app, receivesPushes: client.modes.contains("remote-notification")))
        post(.attached(ConnectionID(connection), app))
        ask(connection, .hello(running: client.heard), .hello)
        guard !client.isProgram else { return }
        // An app answers again what it had answered: that may have been lost.
        for telling in system.tellings(of: app) where client.heard.contains(telling.id.number) {
            answer(connection, telling)
        }
    }

    private mutating func ask(_ connection: UInt64, _ asked: AppRequest, _ kind: Asked.Kind) {
        let id = request()
        requests[id] = Asked(connection: connection, kind: kind)
        post(.app(ConnectionID(connection), id, asked))
    }

    mutating func said(_ connection: UInt64, _ number: UInt64, _ words: String) {
        guard let client = clients[connection], clients[connection]?.asked.insert(number).inserted == true else {
            return
        }
        if words.hasPrefix("{") { return hear(connection, client, number, words) }
        switch SpokenRequest(words) {
        case .ask(let asked): ask(connection, asked, .said(number: number, asked))
        case .presents(let options):
            clients[connection]?.presents = options
            let keeps = ServiceModelKeepsake(subject: "presents", words: words)
            acts.append(.answer(connection: connection, number: number, keeps: keeps))
        case nil: acts.append(.answer(connection: connection, number: number, keeps: nil))
        }
    }

    // MARK: Told

    /// The app's main thread has dealt with it.
    mutating func heard(_ number: UInt64) {
        guard let entry = told.removeValue(forKey: number), let telling = entry.telling else { return }
        guard let client = clients[entry.connection], !client.isProgram else { return }
        answer(entry.connection, telling)
    }

    private mutating func answer(_ connection: UInt64, _ telling: Telling) {
        let answer: TellingAnswer =
            switch telling.kind {
            case .willPresent: .present(clients[connection]?.presents ?? [])
            case .didReceive: .done
            case .push: .fetched(.newData)
            }
        ledger.answered(telling)
        post(.answered(ConnectionID(connection), telling.id.number, answer))
    }

    mutating func tell(_ connection: UInt64, _ words: String, _ telling: Telling? = nil) {
        let number = number()
        told[number] = Told(connection: connection, telling: telling)
        acts.append(.tell(connection: connection, number: number, words, sequence: telling?.id.number))
    }

    mutating func tell(_ connection: UInt64, _ telling: Telling) {
        guard let client = clients[connection] else { return }
        // An app that does not answer in its time has been told all the same.
        ledger.heard(telling)
        guard client.isProgram else { return tell(connection, telling.words, telling) }
        let (method, params) = telling.message
        let id = RPCID.int(Int64(clamping: telling.id.number))
        tell(connection, RPCMessage.request(id: id, method: method.rawValue, params: params).text, telling)
    }

    mutating func tellBadge(_ connection: UInt64, _ count: Int) {
        guard let client = clients[connection] else { return }
        let params = NotificationBadge(count: Int64(count)).json
        let message = RPCMessage.notification(method: NotificationClientMessage.badge.rawValue, params: params)
        tell(connection, client.isProgram ? message.text : "badge \(count)")
    }

    // MARK: Answered

    mutating func answered(_ request: RequestID, _ result: Result<NotificationReply, NotificationRefusal>) {
        guard let asked = requests.removeValue(forKey: request) else { return }
        let connection = asked.connection
        switch asked.kind {
        case .hello:
            guard case .success(let reply) = result, clients[connection]?.isProgram == true else { return }
            tell(connection, RPCMessage.notification(method: "hello", params: reply.json(after: nil)).text)
        case .service(let number):
            switch result {
            case .success(let reply):
                let text = String(decoding: reply.json(after: nil).encoded, as: UTF8.self)
                acts.append(.reply(number: number, .done(text)))
            case .failure(let refusal): acts.append(.reply(number: number, .refused(refusal.rpc.message)))
            }
        case .said(let number, let what):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            if let words = Self.words(result, what) { tell(connection, words) }
        case .request(let number, let id, let after):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            let message: RPCMessage =
                switch result {
                case .success(let reply): .response(id: id, result: reply.json(after: after))
                case .failure(let refusal): .failure(id: id, refusal.rpc)
                }
            tell(connection, message.text)
        }
    }

    /// What a completion handler is called with; `nil`: nothing of interest.
    private static func words(
        _ result: Result<NotificationReply, NotificationRefusal>, _ asked: AppRequest
    ) -> String? {
        switch result {
        case .failure(let refusal): "refused: \(refusal.rpc.message)"
        case .success(.authorized(let granted)): granted ? "allowed" : "not allowed"
        case .success(.token): "registered"
        case .success(.added(let dropped)): dropped.isEmpty ? nil : "dropped \(dropped.joined(separator: " "))"
        case .success(.pending(let views)): "pending " + list(views.map(\.request.identifier))
        case .success(.delivered(let views)): "delivered " + list(views.map(\.notification.request.identifier))
        case .success(.done), .success(.hello), .success(.settings), .success(.categories), .success(.crossed),
            .success(.outcome), .success(.opening):
            nil
        }
    }

    private static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: " ") }

    // MARK: The service's own protocol

    private mutating func hear(_ connection: UInt64, _ client: Client, _ number: UInt64, _ words: String) {
        guard let message = try? RPCMessage.parse(Array(words.utf8)) else { return }
        switch message {
        case .request(let id, let name, let params):
            do throws(RPCError) {
                guard let method = NotificationClientMethod(rawValue: name) else { throw .methodNotFound(name) }
                let asked = try AskedOfService(method, params, zones)
                ask(connection, asked.request, .request(number: number, id, after: asked.after))
            } catch {
                acts.append(.answer(connection: connection, number: number, keeps: nil))
                tell(connection, RPCMessage.failure(id: id, error).text)
            }
        case .response(let id, let result): answered(connection, client, number, id, .success(result))
        case .failure(let id?, let error): answered(connection, client, number, id, .failure(error))
        case .failure(nil, _), .notification: break
        }
    }

    private mutating func answered(
        _ connection: UInt64, _ client: Client, _ number: UInt64, _ id: RPCID, _ result: Result<JSONValue, RPCError>
    ) {
        acts.append(.answer(connection: connection, number: number, keeps: nil))
        let telling = system.tellings(of: client.app).first { id == .int(Int64(clamping: $0.id.number)) }
        guard let telling else { return }
        ledger.answered(telling)
        post(.answered(ConnectionID(connection), telling.id.number, telling.answer(result)))
    }

    /// The device's zone; others say how far they are from Greenwich.
    var zones: ZoneFinder {
        { [zone] name in name == zone.identifier ? zone : nil }
    }
}

extension RPCMessage {
    /// Without the end of the line.
    var text: String { String(decoding: encoded().dropLast(), as: UTF8.self) }
}

extension Telling {
    /// As a scenario expects it.
    var words: String {
        switch kind {
        case .willPresent(let notification): "will present \(notification.request.identifier)"
        case .push(let push): "push \(push.payload)"
        case .didReceive(let response):
            switch response.action {
            case .open: "opened \(response.notification.request.identifier)"
            case .dismiss: "dismissed \(response.notification.request.identifier)"
            case .custom(let action, let text):
                "answered \(response.notification.request.identifier) \(action)" + (text.map { " with \($0)" } ?? "")
            }
        }
    }
}
