internal import Dispatch
internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import TransferCore
internal import TransferWire
internal import Wire

extension Service {
    /// Accepts a connection of a tool. On an ordinary user's system apps have the same user and can open this socket,
    /// but they must connect through the daemon, which identifies them.
    func accept(_ socket: Descriptor, isControl: Bool) {
        guard PeerProcess.isTool(socket) else { return }
        guard let peer = add(socket) else { return }
        if isControl {
            let session = ControlSession(self, peer)
            peer.onMessage = { session.handle($0, $1) }
            peer.onClose = { [weak self] in self?.remove(peer) }
        } else {
            serveClient(peer, app: nil)
        }
    }

    func add(_ socket: Descriptor) -> Peer? {
        // A peer's number is never given again.
        let number = nextPeer
        nextPeer += 1
        guard peers.count < Self.mostPeers,
            let peer = try? Peer(
                socket, number: number, queue: queue,
                takesDescriptor: { name, params in
                    name == "add" || (name == "create" && params["kind"]?.string == "upload")
                })
        else { return nil }
        peers[number] = peer
        armIdle()
        return peer
    }

    static let mostPeers = 1024
    /// An app needs one. More than so many would be places that others lack.
    static let mostPeersOfApp = 32

    func mayConnect(_ app: String) -> Bool {
        peers.values.count { $0.app == app } < Self.mostPeersOfApp
    }

    func remove(_ peer: Peer) {
        peers[peer.number] = nil
        watchers[peer.number] = nil
        armIdle()
    }

    /// Serves an app's connection; whose it is is known already, or said by its `hello`.
    func serveClient(_ peer: Peer, app: AppIdentifier?) {
        let session = ClientSession(self, peer, app: app)
        peer.onMessage = { session.handle($0, $1) }
        peer.onClose = { [weak self] in
            session.closed()
            self?.remove(peer)
        }
    }

    /// A number for the Core that leads back to who asked.
    func request(_ peer: Peer, _ id: RPCID, folder: TransferStore.TargetFolder? = nil) -> RequestID {
        let number = RequestID(nextRequest)
        nextRequest += 1
        requests[number] = PendingRequest(peer: peer, id: id, folder: folder)
        return number
    }

    /// Where an app's files go from now on; durable before anything that follows.
    func remember(_ container: TransferStore.Container) {
        guard containers[container.app] != container else { return }
        containers[container.app] = container
        enqueue(Batch(changes: [.container(container)], effects: []))
    }
}

/// One app's connection.
///
/// Unchecked: used on the service's queue only.
final class ClientSession: @unchecked Sendable {
    private unowned let service: Service
    private weak var peer: Peer?
    private let connection: ConnectionID
    private var app: AppIdentifier?
    private let isAttached: Bool
    private var hasGreeted = false

    init(_ service: Service, _ peer: Peer, app: AppIdentifier?) {
        self.service = service
        self.peer = peer
        self.app = app
        isAttached = app != nil
        connection = ConnectionID(peer.number)
    }

    func closed() {
        if hasGreeted { service.post(.detached(connection)) }
    }

    func handle(_ message: RPCMessage, _ descriptor: Descriptor?) {
        guard let peer, case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            guard let method = TransferClientMethod(rawValue: name) else { throw .methodNotFound(name) }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            if method == .hello {
                try greet(params, id, peer)
            } else if method == .create {
                try create(params, descriptor, id, peer)
            } else {
                let request = try request(method, params)
                service.post(.client(connection, service.request(peer, id), request))
            }
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func greet(_ params: JSONValue, _ id: RPCID, _ peer: Peer) throws(RPCError) {
        guard case .client(_, let name, let container) = try TransferHello(json: params) else {
            throw .invalidParameter("client", "the parameter client is missing")
        }
        let app: AppIdentifier
        if isAttached, let known = self.app {
            app = known
        } else {
            guard let name, let valid = AppIdentifier(name) else {
                throw .invalidParameter(
                    "app", "the parameter app must be 1 to 127 letters, digits, dots, hyphens and underscores")
            }
            app = valid
            if let container, !container.hasPrefix("/") || container.utf8.count > 4000 {
                throw .invalidParameter("container", "the parameter container must be an absolute path")
            }
            service.remember(
                TransferStore.Container(
                    app: app.rawValue, path: container ?? Service.temporaryFolder, isTemporary: container == nil))
        }
        self.app = app
        hasGreeted = true
        peer.send(
            .response(
                id: id, result: ["protocol": .int(Int64(transferProtocolVersion)), "app": .string(app.rawValue)]))
        service.post(.attached(connection, app))
    }

    private func create(
        _ params: JSONValue, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        let parameters = try TransferCreate(json: params)
        guard parameters.kind == .upload else {
            post(parameters, nil, try TransferCreation(wire: parameters, body: nil), id, peer)
            return
        }
        guard let descriptor else {
            throw .invalidParameter("kind", "an upload comes with the descriptor of its file")
        }
        // The file is made our own before the answer, by a worker; what else this peer has to say waits.
        peer.isHeld = true
        let (service, files) = (service, service.files)
        let owner = app.flatMap { service.containers[$0.rawValue]?.uid }
        service.handOver(app).async { [self] in
            let adopted = Result { () throws(SystemError) in try files.adopt(descriptor, of: owner) }
            service.queue.async {
                self.adopted(adopted, parameters, id, peer)
                peer.isHeld = false
            }
        }
    }

    private func adopted(
        _ result: Result<UploadBody, SystemError>, _ parameters: TransferCreate, _ id: RPCID, _ peer: Peer
    ) {
        do throws(RPCError) {
            switch result {
            case .success(let body):
                post(parameters, body, try TransferCreation(wire: parameters, body: body), id, peer)
            case .failure(let error):
                throw RPCError(.refused, "the file to upload cannot be taken over: \(error)")
            }
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func post(
        _ parameters: TransferCreate, _ body: UploadBody?, _ creation: TransferCreation, _ id: RPCID, _ peer: Peer
    ) {
        guard peer.isOpen else {
            if let body { service.perform(.remove(body.file)) }
            return
        }
        service.post(
            .client(
                connection, service.request(peer, id), .create(session: parameters.session, creation)))
        // Refused, or a repetition: nobody needs this one.
        if let body, !service.system.filesInUse.contains(body.file) {
            service.perform(.remove(body.file))
        }
    }

    private func request(_ method: TransferClientMethod, _ params: JSONValue) throws(RPCError) -> ClientRequest {
        switch method {
        case .hello, .create: throw .methodNotFound(method.rawValue)
        case .open:
            let open = try TransferOpen(json: params)
            return .open(session: open.session, TransferConfiguration(wire: open.configuration))
        case .tasks:
            let wanted = try TransferTasksParameters(json: params)
            return .tasks(session: wanted.session, after: wanted.after)
        case .resume:
            let task = try TransferTaskParameters(json: params)
            return .resume(session: task.session, task: task.task)
        case .suspend:
            let task = try TransferTaskParameters(json: params)
            return .suspend(session: task.session, task: task.task)
        case .cancel:
            let task = try TransferTaskParameters(json: params)
            return .cancel(session: task.session, task: task.task, producesResumeData: task.producesResumeData)
        case .change:
            let change = try TransferChangeParameters(json: params)
            return .change(session: change.session, task: change.task, TransferChange(wire: change))
        case .credential:
            let answer = try TransferCredentialParameters(json: params)
            guard answer.number >= 0 else { throw .invalidParameter("number", "a challenge's number is not negative") }
            return .credential(
                session: answer.session, task: answer.task, challenge: EventNumber(answer.number),
                try ChallengeAnswer(wire: answer))
        case .invalidate:
            let end = try TransferInvalidate(json: params)
            return .invalidate(session: end.session, cancels: end.cancels)
        }
    }
}
