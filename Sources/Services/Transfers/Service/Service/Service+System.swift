internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import TransferCore
internal import TransferWire
internal import Wire

// Under a system the daemon brings the apps, says how they are, and wakes them: docs/SERVICES.md.
extension Service: BrokerConnection.Client {
    /// Nothing here lets an app run: transfers go on without it.
    var holds: [JSONValue] { [] }

    func greeted(_ greeting: ServiceGreeting) {
        post(.systemAttached)
        if let conditions = greeting.conditions { note(conditions) }
        for state in greeting.apps { note(state) }
    }

    func lost() { post(.systemDetached) }

    func told(_ news: ServiceNews, _ params: JSONValue) {
        // Nobody hears of what is wrong with a notification.
        switch news {
        case .app: if let state = try? ServiceAppState(json: params) { note(state) }
        case .conditions: if let conditions = try? ServiceConditions(json: params) { note(conditions) }
        case .closedByUser:
            if let app = app(params), params["ends"]?.bool == true { post(.userEnded(app)) }
        case .forget: if let app = app(params) { forget(app) }
        case .ended, .windowEnded, .program: break
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
        case .ask: answer(.failure(.methodNotFound(params["method"]?.string ?? "")))
        }
    }

    private func app(_ params: JSONValue) -> AppIdentifier? { params["app"]?.string.flatMap { AppIdentifier($0) } }

    private func note(_ state: ServiceAppState) {
        if let app = AppIdentifier(state.app) { post(.appState(app, AppPresence(state))) }
    }

    private func note(_ conditions: ServiceConditions) {
        if !isSimulated { post(.conditions(TransferConditions(wire: conditions))) }
    }

    private func attach(_ attach: ServiceAttach, _ descriptor: Descriptor?) throws(RPCError) {
        guard let app = AppIdentifier(attach.app), let descriptor else {
            throw .invalidParameter("app", "attach names an app, and comes with its socket")
        }
        guard attach.container.hasPrefix("/") else {
            throw .invalidParameter("container", "the parameter container must be an absolute path")
        }
        guard mayConnect(app.rawValue) else {
            throw RPCError(.tooMuch, "the app has too many connections: close some, or use one for all sessions")
        }
        remember(
            TransferStore.Container(
                app: app.rawValue, path: attach.container, uid: UInt32(clamping: attach.user),
                gid: UInt32(clamping: attach.group)))
        guard let client = add(descriptor) else { throw RPCError(.tooMuch, "there are too many connections") }
        client.app = app.rawValue
        serveClient(client, app: app)
    }

    private func forget(_ app: AppIdentifier) {
        let request = RequestID(nextRequest)
        nextRequest += 1
        post(.forgotten(app, request))
        containers[app.rawValue] = nil
        enqueue(Batch(changes: [.forgetContainer(app: app.rawValue)], effects: []))
    }

    /// Whether it is woken is the daemon's to decide, and is decided when it has answered.
    func announce(_ session: SessionID, _ app: AppIdentifier, _ name: String, _ reason: WakeReason, _ number: UInt64) {
        let (window, because) =
            switch reason {
            case .finished: (TransferWindow.session, "all transfers of the session have come to an end")
            case .authentication: (TransferWindow.authentication, "a server wants to know who asks")
            }
        let params: JSONValue = [
            "app": .string(app.rawValue), "window": .string(window.rawValue), "because": .string(because),
            "payload": .string(name),
        ]
        broker?.request(.wake, params) { [weak self] answer in
            switch answer {
            case .success: self?.post(.announced(session, number))
            // It is on screen, or is not to be woken: it hears of it when it runs.
            case .failure(let error) where error.code == .refused:
                self?.post(.announced(session, number))
            case .failure: break
            }
        }
    }
}

extension AppPresence {
    /// Before `handleEventsForBackgroundURLSession` its delegates hear nothing (document C).
    fileprivate init(_ state: ServiceAppState) {
        self =
            switch state.state {
            case _ where state.awaitsCall: .suspended
            case "active", "inactive": .foreground
            case "background": .background
            case "suspended": .suspended
            default: .none
            }
    }
}
