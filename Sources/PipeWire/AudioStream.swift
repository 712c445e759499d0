internal import CPipeWire
package import Dispatch
internal import Glibc
internal import LinuxSystem
internal import Synchronization
internal import SystemPackage

/// What an app plays, or records: frames of interleaved samples through a ring to PipeWire's real-time thread.
///
/// The app fills the ring ahead of time and hears when half of it was played, so that a ring of two seconds wakes it
/// once a second. When the daemon goes, the stream is lost; it connects again by itself, and goes on where it was.
///
/// Unchecked: the library's functions lock, and the ring is made for two threads. One thread at a time writes or reads.
@safe package final class AudioStream: @unchecked Sendable {
    package enum Direction: Hashable, Sendable { case playback, capture }

    package struct Configuration: Sendable {
        package var server: AudioServer
        /// As mixers show the stream.
        package var name: String
        /// What it plays.
        package var mediaName: String
        package var direction: Direction
        /// Frames per second.
        package var rate: Int
        package var channels: Int
        /// What it would like of the graph.
        package var wish: CycleWish
        /// Of the node; they win over all others.
        package var properties: [String: String]
        /// Frames in the ring.
        package var capacity: Int
        /// `onReady` comes when so many frames are left to play, or are there to be read. Half the ring if nil.
        package var mark: Int?
        /// Whether a daemon that is not there yet is waited for. If not, `init` throws.
        package var waitsForServer: Bool

        package init(
            server: AudioServer = .ofSession, name: String, mediaName: String = "", direction: Direction = .playback,
            rate: Int = 48_000, channels: Int = 2, properties: [String: String] = [:], capacity: Int = 96_000,
            mark: Int? = nil, waitsForServer: Bool = false, wish: CycleWish = CycleWish()
        ) {
            (self.server, self.name, self.mediaName, self.direction) = (server, name, mediaName, direction)
            (self.rate, self.channels, self.properties) = (rate, channels, properties)
            (self.capacity, self.mark, self.waitsForServer) = (capacity, mark, waitsForServer)
            self.wish = wish
        }
    }

    package enum State: Hashable, Sendable {
        case connecting
        case paused
        case streaming
        /// It was refused for thirteen seconds, and stays like this until `restart`.
        case failed(String)
        /// The daemon is not there. It connects when the daemon is back.
        case lost
    }

    private let engine: StreamEngine
    private let ring: Ring
    private let callback: Callback
    private let handle: OpaquePointer
    private let source: any DispatchSourceRead
    package let configuration: Configuration

    /// It begins paused. The handlers are called on the queue.
    package init(
        _ configuration: Configuration, queue: DispatchQueue, onState: @escaping (State) -> Void = { _ in },
        onReady: @escaping () -> Void = {}
    ) throws(AudioError) {
        guard 1...768_000 ~= configuration.rate else { throw .invalid("a rate of \(configuration.rate)") }
        guard 1...64 ~= configuration.channels else { throw .invalid("\(configuration.channels) channels") }
        guard 1...(1 << 26) ~= configuration.capacity else { throw .invalid("a ring of \(configuration.capacity)") }
        self.configuration = configuration
        ring = try Ring(configuration)
        engine = try StreamEngine.shared(configuration.server)
        guard configuration.waitsForServer || engine.isConnected else {
            throw .noServer(configuration.server, .noSuchFileOrDirectory)
        }
        callback = Callback(queue, onState)
        unsafe handle = try unsafe Self.open(configuration, engine, ring, callback)
        source = DispatchSource.makeReadSource(fileDescriptor: unsafe gr_ring_descriptor(ring.handle), queue: queue)
        source.setEventHandler { [ring, callback] in
            ring.acknowledge()
            if !callback.isClosed { onReady() }
        }
        source.setCancelHandler { [ring] in withExtendedLifetime(ring) {} }
        source.resume()
    }

    deinit {
        callback.close()
        source.cancel()
        unsafe gr_stream_free(handle)
    }

    private static func open(
        _ configuration: Configuration, _ engine: StreamEngine, _ ring: Ring, _ callback: Callback
    ) throws(AudioError) -> OpaquePointer {
        var properties = ["media.name": configuration.mediaName, "application.name": configuration.name]
        if configuration.mediaName.isEmpty { properties["media.name"] = configuration.name }
        properties["node.latency"] = configuration.wish.latency
        properties["node.rate"] = configuration.wish.rateProperty
        properties.merge(configuration.properties) { _, own in own }
        let texts = unsafe properties.sorted { $0.key < $1.key }.map { unsafe (strdup($0.key), strdup($0.value)) }
        defer {
            unsafe texts.forEach { key, value in
                unsafe free(key)
                unsafe free(value)
            }
        }
        let items = unsafe texts.compactMap { key, value -> gr_property? in
            guard let key = unsafe key, let value = unsafe value else { return nil }
            return unsafe gr_property(key: key, value: value)
        }
        let owner = unsafe Unmanaged.passUnretained(callback).toOpaque()
        let opened = unsafe items.withUnsafeBufferPointer { items in
            unsafe configuration.name.withCString { name in
                var setup = unsafe gr_stream_setup(
                    engine: engine.handle, ring: ring.handle, name: name, rate: UInt32(configuration.rate),
                    channels: UInt32(configuration.channels), is_capture: configuration.direction == .capture,
                    properties: gr_properties(items: items.baseAddress, count: items.count),
                    changed: Callback.changed, owner: owner)
                return unsafe gr_stream_open(&setup)
            }
        }
        guard let handle = unsafe opened else { throw .cannotBegin(Errno(rawValue: errno)) }
        return unsafe handle
    }

    // MARK: What it does

    /// What was last told.
    package var state: State { callback.state }

    package func start() { unsafe gr_stream_set_active(handle, true) }

    /// What was written and not played stays.
    package func pause() { unsafe gr_stream_set_active(handle, false) }

    /// Throws away what was written and not played, or recorded and not read. Not while another thread writes or reads.
    package func flush() { unsafe gr_stream_flush(handle) }

    /// What it would like of the graph from now on. A wish that is given up has it connect again.
    package func setWish(_ wish: CycleWish) { unsafe gr_stream_set_wishes(handle, wish.latency, wish.rateProperty) }

    /// What the graph did when it last ran for this stream; `nil` until it has.
    package var cycle: GraphCycle? {
        let cycle = unsafe gr_stream_cycle(handle)
        guard cycle.frames > 0, cycle.rate > 0 else { return nil }
        return GraphCycle(frames: Int(cycle.frames), rate: Int(cycle.rate), time: cycle.time)
    }

    /// Connects again after `failed`.
    package func restart() { unsafe gr_stream_restart(handle) }

    /// Ends it. The handlers are not called again.
    package func close() {
        callback.close()
        source.cancel()
        unsafe gr_stream_close(handle)
    }

    // MARK: Frames

    /// Puts whole frames into the ring: how many there was room for.
    package func write(_ samples: UnsafeBufferPointer<Float>) -> Int {
        guard configuration.direction == .playback, let first = samples.baseAddress else { return 0 }
        return Int(unsafe gr_ring_write(ring.handle, first, frames(samples.count)))
    }

    /// Takes whole frames out of the ring: how many there were.
    package func read(_ samples: UnsafeMutableBufferPointer<Float>) -> Int {
        guard configuration.direction == .capture, let first = samples.baseAddress else { return 0 }
        return Int(unsafe gr_ring_read(ring.handle, first, frames(samples.count)))
    }

    private func frames(_ samples: Int) -> UInt32 { UInt32(clamping: samples / configuration.channels) }

    /// Nothing follows what was written, so an empty ring is no underrun. Writing takes that back.
    package func finish() { unsafe gr_ring_finish(ring.handle) }

    /// Changes when `onReady` comes: 0 says that everything has left the ring.
    package func setMark(_ frames: Int) { unsafe gr_ring_set_mark(ring.handle, UInt32(clamping: frames)) }

    /// Frames that wait in the ring.
    package var fill: Int { Int(unsafe gr_ring_fill(ring.handle)) }

    /// Frames that were heard since the begin, without those that were thrown away; or recorded.
    package var position: Int { Int(clamping: unsafe gr_stream_position(handle)) }

    /// How often the ring was empty when it should play, or full when it should record.
    package var misses: Int { Int(unsafe gr_ring_misses(ring.handle)) }

    /// The highest absolute sample since it was last asked.
    package func takePeak() -> Float { unsafe gr_ring_take_peak(ring.handle) }

    /// Its node in the graph, while it has one.
    package var node: UInt32? {
        let node = unsafe gr_stream_node(handle)
        return node == .max ? nil : node
    }
}

/// Unchecked: it is made for two threads.
@safe private final class Ring: @unchecked Sendable {
    let handle: OpaquePointer

    init(_ configuration: AudioStream.Configuration) throws(AudioError) {
        guard
            let handle = unsafe gr_ring_new(
                UInt32(configuration.channels), UInt32(configuration.capacity), configuration.direction == .capture)
        else { throw .cannotBegin(Errno(rawValue: errno)) }
        unsafe self.handle = unsafe handle
        unsafe gr_ring_set_mark(handle, UInt32(clamping: configuration.mark ?? configuration.capacity / 2))
    }

    deinit { unsafe gr_ring_free(handle) }

    /// Empties the descriptor, so that it waits for the next time.
    func acknowledge() {
        var count: UInt64 = 0
        _ = unsafe Glibc.read(gr_ring_descriptor(handle), &count, 8)
    }
}

/// What the library's threads call.
///
/// Unchecked: the handler is called on the queue only.
private final class Callback: @unchecked Sendable {
    private struct Known {
        var state = AudioStream.State.connecting
        var isClosed = false
    }

    private let queue: DispatchQueue
    private let onState: (AudioStream.State) -> Void
    private let known = Mutex(Known())

    init(_ queue: DispatchQueue, _ onState: @escaping (AudioStream.State) -> Void) {
        (self.queue, self.onState) = (queue, onState)
    }

    var state: AudioStream.State { known.withLock { $0.state } }
    var isClosed: Bool { known.withLock { $0.isClosed } }

    func close() { known.withLock { $0.isClosed = true } }

    static let changed: @convention(c) (UnsafeMutableRawPointer, gr_stream_state, UnsafePointer<CChar>?) -> Void = {
        owner, state, text in
        let text = unsafe text.map { unsafe String(cString: $0) }
        unsafe Unmanaged<Callback>.fromOpaque(owner).takeUnretainedValue().become(state, text)
    }

    private func become(_ state: gr_stream_state, _ text: String?) {
        let new: AudioStream.State
        switch state {
        case GR_STREAM_LOST: new = .lost
        case GR_STREAM_ERROR: new = .failed(text ?? "the stream failed")
        case GR_STREAM_PAUSED: new = .paused
        case GR_STREAM_STREAMING: new = .streaming
        default: new = .connecting
        }
        let isNews = known.withLock { known in
            let isNews = known.state != new && !known.isClosed
            known.state = new
            return isNews
        }
        guard isNews else { return }
        queue.async { [self] in if !isClosed { onState(new) } }
    }
}
