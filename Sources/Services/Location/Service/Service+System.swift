internal import LinuxSystem
internal import LocationCore
internal import LocationModel
internal import LocationSources
internal import LocationTranslation
internal import LocationWire
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
        // Before anything is decided by it.
        use(profile: greeting.profile ?? "")
        if let conditions = greeting.conditions {
            post(.conditions(LocationConditions(isLocked: conditions.locked)))
        }
        for app in greeting.apps { stands(app) }
        post(.systemAttached)
        beginToLook()
    }

    func lost() { post(.systemDetached) }

    func told(_ news: ServiceNews, _ params: JSONValue) {
        do throws(RPCError) {
            switch news {
            case .app: stands(try ServiceAppState(json: params))
            case .conditions:
                post(.conditions(LocationConditions(isLocked: try ServiceConditions(json: params).locked)))
            case .ended:
                let (app, hold) = try held(params)
                post(.holdEnded(app, hold))
            case .windowEnded: post(.windowEnded(try identifier(params)))
            case .program, .closedByUser: break
            case .forget:
                let app = try identifier(params)
                for peer in peers.values where peer.app == app.rawValue { peer.close() }
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
                post(.stop(app, hold, OrderID(stops.insert { answer(.success([:])) })))
            case .ask:
                let ask = try ServiceAsk(json: params)
                guard ask.method == PlaceMethod.watchPlaces.rawValue else { throw .methodNotFound(ask.method) }
                let (app, places) = try PlaceWatch(json: ask.params).read()
                post(.places(asker: ask.service, app, places, request(answer)))
            }
        } catch {
            answer(.failure(error))
        }
    }

    // MARK: Reading

    private func identifier(_ params: JSONValue) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(try params.string("app")) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        return app
    }

    private func held(_ params: JSONValue) throws(RPCError) -> (AppIdentifier, LocationHold) {
        (try identifier(params), try params.word("hold"))
    }

    private func stands(_ state: ServiceAppState) {
        guard let app = AppIdentifier(state.app) else { return }
        let known: AppStanding.State = state.state == "not-running" ? .none : .init(rawValue: state.state) ?? .none
        post(.appState(app, AppStanding(known, process: state.process, isVisible: state.visible)))
    }

    private func attach(_ attach: ServiceAttach, _ socket: Descriptor) throws(RPCError) -> JSONValue {
        guard let app = AppIdentifier(attach.app) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        guard mayConnect(attach.app), let peer = add(socket) else {
            throw RPCError(.tooMuch, "the app has too many connections to the location service: close one")
        }
        peer.app = attach.app
        serve(peer, app, attach)
        return [:]
    }
}

// What the sources say.
extension Service: LocationSourceClient {
    func source(_ source: FixSource, is state: SourceState) { post(.source(source, state)) }

    func found(_ fix: Fix) {
        // Somebody may have set the clock since the last one.
        post(.clock(Self.wall))
        post(.fix(fix))
    }

    func moved(to tower: CellTower?) {
        post(.clock(Self.wall))
        post(.tower(tower))
    }

    func turned(to heading: Heading) { post(.heading(heading)) }
    func compass(is state: SourceState) { post(.compass(isThere: state.isPresent)) }
}
