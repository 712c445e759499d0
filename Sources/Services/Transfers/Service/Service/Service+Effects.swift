internal import Dispatch
internal import LinuxSystem
internal import Model
internal import ServiceKit
internal import Synchronization
internal import SystemPackage
internal import TransferCore
internal import TransferWire
internal import Wire

/// Who waits for an answer of the Core.
struct PendingRequest {
    weak var peer: Peer?
    let id: RPCID
    /// The folder of a tool's download, to be known before the answer.
    var folder: TransferStore.TargetFolder?
}

struct Traffic: Sendable {
    var received: Int64 = 0
    var sent: Int64 = 0
    /// When its first and its last bytes were counted, in seconds of the wall clock.
    var from: Double
    var to: Double = 0
}

/// How fast a transfer is, over the last second or so.
struct Rate {
    private var total: Int64
    private var at: Int64
    private(set) var perSecond = 0.0

    init(total: Int64, at: Int64) {
        self.total = total
        self.at = at
    }

    mutating func note(_ newTotal: Int64, at now: Int64) {
        guard newTotal >= total else {
            self = Rate(total: newTotal, at: now)
            return
        }
        let seconds = Double(now - at) / 1e9
        guard seconds >= 0.25 else { return }
        let latest = Double(newTotal - total) / seconds
        perSecond = perSecond == 0 ? latest : perSecond * 0.5 + latest * 0.5
        total = newTotal
        at = now
    }
}

extension Service {
    func perform(_ effect: TransferEffect) {
        switch effect {
        case .store, .erase: break
        case .startDownload(let id, let order):
            transfers?.start(id, order, session: key(of: id.transfer))
        case .startUpload(let id, let order):
            transfers?.start(id, order, session: key(of: id.transfer))
        case .receiveBody(let id, let offset): transfers?.receive(id, at: offset)
        case .stop(let id): transfers?.stop(id)
        case .remove(let file): fileQueue.async { [files] in files.remove(file) }
        case .moveToClient(let id, let file, let app): moveToClient(id, file, app)
        case .moveToTarget(let id, let file, let path): moveToTarget(id, file, path)
        case .removeFromClient(let id, let app): removeFromClient(id, app)
        case .reply(let request, let reply): answer(request, reply)
        case .refuse(let request, let refusal):
            if let pending = requests.removeValue(forKey: request) {
                pending.peer?.send(.failure(id: pending.id, refusal.rpc))
            }
        case .deliver(let connection, let delivery): deliver(connection, delivery)
        case .progress(let connection, let note):
            guard let peer = peers[connection.rawValue], !peer.isBehind else { return }
            peer.send(
                .notification(
                    method: TransferClientMessage.progress.rawValue, params: TransferProgress(note).json))
        case .announce(let session, let app, let name, let reason, let number):
            announce(session, app, name, reason, number)
        // Nobody has to know: what waits is started again for what it waits for.
        case .waiting: break
        case .yields(let ids, let limit): giveWay(ids, limit: limit)
        case .changed(let id): tellWatchers(id)
        }
    }

    // MARK: Sessions

    /// What a transfer shares cookies with.
    private func key(of id: TransferID) -> SessionKey {
        let status = system.status(id, at: Instant(nanoseconds: Clock.boot()))
        return SessionKey(app: status?.app?.rawValue, session: status?.session ?? "")
    }

    func forget(_ id: TransferID) {
        folders[id] = nil
        forgetFile(of: id)
        rates[id] = nil
    }

    func note(_ event: TransferEvent) {
        let now = Clock.boot()
        switch event {
        case .received(let id, let total), .sent(let id, let total):
            if rates[id.transfer] == nil { rates[id.transfer] = Rate(total: total, at: now) }
            rates[id.transfer]?.note(total, at: now)
        default: break
        }
    }

    // MARK: Files

    static func clientName(_ id: TransferID) -> String { "CFNetworkDownload_\(id.rawValue).tmp" }

    private func container(_ app: AppIdentifier) -> TransferStore.Container {
        containers[app.rawValue]
            ?? TransferStore.Container(app: app.rawValue, path: Self.temporaryFolder, isTemporary: true)
    }

    static var temporaryFolder: String { CurrentProcess.environment("TMPDIR") ?? "/tmp" }

    /// The folder for an app's temporary files; no link leads there.
    private func temporary(_ container: TransferStore.Container) throws(SystemError) -> (Directory, String) {
        let directory = try Directory(opening: container.path)
        if let uid = container.uid, CurrentProcess.isRoot {
            // The system made it for that user: nobody else's folder is an app's container.
            let owner = try directory.descriptor.identity().owner
            guard owner == uid || owner == CurrentProcess.uid else { throw SystemError("open", .notPermitted) }
        }
        if container.isTemporary { return (directory, container.path) }
        let path = container.path + "/tmp"
        if let known = try? directory.directory("tmp") { return (known, path) }
        // Without a user of the app's own it is this process's, on whatever file system.
        guard let uid = container.uid, CurrentProcess.isRoot else {
            return (try directory.directory("tmp", create: 0o700), path)
        }
        try files.makeFolder("tmp", in: directory, owner: uid)
        return (try directory.directory("tmp"), path)
    }

    /// That it left need not be known any longer.
    private func forgetFile(of id: TransferID) {
        if let file = leaving.removeValue(forKey: id) { perform(.remove(file)) }
    }

    private func moveToClient(_ id: TransferID, _ file: TransferFile, _ app: AppIdentifier) {
        leaving[id] = file
        let container = container(app)
        let name = Self.clientName(id)
        fileQueue.async { [self] in
            do throws(SystemError) {
                let (directory, path) = try temporary(container)
                let owner = TransferFiles.Ownership(uid: container.uid, gid: container.gid, mode: 0o600)
                try files.move(file, to: directory, as: name, owner)
                report(.fileMoved(id, path: "\(path)/\(name)"))
            } catch {
                report(.moveFailed(id, FileFailure(error)))
            }
        }
    }

    private func moveToTarget(_ id: TransferID, _ file: TransferFile, _ path: String) {
        let folder = folders[id]
        fileQueue.async { [self] in
            do throws(SystemError) {
                guard let slash = path.lastIndex(of: "/") else {
                    throw SystemError("path", .invalidArgument, path: path)
                }
                let parent = slash == path.startIndex ? "/" : String(path[..<slash])
                let directory = try Directory(opening: parent)
                let identity = try directory.descriptor.identity()
                guard folder.map({ $0.device == identity.device && $0.inode == identity.inode }) ?? true else {
                    throw SystemError("path", .noSuchFileOrDirectory, path: parent)
                }
                let owner = TransferFiles.Ownership(uid: nil, gid: nil, mode: 0o644)
                try files.move(file, to: directory, as: String(path[path.index(after: slash)...]), owner)
                report(.fileMoved(id, path: path))
            } catch {
                report(.moveFailed(id, FileFailure(error)))
            }
        }
    }

    private func removeFromClient(_ id: TransferID, _ app: AppIdentifier) {
        forgetFile(of: id)
        let container = container(app)
        fileQueue.async { [self] in
            if let (directory, _) = try? temporary(container) { directory.remove(Self.clientName(id)) }
        }
    }

    // MARK: Peers

    private func answer(_ request: RequestID, _ reply: TransferReply) {
        guard let pending = requests.removeValue(forKey: request) else { return }
        let message = RPCMessage.response(id: pending.id, result: reply.json)
        guard case .added(let id) = reply, let folder = pending.folder else {
            pending.peer?.send(message)
            return
        }
        folders[id] = folder
        let peer = pending.peer
        enqueue(Batch(changes: [.folder(id, folder)], effects: [], then: { [weak peer] in peer?.send(message) }))
    }

    private func deliver(_ connection: ConnectionID, _ delivery: EventDelivery) {
        guard let peer = peers[connection.rawValue] else { return }
        peer.request(TransferClientMessage.event.rawValue, TransferEventInfo(delivery).json) {
            [weak self, weak peer] answer in
            switch (answer, delivery.kind) {
            case (.success(let result), .delayedRequest):
                let decision = DelayedDecision(wire: result)
                self?.post(.decided(connection, delivery.sessionID, delivery.number, decision))
            case (.success, _): self?.post(.delivered(connection, delivery.sessionID, delivery.number))
            // It does not know what an event is: it cannot have told its delegate.
            case (.failure, _): peer?.close()
            }
        }
    }

    // MARK: Watching

    /// What has changed is told together, ten times a second at most.
    private func tellWatchers(_ id: TransferID) {
        guard !watchers.isEmpty else { return }
        let isFirst = changed.isEmpty
        changed.insert(id)
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [weak self] in
            guard let self else { return }
            let now = Instant(nanoseconds: Clock.boot())
            let ids = changed
            changed = []
            for id in ids.sorted() {
                guard let status = system.status(id, at: now) else { continue }
                let info = TransferInfo(status, rate: rates[id]?.perSecond ?? 0).json
                for peer in watchers.values where !peer.isBehind {
                    peer.send(.notification(method: "progress", params: info))
                }
            }
        }
    }

    /// From any thread: bytes that went over the network. Told to the system once a second.
    nonisolated func account(_ session: SessionKey, received: Int, sent: Int) {
        let isFirst = traffic.withLock { traffic in
            let isFirst = traffic.isEmpty
            let now = Double(Clock.wall()) / 1e9
            var entry = traffic[session] ?? Traffic(from: now)
            entry.to = now
            entry.received += Int64(received)
            entry.sent += Int64(sent)
            traffic[session] = entry
            return isFirst
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in self?.tellTraffic() }
    }

    private func tellTraffic() {
        let moved = traffic.withLock { traffic in
            defer { traffic = [:] }
            return traffic
        }
        for (session, bytes) in moved {
            broker?.tell(
                .traffic,
                ServiceTraffic(
                    app: session.app, purpose: Purpose.transfer.name, sent: bytes.sent, received: bytes.received,
                    from: bytes.from, to: bytes.to
                ).json)
        }
    }
}
