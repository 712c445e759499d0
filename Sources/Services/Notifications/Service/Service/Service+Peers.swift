internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
internal import ServiceKit
internal import Wire

extension Service {
    static let mostPeers = 1024
    /// Places that tools may take, so that apps have theirs.
    static let mostTools = 64
    /// An app needs one. More than so many would be places that others lack.
    static let mostPeersOfApp = 8

    /// A tool's connection that has just been made.
    func accept(_ socket: Descriptor) {
        guard PeerProcess.isTool(socket), peers.values.count(where: { $0.app == nil }) < Self.mostTools,
            let peer = add(socket)
        else { return }
        let session = ControlSession(self, peer)
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

    func remove(_ peer: Peer) {
        peers[peer.number] = nil
        unanswered[peer.number] = nil
        requests = requests.filter { $0.value.peer.map { $0 !== peer } ?? false }
        armIdle()
    }

    func serve(_ peer: Peer, _ app: AppIdentifier) {
        let (session, connection) = (AppSession(self, peer), ConnectionID(peer.number))
        peer.onMessage = { message, _ in session.handle(message) }
        peer.onAnswer = { [weak self] number, result in self?.answered(connection, of: app, number, result) }
        peer.onClose = { [weak self] in
            self?.post(.detached(connection))
            self?.remove(peer)
        }
        post(.attached(connection, app))
    }
}

/// One app's connection.
///
/// Unchecked: used on the service's queue only.
final class AppSession: @unchecked Sendable {
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
            guard let method = NotificationClientMethod(rawValue: name) else { throw .methodNotFound(name) }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            let asked = try AskedOfService(method, params, service.zones.named)
            let number = try service.request(peer, id, asked.isPage ? .after(asked.after) : .none)
            if method == .hello { hasGreeted = true }
            service.post(.app(ConnectionID(peer.number), number, asked.request))
        } catch {
            peer.send(.failure(id: id, error))
        }
    }
}
