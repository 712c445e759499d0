internal import CAudioCodecs
internal import Foundation

/// What libsndfile reads and writes.
@safe final class LibrarySound: SoundBackend {
    private let handle: OpaquePointer
    /// What is read, while it is.
    private let access: SoundAccess?
    private let channels: Int

    private init(_ handle: OpaquePointer, _ access: SoundAccess?, channels: Int) {
        unsafe self.handle = unsafe handle
        (self.access, self.channels) = (access, channels)
    }

    deinit { unsafe sf_close(handle) }

    // MARK: Reading

    static func open(_ access: SoundAccess, name: String) throws(SoundFileError) -> SoundFile {
        let start = access.start
        var info = SF_INFO()
        var functions = SoundAccess.functions
        let owner = unsafe Unmanaged.passUnretained(access).toOpaque()
        let handle = unsafe sf_open_virtual(&functions, SFM_READ.word, &info, owner)
        return unsafe try checked(handle, info, access, name, start)
    }

    /// - Parameter start: by which what it is can be told.
    static func open(_ path: String, start: Data) throws(SoundFileError) -> SoundFile {
        var info = SF_INFO()
        let handle = unsafe sf_open(path, SFM_READ.word, &info)
        return unsafe try checked(handle, info, nil, path, start)
    }

    private static func checked(
        _ handle: OpaquePointer?, _ info: SF_INFO, _ access: SoundAccess?, _ name: String, _ start: Data
    ) throws(SoundFileError) -> SoundFile {
        guard let handle = unsafe handle else {
            let (code, text) = unsafe (sf_error(nil), String(cString: sf_strerror(nil)))
            if let format = SoundKind.unsupported(start) {
                throw SoundFileError(
                    .unsupported, "\(name) is \(format), which Greenroom does not decode: \(Self.hint)")
            }
            guard code != SF_ERR_UNRECOGNISED_FORMAT.word, code != SF_ERR_UNSUPPORTED_ENCODING.word else {
                throw SoundFileError(.unsupported, "\(name) is in no format that Greenroom decodes: \(Self.hint)")
            }
            throw SoundFileError(.broken, "\(name) cannot be read: \(text.trimmingCharacters(in: .whitespaces))")
        }
        guard SoundFile.rates ~= Int(info.samplerate), 1...SoundFile.mostChannels ~= Int(info.channels),
            info.frames >= 0
        else {
            unsafe sf_close(handle)
            throw SoundFileError(
                .broken, "\(name) says that it has \(info.channels) channels and \(info.samplerate) frames a second")
        }
        // What has no end yet says the greatest number.
        let frames = 0..<Int(Int32.max) * 1_000 ~= Int(info.frames) ? Int(info.frames) : nil
        return unsafe SoundFile(
            LibrarySound(handle, access, channels: Int(info.channels)), rate: Int(info.samplerate),
            channels: Int(info.channels), frames: frames, kind: SoundKind(rawValue: info.format))
    }

    private static let hint = "WAV, AIFF, CAF, MPEG-4, QuickTime, FLAC, Ogg Vorbis, Opus, MP3, AAC and AMR are"

    func read(_ count: Int) -> [Float] {
        unsafe [Float](unsafeUninitializedCapacity: count * channels) { buffer, used in
            let read = unsafe buffer.baseAddress.map { unsafe sf_readf_float(handle, $0, sf_count_t(count)) } ?? 0
            used = max(0, min(Int(read), count)) * channels
        }
    }

    var failure: String? {
        guard unsafe sf_error(handle) != 0 else { return nil }
        return unsafe String(cString: sf_strerror(handle))
    }

    func seek(to frame: Int) -> Int? {
        let reached = unsafe sf_seek(handle, sf_count_t(frame), SF_SEEK_SET.word)
        return reached < 0 ? nil : Int(reached)
    }

    // MARK: Writing

    static func create(
        _ url: URL, kind: SoundKind, rate: Int, channels: Int
    ) throws(SoundFileError) -> LibrarySound {
        var info = SF_INFO()
        (info.samplerate, info.channels, info.format) = (Int32(rate), Int32(channels), kind.rawValue)
        guard unsafe sf_format_check(&info) != 0 else {
            throw SoundFileError(
                .unsupported, "\(url.lastPathComponent) cannot have \(channels) channels with \(rate) frames a second")
        }
        guard let handle = unsafe sf_open(url.path, SFM_WRITE.word, &info) else {
            let text = unsafe String(cString: sf_strerror(nil))
            throw SoundFileError(.cannotWrite, "\(url.path) cannot be written: \(text)")
        }
        // Samples beyond the loudest would come out as the opposite.
        unsafe sf_command(handle, SFC_SET_CLIPPING.word, nil, 1)
        return unsafe LibrarySound(handle, nil, channels: channels)
    }

    func write(_ samples: [Float]) -> Int {
        unsafe samples.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return 0 }
            return Int(unsafe sf_writef_float(handle, base, sf_count_t(samples.count / channels)))
        }
    }

    /// The library writes what it still has, and closes the file, when this object goes.
    func close() -> Bool { true }
}

// The library's constants come as unsigned numbers, and its functions take signed ones.
extension FixedWidthInteger {
    fileprivate var word: Int32 { Int32(truncatingIfNeeded: self) }
}
