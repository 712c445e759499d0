/// A value of a property list. Dates and data stay as they were written: no manifest needs them.
package enum PropertyList: Equatable {
    case string(String)
    case integer(Int64)
    case real(Double)
    case boolean(Bool)
    case date(String)
    case data(String)
    case array([PropertyList])
    case dictionary([String: PropertyList])
}

/// A strict reader of XML property lists, bounded in bytes, depth and number of values.
///
/// `PropertyListDecoder` is of no use on what strangers wrote: a binary list of 213 bytes costs it 13 s and 1.8 GB,
/// nested XML crashes it, and DTDs are read. This one knows the property list's own elements and nothing else of XML.
package struct PropertyListReader {
    private let input: [UInt8]
    private var position = 0
    private var nodes = 0

    package static func read(_ input: [UInt8], name: String) throws(Refusal) -> PropertyList {
        guard input.count <= Limits.propertyListBytes else {
            throw Refusal("\(name) is larger than \(Limits.propertyListBytes / 1024) KiB: shorten it.")
        }
        guard !input.starts(with: "bplist".utf8) else {
            throw Refusal("\(name) is a binary property list: convert it with plutil -convert xml1 \(name).")
        }
        guard let text = String(validating: input, as: UTF8.self),
            text.unicodeScalars.allSatisfy(isXMLCharacter)
        else {
            throw Refusal("\(name) is not XML in UTF-8: convert it with plutil -convert xml1 \(name).")
        }
        do {
            var reader = PropertyListReader(input)
            return try reader.document()
        } catch {
            throw Refusal("\(name) is not a property list as it should be, line \(error.line): \(error.problem).")
        }
    }

    private struct Fault: Error {
        let line: Int
        let problem: String
    }

    private init(_ input: [UInt8]) {
        self.input = input
        if input.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    }

    private func fault(_ problem: String) -> Fault {
        Fault(line: input.prefix(position).count { $0 == UInt8(ascii: "\n") } + 1, problem: problem)
    }

    // MARK: The document

    private mutating func document() throws(Fault) -> PropertyList {
        if accept("<?xml") {
            guard let end = find("?>") else { throw fault("the XML declaration does not end") }
            let declaration = String(decoding: input[position..<end], as: UTF8.self).lowercased()
            if declaration.contains("encoding") && !declaration.contains("utf-8") {
                throw fault("its encoding has to be UTF-8")
            }
            position = end + 2
        }
        try skipBlank()
        if accept("<!DOCTYPE") { try documentType() }
        try skipBlank()
        guard let root = try openingTag(), root.name == "plist", !root.isEmpty else {
            throw fault("it has to begin with <plist>")
        }
        try skipBlank()
        guard let tag = try openingTag() else { throw fault("it holds no value") }
        let value = try value(of: tag, depth: 1)
        try skipBlank()
        try closingTag("plist")
        try skipBlank()
        guard position == input.count else { throw fault("something follows </plist>") }
        return value
    }

    private mutating func documentType() throws(Fault) {
        guard let end = find(">") else { throw fault("the document type does not end") }
        // An internal subset declares entities, which is how a small file grows to gigabytes.
        guard !input[position..<end].contains(UInt8(ascii: "[")) else {
            throw fault("it declares entities of its own; remove the part in [ ] from the document type")
        }
        position = end + 1
    }

    private mutating func value(of tag: Tag, depth: Int) throws(Fault) -> PropertyList {
        guard depth <= Limits.propertyListDepth else {
            throw fault("it nests deeper than \(Limits.propertyListDepth)")
        }
        nodes += 1
        guard nodes <= Limits.propertyListNodes else {
            throw fault("it holds more than \(Limits.propertyListNodes) values")
        }
        switch tag.name {
        case "dict": return .dictionary(try dictionary(tag, depth: depth))
        case "array": return .array(try array(tag, depth: depth))
        case "string": return .string(try text(tag))
        case "date": return .date(try text(tag))
        case "data": return .data(try text(tag))
        case "true", "false":
            if !tag.isEmpty { try closingTag(tag.name) }
            return .boolean(tag.name == "true")
        case "integer":
            guard let number = Int64(Self.trimmed(try text(tag))) else { throw fault("an integer is none") }
            return .integer(number)
        case "real":
            guard let number = Double(Self.trimmed(try text(tag))) else { throw fault("a real number is none") }
            return .real(number)
        default: throw fault("<\(tag.name)> is not an element of property lists")
        }
    }

    private mutating func dictionary(_ tag: Tag, depth: Int) throws(Fault) -> [String: PropertyList] {
        var result: [String: PropertyList] = [:]
        if tag.isEmpty { return result }
        while true {
            try skipBlank()
            guard let keyTag = try openingTag() else { break }
            guard keyTag.name == "key" else { throw fault("<key> is expected instead of <\(keyTag.name)>") }
            let key = try text(keyTag)
            try skipBlank()
            guard let valueTag = try openingTag() else { throw fault("a key has no value") }
            let value = try value(of: valueTag, depth: depth + 1)
            // Readers disagree about which of two wins, and what was checked has to be what is used.
            guard result.updateValue(value, forKey: key) == nil else { throw fault("a key occurs twice") }
        }
        try closingTag("dict")
        return result
    }

    private mutating func array(_ tag: Tag, depth: Int) throws(Fault) -> [PropertyList] {
        var result: [PropertyList] = []
        if tag.isEmpty { return result }
        while true {
            try skipBlank()
            guard let element = try openingTag() else { break }
            result.append(try value(of: element, depth: depth + 1))
        }
        try closingTag("array")
        return result
    }

    // MARK: Tags

    private struct Tag {
        let name: String
        let isEmpty: Bool
    }

    /// The opening tag that is next, or nil when something else is.
    private mutating func openingTag() throws(Fault) -> Tag? {
        guard position + 1 < input.count, input[position] == UInt8(ascii: "<"), Self.isLetter(input[position + 1])
        else {
            return nil
        }
        position += 1
        let start = position
        while position < input.count, Self.isLetter(input[position]), position - start < 16 { position += 1 }
        let name = String(decoding: input[start..<position], as: UTF8.self)
        if name == "plist" {
            // Only its version may stand here.
            guard let end = find(">"), end - position < 64, !input[position..<end].contains(UInt8(ascii: "<")) else {
                throw fault("<plist> does not end")
            }
            let isEmpty = end > position && input[end - 1] == UInt8(ascii: "/")
            position = end + 1
            return Tag(name: name, isEmpty: isEmpty)
        }
        skipSpace()
        if accept("/>") { return Tag(name: name, isEmpty: true) }
        guard accept(">") else { throw fault("<\(name)> may have no attributes") }
        return Tag(name: name, isEmpty: false)
    }

    private mutating func closingTag(_ name: String) throws(Fault) {
        guard accept("</"), accept(name) else { throw fault("</\(name)> is expected") }
        skipSpace()
        guard accept(">") else { throw fault("</\(name)> is expected") }
    }

    // MARK: Text

    private mutating func text(_ tag: Tag) throws(Fault) -> String {
        if tag.isEmpty { return "" }
        var result: [UInt8] = []
        while position < input.count {
            let byte = input[position]
            if byte == UInt8(ascii: "&") {
                result.append(contentsOf: try reference().utf8)
            } else if byte != UInt8(ascii: "<") {
                result.append(byte)
                position += 1
            } else if accept("<![CDATA[") {
                guard let end = find("]]>") else { throw fault("CDATA does not end") }
                result.append(contentsOf: input[position..<end])
                position = end + 3
            } else if input[position...].starts(with: "<!--".utf8) {
                try comment()
            } else {
                break
            }
        }
        try closingTag(tag.name)
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func reference() throws(Fault) -> String {
        position += 1
        guard let end = find(";"), end - position <= 10 else { throw fault("& is not followed by a reference") }
        let name = String(decoding: input[position..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        case _ where name.hasPrefix("#"):
            let digits = name.dropFirst()
            let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            guard let value, let scalar = Unicode.Scalar(value), Self.isXMLCharacter(scalar) else {
                throw fault("\(Names.quoted("&\(name);")) is no character")
            }
            return String(scalar)
        default: throw fault("the entity \(Names.quoted("&\(name);")) is not one of XML's own")
        }
    }

    private mutating func comment() throws(Fault) {
        position += 4
        guard let end = find("-->") else { throw fault("a comment does not end") }
        position = end + 3
    }

    // MARK: Bytes

    private mutating func skipBlank() throws(Fault) {
        skipSpace()
        while input[position...].starts(with: "<!--".utf8) {
            try comment()
            skipSpace()
        }
    }

    private mutating func skipSpace() {
        while position < input.count, [0x20, 0x09, 0x0a, 0x0d].contains(input[position]) { position += 1 }
    }

    private mutating func accept(_ text: String) -> Bool {
        guard input[position...].starts(with: text.utf8) else { return false }
        position += text.utf8.count
        return true
    }

    private func find(_ text: String) -> Int? {
        let wanted = Array(text.utf8)
        var index = position
        while index + wanted.count <= input.count {
            if input[index...].starts(with: wanted) { return index }
            index += 1
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: false
        }
    }

    private static func isXMLCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09, 0x0a, 0x0d, 0x20...0xfffd, 0x10000...0x10ffff: true
        default: false
        }
    }

    private static func trimmed(_ text: String) -> Substring {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0.isNewline }
        var rest = text[...]
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return rest
    }
}
