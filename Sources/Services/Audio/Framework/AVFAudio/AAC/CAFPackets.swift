internal import Foundation

/// The packets of AAC in a CAF file, which libsndfile does not know.
final class CAFPackets: PacketSource {
    private static let (mostChunks, mostBytes) = (4096, 1 << 26)

    let format: PacketFormat
    private let access: SoundAccess
    private let name: String
    private var offsets: [Int] = []
    private var sizes: [UInt32] = []

    var count: Int? { offsets.count }
    var isSeekable: Bool { true }

    /// Whether a file begins as one of this kind does: its description comes first.
    static func isOne(_ start: Data) -> Bool {
        let view = ByteView([UInt8](start))
        return view.text(0, 4) == "caff" && view.text(8, 4) == "desc" && view.text(28, 4) == "aac "
    }

    init(_ access: SoundAccess, name: String) throws(SoundFileError) {
        (self.access, self.name) = (access, name)
        let broken = SoundFileError(.broken, "\(name) is a CAF file that was cut off, or makes no sense")
        var (offset, parts) = (8, [String: ByteView]())
        var sound: Range<Int>?
        for _ in 0..<Self.mostChunks {
            let head = ByteView([UInt8](access.bytes(at: offset, 12)))
            guard let type = head.text(0, 4), let stated = head.signed(4, 8) else { break }
            let start = offset + 12
            // Sound that was not written to its end, or is the last, may have no size.
            let size = stated == -1 && type == "data" ? access.length - start : stated
            guard size >= 0, size <= access.length - start else { throw broken }
            if type == "data" { sound = start + min(4, size)..<start + size }
            if ["kuki", "pakt"].contains(type), size <= Self.mostBytes {
                parts[type] = ByteView([UInt8](access.bytes(at: start, size)))
            }
            offset = start + size
        }
        guard let sound, let table = parts["pakt"], let cookie = parts["kuki"],
            let config = MPEG4Packets.config(cookie) ?? cookie.rest(4).flatMap(MPEG4Packets.config),
            let frames = table.number(8, 8), let priming = table.number(16), priming <= 1 << 20
        else { throw broken }
        format = PacketFormat(codec: .aac, config: config) { _, decoded in
            (min(priming, decoded), max(0, min(frames, decoded - priming)))
        }
        guard readPackets(table, sound) else { throw broken }
    }

    /// Sizes have seven bits in each byte.
    private func readPackets(_ table: ByteView, _ sound: Range<Int>) -> Bool {
        guard let count = table.number(0, 8), 1...MPEG4Table.mostPackets ~= count, count <= table.count else {
            return false
        }
        var (place, offset) = (24, sound.lowerBound)
        for _ in 0..<count {
            var (size, isOpen) = (0, true)
            while isOpen {
                guard let byte = table.number(place, 1), size < 1 << 24 else { return false }
                size = size << 7 | byte & 0x7f
                isOpen = byte & 0x80 != 0
                place += 1
            }
            guard size <= sound.upperBound - offset else { return false }
            offsets.append(offset)
            sizes.append(UInt32(size))
            offset += size
        }
        return true
    }

    func packet(_ index: Int) -> PacketOutcome {
        guard offsets.indices.contains(index) else { return .end }
        let size = Int(sizes[index])
        guard size <= MPEG4Packets.largestPacket else { return .failed("\(name) has a packet of \(size) bytes") }
        let bytes = access.bytes(at: offsets[index], size)
        return bytes.count == size ? .packet(bytes) : .failed("\(name) ends before its end")
    }
}

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
