package import Dispatch
internal import LinuxSystem
package import PipeWire
package import TestBus

/// What an `AudioGraph` told.
package enum AudioEvent: Hashable, Sendable {
    case connected, lost
    case stream(GraphStream)
    case changed(GraphStream)
    case goneStream(NodeIdentifier)
    case device(AudioDevice)
    case goneDevice(NodeIdentifier)
    case defaults(DefaultDevices)
    case volume(SinkVolume?)
}

/// An `AudioGraph` with a queue of its own, used from a test's thread.
package final class AudioPeer: Sendable {
    /// Unchecked: it only posts, which any thread may do.
    private final class Listener: AudioGraphClient, @unchecked Sendable {
        let events: Mailbox<AudioEvent>

        init(_ events: Mailbox<AudioEvent>) { self.events = events }

        func audioGraphConnected() { events.post(.connected) }
        func audioGraphLost() { events.post(.lost) }
        func audioGraph(appeared stream: GraphStream) { events.post(.stream(stream)) }
        func audioGraph(changed stream: GraphStream) { events.post(.changed(stream)) }
        func audioGraph(goneStream id: NodeIdentifier) { events.post(.goneStream(id)) }
        func audioGraph(appeared device: AudioDevice) { events.post(.device(device)) }
        func audioGraph(changed device: AudioDevice) { events.post(.device(device)) }
        func audioGraph(goneDevice id: NodeIdentifier) { events.post(.goneDevice(id)) }
        func audioGraph(defaults: DefaultDevices) { events.post(.defaults(defaults)) }
        func audioGraph(volume: SinkVolume?) { events.post(.volume(volume)) }
    }

    package let queue: DispatchQueue
    package let events: Mailbox<AudioEvent>
    private let graph: AudioGraph
    private let listener: Listener

    package init(_ configuration: AudioGraph.Configuration) {
        queue = DispatchQueue(label: "audio peer")
        graph = AudioGraph(configuration, queue: queue)
        events = Mailbox()
        listener = Listener(events)
        on { [listener] graph in
            graph.client = listener
            graph.begin()
        }
    }

    /// One that is connected.
    package convenience init(_ audio: TestAudio, permitsByDefault: Bool = true) throws {
        self.init(AudioGraph.Configuration(server: audio.server, permitsByDefault: permitsByDefault))
        try awaitConnection()
    }

    deinit {
        let graph = graph
        queue.async { graph.close() }
    }

    package func on<Value>(_ body: (AudioGraph) throws -> Value) rethrows -> Value {
        try queue.sync { try body(graph) }
    }

    /// What there was when nothing that was wanted came.
    fileprivate struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private func nextEvent() throws -> AudioEvent {
        do {
            return try events.next()
        } catch {
            let found = on { "\($0.allStreams), \($0.allDevices.map { ($0.id, $0.name) }), \($0.defaults)" }
            throw Missing(description: "\(error); there are \(found)")
        }
    }

    /// Takes events until one is as wanted.
    @discardableResult
    package func awaitEvent(_ isWanted: (AudioEvent) -> Bool) throws -> AudioEvent {
        while true {
            let event = try nextEvent()
            if isWanted(event) { return event }
        }
    }

    package func awaitConnection() throws { try awaitEvent { $0 == .connected } }

    /// Takes events until a stream is as wanted.
    package func stream(where isWanted: (GraphStream) -> Bool) throws -> GraphStream {
        while true {
            switch try nextEvent() {
            case .stream(let stream), .changed(let stream): if isWanted(stream) { return stream }
            default: continue
            }
        }
    }

    /// The stream that is as wanted now, or the next that is. Those before it are not taken.
    package func streamNow(where isWanted: (GraphStream) -> Bool) throws -> GraphStream {
        if let stream = on({ $0.allStreams.first(where: isWanted) }) { return stream }
        return try stream(where: isWanted)
    }

    package func device(named name: String) -> NodeIdentifier? {
        on { graph in graph.allDevices.first { $0.name == name }?.id }
    }

    /// The stream of a process that plays.
    package func playing(_ program: TestProgram) throws -> GraphStream {
        try stream { $0.pid == program.process.pid && $0.state == .running && $0.isLinked }
    }

    /// Waits until server and client have done it: whether they have.
    @discardableResult
    package func permit(_ stream: NodeIdentifier, _ isPermitted: Bool) throws -> Bool {
        let done = Mailbox<Bool>()
        on { $0.permit(stream, isPermitted) { done.post($0) } }
        return try done.next()
    }

    package func meter(_ stream: NodeIdentifier, milliseconds: Int = 200) throws -> Float? {
        let done = Mailbox<Float?>()
        on { $0.meter(stream, milliseconds: milliseconds) { done.post($0) } }
        return try done.next()
    }
}

/// Records what a sink plays.
package final class SinkRecorder: Sendable {
    private let stream: AudioStream
    private let samples: Mailbox<[Float]>
    package let states: Mailbox<AudioStream.State>

    /// With a peer that permits nothing by itself, it permits this.
    package init(_ audio: TestAudio, sink: String = "testsink", peer: AudioPeer? = nil) throws {
        let (samples, states, box) = (Mailbox<[Float]>(), Mailbox<AudioStream.State>(), StreamBox())
        let all = ["stream.capture.sink": "true", "target.object": sink, "node.name": "recorder"]
        let configuration = AudioStream.Configuration(
            server: audio.server, name: "recorder", direction: .capture, channels: 2, properties: all,
            capacity: 480_000, mark: 480)
        stream = try AudioStream(
            configuration, queue: DispatchQueue(label: "recorder"), onState: { states.post($0) },
            onReady: {
                guard let stream = box.stream else { return }
                var chunk = [Float](repeating: 0, count: stream.fill * 2)
                let count = unsafe chunk.withUnsafeMutableBufferPointer { unsafe stream.read($0) }
                // The left channel: one made of both would be louder than each.
                if count > 0 { samples.post((0..<count).map { chunk[$0 * 2] }) }
            })
        (self.samples, self.states) = (samples, states)
        box.stream = stream
        stream.start()
        if let peer {
            try peer.permit(try peer.stream { $0.applicationName == "recorder" }.id, true)
        }
        do {
            while try states.next() != .streaming {}
        } catch {
            throw AudioPeer.Missing(description: "the recorder of \(sink) does not begin: \(audio.graph())")
        }
    }

    deinit { stream.close() }

    /// Milliseconds that came since the last time.
    package func drain() throws -> Int {
        var frames = 0
        for _ in samples.rest { frames += try samples.next().count }
        return frames / 48
    }

    /// What the sink plays from now on, for so long.
    package func record(milliseconds: Int) throws -> [Float] {
        for _ in samples.rest { _ = try samples.next() }
        var all: [Float] = []
        while all.count < 48 * milliseconds { all += try samples.next() }
        return Array(all.prefix(48 * milliseconds))
    }

    /// Records until a piece of so many milliseconds is as wanted: how many milliseconds came before it.
    @discardableResult
    package func awaitSound(_ piece: Int = 20, most: Int = 15_000, _ isWanted: ([Float]) -> Bool) throws -> Int {
        for _ in samples.rest { _ = try samples.next() }
        var (all, checked) = ([Float](), 0)
        while checked < most {
            all += try samples.next()
            while all.count >= 48 * piece {
                if isWanted(Array(all.prefix(48 * piece))) { return checked }
                all.removeFirst(48 * piece)
                checked += piece
            }
        }
        throw AudioPeer.Missing(
            description: "not heard: the last piece has a peak of \(Level.peak(Array(all.suffix(48 * piece))))")
    }
}

/// Plays a tone of this process.
package final class TonePlayer: Sendable {
    package let stream: AudioStream
    package let states: Mailbox<AudioStream.State>
    /// How often it was asked for more.
    package let wakes: Mailbox<Int>

    package init(
        _ audio: TestAudio, _ sine: Sine = Sine(), properties: [String: String] = [:], capacity: Int = 96_000,
        wish: CycleWish = CycleWish()
    ) throws {
        let (states, wakes, box, queue) = (
            Mailbox<AudioStream.State>(), Mailbox<Int>(), StreamBox(), DispatchQueue(label: "tone")
        )
        (self.states, self.wakes) = (states, wakes)
        let fill = { @Sendable in
            guard let stream = box.stream else { return }
            let frames = capacity - stream.fill
            let start = box.written
            var samples: [Float] = []
            for frame in start..<(start + frames) { samples += [sine[frame], sine[frame]] }
            box.written += unsafe samples.withUnsafeBufferPointer { unsafe stream.write($0) }
        }
        stream = try AudioStream(
            AudioStream.Configuration(
                server: audio.server, name: "tone", properties: properties, capacity: capacity, wish: wish),
            queue: queue, onState: { states.post($0) },
            onReady: {
                wakes.post(0)
                fill()
            })
        box.stream = stream
        queue.sync(execute: fill)
        stream.start()
    }

    deinit { stream.close() }
}

/// Unchecked: set before its stream's queue uses it.
private final class StreamBox: @unchecked Sendable {
    weak var stream: AudioStream?
    var written = 0
}
