internal import Dispatch
internal import LinuxSystem
internal import Model
internal import TransferCore
internal import Wire

/// A connection of the control socket: a tool, or the system.
///
/// Unchecked: used on the service's queue only.
final class ControlSession: @unchecked Sendable {
    private unowned let service: Service
    private weak var peer: Peer?
    private var role: TransferRole?

    init(_ service: Service, _ peer: Peer) {
        self.service = service
        self.peer = peer
    }

    func closed() {
        guard let peer, service.systemPeer === peer else { return }
        service.systemPeer = nil
        service.post(.systemDetached)
    }

    func handle(_ message: RPCMessage, _ descriptor: Descriptor?) {
        guard let peer else { return }
        switch message {
        case .notification(let name, let params):
            guard role == .system, let method = TransferSystemMethod(rawValue: name) else { return }
            // Nobody hears of what is wrong with a notification.
            try? systemNotification(method, params)
        case .request(let id, let name, let params):
            do throws(RPCError) {
                try request(name, params, descriptor, id, peer)
            } catch {
                peer.send(.failure(id: id, error))
            }
        case .response, .failure: return
        }
    }

    private func request(
        _ name: String, _ params: JSONValue, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        guard let role else {
            guard name == TransferToolMethod.hello.rawValue else { throw RPCError(.outOfOrder, "hello comes first") }
            try greet(params, id, peer)
            return
        }
        guard name != TransferToolMethod.hello.rawValue else {
            throw RPCError(.outOfOrder, "hello was said already")
        }
        if let method = TransferSystemMethod(rawValue: name) {
            guard role == .system else { throw RPCError(.notYours, "\(name) is the system's") }
            try system(method, params, descriptor, id, peer)
        } else if let method = TransferToolMethod(rawValue: name) {
            try tool(method, params, descriptor, id, peer)
        } else {
            throw .methodNotFound(name)
        }
    }

    private func greet(_ params: JSONValue, _ id: RPCID, _ peer: Peer) throws(RPCError) {
        guard case .control(let role) = try TransferHello(json: params) else {
            throw .invalidParameter("role", "the parameter role is missing: clients have a socket of their own")
        }
        self.role = role
        peer.send(.response(id: id, result: ["protocol": .int(Int64(transferProtocolVersion))]))
        guard role == .system else { return }
        // The newest wins: the daemon has restarted, and the old connection is still being taken down.
        let before = service.systemPeer
        service.systemPeer = peer
        before?.close()
        service.post(.systemAttached)
    }

    // MARK: The system

    private func systemNotification(_ method: TransferSystemMethod, _ params: JSONValue) throws(RPCError) {
        switch method {
        case .app: note(try TransferAppState(json: params))
        case .apps: for state in try TransferAppStates(json: params).apps { note(state) }
        case .conditions:
            let conditions = TransferConditions(wire: try TransferConditionsInfo(json: params))
            if !service.isSimulated { service.post(.conditions(conditions)) }
        case .attach, .forget, .userEnded: return
        }
    }

    private func note(_ state: TransferAppState) {
        guard let app = AppIdentifier(state.app), let presence = AppPresence(rawValue: state.state.rawValue) else {
            return
        }
        service.post(.appState(app, presence))
    }

    private func app(_ text: String) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(text) else { throw .invalidParameter("app", "this is no identifier of an app") }
        return app
    }

    private func system(
        _ method: TransferSystemMethod, _ params: JSONValue, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        switch method {
        case .attach:
            let attach = try TransferAttach(json: params)
            let app = try app(attach.app)
            guard let descriptor else { throw .invalidParameter("app", "attach comes with the app's socket") }
            guard attach.container.hasPrefix("/") else {
                throw .invalidParameter("container", "the parameter container must be an absolute path")
            }
            guard service.mayConnect(app.rawValue) else {
                throw RPCError(.tooMuch, "the app has too many connections: close some, or use one for all sessions")
            }
            service.remember(
                TransferStore.Container(
                    app: app.rawValue, path: attach.container, uid: UInt32(clamping: attach.user),
                    gid: UInt32(clamping: attach.group)))
            guard let client = service.add(descriptor) else {
                throw RPCError(.tooMuch, "there are too many connections")
            }
            client.app = app.rawValue
            service.serveClient(client, app: app)
            peer.send(.response(id: id, result: [:]))
        case .forget:
            let app = try app(try TransferAppParameters(json: params).app)
            service.post(.forgotten(app, service.request(peer, id)))
            service.containers[app.rawValue] = nil
            service.enqueue(Service.Batch(changes: [.forgetContainer(app: app.rawValue)], effects: []))
        case .userEnded:
            service.post(.userEnded(try app(try TransferAppParameters(json: params).app)))
            service.enqueue(
                Service.Batch(
                    changes: [], effects: [], then: { [weak peer] in peer?.send(.response(id: id, result: [:])) }))
        case .app, .apps, .conditions:
            try systemNotification(method, params)
            peer.send(.response(id: id, result: [:]))
        }
    }

    // MARK: Tools

    private func tool(
        _ method: TransferToolMethod, _ params: JSONValue, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        switch method {
        case .hello: return
        case .add: try add(try TransferAdd(json: params), descriptor, id, peer)
        case .list:
            let after = try TransferListParameters(json: params).after.map(transferID)
            peer.send(.response(id: id, result: list(after: after).json))
        case .pause: ask(.pause(try transfer(params)), id, peer)
        case .resume: ask(.resume(try transfer(params)), id, peer)
        case .cancel: ask(.cancel(try transfer(params)), id, peer)
        case .why: ask(.why(try transfer(params)), id, peer)
        case .wait: ask(.wait(try transfer(params)), id, peer)
        case .watch:
            service.watchers[peer.number] = peer
            peer.send(.response(id: id, result: [:]))
        case .simulate:
            let conditions = TransferConditions(wire: try TransferConditionsInfo(json: params))
            service.isSimulated = true
            service.post(.conditions(conditions))
            peer.send(.response(id: id, result: [:]))
        }
    }

    private func ask(_ request: ToolRequest, _ id: RPCID, _ peer: Peer) {
        service.post(.tool(service.request(peer, id), request))
    }

    /// As many as a line has room for.
    private func list(after: TransferID?) -> TransferList {
        let now = Instant(nanoseconds: Clock.boot())
        var list = TransferList()
        var length = 0
        for transfer in service.system.transfers where after.map({ $0 < transfer }) ?? true {
            guard let status = service.system.status(transfer, at: now) else { continue }
            let info = TransferInfo(status, rate: service.rates[transfer]?.perSecond ?? 0)
            length += 600 + info.url.utf8.count + info.session.utf8.count
            guard list.transfers.isEmpty || length <= service.system.rules.longestPage else {
                list.more = true
                break
            }
            list.transfers.append(info)
        }
        return list
    }

    private func transfer(_ params: JSONValue) throws(RPCError) -> TransferID {
        try transferID(try TransferName(json: params).id)
    }

    private func transferID(_ name: String) throws(RPCError) -> TransferID {
        guard name.hasPrefix("t"), let number = UInt64(name.dropFirst()) else {
            throw .invalidParameter("id", "a transfer's id is t and a number; list shows them")
        }
        return TransferID(number)
    }

    private func add(
        _ parameters: TransferAdd, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        if let checksum = parameters.checksum {
            let parts = checksum.split(separator: ":", omittingEmptySubsequences: false)
            let isValid =
                parts.count == 2 && parts[0].lowercased() == "sha-256" && parts[1].utf8.count == 64
                && parts[1].allSatisfy(\.isHexDigit)
            guard isValid else { throw .invalidParameter("checksum", "a checksum is sha-256: and 64 digits") }
        }
        guard parameters.upload else {
            try addDownload(parameters, descriptor, id, peer)
            return
        }
        guard let descriptor else {
            throw .invalidParameter("upload", "an upload comes with the descriptor of its file")
        }
        peer.isHeld = true
        let (service, files) = (service, service.files)
        service.handOver(nil).async { [self] in
            let adopted = Result { () throws(SystemError) in try files.adopt(descriptor, of: nil) }
            service.queue.async {
                switch adopted {
                case .success(let body): self.add(parameters, body: body, target: nil, folder: nil, id, peer)
                case .failure(let error):
                    peer.send(
                        .failure(id: id, RPCError(.refused, "the file to upload cannot be taken over: \(error)")))
                }
                peer.isHeld = false
            }
        }
    }

    private func addDownload(
        _ parameters: TransferAdd, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        guard let path = parameters.path, path.hasPrefix("/"), !path.hasSuffix("/"), path.utf8.count < 4096,
            !path.utf8.contains(0)
        else { throw .invalidParameter("path", "the parameter path must be the absolute path of a file") }
        peer.isHeld = true
        let service = service
        service.fileQueue.async { [self] in
            let checked = Result { () throws(RPCError) in try DownloadTarget.folder(of: path, descriptor) }
            service.queue.async {
                switch checked {
                case .success(let folder):
                    self.add(parameters, body: nil, target: path, folder: folder, id, peer)
                case .failure(let error): peer.send(.failure(id: id, error))
                }
                peer.isHeld = false
            }
        }
    }

    private func add(
        _ parameters: TransferAdd, body: UploadBody?, target: String?, folder: TransferStore.TargetFolder?, _ id: RPCID,
        _ peer: Peer
    ) {
        guard peer.isOpen else {
            if let body { service.perform(.remove(body.file)) }
            return
        }
        let request = TransferRequest(
            url: parameters.url, method: parameters.method ?? (parameters.upload ? "PUT" : "GET"),
            headers: parameters.headers.map { HeaderField($0.name, $0.value) })
        let creation = TransferCreation(
            number: 0, kind: parameters.upload ? .upload : .download, request: request,
            priority: TransferCreation.priority(parameters.priority), body: body,
            checksum: parameters.checksum, target: target)
        service.post(
            .tool(
                service.request(peer, id, folder: folder), .add(creation, isDiscretionary: parameters.discretionary)))
        if let body, !service.system.filesInUse.contains(body.file) { service.perform(.remove(body.file)) }
    }
}
