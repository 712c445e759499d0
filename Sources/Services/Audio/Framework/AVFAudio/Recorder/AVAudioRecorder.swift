internal import AudioDevices

/// What hears of a recorder's end. All of it is called on the main thread.
public protocol AVAudioRecorderDelegate: NSObjectProtocol {
    /// The recording has come to its end.
    ///
    /// - Parameter flag: false if it could not be written to its end.
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool)
    /// The recording could not be written.
    func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?)
    /// The recorder stands still for an interruption; called if it recorded.
    func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder)
    /// The interruption is over. Nothing records on by itself.
    ///
    /// - Parameter flags: 1 if what was recorded before should go on.
    func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int)
}

extension AVAudioRecorderDelegate {
    /// Does nothing.
    public func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {}
    /// Does nothing.
    public func audioRecorderEncodeErrorDidOccur(_ recorder: AVAudioRecorder, error: (any Error)?) {}
    /// Does nothing.
    public func audioRecorderBeginInterruption(_ recorder: AVAudioRecorder) {}
    /// Does nothing.
    public func audioRecorderEndInterruption(_ recorder: AVAudioRecorder, withOptions flags: Int) {}
}

/// Records a file: WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3 or AAC (`.m4a`, `.aac`), by the extension of its name.
///
/// The user has to let the app record. It stands still during an interruption, and never goes on by itself.
open class AVAudioRecorder: NSObject {
    private let core: RecorderCore
    /// Where the recording is.
    public let url: URL
    private let given: [String: Any]

    /// A recorder for a file, which is made when the recorder gets ready.
    ///
    /// - Parameter settings: `AVFormatIDKey`, `AVSampleRateKey`, `AVNumberOfChannelsKey` and those of the format.
    /// - Throws: an `NSError` whose description says what cannot be recorded.
    public init(url: URL, settings: [String: Any]) throws {
        (self.url, given) = (url, settings)
        core = try AVAudioSession.mapped {
            guard url.isFileURL else { throw SoundFileError(.cannotWrite, "\(url) is not a file") }
            let rate =
                settings[AVSampleRateKey] as? Double ?? SoundKind.setting(AVSampleRateKey, settings).map(Double.init)
            let channels = SoundKind.setting(AVNumberOfChannelsKey, settings) ?? 1
            guard let rate = Int(exactly: (rate ?? 44_100).rounded()), 1_000...768_000 ~= rate,
                1...SoundFile.mostChannels ~= channels
            else { throw SoundFileError(.unsupported, "\(url.lastPathComponent) cannot have such a rate or channels") }
            let bits = SoundKind.bitRate(settings, rate: rate, channels: channels)
            let kind = try SoundKind(url, settings)
            try kind.check(url, rate: rate, channels: channels, bitRate: bits)
            return RecorderCore(url, kind, rate: rate, channels: channels, bitRate: bits)
        }
        super.init()
        core.own(self)
    }

    /// A recorder for a file in a format.
    public convenience init(url: URL, format: AVAudioFormat) throws {
        try self.init(url: url, settings: format.settings)
    }

    /// What hears of its end. Held weakly.
    open weak var delegate: (any AVAudioRecorderDelegate)?

    // MARK: Recording

    /// Makes the file, in the place of one of its name.
    @discardableResult
    open func prepareToRecord() -> Bool { core.prepare() }

    /// Records, or goes on to.
    ///
    /// - Returns: false if the system or the user does not let the app record, or the file cannot be written.
    @discardableResult
    open func record() -> Bool { core.record(at: nil, seconds: nil) }

    /// Records from a moment of `deviceCurrentTime` on.
    @discardableResult
    open func record(atTime time: TimeInterval) -> Bool { core.record(at: time, seconds: nil) }

    /// Records for so many seconds, then stops.
    @discardableResult
    open func record(forDuration duration: TimeInterval) -> Bool { core.record(at: nil, seconds: duration) }

    /// Records from a moment of `deviceCurrentTime` on for so many seconds, then stops.
    @discardableResult
    open func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
        core.record(at: time, seconds: duration)
    }

    /// Stands still; `record()` goes on.
    open func pause() { core.pause() }

    /// Ends the recording and closes the file.
    open func stop() { core.stop() }

    /// Deletes the file of a recorder that was stopped.
    @discardableResult
    open func deleteRecording() -> Bool { core.deleteRecording() }

    /// Whether it records.
    open var isRecording: Bool { core.isRecording }

    /// How long the recording is so far, in seconds; 0 when it is not made.
    open var currentTime: TimeInterval { core.currentTime }

    /// The time by which `record(atTime:)` goes.
    open var deviceCurrentTime: TimeInterval { core.home.device.now }

    // MARK: What is recorded

    /// The settings, with what was not given.
    open var settings: [String: Any] {
        core.kind.settings(rate: core.rate, channels: core.channels).merging(given) { $1 }
    }

    /// The format of the file.
    open var format: AVAudioFormat { .ofFile(core.kind, rate: core.rate, channels: core.channels) }

    // MARK: Meters

    /// Whether the meters are kept.
    open var isMeteringEnabled: Bool {
        get { core.keepsLevels }
        set { core.keepsLevels = newValue }
    }

    private var levels: AudioLevels?

    /// Reads the meters.
    open func updateMeters() { levels = core.isRecording ? core.levels : nil }

    /// The average power of a channel in decibels, from -160 to 0.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        AudioLevels.decibels(levels?.average, channelNumber)
    }

    /// The peak power of a channel in decibels, from -160 to 0.
    open func peakPower(forChannel channelNumber: Int) -> Float { AudioLevels.decibels(levels?.peak, channelNumber) }
}
