internal import CAudioCodecs
internal import Foundation

extension SoundKind {
    /// A file by its name and by the settings that apps give.
    package init(_ url: URL, _ settings: [String: Any]) throws(SoundFileError) {
        let name = url.lastPathComponent
        let format = Self.number(settings[AVFormatIDKey]).map { UInt32(truncatingIfNeeded: $0) }
        guard let container = Self.container(url.pathExtension) else {
            throw SoundFileError(
                .unsupported,
                "\(name) cannot be recorded: name it .wav, .aiff, .caf, .flac, .ogg, .opus, .mp3, .m4a or .aac, which Greenroom writes"
            )
        }
        let encoding = try Self.encoding(format ?? Self.usual(container), container, url, settings)
        self.init(container, encoding)
    }

    /// Whether a file of this kind can be so; what libsndfile writes is checked when the file is made.
    func check(_ url: URL, rate: Int, channels: Int, bitRate: Int) throws(SoundFileError) {
        guard isOfPackets else { return }
        try AACWriter.check(url, rate: rate, channels: channels, bitRate: bitRate)
    }

    private static func number(_ value: Any?) -> Int? {
        switch value {
        case let number as NSNumber: number.intValue
        case let number as any BinaryInteger: Int(truncatingIfNeeded: number)
        case let number as Double: Int(exactly: number.rounded())
        default: nil
        }
    }

    /// Of settings that apps give: a number of any type.
    static func setting(_ key: String, _ settings: [String: Any]) -> Int? { number(settings[key]) }

    private static func flag(_ key: String, _ settings: [String: Any]) -> Bool {
        settings[key] as? Bool ?? (number(settings[key]) ?? 0 != 0)
    }

    private static func usual(_ container: Int32) -> UInt32 {
        switch container {
        case Self.part(SF_FORMAT_FLAC): kAudioFormatFLAC
        case Self.part(SF_FORMAT_OGG): vorbis
        case Self.part(SF_FORMAT_MPEG): kAudioFormatMPEGLayer3
        case Self.mpeg4, Self.adts: kAudioFormatMPEG4AAC
        default: kAudioFormatLinearPCM
        }
    }

    private static func encoding(
        _ format: UInt32, _ container: Int32, _ url: URL, _ settings: [String: Any]
    ) throws(SoundFileError) -> Int32 {
        let depth = number(settings[AVLinearPCMBitDepthKey]) ?? number(settings[AVEncoderBitDepthHintKey]) ?? 16
        let isOfPackets = [Self.mpeg4, Self.adts].contains(container)
        let isContainerOfItsOwn =
            isOfPackets || [SF_FORMAT_FLAC, SF_FORMAT_OGG, SF_FORMAT_MPEG].map { Self.part($0) }.contains(container)
        let encoding: Int32?
        switch format {
        case kAudioFormatLinearPCM where !isContainerOfItsOwn: encoding = linear(depth, settings)
        // Samples as they are go into a container that only packs them.
        case kAudioFormatLinearPCM, kAudioFormatFLAC:
            encoding =
                container == Self.part(SF_FORMAT_FLAC)
                ? Self.part(depth > 16 ? SF_FORMAT_PCM_24 : SF_FORMAT_PCM_16) : nil
        case kAudioFormatAppleLossless:
            encoding =
                container == Self.part(SF_FORMAT_CAF)
                ? Self.part(depth > 16 ? SF_FORMAT_ALAC_24 : SF_FORMAT_ALAC_16) : nil
        case kAudioFormatOpus: encoding = container == Self.part(SF_FORMAT_OGG) ? Self.part(SF_FORMAT_OPUS) : nil
        case vorbis:
            let isOpus = url.pathExtension.lowercased() == "opus"
            encoding =
                container == Self.part(SF_FORMAT_OGG) ? Self.part(isOpus ? SF_FORMAT_OPUS : SF_FORMAT_VORBIS) : nil
        case kAudioFormatMPEGLayer3:
            encoding = container == Self.part(SF_FORMAT_MPEG) ? Self.part(SF_FORMAT_MPEG_LAYER_III) : nil
        case kAudioFormatMPEG4AAC: encoding = isOfPackets || container == Self.caf ? Self.aac : nil
        case kAudioFormatULaw: encoding = isOfPackets ? nil : Self.part(SF_FORMAT_ULAW)
        case kAudioFormatALaw: encoding = isOfPackets ? nil : Self.part(SF_FORMAT_ALAW)
        default: encoding = nil
        }
        guard let encoding else {
            throw SoundFileError(
                .unsupported,
                "\(url.lastPathComponent) cannot hold the format “\(letters(format))”: give it another name or format")
        }
        return encoding
    }

    private static func linear(_ depth: Int, _ settings: [String: Any]) -> Int32? {
        let order = flag(AVLinearPCMIsBigEndianKey, settings) ? Self.part(SF_ENDIAN_BIG) : 0
        if flag(AVLinearPCMIsFloatKey, settings) { return Self.part(SF_FORMAT_FLOAT) | order }
        switch depth {
        case 8: return Self.part(SF_FORMAT_PCM_U8)
        case 16: return Self.part(SF_FORMAT_PCM_16) | order
        case 24: return Self.part(SF_FORMAT_PCM_24) | order
        case 32: return Self.part(SF_FORMAT_PCM_32) | order
        default: return nil
        }
    }

    private static func letters(_ format: UInt32) -> String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: format >> (24 - 8 * UInt32($0))) }
        return bytes.allSatisfy { 0x20..<0x7f ~= $0 } ? String(decoding: bytes, as: UTF8.self) : String(format)
    }

    /// Bits of a second that settings ask for, or are usual for AAC: 64,000 of a channel.
    static func bitRate(_ settings: [String: Any], rate: Int, channels: Int) -> Int {
        // They may be anything, and are refused elsewhere.
        let channels = max(1, min(channels, SoundFile.mostChannels))
        if let bits = number(settings[AVEncoderBitRateKey]), bits > 0 { return bits }
        if let bits = number(settings[AVEncoderBitRatePerChannelKey]), bits > 0, bits < Int(Int32.max) {
            return bits * channels
        }
        let quality =
            settings[AVEncoderAudioQualityKey] as? AVAudioQuality
            ?? number(settings[AVEncoderAudioQualityKey]).flatMap { AVAudioQuality(rawValue: $0) }
        let bits =
            switch quality {
            case .min: 32_000
            case .low: 48_000
            case .high: 96_000
            case .max: 128_000
            case .medium, nil: 64_000
            }
        // What has fewer frames has less to say.
        return max(8_000, bits * max(0, min(rate, 44_100)) / 44_100) * channels
    }

    /// What Apple's objects say of a file in this format.
    func settings(rate: Int, channels: Int) -> [String: Any] {
        var settings: [String: Any] = [
            AVFormatIDKey: formatID, AVSampleRateKey: Double(rate), AVNumberOfChannelsKey: channels,
        ]
        if formatID == kAudioFormatLinearPCM {
            settings[AVLinearPCMBitDepthKey] = bitDepth
            settings[AVLinearPCMIsFloatKey] = isFloat
            settings[AVLinearPCMIsBigEndianKey] = false
            settings[AVLinearPCMIsNonInterleaved] = false
        }
        return settings
    }
}
