internal import CAudioCodecs
internal import Foundation
internal import Glibc
internal import Synchronization

/// Why a file of sound cannot be used. Its description is a sentence for people.
package struct SoundFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable { case notFound, unsupported, broken, cannotWrite, other }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}

/// A sound that libsndfile reads or writes in blocks.
///
/// Unchecked: what the library has is used under the lock only.
@safe package final class SoundFile: @unchecked Sendable {
    /// Nothing that is recorded has more; a file that says so would only cost memory.
    package static let mostChannels = 32
    private static let rates = 1_000...768_000

    package let rate: Int
    package let channels: Int
    /// `nil` where the file does not say.
    package let frames: Int?
    package let kind: SoundKind
    private let access: SoundAccess?
    private let lock = NSLock()
    private var handle: OpaquePointer?

    private init(_ handle: OpaquePointer, _ info: SF_INFO, _ access: SoundAccess?) {
        unsafe self.handle = unsafe handle
        self.access = access
        (rate, channels) = (Int(info.samplerate), Int(info.channels))
        // What has no end yet says the greatest number.
        frames = 0..<Int(Int32.max) * 1_000 ~= Int(info.frames) ? Int(info.frames) : nil
        kind = SoundKind(rawValue: info.format)
    }

    deinit { close() }

    // MARK: Reading

    /// - Parameter access: lies outside, and is read as a file is.
    package static func open(_ access: SoundAccess, name: String) throws(SoundFileError) -> SoundFile {
        let start = access.start
        var info = SF_INFO()
        var functions = SoundAccess.functions
        let owner = unsafe Unmanaged.passUnretained(access).toOpaque()
        let handle = unsafe sf_open_virtual(&functions, SFM_READ.word, &info, owner)
        return unsafe try checked(handle, info, access, name, start)
    }

    package static func open(_ url: URL) throws(SoundFileError) -> SoundFile {
        guard url.isFileURL else { throw SoundFileError(.unsupported, "\(url) is not a file") }
        let path = url.path
        guard FileManager.default.fileExists(atPath: path) else {
            throw SoundFileError(.notFound, "there is no file \(path)")
        }
        // A pipe would be waited for.
        let kind = try? FileManager.default.attributesOfItem(atPath: (path as NSString).resolvingSymlinksInPath)[.type]
        guard kind as? FileAttributeType == .typeRegular else {
            throw SoundFileError(.unsupported, "\(path) is not a regular file")
        }
        let start = FileHandle(forReadingAtPath: path).flatMap { handle in
            defer { try? handle.close() }
            return (try? handle.read(upToCount: SoundAccess.startLength)).flatMap { $0 }
        }
        var info = SF_INFO()
        let handle = unsafe sf_open(path, SFM_READ.word, &info)
        return unsafe try checked(handle, info, nil, path, start ?? Data())
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
        guard rates ~= Int(info.samplerate), 1...mostChannels ~= Int(info.channels), info.frames >= 0 else {
            unsafe sf_close(handle)
            throw SoundFileError(
                .broken, "\(name) says that it has \(info.channels) channels and \(info.samplerate) frames a second")
        }
        return unsafe SoundFile(handle, info, access)
    }

    private static let hint = "WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus and MP3 are"

    /// Interleaved; less than asked at the end, and where the file is broken.
    package func read(_ count: Int) -> [Float] {
        lock.withLock {
            guard let handle = unsafe handle, count > 0 else { return [] }
            var samples = unsafe [Float](unsafeUninitializedCapacity: count * channels) { buffer, used in
                let read = unsafe buffer.baseAddress.map { unsafe sf_readf_float(handle, $0, sf_count_t(count)) } ?? 0
                used = max(0, min(Int(read), count)) * channels
            }
            // Nothing a speaker could do with these.
            for place in samples.indices where !samples[place].isFinite { samples[place] = 0 }
            return samples
        }
    }

    /// Why it reads less than it should, if it does.
    package var failure: String? {
        lock.withLock {
            guard let handle = unsafe handle, unsafe sf_error(handle) != 0 else { return nil }
            return unsafe String(cString: sf_strerror(handle))
        }
    }

    /// - Returns: where it reads next.
    @discardableResult
    package func seek(to frame: Int) -> Int? {
        lock.withLock {
            guard let handle = unsafe handle else { return nil }
            let end = frames ?? Int.max
            let reached = unsafe sf_seek(handle, sf_count_t(max(0, min(frame, end))), SF_SEEK_SET.word)
            return reached < 0 ? nil : Int(reached)
        }
    }

    // MARK: Writing

    package static func create(
        _ url: URL, kind: SoundKind, rate: Int, channels: Int
    ) throws(SoundFileError) -> SoundFile {
        guard rates ~= rate, 1...mostChannels ~= channels else {
            throw SoundFileError(.unsupported, "\(channels) channels with \(rate) frames a second cannot be recorded")
        }
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
        return unsafe SoundFile(handle, info, nil)
    }

    /// - Returns: how many frames were written.
    package func write(_ samples: [Float]) -> Int {
        lock.withLock {
            guard let handle = unsafe handle, !samples.isEmpty else { return 0 }
            return unsafe samples.withUnsafeBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return Int(unsafe sf_writef_float(handle, base, sf_count_t(samples.count / channels)))
            }
        }
    }

    /// Nothing is read or written any more. What was written is in the file.
    package func close() {
        lock.withLock {
            guard let closing = unsafe handle else { return }
            unsafe sf_close(closing)
            unsafe handle = nil
        }
    }
}

// The library's constants come as unsigned numbers, and its functions take signed ones.
extension FixedWidthInteger {
    fileprivate var word: Int32 { Int32(truncatingIfNeeded: self) }
}
