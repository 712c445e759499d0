internal import Simulation

/// Makes new inputs from known ones. The same seed makes the same inputs from the same corpus.
struct Mutator {
    private var random: SplitMix64
    private let tokens: [[UInt8]]
    private let longest: Int

    init(seed: UInt64, tokens: [[UInt8]], longest: Int) {
        random = SplitMix64(seed: seed)
        self.tokens = tokens
        self.longest = longest
    }

    mutating func input(from corpus: [[UInt8]]) -> [UInt8] {
        var bytes = corpus.isEmpty ? [] : corpus[random.below(corpus.count)]
        for _ in 0...random.below(6) { mutate(&bytes, corpus) }
        if bytes.count > longest { bytes.removeLast(bytes.count - longest) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8], _ corpus: [[UInt8]]) {
        switch random.below(14) {
        case 0: if let place = place(in: bytes) { bytes[place] ^= 1 << UInt8(random.below(8)) }
        case 1: if let place = place(in: bytes) { bytes[place] = byte() }
        case 2: bytes.insert(byte(), at: random.below(bytes.count + 1))
        case 3: bytes.removeSubrange(range(in: bytes))
        case 4: bytes.insert(contentsOf: bytes[range(in: bytes)], at: random.below(bytes.count + 1))
        case 5, 6: if let token = token() { bytes.insert(contentsOf: token, at: random.below(bytes.count + 1)) }
        case 7: if let token = token() { bytes.replaceSubrange(range(in: bytes), with: token) }
        case 8: splice(&bytes, corpus)
        case 9: number(&bytes)
        case 10: bytes.removeLast(random.below(bytes.count + 1))
        case 11: `repeat`(&bytes)
        case 12: bytes.replaceSubrange(range(in: bytes), with: word())
        default: exchange(&bytes)
        }
    }

    private mutating func place(in bytes: [UInt8]) -> Int? { bytes.isEmpty ? nil : random.below(bytes.count) }

    private mutating func byte() -> UInt8 {
        let extremes: [UInt8] = [0, 1, 0x0A, 0x20, 0x22, 0x2D, 0x39, 0x5C, 0x7F, 0x80, 0xC3, 0xF4, 0xFF]
        return random.oneIn(3) ? extremes[random.below(extremes.count)] : UInt8(truncatingIfNeeded: random.next())
    }

    private mutating func token() -> [UInt8]? { tokens.isEmpty ? nil : tokens[random.below(tokens.count)] }

    /// Short ones more often than long ones.
    private mutating func range(in bytes: [UInt8]) -> Range<Int> {
        let start = random.below(bytes.count + 1)
        let most = min(bytes.count - start, random.oneIn(4) ? bytes.count : 8)
        return start..<start + random.below(most + 1)
    }

    private mutating func splice(_ bytes: inout [UInt8], _ corpus: [[UInt8]]) {
        guard !corpus.isEmpty else { return }
        let other = corpus[random.below(corpus.count)]
        let source = range(in: other)
        bytes.replaceSubrange(range(in: bytes), with: other[source])
    }

    /// Writes another number in the place of one that is written in digits.
    private mutating func number(_ bytes: inout [UInt8]) {
        let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
        let from = random.below(bytes.count + 1)
        guard let start = bytes[from...].firstIndex(where: isDigit) ?? bytes.firstIndex(where: isDigit) else { return }
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        bytes.replaceSubrange(start..<end, with: Self.numbers[random.below(Self.numbers.count)].utf8)
    }

    private static let numbers = [
        "0", "1", "-1", "00", "127", "128", "255", "256", "32767", "32768", "65535", "65536", "2147483647",
        "2147483648", "4294967295", "4294967296", "9007199254740993", "999999999999999999", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "18446744073709551615", "18446744073709551616",
        "99999999999999999999999", "1e9", "1e308", "1e309", "1e-400", "0.1", "-0", "0x7f",
    ]

    /// A number as programs store it, at its limits or near them, in either order of bytes.
    private mutating func word() -> [UInt8] {
        let width = [1, 2, 4, 8][random.below(4)]
        let extremes: [UInt64] = [
            0, 1, 0x7F, 0x80, .max, .max - 1, .max >> 1, .max >> 1 + 1, 1 << 31, 1 << 32, 1 << 62,
        ]
        let value = extremes[random.below(extremes.count)]
        // As the recordings store numbers: seven bits a byte.
        if random.oneIn(3) {
            var rest = value
            var bytes: [UInt8] = []
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            return bytes + [UInt8(rest)]
        }
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        return random.oneIn(2) ? bytes : bytes.reversed()
    }

    /// Depth and length: a piece many times over.
    private mutating func `repeat`(_ bytes: inout [UInt8]) {
        let piece = random.oneIn(2) ? Array(bytes[range(in: bytes)]) : token() ?? []
        guard !piece.isEmpty, piece.count < longest else { return }
        let times = min(random.oneIn(8) ? longest : random.below(100) + 2, max(1, longest / piece.count))
        var run: [UInt8] = []
        for _ in 0..<times { run += piece }
        bytes.insert(contentsOf: run, at: random.below(bytes.count + 1))
    }

    private mutating func exchange(_ bytes: inout [UInt8]) {
        let range = range(in: bytes)
        let piece = Array(bytes[range])
        bytes.removeSubrange(range)
        bytes.insert(contentsOf: piece, at: random.below(bytes.count + 1))
    }
}
