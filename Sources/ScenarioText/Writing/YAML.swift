/// Values as YAML, on one line and as short as they can be.
enum YAML {
    static func text(_ text: String) -> String {
        if isPlain(text) { return text }
        let isPrintable = text.unicodeScalars.allSatisfy {
            $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F && $0 != "*"
        }
        // Quotes within are the more readable for it.
        if isPrintable, !text.isEmpty, text.contains("\"") || text.contains("\\") {
            return "'" + text.flatMap { $0 == "'" ? ["'", "'"] : [$0] } + "'"
        }
        return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ", ") + "]" }

    static func mapping(_ values: [(String, String)]) -> String {
        "{" + values.map { "\($0): \($1)" }.joined(separator: ", ") + "}"
    }

    /// Needs no quotes, also within brackets.
    private static func isPlain(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, isWord(first), bytes.last != UInt8(ascii: " ") else { return false }
        for (number, byte) in bytes.enumerated() where !isWord(byte) {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "\""), UInt8(ascii: "="):
                continue
            case UInt8(ascii: ":"):
                let next = number + 1 < bytes.count ? bytes[number + 1] : 0
                guard isWord(next) || next == UInt8(ascii: "/") else { return false }
            default: return false
            }
        }
        return true
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        // Would be taken for an alias where an anchor seems to be (`SourceText`).
        case "*": return "\\x2A"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned,
            .surrogate:
            if scalar == " " { return " " }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return scalar.value > 0xFFFF ? "\\U" + padded(digits, 8) : "\\u" + padded(digits, 4)
        default: return String(Character(scalar))
        }
    }

    private static func padded(_ digits: String, _ width: Int) -> String {
        String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
