/// Reads the XML of exchange formats in UTF-8: elements, attributes and text. Elements have to fit; what a text holds
/// that is no character stands as it is. It knows no document types, so no file can make it read another one or grow.
struct XMLScanner {
    enum Event: Hashable {
        /// Without the prefix of its namespace.
        case begin(String, attributes: [String: String])
        case end(String)
        case text(String)
    }

    private static let (mostDepth, mostAttributes, longestName, longestText) = (64, 64, 128, 1 << 16)

    private let bytes: [UInt8]
    private var index = 0
    private(set) var line = 1
    private var open: [String] = []
    private var hasRoot = false
    /// The end of an element without content.
    private var waiting: Event?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `nil` at the end.
    mutating func next() throws(TrackError) -> Event? {
        if let event = waiting {
            waiting = nil
            return event
        }
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                if let text = try text() { return .text(text) }
                continue
            }
            if skips("<?") {
                try skip(to: "?>")
            } else if skips("<!--") {
                try skip(to: "-->")
            } else if skips("<![CDATA[") {
                let start = index
                try skip(to: "]]>")
                guard !open.isEmpty else { throw error("text outside of the document") }
                return .text(string(bytes[start..<(index - 3)]))
            } else if skips("<!") {
                throw error("a document type, which could bring in other files: remove the declaration “<!…>”")
            } else if skips("</") {
                return try endTag()
            } else {
                index += 1
                return try startTag()
            }
        }
        guard open.isEmpty else { throw error("the file ends within <\(open.last ?? "")>: it was cut off") }
        guard hasRoot else { throw error("there is no element in it") }
        return nil
    }

    private func error(_ reason: String) -> TrackError { TrackError(line: line, reason) }

    // MARK: Tags

    private mutating func startTag() throws(TrackError) -> Event {
        let name = try name()
        guard !open.isEmpty || !hasRoot else { throw error("<\(name)> after the end of the document") }
        var attributes: [String: String] = [:]
        while true {
            let hasBlank = skipBlanks()
            if skips("/>") {
                waiting = .end(Self.local(name))
                break
            }
            if skips(">") {
                open.append(name)
                guard open.count <= Self.mostDepth else { throw error("elements are nested too deeply") }
                break
            }
            guard hasBlank, index < bytes.count else { throw error("the tag <\(name)> is not complete") }
            let key = try self.name()
            skipBlanks()
            guard skips("=") else { throw error("the attribute \(key) has no value") }
            skipBlanks()
            let value = try quoted(key)
            guard attributes.updateValue(value, forKey: key) == nil else { throw error("\(key) is there twice") }
            guard attributes.count <= Self.mostAttributes else { throw error("<\(name)> has too many attributes") }
        }
        hasRoot = true
        return .begin(Self.local(name), attributes: attributes)
    }

    private mutating func endTag() throws(TrackError) -> Event {
        let name = try name()
        skipBlanks()
        guard skips(">") else { throw error("the tag </\(name)> is not complete") }
        guard let last = open.popLast(), last == name else { throw error("</\(name)> ends nothing that is open") }
        return .end(Self.local(name))
    }

    private static func local(_ name: String) -> String {
        let scalars = name.unicodeScalars
        return scalars.lastIndex(of: ":").map { String(scalars[scalars.index(after: $0)...]) } ?? name
    }

    private mutating func name() throws(TrackError) -> String {
        let start = index
        while index < bytes.count, Self.isName(bytes[index]) { index += 1 }
        guard index > start, index - start <= Self.longestName, !Self.isDigit(bytes[start]) else {
            throw error("a name is expected")
        }
        return string(bytes[start..<index])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "."), 0x80...:
            true
        default: isDigit(byte)
        }
    }

    private mutating func quoted(_ key: String) throws(TrackError) -> String {
        guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]) else {
            throw error("the value of \(key) has no quotation marks")
        }
        let quote = bytes[index]
        index += 1
        let start = index
        while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "<") { step() }
        guard index < bytes.count, bytes[index] == quote else { throw error("the value of \(key) does not end") }
        index += 1
        return decoded(bytes[start..<(index - 1)])
    }

    // MARK: Text

    /// `nil` for blanks around the document.
    private mutating func text() throws(TrackError) -> String? {
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") { step() }
        let range = bytes[start..<index]
        guard !open.isEmpty else {
            guard range.allSatisfy(Self.isBlank) else { throw error("text outside of the document") }
            return nil
        }
        return decoded(range)
    }

    /// Names and remarks are longer and odder than what is read of them.
    private func string(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(Self.longestText), as: UTF8.self)
    }

    /// A reference that is none, as in “Tom & Jerry”, stands as it is.
    private func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let text = string(bytes)
        guard bytes.contains(UInt8(ascii: "&")) else { return text }
        // Not by characters: a mark that combines with “&” would hide it.
        var result = "".unicodeScalars
        var rest = text.unicodeScalars[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            let next = rest.index(after: start)
            if let end = rest[start...].prefix(12).firstIndex(of: ";"),
                let character = Self.character(Substring(rest[next..<end]))
            {
                result.append(character)
                rest = rest[rest.index(after: end)...]
            } else {
                result.append("&")
                rest = rest[next...]
            }
        }
        result += rest
        return String(result)
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let (digits, radix) = name.hasPrefix("#x") ? (name.dropFirst(2), 16) : (name.dropFirst(), 10)
            guard name.hasPrefix("#"), digits.first != "+", digits.first != "-",
                let code = UInt32(digits, radix: radix), code >= 0x20 || [9, 10, 13].contains(code)
            else { return nil }
            return Unicode.Scalar(code)
        }
    }

    // MARK: Bytes

    private mutating func step() {
        if bytes[index] == UInt8(ascii: "\n") { line += 1 }
        index += 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = index
        while index < bytes.count, Self.isBlank(bytes[index]) { step() }
        return index > start
    }

    /// Whether this comes next: it is passed then.
    private mutating func skips(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - index >= count else { return false }
        for offset in 0..<count where unsafe bytes[index + offset] != text.utf8Start[offset] { return false }
        index += count
        return true
    }

    private mutating func skip(to end: StaticString) throws(TrackError) {
        let start = line
        while index < bytes.count {
            if skips(end) { return }
            step()
        }
        throw TrackError(line: start, "“\(end)” is missing")
    }
}
