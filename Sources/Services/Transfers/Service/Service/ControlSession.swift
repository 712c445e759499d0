internal import Dispatch
internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import TransferCore
internal import TransferWire
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

    func handle(_ message: RPCMessage, _ descriptor: Descriptor?) {
        guard let peer, case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            guard let method = TransferToolMethod(rawValue: name) else {
                throw hasGreeted ? .methodNotFound(name) : RPCError(.outOfOrder, "hello comes first")
            }
            guard hasGreeted != (method == .hello) else {
                throw RPCError(.outOfOrder, hasGreeted ? "hello was said already" : "hello comes first")
            }
            try tool(method, params, descriptor, id, peer)
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    private func greet(_ params: JSONValue, _ id: RPCID, _ peer: Peer) throws(RPCError) {
        guard case .control = try TransferHello(json: params) else {
            throw .invalidParameter("role", "the parameter role is missing: clients have a socket of their own")
        }
        hasGreeted = true
        peer.send(.response(id: id, result: ["protocol": .int(Int64(transferProtocolVersion))]))
    }

    // MARK: Tools

    private func tool(
        _ method: TransferToolMethod, _ params: JSONValue, _ descriptor: Descriptor?, _ id: RPCID, _ peer: Peer
    ) throws(RPCError) {
        switch method {
        case .hello: try greet(params, id, peer)
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
            let conditions = TransferConditions(wire: try ServiceConditions(json: params))
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
