internal import Foundation

/// What files of packets say about their sound.
struct PacketFormat {
    let codec: AACDecoder.Codec
    /// What the decoder needs.
    let config: [UInt8]
    /// Frames in all, without those that the encoder has added, and how many of these come first; `nil` where the file
    /// does not say. A function of the frames per second that come out, and of those that come out in all.
    let extent: @Sendable (_ rate: Int, _ decoded: Int) -> (priming: Int, frames: Int)?
}

/// Where a decoder's packets come from. One thread at a time uses it.
protocol PacketSource: AnyObject {
    var format: PacketFormat { get }
    /// How many there are; `nil` where that is not known.
    var count: Int? { get }
    /// Whether one that was read can be read again.
    var isSeekable: Bool { get }
    func packet(_ index: Int) -> PacketOutcome
}

enum PacketOutcome {
    case packet(Data)
    case end
    /// Why the rest cannot be read.
    case failed(String)
}

/// The bytes of a file that is open.
///
/// Unchecked: immutable.
final class FileBytes: SoundBytes, @unchecked Sendable {
    private let handle: FileHandle
    let length: Int

    init?(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path), let length = try? handle.seekToEnd() else { return nil }
        (self.handle, self.length) = (handle, Int(clamping: length))
    }

    deinit { try? handle.close() }

    func bytes(at offset: Int, _ count: Int) -> Data {
        guard offset >= 0, offset < length, count > 0 else { return Data() }
        var data = Data(count: min(count, length - offset))
        let size = data.count
        let read = unsafe data.withUnsafeMutableBytes { buffer in
            unsafe buffer.baseAddress.map { unsafe pread(handle.fileDescriptor, $0, size, off_t(offset)) } ?? 0
        }
        return data.prefix(max(0, read))
    }
}
