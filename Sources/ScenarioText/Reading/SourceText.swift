/// A file's text, and what must be right with it before a parser sees it.
enum SourceText {
    static let largest = 1 << 20

    static func check(_ bytes: [UInt8]) throws(Findings) -> String {
        guard bytes.count <= largest else {
            throw Findings(.start, "the file is too large", expected: "at most \(largest) bytes")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Findings(firstInvalid(bytes), "this is not UTF-8", expected: "text in UTF-8")
        }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw Findings(.start, "the file is empty", expected: "a scenario: a name, a device, apps, a timeline")
        }
        var scan = Scan()
        for (number, byte) in bytes.enumerated() {
            scan.take(byte, next: number + 1 < bytes.count ? bytes[number + 1] : 0)
        }
        if !scan.findings.errors.isEmpty { throw scan.findings }
        if scan.hasAnchor, let alias = scan.alias {
            throw Findings(alias, "anchors (&name) and aliases (*name) are not read", expected: "the value itself")
        }
        return text
    }

    private static func firstInvalid(_ bytes: [UInt8]) -> Place {
        // The longest valid beginning, halving: nothing else tells where a text ceases to be one.
        var (valid, invalid) = (0, bytes.count)
        while valid + 1 < invalid {
            let middle = (valid + invalid) / 2
            if validLength(bytes[..<middle]) != nil { valid = middle } else { invalid = middle }
        }
        var scan = Scan()
        for byte in bytes[..<(validLength(bytes[..<valid]) ?? 0)] { scan.take(byte, next: 0) }
        return scan.place
    }

    /// Up to three bytes at the end may be the beginning of a scalar that goes on.
    private static func validLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        (0...min(3, bytes.count)).map { bytes.count - $0 }
            .first { String(validating: bytes.prefix($0), as: UTF8.self) != nil }
    }

    /// Goes through the bytes once.
    private struct Scan {
        var place = Place.start
        var findings = Findings()
        var hasAnchor = false
        var alias: Place?
        private var previous = UInt8(ascii: "\n")
        private var isIndentation = true
        private var isHeader = true

        mutating func take(_ byte: UInt8, next: UInt8) {
            if isIndentation, !" \r\n#".utf8.contains(byte) { isHeader = false }
            let isIndicator = !Self.isWord(previous) && (Self.isWord(next) || next == UInt8(ascii: "-"))
            switch byte {
            case UInt8(ascii: "\t"):
                if isIndentation { findings.note(place, "a tab in the indentation", expected: "spaces") }
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
            case 0..<0x20, 0x7F:
                findings.note(place, "a control character (byte \(byte))", expected: "text")
            // Read without regard to quotes, so that nothing can hide: both together are refused, wherever they stand
            // below the comments at the top.
            case UInt8(ascii: "&"): if isIndicator, !isHeader { hasAnchor = true }
            case UInt8(ascii: "*"): if isIndicator, !isHeader, alias == nil { alias = place }
            default: break
            }
            if byte == UInt8(ascii: "\n") {
                place = Place(line: place.line + 1, column: 1)
                isIndentation = true
            } else {
                // Columns count scalars: bytes that go on with one do not count.
                if byte & 0xC0 != 0x80 { place.column += 1 }
                if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\t") { isIndentation = false }
            }
            previous = byte
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
