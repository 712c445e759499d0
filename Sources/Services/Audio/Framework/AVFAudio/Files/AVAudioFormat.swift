/// How many channels.
public typealias AVAudioChannelCount = UInt32
/// How many frames.
public typealias AVAudioFrameCount = UInt32
/// The number of a frame.
public typealias AVAudioFramePosition = Int64
/// The number of a bus.
public typealias AVAudioNodeBus = Int

/// How samples are in memory.
public enum AVAudioCommonFormat: UInt, Sendable {
    /// Otherwise.
    case otherFormat = 0
    /// `Float`.
    case pcmFormatFloat32 = 1
    /// `Double`.
    case pcmFormatFloat64 = 2
    /// `Int16`.
    case pcmFormatInt16 = 3
    /// `Int32`.
    case pcmFormatInt32 = 4
}

/// What samples are: how many a second, for how many channels, and how they are in memory.
// Immutable.
open class AVAudioFormat: NSObject, @unchecked Sendable {
    /// How they are in memory.
    public let commonFormat: AVAudioCommonFormat
    /// Frames per second.
    public let sampleRate: Double
    /// How many channels.
    public let channelCount: AVAudioChannelCount
    /// Whether the samples of a frame are side by side.
    public let isInterleaved: Bool
    private let fileSettings: [String: Any]?

    private init(
        _ common: AVAudioCommonFormat, _ rate: Double, _ channels: AVAudioChannelCount, _ isInterleaved: Bool,
        _ fileSettings: [String: Any]? = nil
    ) {
        (commonFormat, sampleRate, channelCount) = (common, rate, channels)
        (self.isInterleaved, self.fileSettings) = (isInterleaved, fileSettings)
    }

    /// A format of nothing: code of iOS writes it behind `??`, where another could not be made.
    public override convenience init() { self.init(.otherFormat, 0, 0, false) }

    /// `Float` samples, each channel apart: what the engine and files work with.
    public convenience init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) {
        self.init(commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels, interleaved: false)
    }

    /// A format of samples in memory; `nil` if there is no such one.
    public init?(
        commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount, interleaved: Bool
    ) {
        guard format != .otherFormat, sampleRate.isFinite, 1...768_000 ~= sampleRate,
            1...AVAudioChannelCount(SoundFile.mostChannels) ~= channels
        else { return nil }
        (commonFormat, self.sampleRate, channelCount) = (format, sampleRate, channels)
        (isInterleaved, fileSettings) = (interleaved, nil)
    }

    /// A format by the keys of settings; `nil` if they contradict each other.
    public init?(settings: [String: Any]) {
        let rate = (settings[AVSampleRateKey] as? NSNumber)?.doubleValue ?? settings[AVSampleRateKey] as? Double
        let channels = SoundKind.setting(AVNumberOfChannelsKey, settings) ?? 2
        guard let rate = rate ?? SoundKind.setting(AVSampleRateKey, settings).map(Double.init), rate > 0,
            1...SoundFile.mostChannels ~= channels
        else { return nil }
        let format = SoundKind.setting(AVFormatIDKey, settings) ?? Int(kAudioFormatLinearPCM)
        let isFloat = settings[AVLinearPCMIsFloatKey] as? Bool ?? false
        let depth = SoundKind.setting(AVLinearPCMBitDepthKey, settings) ?? 16
        sampleRate = rate
        channelCount = AVAudioChannelCount(channels)
        isInterleaved = !(settings[AVLinearPCMIsNonInterleaved] as? Bool ?? false)
        switch (format == Int(kAudioFormatLinearPCM), isFloat, depth) {
        case (true, true, 64): commonFormat = .pcmFormatFloat64
        case (true, true, _): commonFormat = .pcmFormatFloat32
        case (true, false, 16): commonFormat = .pcmFormatInt16
        case (true, false, 32): commonFormat = .pcmFormatInt32
        default: commonFormat = .otherFormat
        }
        fileSettings = settings
    }

    static func standard(_ rate: Double, _ channels: Int) -> AVAudioFormat {
        AVAudioFormat(.pcmFormatFloat32, rate, AVAudioChannelCount(channels), false)
    }

    /// As it is in a file.
    static func ofFile(_ kind: SoundKind, rate: Int, channels: Int) -> AVAudioFormat {
        AVAudioFormat(
            .otherFormat, Double(rate), AVAudioChannelCount(channels), true,
            kind.settings(rate: rate, channels: channels))
    }

    /// Whether it is the one that the engine works with.
    open var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

    /// The same by the keys of settings, for files.
    open var settings: [String: Any] {
        if let fileSettings { return fileSettings }
        let depth =
            switch commonFormat {
            case .pcmFormatInt16: 16
            case .pcmFormatFloat64: 64
            case .otherFormat, .pcmFormatFloat32, .pcmFormatInt32: 32
            }
        return [
            AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: sampleRate,
            AVNumberOfChannelsKey: channelCount, AVLinearPCMBitDepthKey: depth,
            AVLinearPCMIsFloatKey: commonFormat == .pcmFormatFloat32 || commonFormat == .pcmFormatFloat64,
            AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: !isInterleaved,
        ]
    }

    /// Whether two are the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVAudioFormat else { return false }
        return commonFormat == other.commonFormat && sampleRate == other.sampleRate
            && channelCount == other.channelCount && isInterleaved == other.isInterleaved
    }
    /// Equal for the same.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(sampleRate)
        hasher.combine(channelCount)
        hasher.combine(commonFormat)
        return hasher.finalize()
    }
    /// For people.
    open override var description: String { "\(channelCount) ch, \(Int(sampleRate)) Hz, \(commonFormat)" }
}
