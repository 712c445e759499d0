package import AudioClient
package import AudioDevices
internal import AudioWire
internal import Dispatch
internal import Foundation
package import PipeWire
internal import Synchronization

/// The sound server of the machine.
package final class PipeWireDevice: AudioDevices.AudioDevice {
    /// Seconds that a stream keeps ahead. It wakes the app when half of them were heard.
    static let ahead = 2.0

    /// What PipeWire has while nothing else is configured, and nothing wished for.
    private static let usual = GraphCycle(frames: 1024, rate: 48_000, time: 0)

    package let latency = 0.02
    private let server: @Sendable () -> AudioServer
    private let state = Mutex(State())

    private struct State: Sendable {
        var preference = AudioPreference()
        var streams: [Reference] = []
        /// Of the streams that are gone.
        var last = PipeWireDevice.usual

        /// What the graph did last for any stream of the app.
        var cycle: GraphCycle {
            streams.compactMap { $0.stream?.cycle }.reduce(last) { $1.time >= $0.time ? $1 : $0 }
        }
    }

    fileprivate struct Reference: Sendable {
        weak var stream: AudioStream?
        let setup: AudioStreamSetup
    }

    package init(_ server: AudioServer) { self.server = { server } }

    /// Where the audio service says, once it has let a stream begin; else that of the user's session.
    package init(_ client: AudioClient) {
        server = { client.server.map { AudioServer(socket: $0) } ?? .ofSession }
    }

    package var now: Double { ProcessInfo.processInfo.systemUptime }

    package func later(_ seconds: Double, _ body: @escaping @Sendable () -> Void) -> any AudioTimer {
        let timer = DispatchTimer(body)
        timer.begin(seconds)
        return timer
    }

    // MARK: What the graph does

    package var rate: Int { state.withLock { $0.cycle.rate } }
    package var period: Int { state.withLock { $0.cycle.frames } }

    package func prefer(_ preference: AudioPreference) {
        let changed = state.withLock { state -> (wish: CycleWish, streams: [Reference])? in
            guard state.preference != preference else { return nil }
            state.preference = preference
            return (Self.wish(preference, state.cycle.rate), state.streams)
        }
        guard let changed else { return }
        for one in changed.streams {
            one.stream?.setWish(changed.wish)
            if one.stream?.configuration.direction == .capture {
                one.stream?.setMark(Self.mark(preference, one.setup.rate))
            }
        }
    }

    /// In frames of the graph's own rate: those of another one come to a power of two less when the graph rounds down.
    private static func wish(_ preference: AudioPreference, _ graphRate: Int) -> CycleWish {
        let rate = preference.rate ?? graphRate
        return CycleWish(
            length: preference.frames(rate).map { CycleWish.Length(frames: $0, rate: rate) }, rate: preference.rate)
    }

    /// What was recorded is wanted soon; sooner where the app says so.
    private static func mark(_ preference: AudioPreference, _ rate: Int) -> Int {
        let usual = max(1, rate / 50)
        return min(usual, preference.frames(rate) ?? usual)
    }

    fileprivate func keep(_ stream: AudioStream, _ setup: AudioStreamSetup) {
        let wish = state.withLock { state in
            state.streams.removeAll { $0.stream == nil }
            state.streams.append(Reference(stream: stream, setup: setup))
            return Self.wish(state.preference, state.cycle.rate)
        }
        // What was wished for while it was made.
        if wish != stream.configuration.wish { stream.setWish(wish) }
    }

    fileprivate func forget(_ stream: AudioStream) {
        state.withLock { state in
            state.last = state.cycle
            state.streams.removeAll { $0.stream == nil || $0.stream === stream }
        }
    }

    // MARK: Streams

    private func configuration(
        _ setup: AudioStreamSetup, _ direction: AudioStream.Direction
    ) -> AudioStream.Configuration {
        let (preference, graphRate) = state.withLock { ($0.preference, $0.cycle.rate) }
        return AudioStream.Configuration(
            server: server(), name: setup.name, direction: direction, rate: setup.rate, channels: setup.channels,
            properties: [audioStreamProperty: String(setup.stream)], capacity: Int(Double(setup.rate) * Self.ahead),
            mark: direction == .playback ? nil : Self.mark(preference, setup.rate),
            wish: Self.wish(preference, graphRate))
    }

    static func event(_ state: AudioStream.State) -> AudioStreamEvent? {
        switch state {
        case .lost: .lost
        case .failed(let why): .failed(why)
        case .paused, .streaming: .back
        case .connecting: nil
        }
    }

    package func openOutput(_ setup: AudioStreamSetup, _ listener: @escaping Listener) throws -> any AudioOutput {
        try PipeWireOutput(setup, self, configuration(setup, .playback), listener)
    }

    package func openInput(_ setup: AudioStreamSetup, _ listener: @escaping Listener) throws -> any AudioInput {
        try PipeWireInput(setup, self, configuration(setup, .capture), listener)
    }
}

// A dispatch source may be used on any thread.
private final class DispatchTimer: AudioTimer, @unchecked Sendable {
    private let source: any DispatchSourceTimer

    /// One after the other: what is due first is called first.
    private static let queue = DispatchQueue(label: "greenroom.audio-timers", qos: .userInitiated)

    init(_ body: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(queue: Self.queue)
        source.setEventHandler { body() }
    }

    func begin(_ seconds: Double) {
        source.schedule(deadline: .now() + max(0, seconds), leeway: .milliseconds(1))
        source.activate()
    }

    func cancel() { source.cancel() }
}

private final class PipeWireOutput: AudioOutput {
    private struct State: Sendable {
        var written = 0
        var ahead: Int
    }

    private let stream: AudioStream
    private let device: PipeWireDevice
    private let channels: Int
    private let rate: Int
    private let state: Mutex<State>

    init(
        _ setup: AudioStreamSetup, _ device: PipeWireDevice, _ configuration: AudioStream.Configuration,
        _ listener: @escaping AudioDevices.AudioDevice.Listener
    ) throws {
        self.device = device
        channels = setup.channels
        rate = setup.rate
        state = Mutex(State(ahead: Int(PipeWireDevice.ahead * Double(setup.rate))))
        stream = try AudioStream(
            configuration,
            queue: DispatchQueue(label: "greenroom.audio-output", qos: .userInitiated),
            onState: { state in PipeWireDevice.event(state).map(listener) }, onReady: { listener(.ready) })
        device.keep(stream, setup)
    }

    var position: Int { stream.position }

    func start() { stream.start() }
    func pause() { stream.pause() }
    func finish() { stream.finish() }
    func close() {
        device.forget(stream)
        stream.close()
    }

    func setAhead(_ seconds: Double) {
        let frames = Int(min(seconds, PipeWireDevice.ahead) * Double(rate))
        state.withLock { $0.ahead = frames }
        stream.setMark(frames / 2)
    }

    func write(_ samples: ArraySlice<Float>) -> Int {
        state.withLock { state in
            let room = max(0, state.ahead - stream.fill)
            let frames = unsafe samples.prefix(room * channels).withUnsafeBufferPointer { unsafe stream.write($0) }
            state.written += frames
            return frames
        }
    }

    func flush() -> Int {
        state.withLock { state in
            // Between these two the server may take a period of some milliseconds, which counts as thrown away.
            state.written -= stream.fill
            stream.flush()
            return state.written
        }
    }
}

private final class PipeWireInput: AudioInput {
    private let stream: AudioStream
    private let device: PipeWireDevice
    private let channels: Int

    init(
        _ setup: AudioStreamSetup, _ device: PipeWireDevice, _ configuration: AudioStream.Configuration,
        _ listener: @escaping AudioDevices.AudioDevice.Listener
    ) throws {
        self.device = device
        channels = setup.channels
        stream = try AudioStream(
            configuration,
            queue: DispatchQueue(label: "greenroom.audio-input", qos: .userInitiated),
            onState: { state in PipeWireDevice.event(state).map(listener) }, onReady: { listener(.ready) })
        device.keep(stream, setup)
    }

    func start() { stream.start() }
    func pause() { stream.pause() }
    func flush() { stream.flush() }
    func close() {
        device.forget(stream)
        stream.close()
    }

    func read(_ frames: Int) -> [Float] {
        let count = min(frames, stream.fill)
        guard count > 0 else { return [] }
        return unsafe [Float](unsafeUninitializedCapacity: count * channels) { buffer, used in
            let buffer = unsafe UnsafeMutableBufferPointer(rebasing: buffer[..<(count * channels)])
            used = unsafe stream.read(buffer) * channels
        }
    }
}
