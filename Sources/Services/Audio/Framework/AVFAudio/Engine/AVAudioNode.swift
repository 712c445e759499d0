internal import AudioDevices
internal import Synchronization

/// What a tap is called with: a buffer and its time. Called on a thread of the system's.
public typealias AVAudioNodeTapBlock = (AVAudioPCMBuffer, AVAudioTime) -> Void
/// What is called when something scheduled is done.
public typealias AVAudioNodeCompletionHandler = @Sendable () -> Void
/// What is called when something scheduled has come so far.
public typealias AVAudioPlayerNodeCompletionHandler = @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// Something that makes, changes or takes sound in an engine.
open class AVAudioNode: NSObject {
    let core: NodeCore
    /// The engine that it is attached to.
    open internal(set) weak var engine: AVAudioEngine?

    init(_ core: NodeCore) { self.core = core }

    /// How many buses it has for what is connected to it.
    open var numberOfInputs: Int { 1 }
    /// How many buses it has for what it makes.
    open var numberOfOutputs: Int { 1 }

    /// What it gets by a bus.
    open func inputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat {
        guard let source = engine?.core.source(of: core, bus) else { return outputFormat(forBus: 0) }
        return .standard(source.rate, source.channels)
    }

    /// What it puts out.
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { .standard(core.rate, core.channels) }

    /// The name of a bus: none.
    open func name(forInputBus bus: AVAudioNodeBus) -> String? { nil }
    /// The name of a bus: none.
    open func name(forOutputBus bus: AVAudioNodeBus) -> String? { nil }

    /// Has something called with all that it puts out.
    ///
    /// - Parameters:
    ///   - bufferSize: frames of one call.
    ///   - format: what they are converted to; `nil` for what it puts out.
    open func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: @escaping AVAudioNodeTapBlock
    ) {
        let format = format ?? outputFormat(forBus: bus)
        let resampler = Resampler(
            fromRate: core.rate, toRate: format.sampleRate, fromChannels: core.channels,
            toChannels: Int(format.channelCount))
        let tap = NodeCore.Tap(
            buffer: max(64, min(bufferSize, 1 << 20)), format: format, block: tapBlock, resampler: resampler)
        if let engine { engine.core.setTap(core, tap) } else { core.tap = tap }
    }

    /// Has nothing called any longer.
    open func removeTap(onBus bus: AVAudioNodeBus) {
        if let engine { engine.core.setTap(core, nil) } else { core.tap = nil }
    }

    /// Forgets what it has of before.
    open func reset() {}

    /// The frame that is heard now; `nil` while the engine stands still.
    open var lastRenderTime: AVAudioTime? {
        guard let engine, engine.isRunning, let frames = engine.core.heardFrames else { return nil }
        let host = AVAudioTime.hostTime(forSeconds: engine.core.home.device.now)
        return AVAudioTime(hostTime: host, sampleTime: AVAudioFramePosition(frames), atRate: engine.core.output.rate)
    }
}

/// What can be mixed, and how loud.
public protocol AVAudioMixing {
    /// From 0 to 1.
    var volume: Float { get set }
    /// From -1, all on the left, to 1.
    var pan: Float { get set }
}

/// Adds what is connected to it.
open class AVAudioMixerNode: AVAudioNode, AVAudioMixing {
    /// A mixer that is attached to no engine.
    public init() { super.init(MixerCore()) }

    override init(_ core: NodeCore) { super.init(core) }

    /// How loud its sum is, from 0 to 1.
    open var outputVolume: Float {
        get { volume }
        set { volume = newValue }
    }
    /// How loud it is where it is mixed.
    open var volume: Float {
        get { core.volume.withLock { $0.volume } }
        set { core.volume.withLock { $0.volume = newValue.isFinite ? max(0, newValue) : 0 } }
    }
    /// On which side it is where it is mixed.
    open var pan: Float {
        get { core.volume.withLock { $0.pan } }
        set { core.volume.withLock { $0.pan = newValue.isFinite ? max(-1, min(1, newValue)) : 0 } }
    }
    /// As many as are wanted.
    open override var numberOfInputs: Int { 64 }
    /// A bus that nothing is connected to.
    open var nextAvailableInputBus: AVAudioNodeBus { engine?.core.freeBus(core) ?? 0 }
}

/// The end of an engine to the device.
open class AVAudioIONode: AVAudioNode {
    /// Seconds from here to the device, or back.
    open var presentationLatency: TimeInterval { engine?.core.home.device.latency ?? 0 }
    /// Whether voices are improved here: not by this system.
    open var isVoiceProcessingEnabled: Bool { false }

    /// Has voices improved: not by this system.
    open func setVoiceProcessingEnabled(_ enabled: Bool) throws {
        guard enabled else { return }
        throw AVAudioSession.error(.resourceNotAvailable, "Greenroom does not process voices: the sound server may")
    }
}

/// What the microphone hears. The user has to let the app record before the engine is started.
open class AVAudioInputNode: AVAudioIONode {
    /// Nothing is connected to it.
    open override var numberOfInputs: Int { 0 }
}

/// Where the sound of an engine goes.
open class AVAudioOutputNode: AVAudioIONode {
    /// It is the end.
    open override var numberOfOutputs: Int { 0 }
}

/// Plays faster or slower, higher or lower.
open class AVAudioUnitTimePitch: AVAudioNode {
    private let pitchCore = PitchCore()
    private var cents: Float = 0

    /// One that leaves all as it is.
    public init() { super.init(pitchCore) }

    /// How fast, from 1/32 to 32.
    open var rate: Float {
        get { Float(pitchCore.setting.withLock { $0.rate }) }
        set {
            guard newValue.isFinite else { return }
            pitchCore.setting.withLock { $0.rate = Double(max(1 / 32, min(32, newValue))) }
        }
    }
    /// How much higher, in hundredths of a half tone: 1200 is an octave.
    open var pitch: Float {
        get { cents }
        set {
            guard newValue.isFinite else { return }
            cents = max(-2400, min(2400, newValue))
            let pitch = exp2(Double(cents) / 1200)
            pitchCore.setting.withLock { $0.pitch = pitch }
        }
    }
    /// How much pieces of the sound overlap: chosen here.
    open var overlap: Float = 8
    /// Whether what comes goes through unchanged: not here.
    open var bypass = false
}

/// Plays faster and higher, or slower and lower.
open class AVAudioUnitVarispeed: AVAudioNode {
    private let pitchCore = PitchCore()

    /// One that leaves all as it is.
    public init() { super.init(pitchCore) }

    /// How fast, from 0.25 to 4.
    open var rate: Float {
        get { Float(pitchCore.setting.withLock { $0.rate }) }
        set {
            guard newValue.isFinite else { return }
            let rate = Double(max(0.25, min(4, newValue)))
            pitchCore.setting.withLock { $0 = PitchCore.Setting(rate: rate, pitch: rate) }
        }
    }
}
