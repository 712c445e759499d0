/// The encoding, an `AudioFormatID`.
public let AVFormatIDKey = "AVFormatIDKey"
/// Frames per second.
public let AVSampleRateKey = "AVSampleRateKey"
/// How many channels.
public let AVNumberOfChannelsKey = "AVNumberOfChannelsKey"
/// Bits of a sample: 8, 16, 24 or 32.
public let AVLinearPCMBitDepthKey = "AVLinearPCMBitDepthKey"
/// Whether the most significant byte of a sample comes first.
public let AVLinearPCMIsBigEndianKey = "AVLinearPCMIsBigEndianKey"
/// Whether samples are floating-point numbers.
public let AVLinearPCMIsFloatKey = "AVLinearPCMIsFloatKey"
/// Whether each channel is apart: not in files.
public let AVLinearPCMIsNonInterleaved = "AVLinearPCMIsNonInterleaved"
/// How well it is encoded, of `AVAudioQuality`.
public let AVEncoderAudioQualityKey = "AVEncoderAudioQualityKey"
/// Bits of a second.
public let AVEncoderBitRateKey = "AVEncoderBitRateKey"
/// Bits of a second and channel.
public let AVEncoderBitRatePerChannelKey = "AVEncoderBitRatePerChannelKey"
/// Bits of a sample before it is encoded.
public let AVEncoderBitDepthHintKey = "AVEncoderBitDepthHintKey"
/// How the rate is converted.
public let AVSampleRateConverterAudioQualityKey = "AVSampleRateConverterQualityKey"
/// Where the channels are.
public let AVChannelLayoutKey = "AVChannelLayoutKey"

/// How well something is encoded.
public enum AVAudioQuality: Int, Sendable {
    /// For the least room.
    case min = 0
    /// For little room.
    case low = 0x20
    /// In between.
    case medium = 0x40
    /// Well.
    case high = 0x60
    /// As well as it gets.
    case max = 0x7f
}
