internal import AudioClient
internal import Synchronization

/// Where speech pauses or stops.
public enum AVSpeechBoundary: Int, Sendable {
    /// At once.
    case immediate
    /// Before the next word.
    case word
}

/// What hears of a synthesizer. All of it is called on the main thread.
public protocol AVSpeechSynthesizerDelegate: NSObjectProtocol {
    /// It begins to speak something.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance)
    /// It has spoken all of it.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance)
    /// It pauses.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance)
    /// It goes on.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance)
    /// It does not speak the rest of it.
    func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance)
    /// It begins to speak a word: where that is in the text.
    func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance)
}

extension AVSpeechSynthesizerDelegate {
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didStart utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didFinish utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didPause utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didContinue utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(_ synthesizer: AVSpeechSynthesizer, didCancel utterance: AVSpeechUtterance) {}
    /// Does nothing.
    public func speechSynthesizer(
        _ synthesizer: AVSpeechSynthesizer, willSpeakRangeOfSpeechString characterRange: NSRange,
        utterance: AVSpeechUtterance
    ) {}
}

/// Speaks texts, one after the other, by eSpeak NG (Debian: `libespeak-ng1`). Where that is missing, everything is
/// cancelled and a line on the standard error says so.
open class AVSpeechSynthesizer: NSObject {
    /// What is called with pieces of what is spoken.
    public typealias BufferCallback = (AVAudioBuffer) -> Void

    private let core = SpeechCore()

    /// A synthesizer that is silent.
    public override init() {
        super.init()
        core.own(self)
    }

    /// What hears of it. Held weakly.
    open weak var delegate: (any AVSpeechSynthesizerDelegate)?

    /// Whether it speaks, or pauses in the midst of something.
    open var isSpeaking: Bool { core.isSpeaking }
    /// Whether it pauses.
    open var isPaused: Bool { core.isPaused }
    /// Whether it sounds under the app's session. There is no other one here.
    open var usesApplicationAudioSession = true
    /// Whether a call hears it too: not here.
    open var mixToTelephonyUplink = false

    /// Speaks, after what it speaks.
    open func speak(_ utterance: AVSpeechUtterance) { core.speak(utterance) }

    /// Pauses.
    ///
    /// - Returns: whether it spoke.
    @discardableResult
    open func pauseSpeaking(at boundary: AVSpeechBoundary) -> Bool { core.pause(at: boundary) }

    /// Goes on.
    ///
    /// - Returns: whether it paused.
    @discardableResult
    open func continueSpeaking() -> Bool { core.goOn() }

    /// Stops, and forgets what it should speak after that.
    ///
    /// - Returns: whether it spoke.
    @discardableResult
    open func stopSpeaking(at boundary: AVSpeechBoundary) -> Bool { core.stop(at: boundary) }

    /// Hands over what is spoken instead of sounding: some buffers, and an empty one at the end.
    open func write(_ utterance: AVSpeechUtterance, toBufferCallback bufferCallback: @escaping BufferCallback) {
        guard let rate = SpeechLibrary.rate else { return SpeechCore.complain() }
        let source = SpeechSource(rate: rate) { _, _, _ in }
        source.load(utterance)
        let format = AVAudioFormat.standard(Double(rate), 1)
        var isOver = false
        while !isOver {
            let block = source.render(4096)
            isOver = block.rest == .ended
            let room = AVAudioFrameCount(max(1, block.samples.count))
            guard !block.samples.isEmpty, let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: room)
            else { continue }
            buffer.append(block.samples)
            bufferCallback(buffer)
        }
        if let end = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1) { bufferCallback(end) }
    }
}
