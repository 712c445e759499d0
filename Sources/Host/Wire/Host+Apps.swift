internal import AppProtocol
internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// The app socket: docs/PROTOCOL.md, section 2.
extension Host {
    /// Requests of one app that may wait for an answer.
    private static let requestLimit = 64

    /// The connection that an app is born with.
    func connect(_ socket: Descriptor, _ index: AppIndex, _ process: AppProcess) {
        do throws(SystemError) {
            attach(try Connection(socket, loop, .within(process.messageTime)), index, process)
        } catch {
            Diagnostics.write("an app's socket cannot be watched: \(error)")
        }
    }

    private func attach(_ connection: Connection, _ index: AppIndex, _ process: AppProcess) {
        let generation = process.generation
        process.connection?.onClose = {}
        process.connection?.close()
        process.connection = connection
        process.hasSaidHello = false
        connection.onMessage = { [unowned self, unowned connection] message in
            receive(message, from: connection, index, generation)
        }
        connection.onClose = { [unowned self, unowned connection] in
            guard let process = self.process(index, generation), process.connection === connection else { return }
            process.connection = nil
            process.hasSaidHello = false
            process.requests = [:]
            post(.disconnected(index, generation))
        }
    }

    /// Somebody connected to the app socket: only the very process that Greenroom started is let in.
    func acceptApp(_ socket: Descriptor) {
        guard let peer = try? UnixSocket.peer(of: socket), let index = appOfProcess[peer.pid],
            let process = host(index)?.process, isSame(UnixSocket.peerProcess(of: socket), peer, process.first)
        else {
            // If it cannot be watched, the peer finds its connection closed.
            guard let connection = try? Connection(socket, loop) else { return }
            connection.send(
                .failure(
                    id: nil,
                    RPCError(.notYours, "only a process that Greenroom started may connect: greenroom open APP")))
            return connection.close()
        }
        connect(socket, index, process)
    }

    /// On kernels without SO_PEERPIDFD: the number is that of a process that we hold and that is alive.
    private func isSame(_ peer: PidFD?, _ claimed: UnixSocket.Peer, _ first: PidFD?) -> Bool {
        guard let first, first.pid == claimed.pid, !first.isDead else { return false }
        return peer.map { !$0.isDead } ?? true
    }

    // MARK: Callbacks

    func deliver(_ index: AppIndex, _ generation: Generation, _ callbacks: [Callback]) {
        guard let process = process(index, generation), let connection = process.connection else { return }
        if callbacks.contains(where: { $0.kind == .willEnterForeground }) { mechanisms.toScreen(process) }
        var bytes: [UInt8] = []
        for callback in callbacks {
            if !process.awaited.contains(callback.number.rawValue) { process.awaited.append(callback.number.rawValue) }
            bytes += message(callback).encoded()
        }
        connection.send(bytes)
    }

    private func message(_ callback: Callback) -> RPCMessage {
        .request(
            id: .int(Int64(callback.number.rawValue)), method: callback.name, params: .object(callback.params))
    }

    func expireTasks(_ index: AppIndex, _ generation: Generation, _ expiration: Expiration) {
        notify(index, generation, .tasksExpire, expiration.params)
    }

    func expireWindow(_ index: AppIndex, _ generation: Generation, _ window: WindowID, left: Span) {
        notify(index, generation, .windowExpires, window.params(left: left))
    }

    func tell(_ index: AppIndex, _ generation: Generation, _ conditions: DeviceConditions) {
        notify(index, generation, .systemChanged, conditions.params)
    }

    private func notify(_ index: AppIndex, _ generation: Generation, _ name: AppNotification, _ params: JSONValue) {
        process(index, generation)?.connection?.send(.notification(method: name.rawValue, params: params))
    }

    // MARK: Messages

    private func receive(
        _ message: RPCMessage, from connection: Connection, _ index: AppIndex, _ generation: Generation
    ) {
        guard let process = process(index, generation), process.connection === connection else { return }
        switch message {
        case .request(let id, let method, let params):
            do throws(RPCError) {
                try handle(method, params, id: id, index, process)
            } catch {
                connection.send(.failure(id: id, error))
            }
        case .response(let id, _): returned(id, index, process)
        // A delegate that failed has returned too.
        case .failure(let id, _): if let id { returned(id, index, process) }
        case .notification: break
        }
    }

    private func returned(_ id: RPCID, _ index: AppIndex, _ process: AppProcess) {
        switch id {
        case .string(let text) where text == "ping-\(process.pings)":
            mechanisms.answered(process)
            post(.mainThreadAnswered(index, process.generation))
        case .int(let number) where number > 0 && process.awaited.first == UInt64(number):
            process.awaited.removeFirst()
            post(.callbackReturned(index, process.generation, CallbackNumber(UInt64(number))))
        case .int(let number) where number > 0 && process.awaited.contains(UInt64(number)):
            process.connection?.send(
                .failure(
                    id: id,
                    RPCError(.outOfOrder, "callbacks are answered in their order; \(process.awaited[0]) is next")))
        // A late or second answer: harmless.
        case .string, .int: break
        }
    }

    private func handle(
        _ method: String, _ params: JSONValue, id: RPCID, _ index: AppIndex, _ process: AppProcess
    ) throws(RPCError) {
        guard let known = AppMethod(rawValue: method) else { throw .methodNotFound(method) }
        guard known == .hello || process.hasSaidHello else {
            throw RPCError(.outOfOrder, "say hello first")
        }
        guard process.requests.count < Self.requestLimit else {
            throw RPCError(.tooMuch, "\(Self.requestLimit) requests wait for their answers: wait for one")
        }
        if let asked = try AppRequest(known, params, at: system.wall(now)) { return request(index, asked, id: id) }
        switch known {
        case .hello: try hello(params, id: id, index, process)
        case .state:
            let state = system.app(index)?.state.name ?? ""
            process.connection?.send(.response(id: id, result: ["state": .string(state)]))
        case .ping: process.connection?.send(.response(id: id, result: [:]))
        case .snapshot: try snapshotMade(params, id: id, index, process)
        case .ignoreSnapshot: ignoreSnapshot(id: id, index, process)
        case .connect: try connectService(params, id: id, index, process)
        // Of the Core, above.
        case .openURL, .canOpenURL, .beginTask, .endTask, .backgroundTime, .provideSnapshots, .refreshSnapshot,
            .complete, .setFetchInterval, .submitTask, .cancelTask, .pendingTasks, .activateScene, .destroyScene,
            .keepScreenOn:
            break
        }
    }

    private func hello(
        _ params: JSONValue, id: RPCID, _ index: AppIndex, _ process: AppProcess
    ) throws(RPCError) {
        guard !process.hasSaidHello else { throw RPCError(.outOfOrder, "hello is said once a connection") }
        guard try params.int("protocol") == protocolVersion else {
            throw RPCError(
                .invalidRequest, "this daemon speaks protocol \(protocolVersion)",
                data: ["supported": [.int(Int64(protocolVersion))]])
        }
        let executed = try params.optionalObject("executed").map { json throws(RPCError) in try json.int("seq") }
        guard let app = host(index) else { return }
        process.hasSaidHello = true
        process.awaited = []
        let profile = system.profile
        process.connection?.send(
            .response(
                id: id,
                result: [
                    "protocol": .int(Int64(protocolVersion)), "app": .string(app.installation.identifier),
                    "name": .string(app.installation.name),
                    "container": .string(home.container(app.installation.identifier)),
                    "profile": .string(profile.name),
                    "options": [
                        "expirationHandlersOnMainThread": .bool(profile.expirationThread == .mainThread),
                        "multitasking": .bool(profile.hasMultitasking),
                    ],
                ]))
        let number = executed.flatMap { $0 > 0 ? CallbackNumber(UInt64($0)) : nil }
        post(.connected(index, process.generation, executed: number))
    }

    private func connectService(
        _ params: JSONValue, id: RPCID, _ index: AppIndex, _ process: AppProcess
    ) throws(RPCError) {
        let (name, generation) = (try params.string("service"), process.generation)
        guard let app = host(index) else { return }
        services.connect(name, app, generation) { [unowned self] in hand($0, id: id, index, generation) }
    }

    private func hand(
        _ outcome: Result<Descriptor, RPCError>, id: RPCID, _ index: AppIndex, _ generation: Generation
    ) {
        guard let connection = process(index, generation)?.connection else { return }
        switch outcome {
        case .success(let socket):
            guard !connection.send(.response(id: id, result: [:]), with: socket) else { return }
            connection.send(
                .failure(id: id, RPCError(.tooMuch, "read what was sent before: a descriptor cannot wait")))
        case .failure(let error): connection.send(.failure(id: id, error))
        }
    }

    func answerApp(_ index: AppIndex, _ id: RequestID, _ reply: AppReply) {
        guard let process = host(index)?.process, let rpc = process.requests.removeValue(forKey: id.rawValue) else {
            return
        }
        switch reply.message(at: system.wall(now)) {
        case .success(let result): process.connection?.send(.response(id: rpc, result: result))
        case .failure(let error): process.connection?.send(.failure(id: rpc, error))
        }
    }
}
