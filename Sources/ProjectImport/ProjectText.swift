internal import Foundation

/// A value in a project's file.
enum ProjectValue: Equatable, Sendable {
    case text(String)
    case list([ProjectValue])
    case table([String: ProjectValue])

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [ProjectValue]? { if case .list(let list) = self { list } else { nil } }
    var table: [String: ProjectValue]? { if case .table(let table) = self { table } else { nil } }

    /// The texts of a list, or a text alone.
    var texts: [String] { text.map { [$0] } ?? (list ?? []).compactMap(\.text) }

    /// A value as a property list or JSON has it.
    init?(_ value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let list as [Any]: self = .list(list.compactMap { ProjectValue($0) })
        case let table as [String: Any]: self = .table(table.compactMapValues { ProjectValue($0) })
        case let number as NSNumber: self = .text(number.stringValue)
        default: return nil
        }
    }
}

/// Reads the text form of property lists, in which Xcode writes projects. Foundation reads it as well, but does not say
/// where a file is damaged.
struct ProjectText {
    /// A fault, and its line.
    struct Fault: Error, Equatable {
        var line: Int
        var sentence: String
    }

    private let bytes: [UInt8]
    private var place = 0
    private var depth = 0

    private static let deepest = 64

    static func read(_ data: Data) throws(Fault) -> ProjectValue {
        var bytes = [UInt8](data)
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            bytes = Array((String(data: data, encoding: .utf16) ?? "").utf8)
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        var reader = ProjectText(bytes: bytes)
        let value = try reader.value()
        try reader.skip()
        guard reader.place == bytes.count else { throw reader.fault("there is text after the end of the project") }
        return value
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func fault(_ sentence: String, at position: Int? = nil) -> Fault {
        let end = min(position ?? place, bytes.count)
        return Fault(line: 1 + bytes[..<end].count { $0 == UInt8(ascii: "\n") }, sentence: sentence)
    }

    /// Passes spaces and comments.
    private mutating func skip() throws(Fault) {
        while let byte = next {
            if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
                place += 1
            } else if byte == UInt8(ascii: "/"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "/") {
                while let byte = next, byte != UInt8(ascii: "\n") { place += 1 }
            } else if byte == UInt8(ascii: "/"), place + 1 < bytes.count, bytes[place + 1] == UInt8(ascii: "*") {
                let start = place
                place += 2
                while place + 1 < bytes.count,
                    bytes[place] != UInt8(ascii: "*") || bytes[place + 1] != UInt8(ascii: "/")
                {
                    place += 1
                }
                guard place + 1 < bytes.count else { throw fault("a comment has no end", at: start) }
                place += 2
            } else {
                return
            }
        }
    }

    private mutating func value() throws(Fault) -> ProjectValue {
        try skip()
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw fault("values are nested too deeply") }
        switch next {
        case UInt8(ascii: "{"): return .table(try table())
        case UInt8(ascii: "("): return .list(try list())
        case UInt8(ascii: "<"):
            if bytes[place...].starts(with: Array("<<<<<<<".utf8)) { throw fault("it has a conflict of a merge") }
            return .text(try data())
        case nil: throw fault("the file ends in the middle of a value")
        default: return .text(try text())
        }
    }

    private mutating func table() throws(Fault) -> [String: ProjectValue] {
        let start = place
        place += 1
        var result: [String: ProjectValue] = [:]
        while true {
            try skip()
            guard let byte = next else { throw fault("a { has no }", at: start) }
            if byte == UInt8(ascii: "}") {
                place += 1
                return result
            }
            let key = try text()
            try skip()
            guard next == UInt8(ascii: "=") else { throw fault("there is no = after \(key)") }
            place += 1
            result[key] = try value()
            try skip()
            if next == UInt8(ascii: ";") {
                place += 1
            } else if next != UInt8(ascii: "}") {
                throw fault("there is no ; after the value of \(key)")
            }
        }
    }

    private mutating func list() throws(Fault) -> [ProjectValue] {
        let start = place
        place += 1
        var result: [ProjectValue] = []
        while true {
            try skip()
            guard let byte = next else { throw fault("a ( has no )", at: start) }
            if byte == UInt8(ascii: ")") {
                place += 1
                return result
            }
            result.append(try value())
            try skip()
            if next == UInt8(ascii: ",") {
                place += 1
            } else if next != UInt8(ascii: ")") {
                throw fault("there is no , between values of a list")
            }
        }
    }

    private mutating func data() throws(Fault) -> String {
        let start = place
        while let byte = next, byte != UInt8(ascii: ">") { place += 1 }
        guard next != nil else { throw fault("a < has no >", at: start) }
        place += 1
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func text() throws(Fault) -> String {
        if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") { return try quoted() }
        let start = place
        while let byte = next, Self.isPlain(byte) { place += 1 }
        guard place > start else {
            let found = next.map { String(UnicodeScalar($0)) } ?? "the end"
            if bytes[place...].starts(with: Array("<<<<<<<".utf8)) { throw fault("it has a conflict of a merge") }
            throw fault("a word is missing in front of \(found)")
        }
        let word = String(decoding: bytes[start..<place], as: UTF8.self)
        if word.hasPrefix("=======") || word.hasPrefix(">>>>>>>") { throw fault("it has a conflict of a merge") }
        return word
    }

    private mutating func quoted() throws(Fault) -> String {
        let (start, mark) = (place, bytes[place])
        place += 1
        var result: [UInt8] = []
        while let byte = next, byte != mark {
            place += 1
            guard byte == UInt8(ascii: "\\"), let escaped = next else {
                result.append(byte)
                continue
            }
            place += 1
            switch escaped {
            case UInt8(ascii: "n"): result.append(10)
            case UInt8(ascii: "t"): result.append(9)
            case UInt8(ascii: "r"): result.append(13)
            case UInt8(ascii: "U"): result += unicode()
            default: result.append(escaped)
            }
        }
        guard next != nil else { throw fault("a text has no closing quotation mark", at: start) }
        place += 1
        return String(decoding: result, as: UTF8.self)
    }

    /// The four hexadecimal digits of a UTF-16 unit, and those of its partner.
    private mutating func unicode() -> [UInt8] {
        func digits(at place: Int) -> UInt16? {
            guard place + 4 <= bytes.count else { return nil }
            return UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        }
        guard let first = digits(at: place) else { return [] }
        place += 4
        var units = [first]
        if (0xD800..<0xDC00).contains(first), place + 6 <= bytes.count, bytes[place] == UInt8(ascii: "\\"),
            bytes[place + 1] == UInt8(ascii: "U"), let second = digits(at: place + 2)
        {
            units.append(second)
            place += 6
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// What Xcode writes without quotation marks, and a little more that other tools write.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "_./$-:+@*?[]&~!%^|".utf8.contains(byte)
        }
    }
}
