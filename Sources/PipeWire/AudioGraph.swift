internal import CPipeWire
package import Dispatch
internal import LinuxSystem

/// The streams and devices of a PipeWire daemon, as a service sees and changes them.
///
/// It connects, and connects again when the daemon went away and came back. Nothing blocks the queue, and without a
/// daemon nothing runs. What was permitted, routed and set before is forgotten with the daemon, since the next one
/// has other streams.
///
/// The session manager (WirePlumber) sets devices up and links streams to them. This takes streams down and puts them
/// back, and leaves the rest to it.
///
/// Unchecked: used on its queue only; its client is called there.
package final class AudioGraph: @unchecked Sendable {
    package struct Configuration: Sendable {
        package var server: AudioServer
        /// Whether a stream may be linked before `permit` says so.
        package var permitsByDefault: Bool

        package init(server: AudioServer = .ofSession, permitsByDefault: Bool = true) {
            (self.server, self.permitsByDefault) = (server, permitsByDefault)
        }
    }

    let queue: DispatchQueue
    let configuration: Configuration
    package weak var client: (any AudioGraphClient)?

    var connection: GraphConnection?
    private var watch: ServerWatch?
    /// Whether everything that was there at the begin is known.
    package private(set) var isConnected = false
    var model = GraphModel()
    /// What happens when so much is done.
    private var waiting: [Int32: () -> Void] = [:]

    private(set) var streams: [UInt32: GraphStream] = [:]
    private(set) var devices: [UInt32: AudioDevice] = [:]
    package private(set) var defaults = DefaultDevices()
    var sinkVolume: SinkVolume?
    var watchedSink: UInt32?
    var sinkVolumes: Volumes?
    private var dirty: Set<UInt32> = []

    /// What was decided about streams and devices by others of the service.
    var permissions: [NodeIdentifier: Bool] = [:]
    var routes: [NodeIdentifier: NodeIdentifier] = [:]
    var chosenSink: String?
    var gains: [NodeIdentifier: Gain] = [:]
    /// Nodes that were there before: another process may have left them a gain.
    var inherited: Set<UInt32> = []
    var ramp: (any DispatchSourceTimer)?
    var meters: [Meter] = []
    var control = Control()
    /// What a session manager was told about streams that must not have another device now.
    var pins: [NodeIdentifier: Pin] = [:]

    /// Streams that it links in place of the session manager, which believes that they are linked still.
    var standsIn: Set<NodeIdentifier> = []
    /// The device that each stream was linked to when its links were last taken away.
    var lastDevices: [NodeIdentifier: NodeIdentifier] = [:]
    var linking = Linking()
    var repair = Repair()

    /// What was told and is there.
    package var allStreams: [GraphStream] { streams.values.sorted { $0.id < $1.id } }
    package var allDevices: [AudioDevice] { devices.values.sorted { $0.id < $1.id } }
    /// Without one no stream that begins is heard until it is there.
    package var hasSessionManager: Bool { model.hasSessionManager }

    package init(_ configuration: Configuration = Configuration(), queue: DispatchQueue) {
        (self.configuration, self.queue) = (configuration, queue)
    }

    package func begin() {
        dispatchPrecondition(condition: .onQueue(queue))
        guard watch == nil else { return }
        let watch = ServerWatch(configuration.server, queue: queue) { [weak self] in self?.connect() ?? false }
        self.watch = watch
        watch.begin()
    }

    /// Ends the connection. Links that it made stay.
    package func close() {
        dispatchPrecondition(condition: .onQueue(queue))
        watch?.stop()
        watch = nil
        forget()
    }

    private func connect() -> Bool {
        guard let made = try? GraphConnection(to: configuration.server, queue: queue, client: self) else {
            return false
        }
        connection = made
        // What appears is bound when it does: with the second number everything is described too.
        after { [weak self] in
            self?.after { [weak self] in self?.becomeConnected() }
        }
        return true
    }

    private func becomeConnected() {
        isConnected = true
        inherited = Set(model.nodes.keys)
        client?.audioGraphConnected()
        dirty.formUnion(model.nodes.keys)
        adoptLinks()
    }

    private func forget() {
        for meter in meters { meter.end(nil) }
        meters = []
        connection?.close()
        connection = nil
        let (left, asked) = (waiting, control.all)
        (control, pins) = (Control(), [:])
        (isConnected, model, waiting, dirty) = (false, GraphModel(), [:], [])
        (streams, devices, defaults) = ([:], [:], DefaultDevices())
        (sinkVolume, watchedSink, sinkVolumes) = (nil, nil, nil)
        (permissions, routes, gains, standsIn, lastDevices) = ([:], [:], [:], [], [:])
        inherited = []
        (linking, repair) = (Linking(), Repair())
        ramp?.cancel()
        ramp = nil
        // They wait for what can never be done, so it is done.
        for number in left.keys.sorted() { left[number]?() }
        for work in asked { work.completion(true) }
    }

    /// Calls when the daemon has done what it was asked until now.
    func after(_ run: @escaping () -> Void) {
        guard let connection else {
            queue.later(run)
            return
        }
        waiting[connection.synchronize()] = run
    }

    // MARK: What has changed

    func markDirty(_ node: UInt32) { dirty.insert(node) }

    /// Tells what has changed, and links what is to be linked.
    func settle() {
        guard isConnected else { return }
        tellDevices()
        arrangeLinks()
        tellStreams()
        dirty = []
    }

    private func tellStreams() {
        for node in dirty.sorted() {
            let (now, before) = (model.stream(node), streams[node])
            guard now != before else { continue }
            streams[node] = now
            // A number may be given again before this hears that it was free.
            if let before, before.id != now?.id { client?.audioGraph(goneStream: before.id) }
            guard let now else { continue }
            if before?.id == now.id {
                client?.audioGraph(changed: now)
            } else {
                client?.audioGraph(appeared: now)
                standInLater()
            }
        }
    }

    private func tellDevices() {
        for node in dirty.sorted() {
            let (now, before) = (model.device(node), devices[node])
            guard now != before else { continue }
            devices[node] = now
            if let before, before.id != now?.id { client?.audioGraph(goneDevice: before.id) }
            guard let now else { continue }
            if before?.id == now.id {
                client?.audioGraph(changed: now)
            } else {
                client?.audioGraph(appeared: now)
            }
        }
        let now = DefaultDevices(
            sink: defaultDevice(.sink).flatMap { model.nodes[$0]?.serial },
            source: defaultDevice(.source).flatMap { model.nodes[$0]?.serial })
        if now != defaults {
            defaults = now
            client?.audioGraph(defaults: now)
        }
        watchDefaultSink()
    }
}

extension AudioGraph: GraphConnection.Client {
    func connection(_ connection: GraphConnection, told events: [GraphEvent]) {
        for event in events where connection === self.connection { handle(event) }
        if connection === self.connection { settle() }
    }

    func connectionHasEnded(_ connection: GraphConnection) {
        guard connection === self.connection else { return }
        let wasConnected = isConnected
        forget()
        if wasConnected { client?.audioGraphLost() }
        watch?.ended()
    }

    private func handle(_ event: GraphEvent) {
        switch event {
        case .done(let number): waiting.removeValue(forKey: number)?()
        case .named(let client): model.own = client
        case .appeared(let id, let kind, let properties): appeared(id, kind, properties)
        case .went(let id): went(id)
        case .described(let id, let properties): described(id, properties)
        case .nodeChanged(let id, let state, let error, let properties):
            guard var node = model.nodes[id] else { return }
            (node.state, node.error) = (state, error)
            if let properties {
                node.properties.merge(properties) { _, new in new }
                node.isDescribed = true
            }
            model.nodes[id] = node
            dirty.insert(id)
            if let stream = node.serial { mayAnswerAgain(stream) }
        case .linkChanged(let id, let isActive): linkChanged(id, isActive: isActive)
        case .volumes(let id, let volumes):
            if id == watchedSink { tellVolume(volumes) }
            if let stream = model.nodes[id]?.serial { volumesChanged(of: stream, volumes) }
        case .route(let id, let index, let device): model.routes[id, default: [:]][device] = index
        case .metadata(let id, let subject, let key, let setting):
            if id == model.metadata { model.setMetadata(subject, key, setting) }
        case .controlDone(let number): controlDone(number)
        }
    }

    private func appeared(_ id: UInt32, _ kind: GraphEvent.Kind, _ properties: [String: String]) {
        func number(_ key: String) -> UInt32? { properties[key].flatMap { UInt32($0) } }
        switch kind {
        case .node:
            let node = GraphModel.Node(properties: properties)
            model.nodes[id] = node
            // Others, such as cameras, are not asked what they are.
            if node.streamDirection != nil || node.deviceDirection != nil { bind(id, GR_NODE) }
        case .port:
            guard let node = number("node.id"), properties["port.control"] != "true" else { return }
            model.ports[id] = GraphModel.Port(
                node: node, isInput: properties["port.direction"] == "in",
                isMonitor: properties["port.monitor"] == "true", channel: properties["audio.channel"] ?? "")
            portAppeared(of: node)
        case .link:
            guard let fromNode = number("link.output.node"), let fromPort = number("link.output.port"),
                let toNode = number("link.input.node"), let toPort = number("link.input.port")
            else { return }
            let link = GraphModel.Link(
                from: .init(node: fromNode, port: fromPort), to: .init(node: toNode, port: toPort),
                client: number("client.id"))
            model.links[id] = link
            dirty.formUnion([fromNode, toNode])
            bind(id, GR_LINK)
            linkAppeared(id, link)
        case .client:
            let hadSessionManager = model.hasSessionManager
            model.clients[id] = GraphModel.Client(properties: properties)
            bind(id, GR_CLIENT)
            if isConnected, !hadSessionManager, model.hasSessionManager { sessionManagerCame() }
        case .device:
            model.cards[id] = properties
            bind(id, GR_DEVICE)
        case .metadata:
            guard properties["metadata.name"] == "default" else { return }
            model.metadata = id
            bind(id, GR_METADATA)
        }
    }

    private func bind(_ id: UInt32, _ kind: gr_kind) {
        guard let graph = unsafe connection?.graph else { return }
        _ = unsafe gr_graph_bind(graph, id, kind)
    }

    private func went(_ id: UInt32) {
        if let node = model.nodes.removeValue(forKey: id) {
            dirty.insert(id)
            if let serial = node.serial { forgetStream(serial) }
            linking.forget(id)
            endMeters(of: id)
            model.nodeSettings[id] = nil
        }
        if model.ports.removeValue(forKey: id) != nil { return }
        if let link = model.links.removeValue(forKey: id) {
            dirty.formUnion([link.from.node, link.to.node])
            linkWent(id, link)
        }
        model.clients[id] = nil
        model.cards[id] = nil
        model.routes[id] = nil
        if model.metadata == id {
            model.metadata = nil
            (model.settings, model.nodeSettings) = ([:], [:])
        }
    }

    private func described(_ id: UInt32, _ properties: [String: String]) {
        if var client = model.clients[id] {
            client.properties.merge(properties) { _, new in new }
            client.isPulse = properties["client.api"] == "pipewire-pulse" && Self.isPulseServer(client)
            model.clients[id] = client
            for (node, value) in model.nodes where value.client == id { dirty.insert(node) }
        } else if model.cards[id] != nil {
            model.cards[id]?.merge(properties) { _, new in new }
            for (node, value) in model.nodes where value.properties["device.id"] == "\(id)" { dirty.insert(node) }
        }
    }

    /// Any client may say that it speaks for others. Only PipeWire's own server is believed.
    private static func isPulseServer(_ client: GraphModel.Client) -> Bool {
        guard let pid = client.properties["pipewire.sec.pid"].flatMap({ CInt($0) }),
            let program = FileSystem.linkTarget("/proc/\(pid)/exe")
        else { return false }
        return program.split(separator: "/").last?.hasPrefix("pipewire") == true
    }

    private func forgetStream(_ id: NodeIdentifier) {
        // Its client cannot be waited for any more.
        endControl(of: id, true)
        pins[id] = nil
        permissions[id] = nil
        routes[id] = nil
        gains[id] = nil
        standsIn.remove(id)
        lastDevices[id] = nil
        repair.forget(id)
    }
}
