internal import Foundation

/// Why a file of sound cannot be used. Its description is a sentence for people.
package struct SoundFileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable { case notFound, unsupported, broken, cannotWrite, other }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }
}

/// What reads or writes the samples of a file, interleaved. One thread at a time uses it.
protocol SoundBackend: AnyObject {
    /// Less than asked at the end, and where the file is broken.
    func read(_ count: Int) -> [Float]
    /// Why it reads less than it should, if it does.
    var failure: String? { get }
    /// - Returns: where it reads next.
    func seek(to frame: Int) -> Int?
    /// - Returns: how many frames were written.
    func write(_ samples: [Float]) -> Int
    /// Nothing is read or written any more.
    ///
    /// - Returns: whether what was written is in the file.
    func close() -> Bool
}

/// A sound that is read or written in blocks: by libsndfile, or what that cannot by FFmpeg's libraries.
///
/// Unchecked: the backend is used under the lock only.
package final class SoundFile: @unchecked Sendable {
    /// Nothing that is recorded has more; a file that says so would only cost memory.
    package static let mostChannels = 32
    static let rates = 1_000...768_000

    package let rate: Int
    package let channels: Int
    /// `nil` where the file does not say.
    package let frames: Int?
    package let kind: SoundKind
    private let lock = NSLock()
    private var backend: (any SoundBackend)?

    init(_ backend: any SoundBackend, rate: Int, channels: Int, frames: Int?, kind: SoundKind) {
        self.backend = backend
        (self.rate, self.channels, self.frames, self.kind) = (rate, channels, frames, kind)
    }

    deinit { close() }

    // MARK: Reading

    /// - Parameter access: lies outside, and is read as a file is.
    package static func open(_ access: SoundAccess, name: String) throws(SoundFileError) -> SoundFile {
        if let container = MediaContainer.strange(access) { return try media(access, container, name: name) }
        let start = access.start
        do throws(SoundFileError) {
            return try LibrarySound.open(access, name: name)
        } catch {
            return try refused(access, start, name, error)
        }
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
        let access = FileBytes(path).map { SoundAccess($0) }
        if let access, let container = MediaContainer.strange(access) {
            return try media(access, container, name: path)
        }
        let start = access?.start ?? Data()
        do throws(SoundFileError) {
            return try LibrarySound.open(path, start: start)
        } catch {
            guard let access else { throw error }
            return try refused(access, start, path, error)
        }
    }

    /// Tries libavformat after libsndfile has refused a file in a container that both know. libsndfile calls a file
    /// broken if it does not know its encoding.
    private static func refused(
        _ access: SoundAccess, _ start: Data, _ name: String, _ error: SoundFileError
    ) throws(SoundFileError) -> SoundFile {
        guard MediaLibrary.isThere, let container = MediaContainer.refused(start) else { throw error }
        do throws(SoundFileError) {
            return try media(access, container, name: name)
        } catch let other {
            throw other.kind == .unsupported ? other : error
        }
    }

    private static func media(
        _ access: SoundAccess, _ container: MediaContainer, name: String
    ) throws(SoundFileError) -> SoundFile {
        guard MediaLibrary.isThere else { throw MediaLibrary.missing("\(name) is \(container.name), which") }
        // From here on, reads wait for bytes that have not arrived yet.
        if access.hasEnd { access.opened() }
        let caf = container == .caf ? CAFFrames(access) : nil
        let file = try MediaFile(container, access, name: name)
        let reader = try MediaReader(file, access, caf: caf, name: name)
        guard rates ~= reader.rate, 1...mostChannels ~= reader.channels else {
            throw SoundFileError(.broken, "\(name) says that it has \(reader.rate) frames a second")
        }
        let kind = SoundKind(container, codec: file.codec)
        return SoundFile(reader, rate: reader.rate, channels: reader.channels, frames: reader.frames, kind: kind)
    }

    /// Interleaved; less than asked at the end, and where the file is broken.
    package func read(_ count: Int) -> [Float] {
        lock.withLock {
            guard let backend, count > 0 else { return [] }
            var samples = backend.read(count)
            // Nothing a speaker could do with these.
            for place in samples.indices where !samples[place].isFinite { samples[place] = 0 }
            return samples
        }
    }

    /// Why it reads less than it should, if it does.
    package var failure: String? { lock.withLock { backend?.failure } }

    /// - Returns: where it reads next.
    @discardableResult
    package func seek(to frame: Int) -> Int? {
        lock.withLock { backend?.seek(to: max(0, min(frame, frames ?? Int.max))) }
    }

    // MARK: Writing

    /// - Parameter bitRate: bits of a second, for encodings that have a choice.
    package static func create(
        _ url: URL, kind: SoundKind, rate: Int, channels: Int, bitRate: Int? = nil
    ) throws(SoundFileError) -> SoundFile {
        guard rates ~= rate, 1...mostChannels ~= channels else {
            throw SoundFileError(.unsupported, "\(channels) channels with \(rate) frames a second cannot be recorded")
        }
        let backend: any SoundBackend
        if kind.isOfPackets {
            let bits = bitRate ?? SoundKind.bitRate([:], rate: rate, channels: channels)
            backend = try AACWriter(url, kind: kind, rate: rate, channels: channels, bitRate: bits)
        } else {
            backend = try LibrarySound.create(url, kind: kind, rate: rate, channels: channels)
        }
        return SoundFile(backend, rate: rate, channels: channels, frames: 0, kind: kind)
    }

    /// - Returns: how many frames were written.
    package func write(_ samples: [Float]) -> Int {
        lock.withLock { samples.isEmpty ? 0 : backend?.write(samples) ?? 0 }
    }

    /// Nothing is read or written any more.
    ///
    /// - Returns: whether what was written is in the file.
    @discardableResult
    package func close() -> Bool {
        lock.withLock {
            defer { backend = nil }
            return backend?.close() ?? true
        }
    }
}
