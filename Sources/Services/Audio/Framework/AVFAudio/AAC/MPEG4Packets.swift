internal import Foundation

/// The packets of the first track of an MPEG-4 file that has sound.
final class MPEG4Packets: PacketSource {
    /// More than what a file of two days has before its sound.
    private static let longestIndex = 1 << 26
    private static let mostBoxes = 1 << 16
    static let largestPacket = 1 << 20

    let format: PacketFormat
    private let table: MPEG4Table
    private let access: SoundAccess
    private let name: String

    var count: Int? { table.offsets.count }
    var isSeekable: Bool { true }

    init(_ access: SoundAccess, name: String) throws(SoundFileError) {
        (self.access, self.name) = (access, name)
        let movie = try Self.movie(access, name)
        let scale = movie.box("mvhd").flatMap { $0.number($0.number(0, 1) == 1 ? 20 : 12) }
        let tracks = movie.boxes.filter { $0.type == "trak" && $0.body.box("mdia", "hdlr")?.text(8, 4) == "soun" }
        guard !tracks.isEmpty else { throw SoundFileError(.unsupported, "\(name) is an MPEG-4 file without sound") }
        var reason: SoundFileError?
        for track in tracks {
            do throws(SoundFileError) {
                let (codec, config) = try Self.codec(track.body, name)
                guard let table = MPEG4Table(track.body, movieScale: scale, length: access.length) else {
                    throw Self.broken(name)
                }
                let played = codec == .aac ? Self.played(movie) : nil
                let extent = { @Sendable (rate: Int, decoded: Int) -> (priming: Int, frames: Int)? in
                    guard let played, played.priming + played.frames <= decoded else {
                        return table.extent(rate, decoded)
                    }
                    return played
                }
                (self.table, format) = (table, PacketFormat(codec: codec, config: config, extent: extent))
                return
            } catch {
                reason = reason ?? error
            }
        }
        throw reason ?? Self.broken(name)
    }

    private static func broken(_ name: String) -> SoundFileError {
        SoundFileError(.broken, "\(name) is an MPEG-4 file that makes no sense")
    }

    private static func fragments(_ name: String) -> SoundFileError {
        SoundFileError(.unsupported, "\(name) is an MPEG-4 file of fragments, which Greenroom does not read")
    }

    // MARK: The index

    /// Before the sound, or behind it.
    private static func movie(_ access: SoundAccess, _ name: String) throws(SoundFileError) -> ByteView {
        var (offset, length) = (0, access.length)
        for _ in 0..<mostBoxes {
            let head = ByteView([UInt8](access.bytes(at: offset, 16)))
            // It may have been counted on the way here.
            length = access.length
            guard let short = head.number(0), let type = head.text(4, 4) else { break }
            var (size, start) = (short, 8)
            if short == 1, let long = head.number(8, 8) { (size, start) = (long, 16) }
            if short == 0 { size = length - offset }
            guard size >= start, size <= length - offset else {
                throw SoundFileError(.broken, "\(name) was cut off, or not written to its end")
            }
            if type == "moof" { throw fragments(name) }
            if type == "moov" {
                guard size <= longestIndex else { throw broken(name) }
                let bytes = [UInt8](access.bytes(at: offset + start, size - start))
                guard bytes.count == size - start else { throw broken(name) }
                let movie = ByteView(bytes)
                if movie.box("mvex") != nil { throw fragments(name) }
                return movie
            }
            offset += size
        }
        throw SoundFileError(
            .broken, "\(name) is an MPEG-4 file without an index: it was cut off, or not written to its end")
    }

    private static func codec(
        _ track: ByteView, _ name: String
    ) throws(SoundFileError) -> (AACDecoder.Codec, [UInt8]) {
        guard let entry = track.box("mdia", "minf", "stbl", "stsd")?.rest(8)?.boxes.first else { throw broken(name) }
        // Old files of QuickTime's have more before the boxes.
        let more = [0, 16, 36]
        guard let version = entry.body.number(8, 2), more.indices.contains(version),
            let boxes = entry.body.rest(28 + more[version])
        else { throw broken(name) }
        switch entry.type {
        case "mp4a":
            guard let descriptor = boxes.box("esds") ?? boxes.box("wave", "esds"),
                let config = descriptor.rest(4).flatMap(config)
            else {
                throw SoundFileError(.unsupported, "\(name) is an MPEG-4 file whose sound is no AAC")
            }
            return (.aac, config)
        case "alac":
            // Frames per packet, of which a decoder makes room for as many as a file says.
            guard let box = boxes.box("alac") ?? boxes.box("wave", "alac"), box.count >= 28,
                let frames = box.number(4), 1...65_536 ~= frames
            else { throw broken(name) }
            return (.lossless, [0, 0, 0, 36] + Array("alac".utf8) + box.array.prefix(28))
        case "enca", "drms":
            throw SoundFileError(.unsupported, "\(name) is protected, and its key is not here")
        default:
            throw SoundFileError(
                .unsupported, "\(name) is an MPEG-4 file with “\(entry.type)”, which Greenroom does not decode")
        }
    }

    /// The AudioSpecificConfig in a descriptor.
    static func config(_ descriptor: ByteView) -> [UInt8]? {
        guard let stream = part(3, descriptor), let flags = stream.number(2, 1) else { return nil }
        var offset = 3
        if flags & 0x80 != 0 { offset += 2 }
        if flags & 0x40 != 0 { offset += 1 + (stream.number(offset, 1) ?? 0) }
        if flags & 0x20 != 0 { offset += 2 }
        guard let decoder = part(4, stream.rest(offset)), let kind = decoder.number(0, 1),
            kind == 0x40 || 0x66...0x68 ~= kind, let config = part(5, decoder.rest(13)), 2...1024 ~= config.count
        else { return nil }
        return config.array
    }

    /// The first descriptor, if it has this tag: its length is in seven bits of each byte.
    private static func part(_ tag: Int, _ view: ByteView?) -> ByteView? {
        guard let view, view.number(0, 1) == tag else { return nil }
        var length = 0
        for place in 1...4 {
            guard let byte = view.number(place, 1) else { return nil }
            length = length << 7 | byte & 0x7f
            if byte & 0x80 == 0 { return view.part(place + 1, length) ?? view.rest(place + 1) }
        }
        return nil
    }

    /// What Apple's programs write: hexadecimal numbers, exact to the frame.
    private static func played(_ movie: ByteView) -> (priming: Int, frames: Int)? {
        guard let list = movie.box("udta", "meta")?.rest(4)?.box("ilst") else { return nil }
        for item in list.boxes where item.type == "----" {
            guard let name = item.body.box("name"), name.text(4, name.count - 4) == "iTunSMPB",
                let data = item.body.box("data"), let text = data.text(8, min(data.count - 8, 512))
            else { continue }
            let numbers = text.split(separator: " ").map { Int($0, radix: 16) }
            guard numbers.count > 3, let priming = numbers[1], let frames = numbers[3], frames > 0,
                0...100_000 ~= priming, frames < Int.max / 2
            else { return nil }
            return (priming, frames)
        }
        return nil
    }

    // MARK: Packets

    func packet(_ index: Int) -> PacketOutcome {
        guard table.offsets.indices.contains(index) else { return .end }
        let size = Int(table.sizes[index])
        guard size <= Self.largestPacket else { return .failed("\(name) has a packet of \(size) bytes") }
        let bytes = access.bytes(at: table.offsets[index], size)
        guard bytes.count == size else { return .failed("\(name) ends before its end") }
        return .packet(bytes)
    }
}
