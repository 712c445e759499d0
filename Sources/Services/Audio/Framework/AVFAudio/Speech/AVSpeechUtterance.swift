internal import Synchronization

/// The slowest.
public let AVSpeechUtteranceMinimumSpeechRate: Float = 0
/// The fastest.
public let AVSpeechUtteranceMaximumSpeechRate: Float = 1
/// As usual.
public let AVSpeechUtteranceDefaultSpeechRate: Float = 0.5

/// A text that is spoken, and how. Set that before it is.
// What changes is behind a mutex.
open class AVSpeechUtterance: NSObject, @unchecked Sendable {
    struct Manner: Sendable {
        var voice: AVSpeechSynthesisVoice?
        var rate = AVSpeechUtteranceDefaultSpeechRate
        var pitch: Float = 1
        var volume: Float = 1
        var before = 0.0
        var after = 0.0
        var prefersAssistive = false
    }

    /// The text.
    public let speechString: String
    let manner = Mutex(Manner())

    /// A text that is spoken.
    public init(string: String) { speechString = string }

    /// A text that is spoken. Its attributes have no meaning here.
    public init(attributedString string: NSAttributedString) { speechString = string.string }

    /// The text.
    open var attributedSpeechString: NSAttributedString { NSAttributedString(string: speechString) }

    /// The voice; `nil` for one of the user's language.
    open var voice: AVSpeechSynthesisVoice? {
        get { manner.withLock { $0.voice } }
        set { manner.withLock { $0.voice = newValue } }
    }
    /// How fast, from 0 to 1; 0.5 is usual.
    open var rate: Float {
        get { manner.withLock { $0.rate } }
        set { manner.withLock { $0.rate = Self.bounded(newValue, 0, 1, 0.5) } }
    }
    /// How high, from 0.5 to 2; 1 is usual.
    open var pitchMultiplier: Float {
        get { manner.withLock { $0.pitch } }
        set { manner.withLock { $0.pitch = Self.bounded(newValue, 0.5, 2, 1) } }
    }
    /// How loud, from 0 to 1.
    open var volume: Float {
        get { manner.withLock { $0.volume } }
        set { manner.withLock { $0.volume = Self.bounded(newValue, 0, 1, 1) } }
    }
    /// Seconds of silence before it.
    open var preUtteranceDelay: TimeInterval {
        get { manner.withLock { $0.before } }
        set { manner.withLock { $0.before = newValue.isFinite ? max(0, min(newValue, 3600)) : 0 } }
    }
    /// Seconds of silence after it.
    open var postUtteranceDelay: TimeInterval {
        get { manner.withLock { $0.after } }
        set { manner.withLock { $0.after = newValue.isFinite ? max(0, min(newValue, 3600)) : 0 } }
    }
    /// Whether the user's own settings for being read to come first: there are none here.
    open var prefersAssistiveTechnologySettings: Bool {
        get { manner.withLock { $0.prefersAssistive } }
        set { manner.withLock { $0.prefersAssistive = newValue } }
    }

    private static func bounded(_ value: Float, _ least: Float, _ most: Float, _ usual: Float) -> Float {
        value.isFinite ? max(least, min(most, value)) : usual
    }
}
