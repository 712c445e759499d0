internal import AudioDevices
internal import Synchronization

/// How a buffer is scheduled.
public struct AVAudioPlayerNodeBufferOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Over and over.
    public static let loops = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 0)
    /// In the place of what plays.
    public static let interrupts = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 1)
    /// When what is repeated comes to its end.
    public static let interruptsAtLoop = AVAudioPlayerNodeBufferOptions(rawValue: 1 << 2)
}

/// How far something scheduled has come.
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The player needs it no longer.
    case dataConsumed = 0
    /// It is on its way to the device.
    case dataRendered = 1
    /// It was heard.
    case dataPlayedBack = 2
}

/// Plays buffers and files in an engine, one after the other.
open class AVAudioPlayerNode: AVAudioNode, AVAudioMixing {
    private let player = PlayerNodeCore()

    /// A player that is attached to no engine.
    public init() { super.init(player) }

    deinit { for done in player.stop() { done() } }

    // MARK: Scheduling

    /// Plays a buffer after what is scheduled.
    open func scheduleBuffer(_ buffer: AVAudioPCMBuffer, completionHandler: AVAudioNodeCompletionHandler? = nil) {
        scheduleBuffer(buffer, at: nil, options: [], completionHandler: completionHandler)
    }

    /// Plays a buffer.
    ///
    /// - Parameters:
    ///   - when: a frame of the player's time; `nil` after what is scheduled.
    ///   - completionHandler: called when the player needs the buffer no longer.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(.buffer(buffer), when, options, .consumed, completionHandler)
    }

    /// Plays a buffer after what is scheduled.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        scheduleBuffer(
            buffer, at: nil, options: [], completionCallbackType: callbackType, completionHandler: completionHandler)
    }

    /// Plays a buffer.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer, at when: AVAudioTime?, options: AVAudioPlayerNodeBufferOptions = [],
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(
            .buffer(buffer), when, options, callbackType.core, callbackType.calling(completionHandler))
    }

    /// Plays a file.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?, completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        let count = Int(file.length)
        schedule(.file(file.file, from: 0, count: count), when, [], .consumed, completionHandler)
    }

    /// Plays a file.
    open func scheduleFile(
        _ file: AVAudioFile, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        let count = Int(file.length)
        schedule(
            .file(file.file, from: 0, count: count), when, [], callbackType.core,
            callbackType.calling(completionHandler))
    }

    /// Plays a part of a file.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionHandler: AVAudioNodeCompletionHandler? = nil
    ) {
        schedule(segment(file, startFrame, numberFrames), when, [], .consumed, completionHandler)
    }

    /// Plays a part of a file.
    open func scheduleSegment(
        _ file: AVAudioFile, startingFrame startFrame: AVAudioFramePosition,
        frameCount numberFrames: AVAudioFrameCount, at when: AVAudioTime?,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        schedule(
            segment(file, startFrame, numberFrames), when, [], callbackType.core,
            callbackType.calling(completionHandler))
    }

    private func segment(
        _ file: AVAudioFile, _ start: AVAudioFramePosition, _ count: AVAudioFrameCount
    ) -> PlayerNodeCore.Item.Sound {
        let start = max(0, min(Int(clamping: start), Int(file.length)))
        return .file(file.file, from: start, count: min(Int(count), Int(file.length) - start))
    }

    private func schedule(
        _ sound: PlayerNodeCore.Item.Sound, _ when: AVAudioTime?, _ options: AVAudioPlayerNodeBufferOptions,
        _ callback: PlayerNodeCore.Callback, _ done: (@Sendable () -> Void)?
    ) {
        let start = when.flatMap { when in
            when.isSampleTimeValid ? Int(Double(when.sampleTime) / when.sampleRate * core.rate) : nil
        }
        let item = PlayerNodeCore.Item(
            sound: sound, start: start, loops: options.contains(.loops), callback: callback, done: done)
        let dropped = player.schedule(
            item, interrupts: options.contains(.interrupts), atLoop: options.contains(.interruptsAtLoop))
        for done in dropped { done() }
    }

    // MARK: Playing

    /// Plays what is scheduled, when the engine runs.
    open func play() { player.play() }

    /// Plays from a moment on: at once, if that is past or not known here.
    open func play(at when: AVAudioTime?) {
        guard let when, let device = engine?.core.home.device, when.isHostTimeValid else { return play() }
        let wait = AVAudioTime.seconds(forHostTime: when.hostTime) - device.now
        guard wait > 0 else { return play() }
        _ = device.later(wait) { [weak player] in player?.play() }
    }

    /// Stands still; what is scheduled stays.
    open func pause() { player.pause() }

    /// Forgets what is scheduled, whose handlers are called, and sets its time to 0.
    open func stop() { for done in player.stop() { done() } }

    /// Whether it plays.
    open var isPlaying: Bool { player.isPlaying }

    /// Gets so many frames ready: they are read when they are needed.
    open func prepare(withFrameCount frameCount: AVAudioFrameCount) {}

    /// The player's time at a time of its node; `nil` while it stands still.
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        guard let engine, isPlaying, nodeTime.isSampleTimeValid, let heard = engine.core.heardFrames else { return nil }
        let scale = core.rate / engine.core.output.rate
        let late = Double(engine.core.latency) * scale
        let since = (Double(nodeTime.sampleTime) - Double(heard)) * scale
        let frame = max(0, Double(player.time) - late + since)
        return AVAudioTime(sampleTime: AVAudioFramePosition(frame), atRate: core.rate)
    }

    /// The node's time at a time of the player; `nil` while it stands still.
    open func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
        guard let now = lastRenderTime, let player = self.playerTime(forNodeTime: now) else { return nil }
        let seconds = Double(playerTime.sampleTime - player.sampleTime) / core.rate
        return AVAudioTime(
            sampleTime: now.sampleTime + AVAudioFramePosition(seconds * now.sampleRate), atRate: now.sampleRate)
    }

    // MARK: AVAudioMixing

    /// From 0 to 1.
    open var volume: Float {
        get { core.volume.withLock { $0.volume } }
        set { core.volume.withLock { $0.volume = newValue.isFinite ? max(0, newValue) : 0 } }
    }
    /// From -1, all on the left, to 1.
    open var pan: Float {
        get { core.volume.withLock { $0.pan } }
        set { core.volume.withLock { $0.pan = newValue.isFinite ? max(-1, min(1, newValue)) : 0 } }
    }
}

extension AVAudioPlayerNodeCompletionCallbackType {
    fileprivate func calling(_ handler: AVAudioPlayerNodeCompletionHandler?) -> (@Sendable () -> Void)? {
        guard let handler else { return nil }
        return { handler(self) }
    }

    fileprivate var core: PlayerNodeCore.Callback {
        switch self {
        case .dataConsumed: .consumed
        case .dataRendered: .rendered
        case .dataPlayedBack: .playedBack
        }
    }
}
