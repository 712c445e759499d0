internal import Foundation

/// An MPEG-4 file of sound. Its index comes last: a file that is not finished cannot be read.
final class MPEG4Sink: PacketSink {
    private static let perChunk = 32

    private let file: PacketFile
    private let rate: Int
    private let channels: Int
    private let bitRate: Int
    private let packetFrames: Int
    private let delay: Int
    private let config: [UInt8]
    /// Where the length of the packets stands.
    private let place: Int
    private var sizes: [UInt32] = []
    private var chunks: [Int] = []

    init(_ file: PacketFile, _ encoder: AACEncoder, rate: Int, channels: Int, bitRate: Int) throws {
        (self.file, self.rate, self.channels, self.bitRate) = (file, rate, channels, bitRate)
        (packetFrames, delay, config) = (encoder.packetFrames, encoder.delay, encoder.config)
        try file.append(Box.make("ftyp", Box.text("M4A "), Box.word(0), Box.text("M4A mp42isom")))
        place = file.length + 8
        // With a length of eight bytes, which comes later.
        try file.append(Box.word(1) + Box.text("mdat") + Box.long(0))
    }

    func write(_ packet: Data) throws {
        if sizes.count % Self.perChunk == 0 { chunks.append(file.length) }
        sizes.append(UInt32(packet.count))
        try file.append(packet)
    }

    func finish(frames: Int) throws {
        let end = file.length
        try file.append(index(frames))
        try file.replace(Box.long(end - (place - 8)), at: place)
        try file.close()
    }

    // MARK: The index

    private func index(_ frames: Int) -> Data {
        let total = delay + frames
        let movie = Box.full(
            "mvhd", [0, 0], duration: frames, scale: rate, Box.word(0x10000), Box.half(0x100), Data(count: 10),
            Box.matrix, Data(count: 24), Box.word(2))
        let header = Box.track(duration: frames)
        let edit = Box.make("edts", Box.edit(length: frames, start: delay))
        let media = Box.make(
            "mdia", Box.full("mdhd", [0, 0], duration: total, scale: rate, Box.half(0x55c4), Box.half(0)),
            Box.make("hdlr", Data(count: 8), Box.text("soun"), Data(count: 12), Data("Sound\0".utf8)),
            Box.make(
                "minf", Box.make("smhd", Data(count: 8)),
                Box.make("dinf", Box.make("dref", Data(count: 4), Box.word(1), Box.make("url ", Box.word(1)))),
                table(total)))
        return Box.make("moov", movie, Box.make("trak", header, edit, media), words(frames))
    }

    private func table(_ total: Int) -> Data {
        let rest = total - (sizes.count - 1) * packetFrames
        let isCut = sizes.count > 1 && 1..<packetFrames ~= rest
        let times =
            isCut
            ? Box.words([2, sizes.count - 1, packetFrames, 1, rest]) : Box.words([1, sizes.count, packetFrames])
        let last = sizes.count % Self.perChunk
        var runs = sizes.count < Self.perChunk ? [] : [[1, Self.perChunk, 1]]
        if last > 0 { runs.append([chunks.count, last, 1]) }
        let isFar = (chunks.last ?? 0) > Int(UInt32.max)
        let places = chunks.reduce(into: Data()) { $0 += isFar ? Box.long($1) : Box.word($1) }
        let lengths = sizes.reduce(into: Data()) { $0 += Box.word(Int($1)) }
        return Box.make(
            "stbl", Box.make("stsd", Data(count: 4), Box.word(1), entry), Box.make("stts", Data(count: 4), times),
            Box.make("stsc", Data(count: 4), Box.word(runs.count), Box.words(runs.flatMap { $0 })),
            Box.make("stsz", Data(count: 8), Box.word(sizes.count), lengths),
            Box.make(isFar ? "co64" : "stco", Data(count: 4), Box.word(chunks.count), places))
    }

    private var entry: Data {
        let whole = Box.stream(config: config, bitRate: bitRate)
        // The place for the rate has 16 bits; the configuration says it too.
        let shown = rate <= 0xffff ? rate : 0
        return Box.make(
            "mp4a", Data(count: 6), Box.half(1), Data(count: 8), Box.half(channels), Box.half(16), Data(count: 4),
            Box.word(shown << 16), Box.make("esds", Data(count: 4), whole))
    }

    /// What players read that do not know edits.
    private func words(_ frames: Int) -> Data {
        let padding = max(0, sizes.count * packetFrames - delay - frames)
        func hexadecimal(_ number: Int, _ digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        let numbers = [(0, 8), (delay, 8), (padding, 8), (frames, 16)] + Array(repeating: (0, 8), count: 8)
        let text = numbers.map { " " + hexadecimal($0.0, $0.1) }.joined()
        let item = Box.make(
            "----", Box.make("mean", Data(count: 4), Box.text("com.apple.iTunes")),
            Box.make("name", Data(count: 4), Box.text("iTunSMPB")),
            Box.make("data", Box.word(1), Data(count: 4), Data(text.utf8)))
        let handler = Box.make("hdlr", Data(count: 8), Box.text("mdirappl"), Data(count: 9))
        return Box.make("udta", Box.make("meta", Data(count: 4), handler, Box.make("ilst", item)))
    }
}

/// Parts of an MPEG-4 file.
enum Box {
    static func text(_ text: String) -> Data { Data(text.utf8) }
    static func half(_ number: Int) -> Data { bytes(number, 2) }
    static func word(_ number: Int) -> Data { bytes(number, 4) }
    static func long(_ number: Int) -> Data { bytes(number, 8) }
    static func words(_ numbers: [Int]) -> Data { numbers.reduce(into: Data()) { $0 += word($1) } }

    private static func bytes(_ number: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) })
    }

    static func make(_ type: String, _ parts: Data...) -> Data {
        let body = parts.reduce(into: Data()) { $0 += $1 }
        return word(body.count + 8) + text(type) + body
    }

    /// One with times: of 64 bits where it is long.
    static func full(_ type: String, _ times: [Int], duration: Int, scale: Int, _ parts: Data...) -> Data {
        let isLong = duration > Int(UInt32.max)
        let head = times.reduce(into: word(isLong ? 1 << 24 : 0)) { $0 += isLong ? long($1) : word($1) }
        let length = isLong ? long(duration) : word(duration)
        return make(type, head, word(scale), length, parts.reduce(into: Data()) { $0 += $1 })
    }

    static func track(duration: Int) -> Data {
        let isLong = duration > Int(UInt32.max)
        let (number, empty) = (word(1), word(0))
        // Enabled, and in the movie.
        let head = word((isLong ? 1 << 24 : 0) | 7) + Data(count: isLong ? 16 : 8) + number + empty
        return make(
            "tkhd", head, isLong ? long(duration) : word(duration), Data(count: 12), half(0x100), half(0), matrix,
            Data(count: 8))
    }

    static func edit(length: Int, start: Int) -> Data {
        let isLong = length > Int(UInt32.max)
        let numbers = isLong ? long(length) + long(start) : word(length) + word(start)
        return make("elst", word(isLong ? 1 << 24 : 0), word(1), numbers, word(0x10000))
    }

    /// Nothing is turned or moved.
    static var matrix: Data { words([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]) }

    /// What a decoder of AAC needs.
    static func stream(config: [UInt8], bitRate: Int) -> Data {
        let stream = Data([0x40, 0x15, 0, 0, 0]) + word(bitRate) + word(bitRate)
        let decoder = descriptor(4, stream, descriptor(5, Data(config)))
        return descriptor(3, Data(count: 3), decoder, descriptor(6, Data([2])))
    }

    private static func descriptor(_ tag: UInt8, _ parts: Data...) -> Data {
        let body = parts.reduce(into: Data()) { $0 += $1 }
        let length = (0..<4).map { place -> UInt8 in
            let bits = UInt8(truncatingIfNeeded: body.count >> (7 * (3 - place)) & 0x7f)
            return place < 3 ? bits | 0x80 : bits
        }
        return Data([tag]) + Data(length) + body
    }
}
