internal import AudioClient
internal import AudioDevices
internal import Synchronization

/// The graph of an engine, as it is rendered.
///
/// Unchecked: what changes is used under its lock.
final class EngineCore: AudioSource, @unchecked Sendable {
    struct Place: Hashable {
        let node: ObjectIdentifier
        let bus: Int
    }

    private struct Connection {
        let source: NodeCore
        var resampler: Resampler
        /// What was last rendered, for a source that several are connected to.
        var isFirst = true
    }

    let home: AudioHome
    let output = NodeCore()
    let mainMixer = MixerCore()
    let input = InputCore()
    private let lock = NSLock()
    private var connections: [Place: Connection] = [:]
    private var nodes: [ObjectIdentifier: NodeCore] = [:]
    private var calls: [() -> Void] = []
    private var rendered = 0
    private let pump = Guarded<AudioPump?>(nil)
    private let intake = Guarded<AudioIntake?>(nil)
    /// Called on any thread when the service, or the sound server, has ended it.
    let ended = Mutex<@Sendable () -> Void>({})

    init(_ home: AudioHome) {
        self.home = home
        for node in [output, mainMixer, input] { nodes[ObjectIdentifier(node)] = node }
        for node in [output, mainMixer] { node.rate = Double(home.device.rate) }
        (input.rate, input.channels) = (Double(home.device.rate), 1)
    }

    // MARK: The graph

    func attach(_ node: NodeCore) { lock.withLock { nodes[ObjectIdentifier(node)] = node } }

    func detach(_ node: NodeCore) {
        lock.withLock {
            nodes[ObjectIdentifier(node)] = nil
            connections = connections.filter { $0.value.source !== node && $0.key.node != ObjectIdentifier(node) }
            tellBuses()
        }
    }

    func isAttached(_ node: NodeCore) -> Bool { lock.withLock { nodes[ObjectIdentifier(node)] != nil } }

    /// - Parameter format: of what the source puts out; `nil` leaves that as it is.
    func connect(_ source: NodeCore, to node: NodeCore, _ bus: Int, _ format: AVAudioFormat?) {
        lock.withLock {
            // An output goes one way.
            connections = connections.filter { $0.value.source !== source }
            if let format { (source.rate, source.channels) = (format.sampleRate, Int(format.channelCount)) }
            connections[Place(node: ObjectIdentifier(node), bus: bus)] = Connection(
                source: source, resampler: Self.resampler(source, node))
            tellBuses()
        }
    }

    func disconnect(input node: NodeCore, _ bus: Int?) {
        lock.withLock {
            connections = connections.filter {
                $0.key.node != ObjectIdentifier(node) || bus.map { [key = $0.key] in $0 != key.bus } ?? false
            }
            tellBuses()
        }
    }

    func disconnect(output node: NodeCore) {
        lock.withLock {
            connections = connections.filter { $0.value.source !== node }
            tellBuses()
        }
    }

    /// The first bus that nothing is connected to.
    func freeBus(_ node: NodeCore) -> Int {
        lock.withLock {
            let used = Set(connections.keys.filter { $0.node == ObjectIdentifier(node) }.map(\.bus))
            return (0...).first { !used.contains($0) } ?? 0
        }
    }

    func source(of node: NodeCore, _ bus: Int) -> (rate: Double, channels: Int)? {
        lock.withLock {
            connections[Place(node: ObjectIdentifier(node), bus: bus)].map { ($0.source.rate, $0.source.channels) }
        }
    }

    func hasOutput(_ node: NodeCore) -> Bool { lock.withLock { connections.values.contains { $0.source === node } } }

    func setTap(_ node: NodeCore, _ tap: NodeCore.Tap?) { lock.withLock { node.tap = tap } }

    private func tellBuses() {
        for node in nodes.values {
            node.use(connections.keys.filter { $0.node == ObjectIdentifier(node) }.map(\.bus).sorted())
        }
    }

    private static func resampler(_ source: NodeCore, _ node: NodeCore) -> Resampler {
        Resampler(
            fromRate: source.rate, toRate: node.rate, fromChannels: source.channels, toChannels: node.channels)
    }

    /// Where all sources have one rate, the graph has it too, and the sound server converts.
    private func settleRates() {
        lock.withLock {
            let sources = connections.filter { $0.key.node == ObjectIdentifier(mainMixer) }.map(\.value.source.rate)
            if let rate = sources.first, sources.allSatisfy({ $0 == rate }) {
                (mainMixer.rate, output.rate) = (rate, rate)
            }
            for (place, connection) in connections {
                guard let node = nodes[place.node] else { continue }
                connections[place]?.resampler = Self.resampler(connection.source, node)
            }
        }
    }

    // MARK: Running

    var isRunning: Bool { pump.withLock { $0?.isRunning } ?? intake.withLock { $0?.isRunning } ?? false }

    func start(usesInput: Bool) throws {
        if usesInput {
            let intake = intake.withLock { intake in
                let made =
                    intake
                    ?? AudioIntake(home, rate: Int(input.rate), channels: input.channels) { [weak self] event in
                        self?.heard(event)
                    }
                intake = made
                return made
            }
            try intake.start()
        }
        guard lock.withLock({ connections.keys.contains { $0.node == ObjectIdentifier(output) } }) else {
            if usesInput { return }
            throw AVAudioSession.error(.badParam, "nothing is connected to the engine's output, nor is its input used")
        }
        if pump.withLock({ $0 == nil }) {
            settleRates()
            let new = AudioPump(
                home, rate: Int(output.rate), channels: output.channels, source: self, isAlwaysShort: true
            ) { [weak self] _ in self?.stoodStill() }
            pump.withLock { $0 = new }
        }
        try pump.withLock { $0 }?.start()
    }

    func pause() {
        pump.withLock { $0 }?.pause()
        intake.withLock { $0 }?.pause()
    }

    func stop() {
        let (pump, intake) = (self.pump.withLock { $0 }, self.intake.withLock { $0 })
        pump?.close()
        intake?.close()
        self.pump.withLock { $0 = nil }
        self.intake.withLock { $0 = nil }
        lock.withLock { rendered = 0 }
    }

    private func stoodStill() {
        pause()
        ended.withLock { $0 }()
    }

    /// Frames that were rendered and not heard yet.
    var latency: Int { pump.withLock { $0?.frames }.map { $0.rendered - $0.heard } ?? 0 }
    var heardFrames: Int? { pump.withLock { $0?.frames.heard } }

    private func heard(_ event: AudioIntake.Event) {
        switch event {
        case .samples(let samples):
            input.hear(samples)
            let calls = lock.withLock { input.tapped(samples) }
            for call in calls { call() }
        case .stoodStill, .failed: stoodStill()
        }
    }

    // MARK: AudioSource

    func render(_ frames: Int) -> AudioBlock {
        let (samples, calls, finished) = lock.withLock { renderLocked(frames) }
        // Not here: the output is being filled, and what is called may want to change that.
        if !calls.isEmpty {
            let calls = Calls(calls)
            _ = home.device.later(0) { calls.run() }
        }
        for one in finished {
            if one.callback == .playedBack {
                pump.withLock { $0 }?.whenHeard(one.frame) { _ in one.done() }
            } else {
                _ = home.device.later(0) { one.done() }
            }
        }
        return AudioBlock(samples)
    }

    private func renderLocked(_ frames: Int) -> ([Float], [() -> Void], [PlayerNodeCore.Finished]) {
        let samples = pull(output, 0, frames)
        defer { calls = [] }
        var finished: [PlayerNodeCore.Finished] = []
        for case let player as PlayerNodeCore in nodes.values {
            for var one in player.takeFinished() {
                one.frame = rendered + Int(Double(one.frame) * output.rate / player.rate)
                finished.append(one)
            }
        }
        rendered += frames
        return (samples, calls, finished.sorted { $0.frame < $1.frame })
    }

    /// Unchecked: they are called once, on one thread.
    private final class Calls: @unchecked Sendable {
        private let calls: [() -> Void]
        init(_ calls: [() -> Void]) { self.calls = calls }
        func run() { for call in calls { call() } }
    }

    private func pull(_ node: NodeCore, _ bus: Int, _ frames: Int) -> [Float] {
        let place = Place(node: ObjectIdentifier(node), bus: bus)
        guard var connection = connections[place] else { return node.silence(frames) }
        let source = connection.source
        var samples = connection.resampler.next(frames) { count in
            let samples = source.render(count) { bus, frames in pull(source, bus, frames) }
            calls += source.tapped(samples)
            return samples
        }
        connections[place]?.resampler = connection.resampler
        let (volume, pan) = source.volume.withLock { $0 }
        if volume != 1 || pan != 0 {
            let sides = node.channels == 2 ? [min(1, 1 - pan), min(1, 1 + pan)] : [1]
            for index in samples.indices { samples[index] *= volume * sides[index % sides.count] }
        }
        return samples
    }
}
