internal import CPipeWire
internal import Dispatch

/// A measurement that is under way: a node of this process that listens to the ports of a stream.
///
/// Unchecked: used on its graph's queue only.
@safe final class Meter: @unchecked Sendable {
    private static let mostExtensions = 3

    let stream: UInt32
    private let sources: [GraphModel.Link.End]
    private let handle: OpaquePointer
    private var completion: ((Float?) -> Void)?
    private(set) var isLinked = false
    private var extensions = 0

    init?(
        _ graph: OpaquePointer, stream: UInt32, sources: [GraphModel.Link.End], _ completion: @escaping (Float?) -> Void
    ) {
        guard let handle = unsafe gr_meter_open(graph, UInt32(sources.count)) else { return nil }
        unsafe (self.handle, self.stream, self.sources, self.completion) = unsafe (handle, stream, sources, completion)
    }

    deinit { unsafe gr_meter_close(handle) }

    var node: UInt32 { unsafe gr_meter_node(handle) }

    /// Links, when all of its own ports are there.
    func link(to inputs: [UInt32]) {
        guard !isLinked, inputs.count == sources.count else { return }
        isLinked = true
        for (source, input) in zip(sources, inputs) {
            unsafe gr_meter_link(handle, source.node, source.port, input)
        }
    }

    /// Whether it was given nothing yet, and is worth more time.
    func wantsMore() -> Bool {
        extensions += 1
        return unsafe gr_meter_cycles(handle) == 0 && extensions <= Self.mostExtensions
    }

    var peak: Float? { unsafe gr_meter_cycles(handle) > 0 ? gr_meter_peak(handle) : nil }

    func end(_ result: Float?) {
        completion?(result)
        completion = nil
    }
}

extension AudioGraph {
    private static let mostChannels = 8

    /// Measures for so long how loud a stream is, at most 1 unless it clips: what a playing stream puts out, with its
    /// volume and gain, or what a recording one is given. 0 where nothing runs; nil where it could not be measured.
    package func meter(
        _ stream: NodeIdentifier, milliseconds: Int, completion: @escaping (Float?) -> Void
    ) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let node = model.node(stream), let record = model.nodes[node], record.streamDirection != nil,
            let graph = unsafe connection?.graph
        else { return queue.later { completion(nil) } }
        let sources = sources(of: node, record)
        // One that was just taken down may not have told that it has stopped.
        guard record.state == 3, !sources.isEmpty, !model.links(of: node).isEmpty else {
            return queue.later { completion(0) }
        }
        guard let meter = unsafe Meter(graph, stream: node, sources: sources, completion) else {
            return queue.later { completion(nil) }
        }
        meters.append(meter)
        // Its node may never come: the daemon may refuse it.
        finish(meter, milliseconds: milliseconds, isFirst: true)
    }

    private func sources(of node: UInt32, _ record: GraphModel.Node) -> [GraphModel.Link.End] {
        let found: [GraphModel.Link.End]
        if record.streamDirection == .playback {
            found = model.ports(of: node, isInput: false).map { GraphModel.Link.End(node: node, port: $0.id) }
        } else {
            found = Set(model.links(of: node).values.filter { $0.to.node == node }.map(\.from))
                .sorted { $0.port < $1.port }
        }
        return Array(found.prefix(Self.mostChannels))
    }

    private func finish(_ meter: Meter, milliseconds: Int, isFirst: Bool) {
        // Until it is linked and run, a few cycles pass.
        let time = DispatchTimeInterval.milliseconds(max(1, milliseconds) + (isFirst ? 50 : 0))
        queue.asyncAfter(deadline: .now() + time) { [weak self, weak meter] in
            guard let self, let meter, meters.contains(where: { $0 === meter }) else { return }
            if meter.wantsMore() { return finish(meter, milliseconds: max(milliseconds, 50), isFirst: false) }
            meters.removeAll { $0 === meter }
            meter.end(meter.peak)
        }
    }

    func linkMeters(of node: UInt32) {
        for meter in meters where meter.node == node && !meter.isLinked {
            meter.link(to: model.ports(of: node, isInput: true).map(\.id))
        }
    }

    func endMeters(of node: UInt32) {
        let ended = meters.filter { $0.stream == node }
        meters.removeAll { $0.stream == node }
        for meter in ended { meter.end(nil) }
    }
}
