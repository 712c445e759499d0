internal import Foundation

/// What packets are written into.
protocol PacketSink: AnyObject {
    func write(_ packet: Data) throws
    /// No more comes.
    ///
    /// - Parameter frames: those of the sound, without what the encoder has added.
    func finish(frames: Int) throws
}

/// Encodes samples, and writes a file of packets.
final class AACWriter: SoundBackend {
    let failure: String? = nil
    private let encoder: AACEncoder
    private let sink: any PacketSink
    private let channels: Int
    private var waiting: [Float] = []
    private var frames = 0
    private var isWhole = true

    init(_ url: URL, kind: SoundKind, rate: Int, channels: Int, bitRate: Int) throws(SoundFileError) {
        let name = url.lastPathComponent
        encoder = try Self.encoder(name, rate: rate, channels: channels, bitRate: bitRate)
        self.channels = channels
        do {
            let file = try PacketFile(url)
            if kind.isADTS {
                sink = ADTSSink(file, config: encoder.config)
            } else if kind.isCAF {
                sink = try CAFSink(file, encoder, rate: rate, channels: channels, bitRate: bitRate)
            } else {
                sink = try MPEG4Sink(file, encoder, rate: rate, channels: channels, bitRate: bitRate)
            }
        } catch {
            throw SoundFileError(.cannotWrite, "\(url.path) cannot be written: \(error.localizedDescription)")
        }
    }

    private static func encoder(
        _ name: String, rate: Int, channels: Int, bitRate: Int
    ) throws(SoundFileError) -> AACEncoder {
        guard MediaLibrary.isThere else { throw MediaLibrary.missing("recording \(name) as AAC") }
        guard let encoder = AACEncoder(rate: rate, channels: channels, bitRate: bitRate) else {
            throw SoundFileError(
                .unsupported,
                "\(name) cannot have \(channels) channels with \(rate) frames a second: AAC has 7,350 to 96,000")
        }
        return encoder
    }

    /// Whether there can be such a file.
    static func check(
        _ url: URL, rate: Int, channels: Int, bitRate: Int
    ) throws(SoundFileError) {
        _ = try encoder(url.lastPathComponent, rate: rate, channels: channels, bitRate: bitRate)
    }

    func write(_ samples: [Float]) -> Int {
        guard isWhole else { return 0 }
        // The encoder refuses what is no number, and what is louder than the loudest would come out as noise.
        waiting += samples.map { $0.isFinite ? max(-1, min(1, $0)) : 0 }
        var done = 0
        let size = encoder.packetFrames * channels
        while waiting.count - done >= size {
            guard encode(waiting[done..<done + size]) else { return 0 }
            done += size
        }
        waiting.removeFirst(done)
        frames += samples.count / channels
        return samples.count / channels
    }

    private func encode(_ samples: ArraySlice<Float>) -> Bool {
        do {
            guard let packets = encoder.encode(samples) else { throw CocoaError(.fileWriteUnknown) }
            for packet in packets { try sink.write(packet) }
        } catch {
            isWhole = false
        }
        return isWhole
    }

    func close() -> Bool {
        if isWhole, !waiting.isEmpty { _ = encode(waiting[...]) }
        if isWhole { _ = encode([]) }
        do {
            try sink.finish(frames: frames)
        } catch {
            isWhole = false
        }
        return isWhole
    }

    func read(_ count: Int) -> [Float] { [] }
    func seek(to frame: Int) -> Int? { nil }
}

/// A file that is written from its begin to its end, some at once.
final class PacketFile {
    private static let atOnce = 1 << 16

    private let handle: FileHandle
    private var waiting = Data()
    /// How long it is.
    private(set) var length = 0

    init(_ url: URL) throws {
        try Data().write(to: url)
        handle = try FileHandle(forWritingTo: url)
    }

    func append(_ bytes: Data) throws {
        waiting += bytes
        length += bytes.count
        if waiting.count >= Self.atOnce { try flush() }
    }

    private func flush() throws {
        try handle.write(contentsOf: waiting)
        waiting = Data()
    }

    /// Bytes in the place of others.
    func replace(_ bytes: Data, at offset: Int) throws {
        try flush()
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: bytes)
        try handle.seekToEnd()
    }

    func close() throws {
        try flush()
        try handle.close()
    }
}

/// AAC without a container: each packet has a head.
final class ADTSSink: PacketSink {
    private let file: PacketFile
    private let head: UInt64

    init(_ file: PacketFile, config: [UInt8]) {
        self.file = file
        let bits = config.prefix(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let (kind, rate, channels) = (bits >> 11, bits >> 7 & 15, bits >> 3 & 15)
        // Sync, without a checksum; profile, rate and channels; a bit rate that varies.
        head = 0xfff1 << 40 | (kind - 1) << 38 | rate << 34 | channels << 30 | 0x7ff << 2
    }

    func write(_ packet: Data) throws {
        let word = head | UInt64(packet.count + 7) << 13
        try file.append(Data((0..<7).map { UInt8(truncatingIfNeeded: word >> (48 - 8 * UInt64($0))) }) + packet)
    }

    func finish(frames: Int) throws { try file.close() }
}
