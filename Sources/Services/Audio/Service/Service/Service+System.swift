internal import AudioCore
internal import AudioWire
internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import Wire

// The daemon: what it tells, and what it is asked.
extension Service: BrokerConnection.Client {
    var holds: [JSONValue] {
        system.heldNow.map { held in
            [
                "app": .string(held.app.rawValue), "process": .int(held.process), "hold": .string(held.hold.rawValue),
                "because": .string(held.because),
            ]
        }
    }

    func greeted(_ greeting: ServiceGreeting) {
        if let conditions = greeting.conditions { post(.conditions(AudioConditions(conditions))) }
        for app in greeting.apps { stands(app) }
        post(.systemAttached)
        beginToLook(profile: greeting.profile ?? "")
        askAgain()
    }

    func lost() {
        owners.forgetQuestions()
        for body in hearings.removeAll() { body() }
        post(.systemDetached)
    }

    func told(_ news: ServiceNews, _ params: JSONValue) {
        do throws(RPCError) {
            switch news {
            case .app: stands(try ServiceAppState(json: params))
            case .program: try program(params)
            case .conditions: post(.conditions(AudioConditions(try ServiceConditions(json: params))))
            case .ended:
                let (app, hold) = try held(params)
                post(.holdEnded(app, hold))
            case .windowEnded: post(.windowEnded(try identifier(params)))
            case .closedByUser: post(.closedByUser(try identifier(params)))
            case .forget:
                let app = try identifier(params)
                for peer in peers.values where peer.app == app.rawValue { peer.close() }
                apps[app] = nil
                post(.forgotten(app))
            }
        } catch {
            note("the daemon says what is not understood: \(error.message)")
        }
    }

    func ordered(
        _ order: ServiceOrder, _ params: JSONValue, _ descriptor: Descriptor?,
        _ answer: @escaping (Result<JSONValue, RPCError>) -> Void
    ) {
        do throws(RPCError) {
            switch order {
            case .attach:
                guard let descriptor else { throw .invalidParameter("app", "the connection is missing") }
                answer(.success(try attach(ServiceAttach(json: params), descriptor)))
            case .stop:
                let (app, hold) = try held(params)
                let order = OrderID(stops.insert { answer(.success([:])) })
                post(.stop(app, hold, order))
            case .ask: throw .methodNotFound(try ServiceAsk(json: params).method)
            }
        } catch {
            answer(.failure(error))
        }
    }

    /// Runs when all is heard that the daemon has said so far: it answers in its order.
    func hearDaemon(_ body: @escaping () -> Void) {
        guard broker.isConnected else { return body() }
        hearings.append(body)
        broker.request(.whose, ["pid": .int(Int64(CurrentProcess.pid))]) { [weak self] _ in
            self?.hearings.removeFirst()?()
        }
    }

    // MARK: Reading

    private func identifier(_ params: JSONValue) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(try params.string("app")) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        return app
    }

    private func held(_ params: JSONValue) throws(RPCError) -> (AppIdentifier, AudioHold) {
        (try identifier(params), try params.word("hold"))
    }

    private func stands(_ state: ServiceAppState) {
        guard let app = AppIdentifier(state.app) else { return }
        let known: AppStanding.State = state.state == "not-running" ? .none : .init(rawValue: state.state) ?? .none
        post(.appState(app, AppStanding(known, process: state.process, isVisible: state.visible)))
    }

    private func program(_ params: JSONValue) throws(RPCError) {
        let description = AppDescription(
            try identifier(params), process: try params.integer("process"), name: try params.string("name"),
            hasKey: try params.strings("modes").contains("audio"))
        post(.programStarted(description))
    }

    private func attach(_ attach: ServiceAttach, _ socket: Descriptor) throws(RPCError) -> JSONValue {
        guard let app = AppIdentifier(attach.app) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        guard mayConnect(attach.app), let peer = add(socket) else {
            throw RPCError(.tooMuch, "the app has too many connections to the audio service: close one")
        }
        peer.app = attach.app
        apps[app] = attach
        serve(peer, app, attach)
        return [:]
    }

    // MARK: Asking

    func hold(_ app: AppIdentifier, _ process: Int64, _ hold: AudioHold, because: String) {
        let params: JSONValue = [
            "app": .string(app.rawValue), "process": .int(process), "hold": .string(hold.rawValue),
            "because": .string(because),
        ]
        broker.request(.hold, params) { [weak self] result in
            switch result {
            case .success: self?.post(.held(app, hold, .allowed))
            case .failure: self?.post(.held(app, hold, .refused))
            }
        }
    }

    func drop(_ app: AppIdentifier, _ process: Int64, _ hold: AudioHold, because: String) {
        if !because.isEmpty {
            broker.tell(.note, ["app": .string(app.rawValue), "sentence": .string(because)])
        }
        let params: JSONValue = [
            "app": .string(app.rawValue), "process": .int(process), "hold": .string(hold.rawValue),
        ]
        broker.request(.drop, params) { _ in }
    }

    func wake(_ app: AppIdentifier, upTo number: NewsNumber, because: String) {
        let params: JSONValue = [
            "app": .string(app.rawValue), "window": .string(AudioWindow.told.rawValue),
            "because": .string(because), "payload": .string("\(number)"),
        ]
        broker.request(.wake, params) { [weak self] result in
            switch result {
            case .success: self?.post(.woken(app, number, .allowed))
            case .failure(let error):
                self?.post(.woken(app, number, error.code == .refused ? .notNow : .never))
            }
        }
    }

    /// Its controls lead to it.
    func raise(_ app: AppIdentifier) {
        let params: JSONValue = ["app": .string(app.rawValue), "window": .string(AudioWindow.raised.rawValue)]
        broker.request(.wake, params) { [weak self] result in
            if case .failure(let error) = result { self?.note("\(app) is not opened: \(error.message)") }
        }
    }
}

extension AudioConditions {
    fileprivate init(_ conditions: ServiceConditions) {
        self.init(isLocked: conditions.locked, call: Call(rawValue: conditions.call.rawValue) ?? .none)
    }
}
