internal import Foundation

/// AAC in a CAF file. The table of its packets comes last.
final class CAFSink: PacketSink {
    private let file: PacketFile
    private let encoder: (packetFrames: Int, delay: Int)
    /// Where the length of the packets stands.
    private let place: Int
    private var sizes: [Int] = []

    init(_ file: PacketFile, _ encoder: AACEncoder, rate: Int, channels: Int, bitRate: Int) throws {
        self.file = file
        self.encoder = (encoder.packetFrames, encoder.delay)
        let description =
            Box.long(Int(truncatingIfNeeded: Double(rate).bitPattern)) + Box.text("aac ") + Box.word(0) + Box.word(0)
            + Box.word(encoder.packetFrames) + Box.word(channels) + Box.word(0)
        let cookie = Box.stream(config: encoder.config, bitRate: bitRate)
        try file.append(Box.text("caff") + Box.half(1) + Box.half(0))
        try file.append(Self.chunk("desc", description) + Self.chunk("kuki", cookie))
        place = file.length + 4
        // Its length comes later; its first bytes count changes.
        try file.append(Box.text("data") + Box.long(-1) + Box.word(0))
    }

    private static func chunk(_ type: String, _ body: Data) -> Data { Box.text(type) + Box.long(body.count) + body }

    func write(_ packet: Data) throws {
        sizes.append(packet.count)
        try file.append(packet)
    }

    func finish(frames: Int) throws {
        let length = file.length - (place + 8)
        let padding = max(0, sizes.count * encoder.packetFrames - encoder.delay - frames)
        let lengths = sizes.reduce(into: Data()) { data, size in
            for part in [14, 7] where size >> part > 0 { data.append(UInt8(size >> part & 0x7f | 0x80)) }
            data.append(UInt8(size & 0x7f))
        }
        let head = Box.long(sizes.count) + Box.long(frames) + Box.word(encoder.delay) + Box.word(padding)
        try file.append(Self.chunk("pakt", head + lengths))
        try file.replace(Box.long(length), at: place)
        try file.close()
    }
}
