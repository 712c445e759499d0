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
        case let encoding where Self.codecs.indices.contains(Int(encoding - Self.aac)):
            Self.codecs[Int(encoding - Self.aac)].formatID
        case Self.part(SF_FORMAT_IMA_ADPCM):
            container == Self.part(SF_FORMAT_WAV) ? kAudioFormatDVIIntelIMA : kAudioFormatAppleIMA4
        case Self.part(SF_FORMAT_GSM610): kAudioFormatMicrosoftGSM
        case Self.part(SF_FORMAT_ULAW): kAudioFormatULaw
        case Self.part(SF_FORMAT_ALAW): kAudioFormatALaw
        default: container == Self.part(SF_FORMAT_FLAC) ? kAudioFormatFLAC : kAudioFormatLinearPCM
        }
    }

    // MARK: Files of packets

    /// Numbers that libsndfile does not have: of containers, and of the first encoding.
    static let (mpeg4, adts, amr, aac): (Int32, Int32, Int32, Int32) = (0x0aa0_0000, 0x0ab0_0000, 0x0ac0_0000, 0x0a00)

    /// Encodings by FFmpeg's names, and Apple's numbers of them; samples as they are have none.
    private static let codecs: [(name: String, formatID: UInt32)] = [
        ("aac", kAudioFormatMPEG4AAC), ("alac", kAudioFormatAppleLossless), ("adpcm_ima_qt", kAudioFormatAppleIMA4),
        ("opus", kAudioFormatOpus), ("mp3", kAudioFormatMPEGLayer3), ("mp2", kAudioFormatMPEGLayer2),
        ("amr_nb", kAudioFormatAMR), ("amr_wb", kAudioFormatAMR_WB), ("ilbc", kAudioFormatiLBC),
        ("ac3", kAudioFormatAC3), ("eac3", kAudioFormatEnhancedAC3), ("flac", kAudioFormatFLAC),
        ("pcm_mulaw", kAudioFormatULaw), ("pcm_alaw", kAudioFormatALaw), ("adpcm_ima_wav", kAudioFormatDVIIntelIMA),
        ("adpcm_ms", 0x6d73_0002), ("gsm_ms", kAudioFormatMicrosoftGSM), ("gsm", 0x6167_736d),
        ("mace3", kAudioFormatMACE3), ("mace6", kAudioFormatMACE6), ("qdm2", kAudioFormatQDesign2),
        ("qdmc", kAudioFormatQDesign), ("qcelp", kAudioFormatQUALCOMM),
    ]

    /// - Parameter codec: FFmpeg's name of the encoding.
    init(_ container: MediaContainer, codec: String) {
        let index = Self.codecs.firstIndex { $0.name == codec }
        self.init(container.number, index.map { Self.aac + Int32($0) } ?? Self.part(SF_FORMAT_PCM_16))
    }

    /// Whether libsndfile does not know it.
    var isOfPackets: Bool { container == Self.mpeg4 || encoding == Self.aac }
    var isCAF: Bool { container == Self.part(SF_FORMAT_CAF) }
    var isADTS: Bool { container == Self.adts }

    static var caf: Int32 { part(SF_FORMAT_CAF) }

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
/// IMA ADPCM, as Apple's own sounds have it.
public let kAudioFormatAppleIMA4: AudioFormatID = 0x696d_6134
/// IMA ADPCM, as files of WAV have it.
public let kAudioFormatDVIIntelIMA: AudioFormatID = 0x6d73_0011
/// MP2.
public let kAudioFormatMPEGLayer2: AudioFormatID = 0x2e6d_7032
/// AMR of 8,000 frames a second.
public let kAudioFormatAMR: AudioFormatID = 0x7361_6d72
/// AMR of 16,000 frames a second.
public let kAudioFormatAMR_WB: AudioFormatID = 0x7361_7762
/// iLBC.
public let kAudioFormatiLBC: AudioFormatID = 0x696c_6263
/// AC-3.
public let kAudioFormatAC3: AudioFormatID = 0x6163_2d33
/// Enhanced AC-3.
public let kAudioFormatEnhancedAC3: AudioFormatID = 0x6563_2d33
/// GSM, as files of WAV have it.
public let kAudioFormatMicrosoftGSM: AudioFormatID = 0x6d73_0031
/// MACE 3:1.
public let kAudioFormatMACE3: AudioFormatID = 0x4d41_4333
/// MACE 6:1.
public let kAudioFormatMACE6: AudioFormatID = 0x4d41_4336
/// QDesign music.
public let kAudioFormatQDesign: AudioFormatID = 0x5144_4d43
/// QDesign music, of its second version.
public let kAudioFormatQDesign2: AudioFormatID = 0x5144_4d32
/// QCELP.
public let kAudioFormatQUALCOMM: AudioFormatID = 0x5163_6c70
/// µ-law.
public let kAudioFormatULaw: AudioFormatID = 0x756c_6177
/// A-law.
public let kAudioFormatALaw: AudioFormatID = 0x616c_6177
