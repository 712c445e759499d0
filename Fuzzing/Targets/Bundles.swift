internal import Bundles
internal import Foundation
internal import Wire

extension FuzzTarget {
    static let plist = FuzzTarget("plist", "property lists of bundles", longest: 1 << 16) {
        (bytes) throws(BrokenPromise) in
        let list: PropertyList
        do throws(Refusal) {
            list = try PropertyListReader.read(bytes, name: "Info.plist")
        } catch {
            try promise(isSentence(error), "“\(error)” is no sentence")
            return .refused("\(error)")
        }
        // What is no number is not equal to itself.
        if hasNaN(list) { return .taken("NaN") }
        let written = Array("<plist>\(text(list))</plist>".utf8)
        // What is written may be longer than a list may be.
        guard written.count <= 1 << 16 else { return .taken }
        try promise((try? PropertyListReader.read(written, name: "")) == list, "\(list) reads back as another list")
        return .taken
    }

    private static func text(_ list: PropertyList) -> String {
        switch list {
        case .string(let text): "<string>\(escaped(text))</string>"
        case .integer(let number): "<integer>\(number)</integer>"
        case .real(let number): "<real>\(number)</real>"
        case .boolean(let flag): flag ? "<true/>" : "<false/>"
        case .date(let text): "<date>\(escaped(text))</date>"
        case .data(let text): "<data>\(escaped(text))</data>"
        case .array(let items): "<array>\(items.map(text).joined())</array>"
        case .dictionary(let items):
            "<dict>\(items.map { "<key>\(escaped($0.key))</key>\(text($0.value))" }.joined())</dict>"
        }
    }

    private static func hasNaN(_ list: PropertyList) -> Bool {
        switch list {
        case .real(let number): number.isNaN
        case .array(let items): items.contains(where: hasNaN)
        case .dictionary(let items): items.values.contains(where: hasNaN)
        case .string, .integer, .boolean, .date, .data: false
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", "&", ">": result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    static let desktop = FuzzTarget("desktop", "desktop entries and their Exec lines", longest: 1 << 14) {
        (bytes) throws(BrokenPromise) in
        if bytes.first != UInt8(ascii: "["), let line = String(validating: bytes, as: UTF8.self) {
            return try execLine(line)
        }
        let manifest: Manifest
        do throws(Refusal) {
            manifest = try Inspection.plainProgram("/tmp/org.example.program.desktop", contents: bytes)
        } catch {
            try promise(isSentence(error), "“\(error)” is no sentence")
            return .refused("\(error)")
        }
        let json = Array(manifest.json.utf8)
        try promise((try? JSONValue(parsing: json)) != nil, "its manifest is no JSON")
        let again = try? JSONDecoder().decode(Manifest.self, from: Data(json))
        try promise(again == manifest, "its manifest reads back as another one")
        return .taken
    }

    private static func execLine(_ line: String) throws(BrokenPromise) -> Verdict {
        let fields = ExecLine.Fields(name: "A program", icon: "icon", file: "/tmp/org.example.program.desktop")
        let read: ExecLine
        do throws(Refusal) {
            read = try ExecLine(line, fields)
        } catch {
            try promise(isSentence(error), "“\(error)” is no sentence")
            return .refused("\(error)")
        }
        for remark in read.remarks { try promise(isSentence(Refusal(remark)), "“\(remark)” is no sentence") }
        let arguments = read.arguments
        let quoted = arguments.map { argument in
            var text = "\""
            for scalar in argument.unicodeScalars {
                if ["\"", "`", "$", "\\"].contains(scalar) { text += "\\" }
                text.unicodeScalars.append(scalar)
                if scalar == "%" { text += "%" }
            }
            return text + "\""
        }
        let again = (try? ExecLine(quoted.joined(separator: " "), fields))?.arguments
        try promise(again == arguments, "\(arguments) reads back as \(again ?? [])")
        return .taken
    }

    /// Refusals are shown in terminals.
    private static func isSentence(_ refusal: Refusal) -> Bool {
        let text = refusal.refused
        return !text.isEmpty && text.utf8.count < 1000
            && !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }
    }
}
