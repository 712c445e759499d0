internal import CAudioCodecs
internal import Foundation

/// Container and encoding of a sound, in libsndfile's numbers.
package struct SoundKind: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    init(_ container: some BinaryInteger, _ encoding: some BinaryInteger) {
        rawValue = Int32(truncatingIfNeeded: container) | Int32(truncatingIfNeeded: encoding)
    }

    static func part(_ number: some BinaryInteger) -> Int32 { Int32(truncatingIfNeeded: number) }

    private var container: Int32 { rawValue & Self.part(SF_FORMAT_TYPEMASK) }
    private var encoding: Int32 { rawValue & Self.part(SF_FORMAT_SUBMASK) }

    /// A container by how the names of its files end; `nil` if none can be written.
    static func container(_ pathExtension: String) -> Int32? {
        switch pathExtension.lowercased() {
        case "wav", "wave": part(SF_FORMAT_WAV)
        case "aif", "aiff", "aifc": part(SF_FORMAT_AIFF)
        case "caf": part(SF_FORMAT_CAF)
        case "flac": part(SF_FORMAT_FLAC)
        case "ogg", "oga", "opus": part(SF_FORMAT_OGG)
        case "mp3": part(SF_FORMAT_MPEG)
        case "au", "snd": part(SF_FORMAT_AU)
        case "m4a", "m4b", "mp4": mpeg4
        case "aac": adts
        default: nil
        }
    }

    /// Apple's number of the encoding.
    package var formatID: UInt32 {
        switch encoding {
        case Self.part(SF_FORMAT_ALAC_16), Self.part(SF_FORMAT_ALAC_20), Self.part(SF_FORMAT_ALAC_24),
            Self.part(SF_FORMAT_ALAC_32):
            kAudioFormatAppleLossless
        case Self.part(SF_FORMAT_VORBIS): SoundKind.vorbis
        case Self.part(SF_FORMAT_OPUS): kAudioFormatOpus
        case Self.part(SF_FORMAT_MPEG_LAYER_III): kAudioFormatMPEGLayer3
        case Self.aac: kAudioFormatMPEG4AAC
        case Self.part(SF_FORMAT_ULAW): kAudioFormatULaw
        case Self.part(SF_FORMAT_ALAW): kAudioFormatALaw
        default: container == Self.part(SF_FORMAT_FLAC) ? kAudioFormatFLAC : kAudioFormatLinearPCM
        }
    }

    // MARK: Files of packets

    /// Numbers that libsndfile does not have: of containers, and of an encoding.
    static let (mpeg4, adts, aac): (Int32, Int32, Int32) = (0x0aa0_0000, 0x0ab0_0000, 0x0aac)

    init(packets container: Int32, isLossless: Bool) {
        self.init(container, isLossless ? Self.part(SF_FORMAT_ALAC_16) : Self.aac)
    }

    /// Whether libsndfile does not know it.
    var isOfPackets: Bool { container == Self.mpeg4 || encoding == Self.aac }
    var isCAF: Bool { container == Self.part(SF_FORMAT_CAF) }
    var isADTS: Bool { container == Self.adts }

    static var caf: Int32 { part(SF_FORMAT_CAF) }

    static func isMPEG4(_ start: Data) -> Bool { start.dropFirst(4).starts(with: "ftyp".utf8) }

    /// Apple has no number for it.
    static let vorbis: UInt32 = 0x766f_7262

    /// Of a sample as it is in the file; 0 where there is no such number.
    package var bitDepth: Int {
        switch encoding {
        case Self.part(SF_FORMAT_PCM_S8), Self.part(SF_FORMAT_PCM_U8): 8
        case Self.part(SF_FORMAT_PCM_16), Self.part(SF_FORMAT_ALAC_16): 16
        case Self.part(SF_FORMAT_PCM_24), Self.part(SF_FORMAT_ALAC_24): 24
        case Self.part(SF_FORMAT_PCM_32), Self.part(SF_FORMAT_FLOAT), Self.part(SF_FORMAT_ALAC_32): 32
        case Self.part(SF_FORMAT_DOUBLE): 64
        default: 0
        }
    }

    package var isFloat: Bool {
        encoding == Self.part(SF_FORMAT_FLOAT) || encoding == Self.part(SF_FORMAT_DOUBLE)
    }

    /// Recorders write the head of such a file when they close it.
    package var isOgg: Bool { container == Self.part(SF_FORMAT_OGG) }

    /// The name of a format that a file begins with and that is not decoded, as people call it.
    static func unsupported(_ start: Data) -> String? {
        let bytes = [UInt8](start)
        func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        if bytes.count > 1, bytes[0] == 0xff, bytes[1] & 0xf6 == 0xf0 { return "AAC of an unusual kind" }
        if has("#EXTM3U", at: 0) { return "an HLS playlist" }
        if bytes.starts(with: [0x30, 0x26, 0xb2, 0x75]) { return "Windows Media" }
        if bytes.starts(with: [0x1a, 0x45, 0xdf, 0xa3]) { return "Matroska or WebM" }
        if has("#!AMR", at: 0) { return "AMR" }
        if has("wvpk", at: 0) { return "WavPack" }
        if has("MAC ", at: 0) { return "Monkey's Audio" }
        if has("MThd", at: 0) { return "MIDI" }
        return nil
    }
}

/// Apple's numbers of encodings.
public typealias AudioFormatID = UInt32
/// Samples as they are.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6c70_636d
/// AAC.
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320
/// MP3.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2e6d_7033
/// ALAC.
public let kAudioFormatAppleLossless: AudioFormatID = 0x616c_6163
/// FLAC.
public let kAudioFormatFLAC: AudioFormatID = 0x666c_6163
/// Opus.
public let kAudioFormatOpus: AudioFormatID = 0x6f70_7573
/// µ-law.
public let kAudioFormatULaw: AudioFormatID = 0x756c_6177
/// A-law.
public let kAudioFormatALaw: AudioFormatID = 0x616c_6177
