internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import PushPayload
internal import ServiceKit
internal import Wire

/// A connection of the control socket: a tool.
///
/// Unchecked: used on the service's queue only.
final class ControlSession: @unchecked Sendable {
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
            guard let method = NotificationToolMethod(rawValue: name) else {
                throw hasGreeted ? .methodNotFound(name) : RPCError(.outOfOrder, "hello comes first")
            }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            try tool(method, params, id, peer)
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func tool(
        _ method: NotificationToolMethod, _ params: JSONValue, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        switch method {
        case .hello:
            guard case .control = try NotificationHello(json: params) else {
                throw .invalidParameter("role", "the parameter role is missing: apps have a socket of their own")
            }
            hasGreeted = true
            peer.send(.response(id: id, result: ["protocol": .int(Int64(notificationProtocolVersion))]))
        case .list:
            peer.send(.response(id: id, result: try service.list(NotificationListParameters(json: params)).json))
        case .show:
            let show = try NotificationShow(json: params)
            let request = try NotificationRequest(wire: show.request, service.zones.named)
            let app = try app(show.app)
            try ask(.show(app, request), id, peer, .shown(app, identifier: request.identifier))
        case .act:
            let act = try NotificationAct(json: params)
            try ask(.act(try notification(act.id), ResponseAction(wire: act.action, text: act.text)), id, peer)
        case .dismiss: try ask(.act(try notification(NotificationName(json: params).id), .dismiss), id, peer)
        case .allow: try ask(.decide(try app(NotificationApp(json: params).app), isAllowed: true), id, peer)
        case .deny: try ask(.decide(try app(NotificationApp(json: params).app), isAllowed: false), id, peer)
        case .push: try push(try NotificationToolPush(json: params), id, peer)
        case .status: peer.send(.response(id: id, result: service.status.json))
        case .why:
            let sentence = service.why(try app(NotificationApp(json: params).app))
            peer.send(.response(id: id, result: NotificationExplanation(sentence: sentence).json))
        case .gateway: try gateway(try NotificationGateway(json: params), id, peer)
        case .region:
            let crossing = try NotificationCrossing(json: params)
            try ask(.cross(try app(crossing.app), region: crossing.region, isEntry: crossing.entered), id, peer)
        }
    }

    private func ask(
        _ request: ToolRequest, _ id: RPCID, _ peer: Peer, _ detail: PendingRequest.Detail = .none
    ) throws(RPCError) {
        service.post(.tool(try service.request(peer, id, detail), request))
    }

    private func app(_ name: String) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(name) else {
            throw .invalidParameter(
                "app", "the parameter app must be 1 to 127 letters, digits, dots, hyphens and underscores")
        }
        return app
    }

    private func notification(_ name: String) throws(RPCError) -> NotificationID {
        if let id = NotificationID(name: name) { return id }
        guard service.isPending(name) else {
            throw .invalidParameter("id", "a notification's id is n and a number; list shows them")
        }
        throw RPCError(.refused, "\(name.prefix(200)) is pending: it can be acted on when it is shown")
    }

    private func push(_ push: NotificationToolPush, _ id: RPCID, _ peer: Peer) throws(RPCError) {
        let type = try type(of: push)
        let most = type == .voip ? NotificationLimits.callPayload : NotificationLimits.payload
        guard push.payload.utf8.count <= most else {
            throw .invalidParameter("payload", "a payload has \(most) bytes at most")
        }
        let priority = push.priority ?? (type == .background ? 5 : 10)
        guard [1, 5, 10].contains(priority) else { throw .invalidParameter("priority", "a priority is 10, 5 or 1") }
        let message = PushMessage(
            id: .random, topic: try app(push.app).rawValue,
            type: type, priority: Int(priority), collapse: push.collapse, payload: push.payload,
            received: WallTime(nanoseconds: Clock.wall()))
        try ask(.push(message), id, peer, .pushed(message.id))
    }

    /// What it says, or what its payload is.
    private func type(of push: NotificationToolPush) throws(RPCError) -> PushType {
        var given: PushType?
        if let word = push.type {
            given = PushType(rawValue: word)
            let words = PushType.allCases.map(\.rawValue).joined(separator: ", ")
            if given == nil { throw .invalidParameter("type", "the parameter type must be one of \(words)") }
        }
        let needsAps = given.map { $0 == .alert || $0 == .background } ?? true
        do throws(ProviderPayload.Unusable) {
            let payload = try ProviderPayload(Array(push.payload.utf8), needsAps: needsAps)
            if let given { return given }
            if payload.isForeign { return .mdm }
            return payload.isContentAvailable && !payload.hasAlert ? .background : .alert
        } catch {
            throw .invalidParameter("payload", error.reason)
        }
    }

    private func gateway(_ setting: NotificationGateway, _ id: RPCID, _ peer: Peer) throws(RPCError) {
        var chosen: GatewaySetting?
        if let url = setting.url {
            var roots: String?
            if let path = setting.ca {
                // Copied: what the file says later is for a later call.
                guard let bytes = FileSystem.read(path, limit: 1 << 18), bytes.count < 1 << 18 else {
                    throw .invalidParameter("ca", "\(path) cannot be read")
                }
                roots = String(decoding: bytes, as: UTF8.self)
            }
            guard let target = LinkTarget(url, roots: roots) else {
                throw .invalidParameter("url", "a gateway's URL is \(LinkTarget.scheme)://HOST:PORT")
            }
            if let trouble = LinkChannel.trouble(with: target) { throw .invalidParameter("ca", trouble) }
            chosen = GatewaySetting(url: url, roots: roots)
        }
        service.set(chosen) { [weak peer] in peer?.send(.response(id: id, result: [:])) }
    }
}

extension PushID {
    /// A UUID of version 4.
    fileprivate static var random: PushID {
        let (high, low) = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))
        return PushID(high: high & ~0xF000 | 0x4000, low: low & ~(3 << 62) | 2 << 62)
    }
}
