internal import CMedia
internal import Foundation

/// A file that libavformat takes apart, and its sound, which libavcodec decodes packet by packet. One thread at a time
/// uses it.
@safe final class MediaFile {
    /// A packet and its decoded samples.
    struct Packet {
        /// Interleaved; none where it could not be decoded.
        let samples: [Float]
        let channels: Int
        let rate: Int
        /// In units of the file's time.
        let time: Int64?
        let duration: Int64
        /// Frames that come before the sound begins.
        let skipped: Int
        /// Its offset in the file, in bytes.
        let offset: Int64
        let isProtected: Bool
        var frames: Int { channels > 0 ? samples.count / channels : 0 }
    }

    enum Outcome {
        case packet(Packet)
        case end
        /// The rest cannot be read.
        case failed
    }

    private let handle: OpaquePointer
    private let access: MediaAccess
    /// FFmpeg's name of the encoding.
    let codec: String
    /// Frames a second, as the file says; 0 where it does not.
    let statedRate: Int
    /// Seconds of a unit of time.
    private let unit: (numerator: Int, denominator: Int)
    /// In units of time, where the file says.
    let duration: Int64?
    /// Whether packets say when they are.
    let hasTimes: Bool
    /// Numbers that Apple's programs write about the frames to be played.
    let played: String

    init(_ container: MediaContainer, _ access: SoundAccess, name: String) throws(SoundFileError) {
        let own = MediaAccess(access)
        var (info, reason) = (gr_media_info(), GR_MEDIA_READABLE)
        let opened = unsafe gr_media_reader_open(container.library, own.source, &info, &reason)
        guard let opened = unsafe opened else {
            throw Self.error(reason, container, name, tag: Self.text(&info.tag), codec: Self.text(&info.codec))
        }
        unsafe handle = unsafe opened
        self.access = own
        codec = Self.text(&info.codec)
        played = Self.text(&info.played)
        statedRate = Int(info.rate)
        unit = (Int(info.unit_numerator), max(1, Int(info.unit_denominator)))
        duration = info.duration > 0 ? info.duration : nil
        hasTimes = info.has_times
    }

    deinit { unsafe gr_media_reader_close(handle) }

    private static func text<Letters>(_ letters: inout Letters) -> String {
        unsafe withUnsafeBytes(of: &letters) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    private static func error(
        _ reason: gr_media_reason, _ container: MediaContainer, _ name: String, tag: String, codec: String
    ) -> SoundFileError {
        switch reason {
        case GR_MEDIA_NO_SOUND: SoundFileError(.unsupported, "\(name) is \(container.name) without sound")
        case GR_MEDIA_PROTECTED: protected(name)
        case GR_MEDIA_UNKNOWN_CODEC:
            SoundFileError(
                .unsupported,
                "\(name) is \(container.name) with “\(tag.isEmpty ? codec : tag)”, which Greenroom does not decode")
        default: SoundFileError(.broken, "\(name) is \(container.name) that was cut off, or makes no sense")
        }
    }

    static func protected(_ name: String) -> SoundFileError {
        SoundFileError(.unsupported, "\(name) is protected, and its key is not here")
    }

    /// The next, in their order.
    ///
    /// - Parameter decodes: whether its samples are wanted.
    func next(decodes: Bool = true) -> Outcome {
        var packet = unsafe gr_media_packet()
        switch unsafe gr_media_reader_next(handle, decodes, &packet) {
        case GR_MEDIA_PACKET: break
        case GR_MEDIA_END: return .end
        default: return .failed
        }
        let count = unsafe Int(packet.frames) * Int(packet.channels)
        let samples = unsafe packet.samples.map { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
        return unsafe .packet(
            Packet(
                samples: samples, channels: Int(packet.channels), rate: Int(packet.rate),
                time: packet.has_time ? packet.time : nil, duration: packet.duration, skipped: Int(packet.skipped),
                offset: packet.offset, isProtected: packet.is_protected))
    }

    /// To the last packet that begins at this time, or before it.
    func seek(time: Int64) -> Bool { unsafe gr_media_reader_seek_time(handle, time) }

    /// To a packet that was there.
    func seek(offset: Int64) -> Bool { unsafe gr_media_reader_seek_offset(handle, offset) }

    // MARK: Times

    /// Frames of so many units; `nil` where there are more than there can be.
    func frames(_ time: Int64, rate: Int) -> Int? {
        let product = Int128(time) * Int128(unit.numerator) * Int128(rate)
        let half = Int128(unit.denominator / 2)
        return Int(exactly: (product + (product < 0 ? -half : half)) / Int128(unit.denominator))
    }

    /// Units in which so many frames are over.
    func time(_ frames: Int, rate: Int) -> Int64 {
        Int64(clamping: Int128(frames) * Int128(unit.denominator) / (Int128(max(1, unit.numerator)) * Int128(rate)))
    }

    /// By how many frames a time may be off, since it is in units.
    func tolerance(rate: Int) -> Int {
        let frames = unit.numerator * rate / unit.denominator
        return frames > 1 ? 2 * frames : 0
    }
}

/// What the library reads, with the place where it does.
@safe private final class MediaAccess {
    private let access: SoundAccess
    private var position = 0

    init(_ access: SoundAccess) { self.access = access }

    var source: gr_media_source {
        unsafe gr_media_source(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            read: { owner, buffer, size in
                guard size > 0, let own = unsafe MediaAccess.own(owner) else { return 0 }
                let bytes = own.access.part(at: own.position, Int(size))
                unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyBytes(from: bytes)
                own.position += bytes.count
                return CInt(bytes.count)
            },
            seek: { owner, offset in
                guard offset >= 0, let own = unsafe MediaAccess.own(owner) else { return -1 }
                own.position = Int(offset)
                return offset
            },
            length: { owner in
                guard let own = unsafe MediaAccess.own(owner), own.access.hasEnd else { return -1 }
                return Int64(own.access.length)
            }, is_seekable: access.hasEnd)
    }

    private static func own(_ owner: UnsafeMutableRawPointer?) -> MediaAccess? {
        unsafe owner.map { unsafe Unmanaged<MediaAccess>.fromOpaque($0).takeUnretainedValue() }
    }
}
