internal import AudioDevices
internal import Synchronization

/// What hears of a player's end. All of it is called on the main thread.
public protocol AVAudioPlayerDelegate: NSObjectProtocol {
    /// The sound has come to its end.
    ///
    /// - Parameter flag: false if it could not be decoded to its end.
    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool)
    /// The sound could not be decoded to its end.
    func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?)
    /// The player stands still for an interruption; called if it played.
    func audioPlayerBeginInterruption(_ player: AVAudioPlayer)
    /// The interruption is over. Nothing plays on by itself.
    ///
    /// - Parameter flags: 1 if what played before should go on.
    func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int)
}

extension AVAudioPlayerDelegate {
    /// Does nothing.
    public func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {}
    /// Does nothing.
    public func audioPlayerDecodeErrorDidOccur(_ player: AVAudioPlayer, error: (any Error)?) {}
    /// Does nothing.
    public func audioPlayerBeginInterruption(_ player: AVAudioPlayer) {}
    /// Does nothing.
    public func audioPlayerEndInterruption(_ player: AVAudioPlayer, withOptions flags: Int) {}
}

/// Plays a sound of a file or of memory. It decodes as it goes and never holds the whole of it.
///
/// It stands still during an interruption, and when what it sounds by is taken away; it never goes on by itself.
open class AVAudioPlayer: NSObject {
    private let core: PlayerCore
    /// Where the sound is; `nil` if it is in memory.
    public let url: URL?
    /// The sound, if it is in memory.
    public let data: Data?

    /// A player for a file.
    ///
    /// - Throws: an `NSError` whose description says what is wrong with the file.
    public convenience init(contentsOf url: URL) throws { try self.init(contentsOf: url, fileTypeHint: nil) }

    /// A player for a file.
    ///
    /// - Parameter utiString: not needed: what a file is is seen from its first bytes.
    public init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
        (self.url, data) = (url, nil)
        core = PlayerCore(try AVAudioSession.mapped { try SoundFile.open(url) })
        super.init()
        core.own(self)
    }

    /// A player for a file's bytes.
    public convenience init(data: Data) throws { try self.init(data: data, fileTypeHint: nil) }

    /// A player for a file's bytes.
    ///
    /// - Parameter utiString: not needed: what they are is seen from the first of them.
    public init(data: Data, fileTypeHint utiString: String?) throws {
        (url, self.data) = (nil, data)
        core = PlayerCore(
            try AVAudioSession.mapped { try SoundFile.open(SoundAccess(DataBytes(data)), name: "the data") })
        super.init()
        core.own(self)
    }

    /// What hears of its end. Held weakly.
    open weak var delegate: (any AVAudioPlayerDelegate)?

    // MARK: Playing

    /// Gets ready. The stream itself is opened by `play()`, since the system has to allow it first.
    @discardableResult
    open func prepareToPlay() -> Bool { true }

    /// Plays, from where it stands.
    ///
    /// - Returns: false if the system does not let the app play now, or if there is no sound server.
    @discardableResult
    open func play() -> Bool { core.play() }

    /// Plays from a moment of `deviceCurrentTime` on.
    @discardableResult
    open func play(atTime time: TimeInterval) -> Bool { core.play(at: time) }

    /// Stands still.
    open func pause() { core.pause() }

    /// Stands still and gives up what `play()` has opened. It does not go back to the begin.
    open func stop() { core.stop() }

    /// Whether it plays.
    open var isPlaying: Bool { core.isPlaying }

    /// Where it is, in seconds; set it to go elsewhere.
    open var currentTime: TimeInterval {
        get { core.currentTime }
        set { core.currentTime = newValue }
    }

    /// The time by which `play(atTime:)` goes.
    open var deviceCurrentTime: TimeInterval { core.home.device.now }

    /// How long the sound is, in seconds.
    open var duration: TimeInterval { core.source.duration }

    /// How many channels the sound has.
    open var numberOfChannels: Int { core.file.channels }

    /// How often it is repeated; below 0 for ever.
    open var numberOfLoops: Int {
        get { core.source.loops }
        set { core.source.loops = newValue }
    }

    // MARK: How it sounds

    /// From 0 to 1.
    open var volume: Float {
        get { core.source.volume }
        set { setVolume(newValue, fadeDuration: 0) }
    }

    /// Goes to a volume within some seconds.
    open func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
        core.change { $0.setVolume(volume.isFinite ? max(0, volume) : 0, seconds: duration) }
    }

    /// From -1, all on the left, to 1.
    open var pan: Float {
        get { core.source.pan }
        set { core.change { $0.pan = newValue.isFinite ? max(-1, min(1, newValue)) : 0 } }
    }

    /// Whether `rate` counts. Set it before playing.
    open var enableRate = false {
        didSet { applyRate() }
    }

    /// How fast, from 0.5 to 2, at the same pitch.
    open var rate: Float = 1 {
        didSet { applyRate() }
    }

    private func applyRate() {
        let speed = enableRate && rate.isFinite ? Double(max(0.5, min(2, rate))) : 1
        if speed != core.source.speed { core.change { $0.speed = speed } }
    }

    // MARK: Meters

    /// Whether the meters are kept.
    open var isMeteringEnabled: Bool {
        get { core.pump.keepsLevels }
        set { core.pump.keepsLevels = newValue }
    }

    private var levels: AudioLevels?

    /// Reads the meters.
    open func updateMeters() { levels = core.isPlaying ? core.pump.levels : nil }

    /// The average power of a channel in decibels, from -160 to 0.
    open func averagePower(forChannel channelNumber: Int) -> Float {
        AudioLevels.decibels(levels?.average, channelNumber)
    }

    /// The peak power of a channel in decibels, from -160 to 0.
    open func peakPower(forChannel channelNumber: Int) -> Float { AudioLevels.decibels(levels?.peak, channelNumber) }

    // MARK: What it plays

    /// The sound's format, by the keys of settings.
    open var settings: [String: Any] {
        core.file.kind.settings(rate: core.file.rate, channels: numberOfChannels)
    }

    /// The sound's format as it is decoded.
    open var format: AVAudioFormat { .standard(Double(core.file.rate), numberOfChannels) }

    /// The device that it plays by; `nil` for the one of the route. It cannot be chosen here.
    open var currentDevice: String?
    /// Which channels of the device: not here.
    open var channelAssignments: [AVAudioSessionChannelDescription]?
}

extension AudioLevels {
    /// As Apple's meters show it.
    static func decibels(_ values: [Float]?, _ channel: Int) -> Float {
        guard let values, values.indices.contains(channel), values[channel] > 0 else { return -160 }
        return max(-160, 20 * log10(values[channel]))
    }
}
