internal import LinuxSystem
internal import LocationCore
internal import LocationModel
internal import LocationSources
internal import LocationTranslation
internal import LocationWire
internal import Model
internal import ServiceKit
internal import Wire

extension Service {
    func serve(_ peer: Peer, _ app: AppIdentifier, _ attach: ServiceAttach) {
        let connection = ConnectionID(peer.number)
        let session = AppSession(self, peer)
        peer.onMessage = { message, _ in session.handle(message) }
        // What was told under a number is answered by it, also over a later connection.
        peer.onAnswer = { [weak self] number, _ in self?.post(.answered(connection, number)) }
        peer.onClose = { [weak self] in
            self?.post(.detached(connection))
            self?.remove(peer)
        }
        let description = AppDescription(
            app, process: attach.process, name: attach.name, hasKey: attach.modes.contains("location"))
        post(.attached(connection, description))
    }

    func answer(_ request: LocationCore.RequestID, _ result: Result<LocationReply, LocationRefusal>) {
        guard let pending = requests.removeValue(forKey: request) else { return }
        switch result {
        case .success(let reply):
            let refusal = storageRefusal(isOfTool: pending.peer.map { $0.app == nil } ?? false)
            pending.answer(refusal.map(Result.failure) ?? .success(reply.json))
        case .failure(let refusal): pending.answer(.failure(RPCError(refusal)))
        }
    }
}

/// One app's connection.
///
/// Unchecked: used on the service's queue only.
final class AppSession: @unchecked Sendable {
    private unowned let service: Service
    private weak var peer: Peer?

    init(_ service: Service, _ peer: Peer) {
        self.service = service
        self.peer = peer
    }

    func handle(_ message: RPCMessage) {
        guard let peer, case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            guard let method = LocationClientMethod(rawValue: name) else { throw .methodNotFound(name) }
            let asked = try AppRequest(method, params)
            service.post(.app(ConnectionID(peer.number), service.request(peer, id), asked))
        } catch {
            peer.send(.failure(id: id, error))
        }
    }
}

/// A connection of the control socket: a tool.
///
/// Unchecked: used on the service's queue only.
final class ToolSession: @unchecked Sendable {
    private unowned let service: Service
    private weak var peer: Peer?
    private var hasGreeted = false

    init(_ service: Service, _ peer: Peer) {
        self.service = service
        self.peer = peer
    }

    func handle(_ message: RPCMessage) {
        guard let peer, case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            guard let method = LocationToolMethod(rawValue: name) else {
                throw hasGreeted ? .methodNotFound(name) : RPCError(.outOfOrder, "hello comes first")
            }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            if method == .permit { return try permit(id, try LocationToolPermit(json: params), peer) }
            peer.send(.response(id: id, result: try answer(method, params)))
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func app(_ name: String) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(name) else {
            throw .invalidParameter(
                "app", "the parameter app must be 1 to 127 letters, digits, dots, hyphens and underscores")
        }
        return app
    }

    private func permit(_ id: RPCID, _ permit: LocationToolPermit, _ peer: Peer) throws(RPCError) {
        let request = service.request(peer, id)
        service.post(.permit(try app(permit.app), permit.authorization, isReduced: permit.reduced, request))
    }

    private func answer(_ method: LocationToolMethod, _ params: JSONValue) throws(RPCError) -> JSONValue {
        switch method {
        case .hello:
            try params.checkVersion(locationProtocolVersion)
            hasGreeted = true
            return ["protocol": .int(Int64(locationProtocolVersion))]
        case .why: return ["sentence": .string(service.system.why(try app(try params.string("app")), at: Service.now))]
        case .fix:
            guard params["latitude"] != nil else {
                service.receivers.pretend(nil, accuracy: 0)
                return [:]
            }
            let fix = try LocationToolFix(json: params)
            service.receivers.pretend(fix.coordinate, accuracy: fix.accuracy)
            return [:]
        case .cell:
            let cell = try LocationToolCell(json: params)
            service.receivers.pretend(
                cell.name.map { CellTower($0, coordinate: cell.coordinate, reach: cell.reach) })
            return [:]
        case .route: return try follow(try LocationToolRoute(json: params))
        case .permit, .status:
            let (wall, boot) = (Service.wall, Double(Clock.boot()) / 1e9)
            return LocationStatusInfo(service.system.status(at: Service.now)) {
                wall - boot + Double($0.nanoseconds) / 1e9
            }.json
        }
    }

    private func follow(_ route: LocationToolRoute) throws(RPCError) -> JSONValue {
        guard let path = route.path else {
            service.receivers.stopFollowing()
            return [:]
        }
        let track: Track
        do throws(TrackError) {
            track = try Track(file: path)
        } catch {
            throw .invalidParameter("path", "\(path): \(error)")
        }
        service.receivers.follow(track, pace: route.pace)
        return [
            "points": .int(Int64(track.points.count)), "metres": .double(track.length),
            "seconds": .double(track.duration / route.pace),
        ]
    }
}
