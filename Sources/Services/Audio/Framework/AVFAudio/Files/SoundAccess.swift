internal import CAudioCodecs
internal import Foundation
internal import Glibc

/// Bytes of a sound that are no file.
package protocol SoundBytes: AnyObject, Sendable {
    /// How many there are in all.
    var length: Int { get }
    /// At most so many from a place on. It may wait for them; none means that it is the end.
    func bytes(at offset: Int, _ count: Int) -> Data
    /// Whether they have to be fetched.
    var isRemote: Bool { get }
    /// Whether `length` is known: radio has none.
    var hasEnd: Bool { get }
    /// What they are has been seen: what is asked for from here on is waited for.
    func opened()
}

extension SoundBytes {
    package var isRemote: Bool { false }
    package var hasEnd: Bool { true }
    package func opened() {}
}

/// Bytes with a place where they are read, as a file has it.
///
/// Unchecked: one thread at a time reads.
package final class SoundAccess: @unchecked Sendable {
    private let source: any SoundBytes
    fileprivate var position = 0

    package init(_ source: any SoundBytes) { self.source = source }

    var length: Int { source.length }
    var isRemote: Bool { source.isRemote }
    var hasEnd: Bool { source.hasEnd }
    func opened() { source.opened() }

    /// All of them but at the end.
    func bytes(at offset: Int, _ count: Int) -> Data {
        guard offset >= 0, count > 0 else { return Data() }
        var bytes = Data()
        while bytes.count < count, offset <= Int.max - count,
            case let part = source.bytes(at: offset + bytes.count, count - bytes.count), !part.isEmpty
        {
            bytes += part
        }
        return bytes
    }

    /// As many of them as there are without waiting for more: one at least, but at the end.
    func part(at offset: Int, _ count: Int) -> Data { source.bytes(at: offset, count) }

    package static let startLength = 64

    /// By which what it is can be told.
    var start: Data { source.bytes(at: 0, Self.startLength) }

    /// - Returns: where it reads next; `nil` if there is no such place.
    fileprivate func move(to offset: Int, _ whence: CInt) -> Int? {
        let base: Int
        switch whence {
        case SEEK_SET: base = 0
        case SEEK_CUR: base = position
        case SEEK_END: base = length
        default: return nil
        }
        let (sum, overflows) = base.addingReportingOverflow(offset)
        guard !overflows, sum >= 0 else { return nil }
        position = sum
        return sum
    }

    /// All of them but at the end: the library takes fewer for the end.
    fileprivate func take(_ count: Int) -> Data {
        var bytes = Data()
        while bytes.count < count, case let part = source.bytes(at: position, count - bytes.count), !part.isEmpty {
            bytes += part
            position += part.count
        }
        return bytes
    }

    /// What the library calls.
    static var functions: SF_VIRTUAL_IO {
        unsafe SF_VIRTUAL_IO(
            get_filelen: { owner in sf_count_t(unsafe own(owner)?.length ?? 0) },
            seek: { offset, whence, owner in sf_count_t(unsafe own(owner)?.move(to: Int(offset), whence) ?? -1) },
            read: { pointer, count, owner in
                guard count > 0, let pointer = unsafe pointer, let own = unsafe own(owner) else { return 0 }
                let bytes = own.take(Int(count))
                unsafe UnsafeMutableRawBufferPointer(start: pointer, count: Int(count)).copyBytes(from: bytes)
                return sf_count_t(bytes.count)
            },
            write: { _, _, _ in 0 },
            tell: { owner in sf_count_t(unsafe own(owner)?.position ?? 0) })
    }
}

private func own(_ owner: UnsafeMutableRawPointer?) -> SoundAccess? {
    unsafe owner.map { unsafe Unmanaged<SoundAccess>.fromOpaque($0).takeUnretainedValue() }
}

/// Bytes in memory.
package final class DataBytes: SoundBytes {
    private let data: Data

    package init(_ data: Data) { self.data = data }

    package var length: Int { data.count }

    package func bytes(at offset: Int, _ count: Int) -> Data {
        guard offset < data.count, count > 0 else { return Data() }
        let start = data.startIndex + offset
        return data[start..<min(start + count, data.endIndex)]
    }
}

/// The bytes of a file that is open.
///
/// Unchecked: immutable.
package final class FileBytes: SoundBytes, @unchecked Sendable {
    private let handle: FileHandle
    package let length: Int

    /// Returns `nil` if the file cannot be opened. The caller then lets libsndfile say why.
    convenience init?(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
        self.init(handle)
    }

    /// Takes a descriptor. Returns `nil` if it has no places that could be read.
    package convenience init?(descriptor: CInt) {
        self.init(FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    private init?(_ handle: FileHandle) {
        guard let length = try? handle.seekToEnd() else { return nil }
        (self.handle, self.length) = (handle, Int(clamping: length))
    }

    // Nothing was written, so a failure loses nothing.
    deinit { try? handle.close() }

    package func bytes(at offset: Int, _ count: Int) -> Data {
        guard offset >= 0, offset < length, count > 0 else { return Data() }
        var data = Data(count: min(count, length - offset))
        let size = data.count
        let read = unsafe data.withUnsafeMutableBytes { buffer in
            unsafe buffer.baseAddress.map { unsafe pread(handle.fileDescriptor, $0, size, off_t(offset)) } ?? 0
        }
        return data.prefix(max(0, read))
    }
}
