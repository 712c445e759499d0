internal import AudioCore
internal import AudioModel
internal import AudioTranslation
internal import AudioWire
internal import LinuxSystem
internal import Model
internal import PipeWire
internal import ServiceKit
internal import Wire

extension Service {
    private static let mostPeers = 1024
    /// Places that tools may take, so that apps have theirs.
    private static let mostTools = 64
    /// An app needs one. More than so many would be places that others lack.
    private static let mostPeersOfApp = 8

    /// A tool's connection that has just been made.
    func accept(_ socket: Descriptor) {
        guard PeerProcess.isTool(socket), peers.values.count(where: { $0.app == nil }) < Self.mostTools,
            let peer = add(socket)
        else { return }
        let session = ToolSession(self, peer)
        peer.onMessage = { message, _ in session.handle(message) }
        peer.onClose = { [weak self] in self?.remove(peer) }
    }

    func add(_ socket: Descriptor) -> Peer? {
        // A peer's number is never given again.
        let number = nextPeer
        nextPeer += 1
        guard !isEnding, peers.count < Self.mostPeers,
            let peer = try? Peer(socket, number: number, queue: queue, takesDescriptor: { _, _ in false })
        else { return nil }
        peers[number] = peer
        armIdle()
        return peer
    }

    func mayConnect(_ app: String) -> Bool { peers.values.count { $0.app == app } < Self.mostPeersOfApp }

    private func remove(_ peer: Peer) {
        peers[peer.number] = nil
        requests = requests.filter { $0.value.answer != nil || $0.value.peer.map { $0 !== peer } ?? false }
        armIdle()
    }

    func serve(_ peer: Peer, _ app: AppIdentifier, _ attach: ServiceAttach) {
        let connection = ConnectionID(peer.number)
        let session = AppSession(self, peer)
        peer.onMessage = { message, _ in session.handle(message) }
        // What was told under a number is answered by it, also over a later connection.
        peer.onAnswer = { [weak self] number, result in
            let status = (try? result.get()).flatMap { try? AudioStatusAnswer(json: $0).status }
            self?.post(.answered(connection, number, status ?? .failed))
        }
        peer.onClose = { [weak self] in
            self?.post(.detached(connection))
            self?.remove(peer)
        }
        let description = AppDescription(
            app, process: attach.process, name: attach.name, hasKey: attach.modes.contains("audio"))
        post(.attached(connection, description))
    }

    func answer(_ request: RequestID, _ result: Result<AudioReply, AudioRefusal>) {
        guard let pending = requests.removeValue(forKey: request) else { return }
        if let answer = pending.answer { return answer(result) }
        switch result {
        case .success(.hello(let surroundings)):
            // An app's user may have a session of its own, or none.
            var greeting = surroundings.json.object ?? [:]
            greeting["server"] = .string(AudioServer.ofSession.socket)
            pending.peer?.send(.response(id: pending.id, result: .object(greeting)))
        case .success(let reply):
            if let refusal = storageRefusal(isPermission: pending.isPermission) {
                pending.peer?.send(.failure(id: pending.id, refusal))
            } else {
                pending.peer?.send(.response(id: pending.id, result: reply.json))
            }
        case .failure(let refusal): pending.peer?.send(.failure(id: pending.id, RPCError(refusal)))
        }
    }
}

extension AppRequest {
    /// It is refused to an app that may not sound as it stands.
    fileprivate var begins: Bool {
        switch self {
        case .start, .activate: true
        default: false
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
            guard let method = AudioClientMethod(rawValue: name) else { throw .methodNotFound(name) }
            let asked = try AppRequest(method, params)
            let event = AudioEvent.app(ConnectionID(peer.number), service.request(peer, id), asked)
            guard asked.begins, service.system.isSilentOutOfSight(ConnectionID(peer.number)) else {
                return service.post(event)
            }
            // The daemon's word that it is on the screen comes by another way, and may come after this.
            peer.isHeld = true
            service.hearDaemon { [service] in
                service.post(event)
                peer.isHeld = false
            }
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
            guard let method = AudioToolMethod(rawValue: name) else {
                throw hasGreeted ? .methodNotFound(name) : RPCError(.outOfOrder, "hello comes first")
            }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            if let asked = try ToolRequest(method, params) {
                return service.post(.tool(service.request(peer, id, isPermission: method == .permission), asked))
            }
            peer.send(.response(id: id, result: try answer(method, params)))
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func answer(_ method: AudioToolMethod, _ params: JSONValue) throws(RPCError) -> JSONValue {
        switch method {
        case .hello:
            try params.checkVersion(audioProtocolVersion)
            hasGreeted = true
            return ["protocol": .int(Int64(audioProtocolVersion))]
        case .why:
            guard let app = AppIdentifier(try params.string("app")) else {
                throw .invalidParameter("app", "the parameter app is no identifier")
            }
            return ["sentence": .string(service.system.why(app))]
        case .status, .command, .press, .ringer, .interruption, .plug, .unplug, .route, .volume, .permission:
            return AudioStatusInfo(service.system.status, sessionManager: service.graph.hasSessionManager).json
        }
    }
}
