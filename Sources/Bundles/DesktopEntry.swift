/// The `[Desktop Entry]` group of a `.desktop` file (freedesktop.org's Desktop Entry Specification).
struct DesktopEntry {
    private let values: [String: String]

    init(_ contents: [UInt8]) throws(Refusal) {
        guard contents.count <= Limits.desktopEntryBytes else {
            throw Refusal("The .desktop file is larger than \(Limits.desktopEntryBytes / 1024) KiB: shorten it.")
        }
        guard let text = String(validating: contents, as: UTF8.self), !text.utf8.contains(0) else {
            throw Refusal("The .desktop file is not UTF-8 text: save it as UTF-8.")
        }
        var values: [String: String] = [:]
        var group: Substring?
        for raw in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false) {
            let line = Self.trimmed(Substring(raw))
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                guard line.hasSuffix("]") else { throw Refusal("In the .desktop file a group's name is not closed.") }
                guard !(group != nil && line == "[Desktop Entry]") else {
                    throw Refusal("The .desktop file has two groups [Desktop Entry]: keep one, the first.")
                }
                group = line
                continue
            }
            guard let group else {
                throw Refusal("The .desktop file has to begin with [Desktop Entry].")
            }
            guard group == "[Desktop Entry]" else { continue }
            guard let equals = line.firstIndex(of: "=") else {
                throw Refusal("In the .desktop file the line \(Names.quoted(String(line))) is neither key=value nor #.")
            }
            let key = String(Self.trimmed(line[..<equals]))
            let value = String(Self.trimmed(line[line.index(after: equals)...]))
            guard values.updateValue(value, forKey: key) == nil else {
                throw Refusal("The .desktop file has the key \(Names.quoted(key)) twice: keep one.")
            }
        }
        guard group != nil else { throw Refusal("The .desktop file has to begin with [Desktop Entry].") }
        self.values = values
    }

    /// A string with the specification's escapes undone; nil when it is absent or empty.
    func string(_ key: String) throws(Refusal) -> String? {
        guard let value = values[key], !value.isEmpty else { return nil }
        var result = ""
        var rest = value.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "s": result += " "
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "\\": result += "\\"
            default: throw Refusal("In the .desktop file \(key) has a backslash that escapes nothing: write \\\\.")
            }
        }
        return result
    }

    func boolean(_ key: String) throws(Refusal) -> Bool? {
        switch values[key] {
        case nil: nil
        case "true": true
        case "false": false
        default: throw Refusal("In the .desktop file \(key) is neither true nor false: correct it.")
        }
    }

    /// A list separated by semicolons, the last one optional.
    func list(_ key: String) throws(Refusal) -> [String] {
        guard let value = try string(key) else { return [] }
        let items = value.split(separator: ";").map(String.init)
        guard items.count <= Limits.listItems else {
            throw Refusal("In the .desktop file \(key) has more than \(Limits.listItems) items: remove some.")
        }
        return items
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var rest = text.unicodeScalars
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return Substring(rest)
    }
}
