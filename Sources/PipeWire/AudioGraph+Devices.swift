internal import CPipeWire
internal import Dispatch
internal import Glibc

extension AudioGraph {
    /// What the user hears of the default sink; nil while there is none, or it has not told.
    package var volumeOfDefaultSink: SinkVolume? { sinkVolume }

    /// Sets what is not nil. The user's settings show it, and the session manager remembers it.
    package func setVolume(_ volume: Float? = nil, isMuted: Bool? = nil) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let graph = unsafe connection?.graph, let sink = watchedSink, let known = sinkVolumes else { return }
        let factor = volume.map { max(0, $0) }.map { $0 * $0 * $0 }
        let all = factor.map { Self.scale(known.user, to: $0) } ?? []
        let muted: CInt = isMuted.map { $0 ? 1 : 0 } ?? -1
        unsafe all.withUnsafeBufferPointer { list in
            let count = UInt32(list.count)
            if let (card, route) = route(of: sink) {
                unsafe gr_device_set_volumes(graph, card, route, list.baseAddress, count, muted)
            } else {
                unsafe gr_node_set_volumes(graph, sink, list.baseAddress, count, muted)
            }
        }
    }

    /// The balance of the channels stays.
    private static func scale(_ volumes: [Float], to loudest: Float) -> [Float] {
        let highest = volumes.max() ?? 0
        return highest > 0 ? volumes.map { $0 / highest * loudest } : volumes.map { _ in loudest }
    }

    /// A card's sinks have their volume where the card's route has it, such as in its mixer.
    private func route(of sink: UInt32) -> (card: UInt32, gr_route)? {
        guard let properties = model.nodes[sink]?.properties,
            let card = properties["device.id"].flatMap({ UInt32($0) }),
            let part = properties["card.profile.device"].flatMap({ Int32($0) }),
            let index = model.routes[card]?[part]
        else { return nil }
        return (card, gr_route(index: index, device: part))
    }

    func watchDefaultSink() {
        let sink = defaultDevice(.sink)
        guard sink != watchedSink, let graph = unsafe connection?.graph else { return }
        if let watchedSink { unsafe gr_node_watch_volumes(graph, watchedSink, false) }
        (watchedSink, sinkVolumes) = (sink, nil)
        if let sink {
            unsafe gr_node_watch_volumes(graph, sink, true)
            if let card = model.nodes[sink]?.properties["device.id"].flatMap({ UInt32($0) }) {
                unsafe gr_device_watch_routes(graph, card)
            }
        } else if sinkVolume != nil {
            sinkVolume = nil
            client?.audioGraph(volume: nil)
        }
    }

    func tellVolume(_ volumes: Volumes) {
        sinkVolumes = volumes
        let now = SinkVolume(volume: cbrtf(volumes.user.max() ?? 0), isMuted: volumes.isMuted)
        guard now != sinkVolume else { return }
        sinkVolume = now
        client?.audioGraph(volume: now)
    }

    /// Makes a sink the default, as the user's settings would. Whether it is there.
    @discardableResult
    package func setDefaultSink(_ sink: NodeIdentifier) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let node = model.node(sink), model.nodes[node]?.deviceDirection == .sink,
            let name = model.nodes[node]?.properties["node.name"]
        else { return false }
        chosenSink = name
        if let graph = unsafe connection?.graph, let metadata = model.metadata {
            unsafe gr_metadata_set(
                graph, metadata, 0, "default.configured.audio.sink", "Spa:String:JSON", GraphModel.json(naming: name))
        }
        settle()
        return true
    }

    /// Has a stream linked to a certain device, or to the default one. Whether both are there.
    @discardableResult
    package func route(_ stream: NodeIdentifier, to device: NodeIdentifier?) -> Bool {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let node = model.node(stream), model.nodes[node]?.streamDirection != nil else { return false }
        if let device, model.node(device) == nil { return false }
        routes[stream] = device
        setTarget(stream, node: node, device)
        // Where this process stands in, the session manager's link to the other device ends that.
        settle()
        return true
    }
}
