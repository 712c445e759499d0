internal import CPipeWire
internal import Dispatch
internal import Glibc
internal import LinuxSystem
internal import SystemPackage

/// What a daemon tells.
enum GraphEvent {
    enum Kind { case node, port, link, client, device, metadata }

    /// Everything that was asked before `synchronize` returned this number is done.
    case done(Int32)
    /// The same of the connection for what clients must answer.
    case controlDone(Int32)
    /// The number of this connection's own client.
    case named(UInt32)
    case appeared(UInt32, Kind, [String: String])
    case went(UInt32)
    case described(UInt32, [String: String])
    case nodeChanged(UInt32, state: Int32, error: String?, properties: [String: String]?)
    case linkChanged(UInt32, isActive: Bool)
    case volumes(UInt32, Volumes)
    case route(UInt32, index: Int32, device: Int32)
    case metadata(UInt32, subject: UInt32, key: String?, Setting?)
}

/// A value of PipeWire's metadata.
struct Setting: Hashable {
    var type: String?
    var value: String
}

/// Linear factors for the channels of a node: those that the user set, and those in their place while there are some.
struct Volumes: Hashable {
    var user: [Float]
    var isMuted: Bool
    var soft: [Float]
}

/// One connection to a daemon from its begin to its end, on a dispatch queue. It never blocks.
///
/// What libpipewire hands over is handled after it has returned, so that a handler may do anything.
///
/// Unchecked: used on its queue only.
@safe final class GraphConnection: @unchecked Sendable {
    protocol Client: AnyObject {
        func connection(_ connection: GraphConnection, told events: [GraphEvent])
        /// Said once, unless it was closed from here.
        func connectionHasEnded(_ connection: GraphConnection)
    }

    /// Rounds of the library's loop before others of the queue have their turn.
    private static let rounds: CInt = 16

    private let queue: DispatchQueue
    private weak var client: (any Client)?
    private(set) var graph: OpaquePointer?
    private var reader: (any DispatchSourceRead)?
    private var events: [GraphEvent] = []
    private var hasEnded = false
    private var isInTurn = false

    init(to server: AudioServer, queue: DispatchQueue, client: any Client) throws(AudioError) {
        (self.queue, self.client) = (queue, client)
        let own = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe graph = unsafe gr_graph_connect(server.socket, Self.handlers, own)
        guard let graph = unsafe graph else { throw .noServer(server, Errno(rawValue: errno)) }
        // A duplicate is watched, since the library closes its own.
        guard let descriptor = try? Descriptor(borrowing: unsafe gr_graph_descriptor(graph)).duplicate() else {
            let reason = Errno(rawValue: errno)
            close()
            throw .cannotBegin(reason)
        }
        let reader = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: queue)
        reader.setEventHandler { [weak self] in self?.turn() }
        reader.setCancelHandler { withExtendedLifetime(descriptor) {} }
        self.reader = reader
        reader.resume()
    }

    deinit { close() }

    func close() {
        reader?.cancel()
        reader = nil
        guard let closing = unsafe graph else { return }
        unsafe graph = nil
        unsafe gr_graph_close(closing)
    }

    /// The number with which `done` comes.
    func synchronize() -> Int32 {
        guard let graph = unsafe graph else { return -1 }
        return unsafe gr_graph_synchronize(graph)
    }

    private func turn() {
        guard let graph = unsafe graph, !isInTurn else { return }
        isInTurn = true
        _ = unsafe gr_graph_iterate(graph, Self.rounds)
        isInTurn = false
        let told = events
        events = []
        if !told.isEmpty { client?.connection(self, told: told) }
        // The handlers may have closed it.
        guard hasEnded, unsafe self.graph != nil else { return }
        close()
        client?.connectionHasEnded(self)
    }

    // MARK: What clients are asked

    func suspend(_ node: UInt32) {
        if let graph = unsafe graph { unsafe gr_control_suspend(graph, node) }
    }

    func configurePorts(of node: UInt32, isInput: Bool, _ channels: String) {
        if let graph = unsafe graph { unsafe gr_control_configure_ports(graph, node, isInput, channels) }
    }

    func setSoftVolumes(of node: UInt32, _ volumes: [Float], isMuted: Bool) {
        guard let graph = unsafe graph else { return }
        unsafe volumes.withUnsafeBufferPointer { list in
            guard let first = list.baseAddress else { return }
            unsafe gr_control_set_soft_volumes(graph, node, first, UInt32(list.count), isMuted)
        }
    }

    /// The user's setting counts again.
    func endSoftVolumes(of node: UInt32, isMuted: Bool) {
        guard let graph = unsafe graph else { return }
        unsafe gr_control_end_soft_volumes(graph, node, isMuted)
        unsafe gr_control_watch_volumes(graph, node, false)
    }

    // MARK: What the library calls

    private static func own(_ owner: UnsafeMutableRawPointer) -> GraphConnection {
        unsafe Unmanaged<GraphConnection>.fromOpaque(owner).takeUnretainedValue()
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    private static func properties(_ properties: gr_properties) -> [String: String] {
        var found: [String: String] = [:]
        unsafe UnsafeBufferPointer(start: properties.items, count: properties.count).forEach { item in
            found[unsafe String(cString: item.key)] = unsafe String(cString: item.value)
        }
        return found
    }

    private static func kind(_ kind: gr_kind) -> GraphEvent.Kind? {
        switch kind {
        case GR_NODE: .node
        case GR_PORT: .port
        case GR_LINK: .link
        case GR_CLIENT: .client
        case GR_DEVICE: .device
        case GR_METADATA: .metadata
        default: nil
        }
    }

    private static func volumes(_ volumes: gr_volumes) -> Volumes {
        func list<Tuple>(_ tuple: Tuple, _ count: UInt32) -> [Float] {
            unsafe withUnsafeBytes(of: tuple) { unsafe Array($0.bindMemory(to: Float.self).prefix(Int(count))) }
        }
        return Volumes(
            user: list(volumes.volumes, volumes.count), isMuted: volumes.is_muted,
            soft: list(volumes.soft_volumes, volumes.soft_count))
    }

    /// They live as long as the process, since the library keeps their address.
    nonisolated(unsafe) private static let handlers: UnsafePointer<gr_graph_events> = {
        let handlers = UnsafeMutablePointer<gr_graph_events>.allocate(capacity: 1)
        unsafe handlers.initialize(
            to: unsafe gr_graph_events(
                done: { owner, number in unsafe own(owner).events.append(.done(number)) },
                control_done: { owner, number in unsafe own(owner).events.append(.controlDone(number)) },
                failed: { owner, id, error, _ in
                    if id == 0, error == EPIPE { unsafe own(owner).hasEnded = true }
                },
                named: { owner, client in unsafe own(owner).events.append(.named(client)) },
                appeared: { owner, id, kind, found in
                    guard let kind = GraphConnection.kind(kind) else { return }
                    unsafe own(owner).events.append(.appeared(id, kind, properties(found)))
                },
                went: { owner, id in unsafe own(owner).events.append(.went(id)) },
                described: { owner, id, found in
                    unsafe own(owner).events.append(.described(id, properties(found)))
                },
                node_changed: { owner, id, state in
                    let found = unsafe state.has_properties ? properties(state.properties) : nil
                    unsafe own(owner).events.append(
                        .nodeChanged(id, state: state.state, error: text(state.error), properties: found))
                },
                link_changed: { owner, id, state in
                    unsafe own(owner).events.append(.linkChanged(id, isActive: state == 4))
                },
                volumes_changed: { owner, id, found in
                    unsafe own(owner).events.append(.volumes(id, volumes(found)))
                },
                route_found: { owner, id, route in
                    unsafe own(owner).events.append(.route(id, index: route.index, device: route.device))
                },
                metadata_changed: { owner, id, subject, key, type, value in
                    let kind = unsafe text(type)
                    let setting = unsafe text(value).map { Setting(type: kind, value: $0) }
                    unsafe own(owner).events.append(.metadata(id, subject: subject, key: text(key), setting))
                }))
        return unsafe UnsafePointer(handlers)
    }()
}
