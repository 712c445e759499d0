internal import Foundation

/// The packets of AAC without a container, each of which has a head: as radio sends it.
final class ADTSPackets: PacketSource {
    /// Bytes that are looked through for the next head when something else is in between; and in a whole file.
    private static let (patience, mostPatience) = (1 << 16, 1 << 20)

    let format: PacketFormat
    private let access: SoundAccess
    private let name: String
    /// Where packets begin, as far as that is known.
    private var offsets: [Int] = []
    /// Of the next that is not in there, and its number.
    private var next: Int
    private var passed = 0
    private var strangeBytes = 0
    private var isWhole = false
    private let isKept: Bool

    var count: Int? { isWhole ? passed : nil }
    var isSeekable: Bool { isKept }

    private struct Head {
        let length: Int
        let size: Int
        let config: [UInt8]

        /// `nil` if it is none.
        init?(_ view: ByteView) {
            guard let sync = view.number(0, 2), sync & 0xfff6 == 0xfff0, let word = view.number(2, 5) else {
                return nil
            }
            // From its end: blocks 2, fullness 11, size 13, rights 4, channels 3, private 1, rate 4, profile 2.
            let (blocks, size, channels) = (word & 3, word >> 13 & 0x1fff, word >> 30 & 7)
            let (rate, profile) = (word >> 34 & 15, word >> 38 & 3)
            length = sync & 1 == 1 ? 7 : 9
            guard size > length, blocks == 0, rate < 13, channels > 0 else { return nil }
            self.size = size
            let bits = (profile + 1) << 11 | rate << 7 | channels << 3
            config = [UInt8(truncatingIfNeeded: bits >> 8), UInt8(truncatingIfNeeded: bits)]
        }
    }

    /// Where the sound begins, if it is of this kind: words about it may come first.
    static func start(_ access: SoundAccess) -> Int? {
        let view = ByteView([UInt8](access.bytes(at: 0, 10)))
        var offset = 0
        if view.text(0, 3) == "ID3", let bytes = view.part(6, 4)?.array {
            offset = 10 + bytes.reduce(0) { $0 << 7 | Int($1 & 0x7f) }
        }
        guard let head = Head(ByteView([UInt8](access.bytes(at: offset, 7)))) else { return nil }
        // Two heads where they should be are no accident.
        let next = [UInt8](access.bytes(at: offset + head.size, 7))
        return next.count < 7 || Head(ByteView(next)) != nil ? offset : nil
    }

    init(_ access: SoundAccess, at start: Int, name: String) throws(SoundFileError) {
        (self.access, self.name, next) = (access, name, start)
        isKept = access.hasEnd
        guard let head = Head(ByteView([UInt8](access.bytes(at: start, 7)))) else {
            throw SoundFileError(.broken, "\(name) is AAC that makes no sense")
        }
        format = PacketFormat(codec: .aac, config: head.config, extent: { _, decoded in (0, decoded) })
        // What comes from elsewhere is not waited for only to be counted.
        guard !access.isRemote else { return }
        while step() != nil {}
    }

    /// Goes past the next packet.
    private func step() -> (offset: Int, head: Head)? {
        guard !isWhole, passed < MPEG4Table.mostPackets || !isKept else { return nil }
        let end = next + Self.patience
        while next < end, !isKept || strangeBytes < Self.mostPatience {
            let bytes = [UInt8](access.bytes(at: next, 7))
            if bytes.count < 7 { break }
            if let head = Head(ByteView(bytes)) {
                let offset = next
                if isKept { offsets.append(offset) }
                passed += 1
                next += head.size
                return (offset, head)
            }
            next += 1
            strangeBytes += 1
        }
        isWhole = true
        return nil
    }

    func packet(_ index: Int) -> PacketOutcome {
        if isKept {
            while index >= offsets.count { if step() == nil { return .end } }
            return read(offsets[index])
        }
        // Without an end, it is only gone through.
        guard let found = step() else { return .end }
        return read(found.offset)
    }

    private func read(_ offset: Int) -> PacketOutcome {
        guard let head = Head(ByteView([UInt8](access.bytes(at: offset, 7)))) else { return .end }
        let bytes = access.bytes(at: offset + head.length, head.size - head.length)
        guard bytes.count == head.size - head.length else { return .failed("\(name) ends within a packet") }
        return .packet(bytes)
    }
}
