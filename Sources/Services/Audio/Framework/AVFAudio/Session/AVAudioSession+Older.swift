internal import Synchronization

/// What hears of interruptions in the manner of before iOS 6.
///
/// Apple's methods are optional; here they have extensions that do nothing.
@available(*, deprecated, message: "Use AVAudioSession's notifications")
public protocol AVAudioSessionDelegate: AnyObject, OlderSessionDelegate {}

/// What `AVAudioSessionDelegate` requires, under a name that is not deprecated.
@MainActor public protocol OlderSessionDelegate: AnyObject, Sendable {
    /// The session is not active any more, and what played stands still.
    func beginInterruption()
    /// The interruption is over.
    ///
    /// - Parameter flags: 1 if what played before should go on.
    func endInterruption(withFlags flags: Int)
    /// The interruption is over.
    func endInterruption()
    /// There is something to record by, or not any more.
    func inputIsAvailableChanged(_ isInputAvailable: Bool)
}

extension OlderSessionDelegate {
    /// Does nothing.
    public func beginInterruption() {}
    /// Does nothing.
    public func endInterruption(withFlags flags: Int) {}
    /// Does nothing.
    public func endInterruption() {}
    /// Does nothing.
    public func inputIsAvailableChanged(_ isInputAvailable: Bool) {}
}

struct OlderDelegate: Sendable {
    weak var delegate: (any OlderSessionDelegate)?
}

/// What played before an interruption should go on.
@available(*, deprecated, renamed: "AVAudioSession.InterruptionOptions.shouldResume")
public let AVAudioSessionInterruptionFlags_ShouldResume = 1
/// Those that the session interrupted are told that they may go on.
@available(*, deprecated, renamed: "AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation")
public let AVAudioSessionSetActiveFlags_NotifyOthersOnDeactivation = 1

extension AVAudioSession {
    /// What hears of interruptions. Held weakly.
    @available(*, deprecated, message: "Use AVAudioSession's notifications")
    public weak var delegate: (any AVAudioSessionDelegate)? {
        get { older.withLock { $0.delegate } as? any AVAudioSessionDelegate }
        set { older.withLock { $0.delegate = newValue } }
    }

    /// Begins or ends the session.
    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, with options: SetActiveOptions) throws {
        try setActive(active, options: options)
    }

    /// Begins or ends the session.
    @available(*, deprecated, renamed: "setActive(_:options:)")
    public func setActive(_ active: Bool, withFlags flags: Int) throws {
        try setActive(active, options: SetActiveOptions(rawValue: UInt(truncatingIfNeeded: flags)))
    }

    /// Says what the app's audio is for.
    @available(*, deprecated, renamed: "setCategory(_:options:)")
    public func setCategory(_ category: Category, with options: CategoryOptions) throws {
        try setCategory(category, options: options)
    }

    /// Frames per second of the device.
    @available(*, deprecated, renamed: "sampleRate")
    public var currentHardwareSampleRate: Double { sampleRate }
    /// Channels that are recorded.
    @available(*, deprecated, renamed: "inputNumberOfChannels")
    public var currentHardwareInputNumberOfChannels: Int { inputNumberOfChannels }
    /// Channels that are played.
    @available(*, deprecated, renamed: "outputNumberOfChannels")
    public var currentHardwareOutputNumberOfChannels: Int { outputNumberOfChannels }
    /// Whether there is something to record by.
    @available(*, deprecated, renamed: "isInputAvailable")
    public var inputIsAvailable: Bool { isInputAvailable }
    /// What the app would like the device's rate to be.
    @available(*, deprecated, renamed: "preferredSampleRate")
    public var preferredHardwareSampleRate: Double { preferredSampleRate }
    /// Says what the app would like the device's rate to be.
    @available(*, deprecated, renamed: "setPreferredSampleRate(_:)")
    public func setPreferredHardwareSampleRate(_ sampleRate: Double) throws { try setPreferredSampleRate(sampleRate) }
}

// The constants as they were before Swift 4.2, of the types that they have now.

/// `AVAudioSession.Category.ambient`.
@available(*, deprecated, renamed: "AVAudioSession.Category.ambient")
public let AVAudioSessionCategoryAmbient = AVAudioSession.Category.ambient
/// `AVAudioSession.Category.soloAmbient`.
@available(*, deprecated, renamed: "AVAudioSession.Category.soloAmbient")
public let AVAudioSessionCategorySoloAmbient = AVAudioSession.Category.soloAmbient
/// `AVAudioSession.Category.playback`.
@available(*, deprecated, renamed: "AVAudioSession.Category.playback")
public let AVAudioSessionCategoryPlayback = AVAudioSession.Category.playback
/// `AVAudioSession.Category.record`.
@available(*, deprecated, renamed: "AVAudioSession.Category.record")
public let AVAudioSessionCategoryRecord = AVAudioSession.Category.record
/// `AVAudioSession.Category.playAndRecord`.
@available(*, deprecated, renamed: "AVAudioSession.Category.playAndRecord")
public let AVAudioSessionCategoryPlayAndRecord = AVAudioSession.Category.playAndRecord
/// `AVAudioSession.Category.multiRoute`.
@available(*, deprecated, renamed: "AVAudioSession.Category.multiRoute")
public let AVAudioSessionCategoryMultiRoute = AVAudioSession.Category.multiRoute
/// `AVAudioSession.Mode.default`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.default")
public let AVAudioSessionModeDefault = AVAudioSession.Mode.default
/// `AVAudioSession.Mode.voiceChat`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.voiceChat")
public let AVAudioSessionModeVoiceChat = AVAudioSession.Mode.voiceChat
/// `AVAudioSession.Mode.spokenAudio`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.spokenAudio")
public let AVAudioSessionModeSpokenAudio = AVAudioSession.Mode.spokenAudio
/// `AVAudioSession.Mode.moviePlayback`.
@available(*, deprecated, renamed: "AVAudioSession.Mode.moviePlayback")
public let AVAudioSessionModeMoviePlayback = AVAudioSession.Mode.moviePlayback
