internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import ServiceKit
internal import Wire

// The daemon brings the apps, says how they are, wakes and opens them: docs/SERVICES.md.
extension Service: BrokerConnection.Client {
    /// Nothing here lets an app run: it is woken for what it has to hear.
    var holds: [JSONValue] { [] }

    func greeted(_ greeting: ServiceGreeting) {
        if let conditions = greeting.conditions { note(conditions) }
        for state in greeting.apps { note(state) }
        post(.systemAttached)
    }

    func lost() {
        // First of all: otherwise the Core would have the app woken again at once.
        post(.systemDetached)
        // Nobody knows what became of it.
        let unknown = asked
        asked = []
        for id in unknown { post(.woken(id, .lost)) }
    }

    func told(_ news: ServiceNews, _ params: JSONValue) {
        // Nobody hears of what is wrong with a notification.
        switch news {
        case .app: if let state = try? ServiceAppState(json: params) { note(state) }
        case .conditions: if let conditions = try? ServiceConditions(json: params) { note(conditions) }
        case .closedByUser: if let app = app(params) { post(.closedByUser(app)) }
        case .forget: if let app = app(params) { forget(app) }
        case .windowEnded:
            guard let app = app(params), let window = params["window"]?.string.flatMap(WakeWindow.init),
                let result = params["result"]?.string.flatMap(WindowResult.init)
            else { return }
            post(.windowEnded(app, window, result))
        case .ended, .program: break
        }
    }

    func ordered(
        _ order: ServiceOrder, _ params: JSONValue, _ descriptor: Descriptor?,
        _ answer: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        switch order {
        case .attach:
            do throws(RPCError) {
                try attach(try ServiceAttach(json: params), descriptor)
                answer(.success([:]))
            } catch {
                answer(.failure(error))
            }
        // It holds nothing that could be stopped.
        case .stop: answer(.success([:]))
        case .ask:
            do throws(RPCError) {
                try asked(try ServiceAsk(json: params), answer)
            } catch {
                answer(.failure(error))
            }
        }
    }

    private func app(_ params: JSONValue) -> AppIdentifier? { params["app"]?.string.flatMap { AppIdentifier($0) } }

    private func note(_ state: ServiceAppState) {
        if let app = AppIdentifier(state.app) { post(.appState(app, NotificationPresence(state))) }
    }

    private func note(_ conditions: ServiceConditions) {
        link.set(network: NetworkName(conditions.network).text)
        post(
            .conditions(
                NotificationConditions(
                    isCharging: conditions.externalPower, isLowPower: conditions.lowPower,
                    isRadioWarm: conditions.radioWarm, isRadioDear: conditions.network == .cellular)))
    }

    private func attach(_ attach: ServiceAttach, _ descriptor: Descriptor?) throws(RPCError) {
        guard let app = AppIdentifier(attach.app), let descriptor else {
            throw .invalidParameter("app", "attach names an app, and comes with its socket")
        }
        guard mayConnect(app.rawValue) else {
            throw RPCError(
                .tooMuch, "the app has \(Self.mostPeersOfApp) connections: close some, or use one for everything")
        }
        guard let peer = add(descriptor) else { throw RPCError(.tooMuch, "there are too many connections") }
        peer.app = app.rawValue
        remember(
            app,
            AppInfo(
                app: app.rawValue, name: attach.name, bundle: attach.bundle, icon: attach.icon,
                container: attach.container,
                helper: attach.extensions[HelperProgram.point],
                user: UInt32(exactly: attach.user).flatMap { $0 == CurrentProcess.uid ? nil : $0 }))
        post(.appModes(app, receivesPushes: attach.modes.contains("remote-notification")))
        serve(peer, app)
    }

    /// Durable before anything that follows.
    private func remember(_ app: AppIdentifier, _ info: AppInfo) {
        guard apps[app] != info else { return }
        apps[app] = info
        enqueue(Batch(changes: [.appInfo(info)], effects: []))
    }

    private func forget(_ app: AppIdentifier) {
        for peer in peers.values where peer.app == app.rawValue { peer.close() }
        let request = RequestID(nextRequest)
        nextRequest += 1
        post(.forgotten(app, request))
        helpers.forget(app.rawValue)
        sounds.forget(app.rawValue)
        apps[app] = nil
        enqueue(Batch(changes: [.forget(app: app.rawValue)], effects: []))
    }

    // MARK: Waking and opening

    func wake(_ order: WakeOrder) {
        let id = order.telling.id
        guard let payload = order.payload else { return post(.woken(id, .never)) }
        ask(id, order.window.rawValue, order.because, payload)
    }

    func open(_ order: OpenOrder) { ask(order.telling.id, order.window, order.because, order.payload) }

    private func ask(_ id: TellingID, _ window: String, _ because: String, _ payload: String) {
        guard broker.isConnected else { return post(.woken(id, .lost)) }
        asked.insert(id)
        let params: JSONValue = [
            "app": .string(id.app.rawValue), "window": .string(window), "because": .string(because),
            "payload": .string(payload),
        ]
        broker.request(.wake, params) { [weak self] result in
            guard let self, asked.remove(id) != nil else { return }
            post(.woken(id, WakeAnswer(result)))
        }
    }
}

extension WakeAnswer {
    fileprivate init(_ result: Result<JSONValue, RPCError>) {
        switch result {
        case .success: self = .allowed
        case .failure(let error):
            switch error.code {
            // There is no such app any more, or what it is woken for is impossible.
            case .unknown, .invalidParams: self = .never
            // On screen already, or busy with the one before: later.
            default: self = .notNow
            }
        }
    }
}

extension NotificationPresence {
    /// Before `handleServiceEvents` it is not yet up to hear anything.
    fileprivate init(_ state: ServiceAppState) {
        self =
            switch state.state {
            case _ where state.awaitsCall: .suspended
            case "active": .active
            case "inactive": .inactive
            case "background": .background
            case "suspended": .suspended
            default: .none
            }
    }
}
