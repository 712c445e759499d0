internal import LinuxSystem
internal import Model
internal import ServiceCore
internal import ServiceWire
internal import Wire

// Apps and tools, each by its connection.
extension ServiceHost {
    func add(_ socket: Descriptor) -> Peer? {
        // No number is given twice.
        let number = nextPeer
        nextPeer += 1
        guard !isEnding, peers.count < limits.all else { return nil }
        do throws(SystemError) {
            let peer = try Peer(socket, number: number, queue: queue, takesDescriptor: { _, _ in false })
            peers[number] = peer
            armIdle()
            return peer
        } catch {
            note("a connection cannot be served: \(error)")
            return nil
        }
    }

    private func remove(_ peer: UInt64) {
        peers[peer] = nil
        requests = requests.filter { !$0.value.isOf(peer) }
        armIdle()
    }

    private func pending(_ peer: Peer, _ id: RPCID, _ asker: PendingRequest.Asker) -> PendingRequest {
        PendingRequest(asker: asker) { [weak peer] result in
            switch result {
            case .success(let value): peer?.send(.response(id: id, result: value))
            case .failure(let error): peer?.send(.failure(id: id, error))
            }
        }
    }

    // MARK: Apps

    func attach(_ attach: ServiceAttach, _ socket: Descriptor) throws(RPCError) {
        guard let app = AppIdentifier(attach.app) else {
            throw .invalidParameter("app", "the parameter app is no identifier")
        }
        guard peers.values.count(where: { $0.app == attach.app }) < limits.ofApp, let peer = add(socket) else {
            throw RPCError(.tooMuch, "the app has too many connections to the \(name) service: close one")
        }
        peer.app = attach.app
        world.attached(attach)
        let (number, connection) = (peer.number, ConnectionID(peer.number))
        peer.onMessage = { [weak self] message, _ in self?.assumeIsolated { $0.hear(app: number, message) } }
        // What was told under a number is answered by it, also over a later connection.
        peer.onAnswer = { [weak self] news, result in
            self?.assumeIsolated { $0.answered(connection, news, result, to: nil) }
        }
        peer.onClose = { [weak self] in
            self?.assumeIsolated { host in
                host.post(.detached(connection))
                host.remove(number)
            }
        }
        let hasKey = attach.modes.contains(World.mode)
        post(
            .attached(connection, AppDescription(app, process: attach.process, name: attach.name, hasKey: hasKey)))
    }

    private func hear(app number: UInt64, _ message: RPCMessage) {
        guard let peer = peers[number], case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            let asked = try Translation.request(name, params)
            let connection = ConnectionID(number)
            let event = Event.app(connection, request(pending(peer, id, .app(connection: number))), asked)
            guard world.needsDaemonsWord(for: asked, of: connection, policy) else { return post(event) }
            peer.isHeld = true
            hearDaemon { host in
                host.post(event)
                host.peers[number]?.isHeld = false
            }
        } catch {
            peer.send(.failure(id: id, error))
        }
    }

    // MARK: Tools

    func acceptTool(_ socket: Descriptor) {
        guard PeerProcess.isTool(socket), peers.values.count(where: { $0.app == nil }) < limits.tools,
            let peer = add(socket)
        else { return }
        let number = peer.number
        peer.onMessage = { [weak self] message, _ in self?.assumeIsolated { $0.hear(tool: number, message) } }
        peer.onClose = { [weak self] in self?.assumeIsolated { $0.remove(number) } }
    }

    private func hear(tool number: UInt64, _ message: RPCMessage) {
        guard let peer = peers[number], case .request(let id, let name, let params) = message else { return }
        do throws(RPCError) {
            if name == "hello" {
                guard !peer.hasGreeted else { throw RPCError(.outOfOrder, "hello was said already") }
                try params.checkVersion(Translation.version)
                peer.hasGreeted = true
                return peer.send(.response(id: id, result: ["protocol": .int(Int64(Translation.version))]))
            }
            guard peer.hasGreeted else { throw RPCError(.outOfOrder, "hello comes first") }
            switch try world.answer(name, params, self) {
            case .value(let value): peer.send(.response(id: id, result: value))
            case .command(let command):
                let asker = PendingRequest.Asker.tool(connection: number, isPromise: Words.isPromise(command))
                post(.tool(request(pending(peer, id, asker)), command))
            }
        } catch {
            peer.send(.failure(id: id, error))
        }
    }
}
