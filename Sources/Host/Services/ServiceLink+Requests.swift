internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// What a service says: docs/SERVICES.md, section 3.
extension ServiceLink {
    func receive(_ message: RPCMessage, from connection: Connection) {
        switch message {
        case .response(let id, let result): answered(id, .success(result))
        case .failure(let id, let error): if let id { answered(id, .failure(error)) }
        case .request(let id, let method, let params):
            do throws(RPCError) {
                try handle(method, params, id)
            } catch {
                connection.send(.failure(id: id, error))
            }
        case .notification(let method, let params):
            switch ServiceNotice(rawValue: method) {
            case .traffic: if let traffic = try? ServiceTraffic(json: params) { trafficSeen(traffic) }
            case .note: note(params)
            case .satellites: receives(params)
            case nil: break
            }
        }
    }

    private func handle(_ method: String, _ params: JSONValue, _ id: RPCID) throws(RPCError) {
        guard let known = ServiceMethod(rawValue: method) else {
            throw RPCError(.methodNotFound, "there is no method \(method.prefix(100)); docs/SERVICES.md lists them")
        }
        let event: (ServiceRequestID) -> ServiceEvent
        var woken: (app: AppIndex, name: String)?
        switch known {
        case .hello: throw RPCError(.outOfOrder, "hello is said once a connection")
        case .apps:
            let last = try params.optionalString("after").flatMap { AppIdentifier($0) }
            connection?.send(.response(id: id, result: page(after: last.flatMap(host.system.index(of:))).json))
            return
        case .ask: return try relay(try ServiceAsk(json: params), id)
        case .whose:
            connection?.send(.response(id: id, result: whose(try params.int("pid"))))
            return
        case .hold:
            let (hold, limit) = (try hold(params), try params.optionalNumber("limit"))
            guard limit ?? 1 > 0 else { throw .invalidParameter("limit", "a limit is more than 0 seconds") }
            event = { [index] in .hold(index, $0, hold, limit: limit.map { .seconds($0) } ?? .zero) }
        case .drop:
            let hold = try hold(params)
            event = { [index] in .drop(index, $0, hold.incarnation, hold: hold.hold) }
        case .wake:
            let (app, name, payload) = (
                try app(params), try params.string("window"), try params.optionalString("payload") ?? ""
            )
            guard let window = service.declaration.windows.firstIndex(where: { $0.name == name }) else {
                throw RPCError(.undeclared(kind: String(name.prefix(64))))
            }
            guard payload.utf8.count <= ServiceWake.longestPayload else {
                throw .invalidParameter("payload", "a payload has at most \(ServiceWake.longestPayload) bytes")
            }
            let because = try sentence(params)
            // What is on the screen ends with no word of the app's.
            woken = service.declaration.windows[window].callback.opensApp ? nil : (app, name)
            event = { [index] in
                .wake(index, $0, app, window: UInt8(clamping: window), because: because, payload: payload)
            }
        }
        ask(id, woken, event)
    }

    private func note(_ params: JSONValue) {
        guard let app = try? app(params), let text = try? params.string("sentence"), !text.isEmpty,
            text.utf8.count <= ServiceDeclaration.longestText
        else { return }
        host.post(.service(.noted(index, app, sentence: text)))
    }

    private func receives(_ params: JSONValue) {
        guard let names = try? params.elements("apps") else { return }
        let apps = names.compactMap { $0.string.flatMap { AppIdentifier($0) } }.compactMap { host.system.index(of: $0) }
        host.post(.service(.receives(index, apps)))
    }

    /// The app that a process is of; the machine's others are of none.
    private func whose(_ pid: Int) -> JSONValue {
        guard let pid = CInt(exactly: pid), let app = host.app(ofProcess: pid) else { return [:] }
        let incarnation = Incarnation(app.index, app.generation)
        // It has seen something of it, and may speak of it from now on.
        host.post(.service(.attached(index, incarnation)))
        tellState(app.index)
        return [
            "app": .string(app.manifest.identifier.rawValue), "process": .int(Int64(app.generation.rawValue)),
            "name": .string(app.manifest.name),
            "modes": .array(app.manifest.backgroundModes.keys.map(JSONValue.string)),
        ]
    }

    /// It counts in seconds of the wall clock; the account of energy in what the machine was awake and asleep.
    private func trafficSeen(_ traffic: ServiceTraffic) {
        guard let purpose = Purpose.allCases.first(where: { $0.name == traffic.purpose }) else { return }
        let app = traffic.app.flatMap { AppIdentifier($0) }.flatMap { host.system.index(of: $0) }
        // Of an app that is gone in the meantime, or that it never met; what it does for no app is its own.
        guard app.map({ known?.known.contains($0) == true }) ?? (traffic.app == nil) else { return }
        let (wall, boot) = (Clock.wall(), Clock.boot())
        func instant(_ seconds: Double) -> Instant {
            let age = Double(wall) - seconds * 1e9
            return Instant(nanoseconds: boot - Int64(min(max(0, age), Double(boot))))
        }
        let from = instant(traffic.from)
        host.trafficSeen(
            app, purpose, sent: traffic.sent, received: traffic.received, from: from, to: max(from, instant(traffic.to))
        )
    }

    private func app(_ params: JSONValue) throws(RPCError) -> AppIndex {
        guard let identifier = AppIdentifier(try params.string("app")), let app = host.system.index(of: identifier)
        else { throw RPCError(.unknownApp) }
        return app
    }

    func hold(_ params: JSONValue) throws(RPCError) -> StatedHold {
        let (app, name) = (try app(params), try params.string("hold"))
        guard let generation = UInt32(exactly: try params.int("process")) else { throw RPCError(.processGone) }
        guard let hold = service.declaration.holds.firstIndex(where: { $0.name == name }) else {
            throw RPCError(.undeclared(kind: String(name.prefix(64))))
        }
        return StatedHold(
            incarnation: Incarnation(app, Generation(generation)), hold: UInt8(clamping: hold),
            because: try sentence(params))
    }

    private func sentence(_ params: JSONValue) throws(RPCError) -> String {
        let text = try params.optionalString("because") ?? ""
        guard text.utf8.count <= ServiceDeclaration.longestText else {
            throw .invalidParameter("because", "a reason has at most \(ServiceDeclaration.longestText) bytes")
        }
        return text
    }
}
