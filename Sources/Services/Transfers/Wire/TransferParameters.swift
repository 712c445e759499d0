internal import Wire

/// One field of an HTTP message: `[name, value]`.
package struct WireHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What the records of transfers need beyond `Parameters`.
extension JSONValue {
    func headers(_ name: String) throws(RPCError) -> [WireHeader] {
        var headers: [WireHeader] = []
        for element in try elements(name) {
            guard case .array(let pair) = element, pair.count == 2, let key = pair[0].string, let value = pair[1].string
            else { throw .invalidParameter(name, "the parameter \(name) must be a list of pairs [name, value]") }
            headers.append(WireHeader(key, value))
        }
        return headers
    }

    static func headers(_ headers: [WireHeader]) -> JSONValue {
        .array(headers.map { [.string($0.name), .string($0.value)] })
    }

    /// Bytes, in Base64.
    func optionalBytes(_ name: String) throws(RPCError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        guard let bytes = Base64.bytes(text) else {
            throw .invalidParameter(name, "the parameter \(name) must be Base64 (RFC 4648, section 4)")
        }
        return bytes
    }
}

/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for byte in group { word = word << 8 | UInt32(byte) }
            word <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let digit = Int(word >> UInt32(6 * (3 - place)) & 63)
                text.append(place <= group.count ? alphabet[digit] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless it is what `text` writes: bits that mean nothing have to be zero.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        for start in stride(from: 0, to: digits.count, by: 4) {
            let group = digits[start..<start + 4]
            let isLast = start + 4 == digits.count
            let padding = isLast ? group.reversed().prefix { $0 == UInt8(ascii: "=") }.count : 0
            guard padding < 3 else { return nil }
            var word: UInt32 = 0
            for digit in group.dropLast(padding) {
                guard let value = value(digit) else { return nil }
                word = word << 6 | value
            }
            word <<= UInt32(6 * padding)
            guard padding == 0 || word & (1 << UInt32(8 * padding) - 1) == 0 else { return nil }
            for place in 0..<3 - padding { bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(16 - 8 * place))) }
        }
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
