internal import Wire

/// A record that is being read: its members by name, each with its bounds. Members that are not asked for are ignored,
/// so that a later version may add some.
package struct LinkMembers {
    private let object: JSONObject
    /// The value of `t`.
    let record: String

    /// A record is flat, and has a dozen members.
    private static let limits = JSONLimits(depth: 4, values: 64)

    init(line: [UInt8]) throws(LinkError) {
        guard line.count < LinkRules.lineLength else { throw .lineTooLong }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: line, limits: Self.limits)
        } catch {
            throw .notJSON(error.description)
        }
        guard case .object(let object) = json else { throw .notJSON("a record is an object") }
        guard case .string(let record) = object["t"] else {
            throw .badMember(record: "a record", member: "t", wanted: "a string")
        }
        self.object = object
        self.record = String(record.prefix(32))
    }

    private func bad(_ member: String, _ wanted: String) -> LinkError {
        .badMember(record: record, member: member, wanted: wanted)
    }

    var unknown: LinkError { .unknownRecord(record) }

    func integer(_ member: String, _ range: ClosedRange<Int64>) throws(LinkError) -> Int64 {
        guard case .int(let value) = object[member], range.contains(value) else {
            throw bad(member, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// A number that may be absent or null.
    func optionalInteger(_ member: String, _ range: ClosedRange<Int64>) throws(LinkError) -> Int64? {
        switch object[member] {
        case nil, .null: nil
        case .bool, .int, .double, .string, .array, .object: try integer(member, range)
        }
    }

    func number(_ member: String, _ range: ClosedRange<Double>) throws(LinkError) -> Double {
        guard let value = object[member]?.number, range.contains(value) else {
            throw bad(member, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func text(_ member: String, bytes: ClosedRange<Int>) throws(LinkError) -> String {
        guard case .string(let text) = object[member], bytes.contains(text.utf8.count) else {
            throw bad(member, "a string of \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        }
        return text
    }

    /// A text that may be absent or null.
    func optionalText(_ member: String, bytes: ClosedRange<Int>) throws(LinkError) -> String? {
        switch object[member] {
        case nil, .null: nil
        case .bool, .int, .double, .string, .array, .object: try text(member, bytes: bytes)
        }
    }

    func topic() throws(LinkError) -> String {
        guard case .string(let text) = object["topic"], LinkRules.isTopic(text) else { throw bad("topic", "a topic") }
        return text
    }

    func word<Word>(_ member: String, of type: Word.Type = Word.self) throws(LinkError) -> Word
    where Word: RawRepresentable<String> {
        guard case .string(let text) = object[member], let word = Word(rawValue: text) else {
            throw bad(member, "a word of the protocol")
        }
        return word
    }

    /// Lower-case hexadecimal digits, as both sides write them.
    func digits(_ member: String, count: Int) throws(LinkError) -> String {
        guard case .string(let text) = object[member], text.utf8.count == count,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { throw bad(member, "\(count) lower-case hexadecimal digits") }
        return text
    }

    func bytes(_ member: String, count: Int) throws(LinkError) -> [UInt8] {
        guard case .string(let text) = object[member], text.utf8.count <= 2 * count,
            let bytes = LinkBase64.bytes(text), bytes.count == count
        else { throw bad(member, "\(count) bytes in Base64") }
        return bytes
    }
}

/// Base64 with padding (RFC 4648, section 4).
enum LinkBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = Int(word >> UInt32(6 * (3 - place)) & 63)
                text.append(place <= group.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless it is what `text` writes.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        let padding = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard padding < 3 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var (word, bits): (UInt32, Int) = (0, 0)
        for digit in digits.dropLast(padding) {
            guard let value = value(digit) else { return nil }
            word = word << 6 | value
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
                word &= 1 << UInt32(bits) - 1
            }
        }
        // Bits that mean nothing are zero, and there is no more padding than those need.
        guard word == 0, bits == 2 * padding else { return nil }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
