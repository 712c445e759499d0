internal import CPipeWire
internal import Dispatch

/// What a session manager was told of a stream, so that it leaves it alone.
struct Pin {
    /// What was set before.
    var previous: Setting?
}

extension AudioGraph {
    /// Looks again at a stream that could not be taken down at once, so often.
    private static let mostAttempts = 5
    private static let (target, pinned) = ("target.object", "Greenroom:Pin")

    package func isPermitted(_ stream: NodeIdentifier) -> Bool {
        permissions[stream] ?? configuration.permitsByDefault
    }

    /// Takes a stream down at the server, or puts it back.
    ///
    /// A stream that is not permitted has no links, formats and buffers, and the daemon then never waits for its
    /// client. `completion` says whether the client has done its part: it may be frozen from then on. One that is
    /// frozen before that holds the whole daemon up: no device can begin to play until the client has answered.
    package func permit(
        _ stream: NodeIdentifier, _ isPermitted: Bool, completion: @escaping (Bool) -> Void = { _ in }
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        repair.isDecidedElsewhere(stream)
        setPermitted(stream, isPermitted, completion: completion)
    }

    func setPermitted(_ stream: NodeIdentifier, _ isPermitted: Bool, completion: @escaping (Bool) -> Void = { _ in }) {
        guard let node = model.node(stream), model.nodes[node]?.streamDirection != nil else {
            return queue.later { completion(true) }
        }
        permissions[stream] = isPermitted
        control.silent[stream] = nil
        guard isPermitted else { return takeDown(stream, attempts: Self.mostAttempts, completion) }
        afterTakingDown(stream, node: node) { [weak self] in
            // What it should not be as loud as is set before it is heard.
            self?.restoreGain(stream) { [weak self] in
                guard let self, let node = model.node(stream), self.isPermitted(stream) else { return completion(true) }
                putBack(stream, node: node)
                arrangeLinks()
                after { completion(true) }
            }
        }
    }

    /// It may be about to be taken down. The links that it has may go, and nobody would make others. What its client
    /// was asked goes over another connection: that it is to be suspended must not come after its new links, which
    /// would stay without a format.
    private func afterTakingDown(_ stream: NodeIdentifier, node: UInt32, _ run: @escaping () -> Void) {
        guard model.links(of: node).isEmpty else {
            return after { [weak self] in self?.afterControl(of: stream, run) }
        }
        afterControl(of: stream, run)
    }

    private func afterControl(of stream: NodeIdentifier, _ run: @escaping () -> Void) {
        guard control.all.contains(where: { $0.stream == stream }) else { return run() }
        ask(stream, { _ in }, completion: { _ in run() })
    }

    private func takeDown(_ stream: NodeIdentifier, attempts: Int, _ completion: @escaping (Bool) -> Void) {
        guard let node = model.node(stream), !isPermitted(stream) else { return completion(true) }
        standsIn.remove(stream)
        endMeters(of: node)
        removeLinks(of: node, stream)
        after { [weak self] in
            guard let self, let node = model.node(stream), !isPermitted(stream) else { return completion(true) }
            guard attempts > 1, !model.links(of: node).isEmpty else {
                // What the daemon told the client goes through a queue in which all devices wait too. Its answers
                // empty that.
                return ask(stream, { $0.suspend(node) }, completion: completion)
            }
            takeDown(stream, attempts: attempts - 1, completion)
        }
    }

    private func removeLinks(of node: UInt32, _ stream: NodeIdentifier) {
        guard let graph = unsafe connection?.graph else { return }
        let links = model.links(of: node)
        for link in links.values { remember(stream, link, node) }
        pin(stream, node: node)
        for id in links.keys { unsafe gr_graph_destroy(graph, id) }
    }

    private func remember(_ stream: NodeIdentifier, _ link: GraphModel.Link, _ node: UInt32) {
        guard let peer = model.nodes[link.peer(of: node)], peer.mediaClass.hasPrefix("Audio/") else { return }
        if let device = peer.serial { lastDevices[stream] = device }
    }

    /// A session manager does not notice that the links of a stream went. It links the stream again only when it is to
    /// have another device.
    private func putBack(_ stream: NodeIdentifier, node: UInt32) {
        unpin(stream, node: node)
        guard model.hasSessionManager, model.devices(of: node).isEmpty, let record = model.nodes[node] else { return }
        if let last = lastDevices[stream], target(of: node, record) == model.node(last) {
            standsIn.insert(stream)
            return
        }
        // It may never have been linked, or by links that went before this process began.
        queue.asyncAfter(deadline: .now() + Self.managerTime) { [weak self] in
            guard let self, isPermitted(stream), let node = model.node(stream), model.hasSessionManager,
                model.devices(of: node).isEmpty
            else { return }
            standsIn.insert(stream)
            settle()
        }
    }

    // MARK: What a session manager is told

    /// A session manager that wants to link a frozen stream to a device with other channels waits for the stream's
    /// client, and links nothing else meanwhile. So the stream keeps the device that it had. WirePlumber does not
    /// store a device that is given by its name.
    private func pin(_ stream: NodeIdentifier, node: UInt32) {
        guard model.hasSessionManager, let metadata = model.metadata, let graph = unsafe connection?.graph,
            let device = lastDevices[stream].flatMap(model.node),
            let name = model.nodes[device]?.properties["node.name"]
        else { return }
        let before = model.nodeSettings[node]?[Self.target]
        if before?.type != Self.pinned { pins[stream] = Pin(previous: before) }
        let setting = Setting(type: Self.pinned, value: name)
        guard before != setting else { return }
        model.setMetadata(node, Self.target, setting)
        unsafe gr_metadata_set(graph, metadata, node, Self.target, Self.pinned, name)
    }

    private func unpin(_ stream: NodeIdentifier, node: UInt32) {
        let pin = pins.removeValue(forKey: stream)
        guard model.nodeSettings[node]?[Self.target]?.type == Self.pinned, let metadata = model.metadata,
            let graph = unsafe connection?.graph
        else { return }
        model.setMetadata(node, Self.target, pin?.previous)
        unsafe gr_metadata_set(graph, metadata, node, Self.target, pin?.previous?.type, pin?.previous?.value)
    }

    /// Where a stream is to be linked from here on; nil for the default device.
    func setTarget(_ stream: NodeIdentifier, node: UInt32, _ device: NodeIdentifier?) {
        guard let metadata = model.metadata, let graph = unsafe connection?.graph else { return }
        let setting = device.map { Setting(type: "Spa:Id", value: "\($0)") }
        // The older one of two names would count after it. Without a value a setting goes.
        unsafe gr_metadata_set(graph, metadata, node, "target.node", nil, nil)
        if pins[stream] != nil {
            pins[stream]?.previous = setting
        } else {
            unsafe gr_metadata_set(graph, metadata, node, Self.target, setting?.type, setting?.value)
        }
    }

    // MARK: Links that come and go

    func linkAppeared(_ id: UInt32, _ link: GraphModel.Link) {
        linking.isAnswered(id, link)
        for node in [link.from.node, link.to.node] {
            guard let record = model.nodes[node], record.streamDirection != nil, let stream = record.serial,
                record.client != model.own
            else { continue }
            guard isPermitted(stream) else {
                guard let graph = unsafe connection?.graph else { return }
                remember(stream, link, node)
                unsafe gr_graph_destroy(graph, id)
                pin(stream, node: node)
                continue
            }
            // The session manager has linked it after all: what was there in its place goes.
            let peer = model.nodes[link.peer(of: node)]
            if standsIn.contains(stream), !linking.own.contains(id), peer?.deviceDirection != nil {
                standsIn.remove(stream)
                removeOwnLinks(of: node)
            }
        }
    }

    private func removeOwnLinks(of node: UInt32) {
        guard let graph = unsafe connection?.graph else { return }
        for id in model.links(of: node).keys where linking.own.contains(id) { unsafe gr_graph_destroy(graph, id) }
    }
}
