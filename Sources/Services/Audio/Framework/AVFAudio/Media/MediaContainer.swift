internal import CAudioCodecs
internal import CMedia
internal import Foundation

/// Kinds of files that libavformat takes apart: those that libsndfile does not know.
enum MediaContainer: Hashable, Sendable {
    case mpeg4, caf, adts, amr, aiff, wave

    /// As people call it.
    var name: String {
        switch self {
        case .mpeg4: "an MPEG-4 file"
        case .caf: "a CAF file"
        case .adts: "AAC"
        case .amr: "AMR"
        case .aiff: "an AIFF file"
        case .wave: "a WAV file"
        }
    }

    /// The number by which libsndfile or, where it has none, ``SoundKind`` knows it.
    var number: Int32 {
        switch self {
        case .mpeg4: SoundKind.mpeg4
        case .caf: SoundKind.caf
        case .adts: SoundKind.adts
        case .amr: SoundKind.amr
        case .aiff: SoundKind.part(SF_FORMAT_AIFF)
        case .wave: SoundKind.part(SF_FORMAT_WAV)
        }
    }

    var library: gr_media_container {
        switch self {
        case .mpeg4: GR_MEDIA_MPEG4
        case .caf: GR_MEDIA_CAF
        case .adts: GR_MEDIA_ADTS
        case .amr: GR_MEDIA_AMR
        case .aiff: GR_MEDIA_AIFF
        case .wave: GR_MEDIA_WAVE
        }
    }

    /// The container of a file that only libavformat reads, or `nil` if libsndfile should try first.
    static func strange(_ access: SoundAccess) -> MediaContainer? {
        let start = ByteView([UInt8](access.start))
        // Old files of QuickTime's begin with any of these.
        if ["ftyp", "moov", "mdat", "wide", "pnot"].contains(start.text(4, 4)) { return .mpeg4 }
        if start.text(0, 4) == "caff", start.text(8, 4) == "desc" {
            return ["lpcm", "alac", "ulaw", "alaw"].contains(start.text(28, 4)) ? nil : .caf
        }
        if start.text(0, 5) == "#!AMR" { return .amr }
        return ADTSHead.begins(access, start) ? .adts : nil
    }

    /// The container of a file that libsndfile has refused, or `nil` if libavformat cannot read it either.
    static func refused(_ start: Data) -> MediaContainer? {
        let view = ByteView([UInt8](start))
        switch (view.text(0, 4), view.text(8, 4)) {
        case ("caff", _): return .caf
        case ("FORM", "AIFF"), ("FORM", "AIFC"): return .aiff
        case ("RIFF", "WAVE"): return .wave
        default: return nil
        }
    }
}

/// The head of a packet of AAC without a container: files of MP3 begin with nearly the same bytes.
private struct ADTSHead {
    private static let length = 7
    let size: Int

    init?(_ bytes: Data) {
        let view = ByteView([UInt8](bytes))
        guard let sync = view.number(0, 2), sync & 0xfff6 == 0xfff0, let word = view.number(2, 5) else { return nil }
        // From its end: blocks 2, fullness 11, size 13, rights 4, channels 3, private 1, rate 4, profile 2.
        let (size, rate) = (word >> 13 & 0x1fff, word >> 34 & 15)
        guard size > Self.length, rate < 13 else { return nil }
        self.size = size
    }

    /// Whether a sound is of this kind: words about it may come first.
    static func begins(_ access: SoundAccess, _ start: ByteView) -> Bool {
        var offset = 0
        if start.text(0, 3) == "ID3", let bytes = start.part(6, 4)?.array {
            offset = 10 + bytes.reduce(0) { $0 << 7 | Int($1 & 0x7f) }
        } else if start.number(0, 1) != 0xff {
            return false
        }
        guard let head = ADTSHead(access.bytes(at: offset, length)) else { return false }
        // Two heads where they should be are no accident.
        let next = access.bytes(at: offset + head.size, length)
        return next.count < length || ADTSHead(next) != nil
    }
}

/// The number of frames and the priming of a CAF file. libavformat 5.1 does not report them.
struct CAFFrames {
    private static let mostChunks = 4096

    /// Frames before the first of the sound, which an encoder adds.
    private(set) var priming = 0
    /// Of the sound.
    private(set) var frames: Int?

    init(_ access: SoundAccess) {
        // A file; a description with the bytes and the frames of a packet; the sound, and a table of its packets.
        var (offset, packet) = (8, (bytes: 0, frames: 0))
        for _ in 0..<Self.mostChunks {
            let head = ByteView([UInt8](access.bytes(at: offset, 12 + 32)))
            guard let type = head.text(0, 4), let stated = head.signed(4, 8) else { return }
            // Sound that was not written to its end, or is the last, may have no size.
            let size = stated == -1 && type == "data" ? max(0, access.length - offset - 12) : stated
            switch type {
            case "desc": packet = (head.number(12 + 16) ?? 0, head.number(12 + 20) ?? 0)
            case "data" where packet.bytes > 0:
                let packets = min(size, access.length - offset - 12) / packet.bytes
                let (all, isTooMany) = packets.multipliedReportingOverflow(by: packet.frames)
                if !isTooMany, all > 0 { frames = all }
            case "pakt":
                guard let valid = head.number(12 + 8, 8), let first = head.number(12 + 16), first <= 1 << 20 else {
                    return
                }
                (frames, priming) = (valid, first)
                return
            default: break
            }
            guard size >= 0, size <= access.length - offset - 12 else { return }
            offset += 12 + size
        }
    }
}
