internal import CPipeWire
internal import Dispatch

/// What is under way to link streams to devices.
struct Linking {
    private static let mostAttempts = 3

    /// Nodes that were told which ports to have, and are about to have them.
    var configuring: Set<UInt32> = []
    /// What a node was told and did not do.
    private var refused: [UInt32: [String]] = [:]
    /// Links that were asked for and have not appeared.
    private var pending: Set<Wanted> = []
    private var failures: [UInt32: Int] = [:]
    /// Links that this process made. A link that stays says of no client that it is its own.
    var own: Set<UInt32> = []
    /// The session manager came when devices were there already.
    var managerIsLate = false

    struct Wanted: Hashable {
        let from: GraphModel.Link.End
        let to: GraphModel.Link.End
    }

    /// Whether a node is to be told: not what it refused before.
    mutating func configures(_ node: UInt32, _ channels: [String]) -> Bool {
        refused[node] != channels && configuring.insert(node).inserted
    }

    mutating func isConfigured(_ node: UInt32, _ channels: [String], found: [String]) {
        configuring.remove(node)
        refused[node] = found == channels ? nil : channels
        if found == channels { retries = 0 }
    }

    // MARK: Trying again

    /// How often it has tried again since something was as wanted.
    private var retries = 0
    private var isRetrying = false
    private static let mostRetries = 7

    /// How long it waits before it tries again what was refused; nil if there is nothing, or it has tried for a minute.
    mutating func delayOfRetry() -> DispatchTimeInterval? {
        let isLacking = !refused.isEmpty || failures.values.contains { $0 >= Self.mostAttempts }
        guard isLacking, !isRetrying, retries < Self.mostRetries else { return nil }
        isRetrying = true
        return .milliseconds(500 << retries)
    }

    mutating func retry() {
        isRetrying = false
        retries += 1
        forgetRefusals()
    }

    mutating func forgetRefusals() { (refused, failures) = ([:], [:]) }

    mutating func portsChanged(of node: UInt32) { failures[node] = nil }

    mutating func forget(_ node: UInt32) {
        configuring.remove(node)
        refused[node] = nil
        failures[node] = nil
    }

    mutating func asks(_ wanted: Wanted, for node: UInt32) -> Bool {
        failures[node, default: 0] < Self.mostAttempts && pending.insert(wanted).inserted
    }

    mutating func isAnswered(_ id: UInt32, _ link: GraphModel.Link) {
        guard pending.remove(Wanted(from: link.from, to: link.to)) != nil else { return }
        own.insert(id)
        retries = 0
    }

    /// What has not appeared by now never will.
    mutating func isDone(_ all: [Wanted], for node: UInt32) {
        for wanted in all where pending.remove(wanted) != nil { failures[node, default: 0] += 1 }
    }
}

extension AudioGraph {
    func portAppeared(of node: UInt32) {
        linking.portsChanged(of: node)
        linkMeters(of: node)
    }

    func linkWent(_ id: UInt32, _ link: GraphModel.Link) {
        linking.own.remove(id)
        linking.portsChanged(of: link.from.node)
        linking.portsChanged(of: link.to.node)
        lookForHalfLinked()
    }

    /// Takes over what the process before this one linked, where nothing else links the stream.
    func adoptLinks() {
        for (node, record) in model.nodes where record.streamDirection != nil {
            let links = model.links(of: node).filter { model.nodes[$0.value.peer(of: node)]?.deviceDirection != nil }
            guard !links.isEmpty, links.values.allSatisfy({ $0.client == nil }), let stream = record.serial else {
                continue
            }
            linking.own.formUnion(links.keys)
            standsIn.insert(stream)
        }
    }

    /// It makes the links of streams from here on. Links that this process made stay until it makes others.
    func sessionManagerCame() {
        linking.forgetRefusals()
        linking.managerIsLate = true
        standInLater()
    }

    /// WirePlumber 0.4.13 never links to a device that was set up before it began: streams that lost their links with
    /// the one before it stay without any, and so do those that begin later.
    func standInLater() {
        guard linking.managerIsLate else { return }
        queue.asyncAfter(deadline: .now() + Self.managerTime) { [weak self] in self?.standInForUnlinked() }
    }

    /// How long a session manager may take to link a stream.
    static var managerTime: DispatchTimeInterval { .milliseconds(500) }

    private func standInForUnlinked() {
        guard isConnected, model.hasSessionManager else { return }
        for (node, record) in model.nodes where record.streamDirection != nil && record.client != model.own {
            guard record.isDescribed, record.isTrue("node.autoconnect"), let stream = record.serial,
                isPermitted(stream), model.devices(of: node).isEmpty
            else { continue }
            standsIn.insert(stream)
        }
        settle()
    }

    func defaultDevice(_ direction: AudioDevice.Direction) -> UInt32? {
        let key = direction == .sink ? "audio.sink" : "audio.source"
        if let set = model.device(inSetting: "default.\(key)") { return set }
        if let set = model.device(inSetting: "default.configured.\(key)") { return set }
        if direction == .sink, let chosen = chosenSink.flatMap(model.node(named:)) { return chosen }
        return model.bestDevice(direction)
    }

    /// Makes the links of streams for which this process stands in.
    func arrangeLinks() {
        guard isConnected else { return }
        for stream in standsIn.sorted() {
            guard let node = model.node(stream), let record = model.nodes[node], record.streamDirection != nil,
                record.isDescribed, record.client != model.own, isPermitted(stream), model.devices(of: node).isEmpty
            else { continue }
            arrange(node, record, to: target(of: node, record))
        }
    }

    /// The device that a stream is to have: what was decided here, what was set for it, what it wants, or the default.
    func target(of node: UInt32, _ record: GraphModel.Node) -> UInt32? {
        if let routed = record.serial.flatMap({ routes[$0] }).flatMap(model.node) { return routed }
        let set = model.nodeSettings[node]
        for text in [set?["target.object"]?.value, record.properties["target.object"]] {
            if let device = text.flatMap(model.device(named:)) { return device }
        }
        if let device = set?["target.node"].flatMap({ UInt32($0.value) }), model.nodes[device] != nil { return device }
        let takesSink = record.streamDirection == .playback || record.isTrue("stream.capture.sink")
        return defaultDevice(takesSink ? .sink : .source)
    }

    private func arrange(_ node: UInt32, _ record: GraphModel.Node, to target: UInt32?) {
        guard let target, let device = model.nodes[target] else { return }
        let isPlayback = record.streamDirection == .playback
        let isSink = device.deviceDirection == .sink
        let theirs = model.ports(of: target, isInput: isPlayback, isMonitor: !isPlayback && isSink)
        // They come when the session manager sets the device up.
        guard !theirs.isEmpty, !linking.configuring.contains(node) else { return }
        let ours = model.ports(of: node, isInput: !isPlayback)
        // It mixes its channels to those of the device itself.
        let channels = theirs.map(\.port.channel)
        if ours.map(\.port.channel) != channels, linking.configures(node, channels), let stream = record.serial {
            endMeters(of: node)
            // What clients are asked goes over a connection of its own, and may be there before its links go: PipeWire
            // 0.3.65 crashes when the ports of a node change that is linked and runs.
            return after { [weak self] in self?.configure(stream, node, isInput: !isPlayback, channels) }
        }
        guard !ours.isEmpty else { return }
        link(node, ours, target, theirs, isPlayback: isPlayback)
    }

    private func configure(_ stream: NodeIdentifier, _ node: UInt32, isInput: Bool, _ channels: [String]) {
        let text = channels.joined(separator: ",")
        ask(stream, { $0.configurePorts(of: node, isInput: isInput, text) }) { [weak self] isDone in
            // One that does not answer is not linked: the daemon would wait for it.
            if isDone { self?.awaitPorts(of: node, isInput: isInput, channels) }
        }
    }

    private func link(
        _ node: UInt32, _ ours: [(id: UInt32, port: GraphModel.Port)], _ target: UInt32,
        _ theirs: [(id: UInt32, port: GraphModel.Port)], isPlayback: Bool
    ) {
        guard let graph = unsafe connection?.graph else { return }
        let existing = Set(model.links(of: node).values.map { Linking.Wanted(from: $0.from, to: $0.to) })
        var asked: [Linking.Wanted] = []
        for (index, our) in ours.enumerated() {
            guard
                let their = theirs.first(where: { $0.port.channel == our.port.channel })
                    ?? (index < theirs.count ? theirs[index] : theirs.first)
            else { continue }
            let (mine, other) = (
                GraphModel.Link.End(node: node, port: our.id), GraphModel.Link.End(node: target, port: their.id)
            )
            let wanted = Linking.Wanted(from: isPlayback ? mine : other, to: isPlayback ? other : mine)
            guard !existing.contains(wanted), linking.asks(wanted, for: node) else { continue }
            unsafe gr_graph_link(graph, wanted.from.node, wanted.from.port, wanted.to.node, wanted.to.port)
            asked.append(wanted)
        }
        guard !asked.isEmpty else { return }
        after { [weak self] in
            self?.linking.isDone(asked, for: node)
            self?.retryLater()
        }
    }

    /// What was refused may be done later.
    private func retryLater() {
        guard let delay = linking.delayOfRetry() else { return }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            self?.linking.retry()
            self?.settle()
        }
    }

    /// Ports come one after the other: until all are there nothing is linked.
    private func awaitPorts(of node: UInt32, isInput: Bool, _ channels: [String]) {
        after { [weak self] in
            guard let self else { return }
            let found = model.ports(of: node, isInput: isInput).map(\.port.channel)
            linking.isConfigured(node, channels, found: found)
            settle()
            retryLater()
        }
    }
}
