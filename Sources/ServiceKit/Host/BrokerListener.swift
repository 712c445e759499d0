internal import LinuxSystem
internal import Model
internal import ServiceCore
internal import ServiceWire
internal import Wire

/// Brings what the daemon says into the host.
final class BrokerListener<World: ServiceWorld>: BrokerConnection.Client {
    private weak let host: ServiceHost<World>?

    init(_ host: ServiceHost<World>) { self.host = host }

    var holds: [JSONValue] { host?.assumeIsolated { host in host.policy.holds.map(\.json) } ?? [] }

    func greeted(_ greeting: ServiceGreeting) { host?.assumeIsolated { $0.greeted(greeting) } }
    func lost() { host?.assumeIsolated { $0.lost() } }

    func told(_ news: ServiceNews, _ params: JSONValue) { host?.assumeIsolated { $0.told(news, params) } }

    func ordered(
        _ order: ServiceOrder, _ params: JSONValue, _ descriptor: Descriptor?,
        _ answer: @escaping @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        host?.assumeIsolated { $0.ordered(order, params, descriptor, answer) }
    }
}

// What the daemon tells, and what it asks for.
extension ServiceHost {
    func greeted(_ greeting: ServiceGreeting) {
        // Before anything is decided by it.
        if let profile = greeting.profile { post(.profile(profile)) }
        if let conditions = greeting.conditions { post(.conditions(DeviceFacts(conditions))) }
        for state in greeting.apps { stands(state) }
        post(.systemAttached)
        begin()
        world.daemonIsThere(self)
    }

    func lost() {
        let waiting = hearings
        hearings = []
        for body in waiting { body(self) }
        world.daemonIsLost()
        post(.systemDetached)
        for event in asked.takeAll() { post(event) }
    }

    func told(_ news: ServiceNews, _ params: JSONValue) {
        do throws(RPCError) {
            switch news {
            case .app: stands(try ServiceAppState(json: params))
            case .program: post(.programStarted(try description(params)))
            case .conditions: post(.conditions(DeviceFacts(try ServiceConditions(json: params))))
            case .ended: post(.holdEnded(try app(params), try word(params, "hold")))
            case .windowEnded:
                let result = try params.optionalString("result").flatMap(WindowEnd.init(rawValue:)) ?? .done
                post(.windowEnded(try app(params), try word(params, "window"), result))
            case .closedByUser:
                post(.closedByUser(try app(params), endsWork: try params.bool("ends", default: false)))
            case .forget: forget(try app(params))
            }
        } catch {
            note("the daemon says what is not understood: \(error.message)")
        }
    }

    func ordered(_ order: ServiceOrder, _ params: JSONValue, _ descriptor: Descriptor?, _ answer: @escaping Answer) {
        do throws(RPCError) {
            switch order {
            case .attach:
                guard let descriptor else { throw .invalidParameter("app", "the connection is missing") }
                try attach(try ServiceAttach(json: params), descriptor)
                answer(.success([:]))
            case .stop:
                let (app, hold): (AppIdentifier, Words.Hold) = (try app(params), try word(params, "hold"))
                // Beside the orders that the policy gives.
                let order = OrderID(1 << 62 | number())
                stops[order] = answer
                post(.stop(app, hold, order))
            case .ask:
                let ask = try ServiceAsk(json: params)
                let inquiry = try Translation.inquiry(ask.method, ask.params)
                post(.asked(request(PendingRequest(asker: .service, answer: answer)), by: ask.service, inquiry))
            }
        } catch {
            answer(.failure(error))
        }
    }

    /// Runs when all is heard that the daemon has said so far: it answers in its order.
    func hearDaemon(_ body: @escaping @Sendable (isolated ServiceHost) -> Void) {
        guard let broker, broker.isConnected else { return body(self) }
        hearings.append(body)
        broker.request(.whose, ["pid": .int(Int64(CurrentProcess.pid))]) { [weak self] _ in
            self?.assumeIsolated { host in
                if !host.hearings.isEmpty { host.hearings.removeFirst()(host) }
            }
        }
    }

    private func stands(_ state: ServiceAppState) {
        if let app = AppIdentifier(state.app) { post(.appState(app, AppStanding(state))) }
    }

    private func forget(_ app: AppIdentifier) {
        for peer in peers.values where peer.app == app.rawValue { peer.close() }
        world.forgotten(app.rawValue)
        post(.forgotten(app))
    }

    private func description(_ params: JSONValue) throws(RPCError) -> AppDescription {
        AppDescription(
            try app(params), process: try params.integer("process"), name: try params.string("name"),
            hasKey: try params.strings("modes").contains(World.mode))
    }

    private func app(_ params: JSONValue) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(try params.string("app")) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        return app
    }

    private func word<Word: RawRepresentable<String>>(
        _ params: JSONValue, _ name: String
    ) throws(RPCError) -> Word {
        let text = try params.string(name)
        guard let word = Word(rawValue: text) else {
            throw .invalidParameter(name, "the parameter \(name) is not one of the service's: \(text.prefix(60))")
        }
        return word
    }
}
