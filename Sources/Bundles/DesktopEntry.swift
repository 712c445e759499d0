/// The `[Desktop Entry]` group of a `.desktop` file (freedesktop.org's Desktop Entry Specification).
///
/// It is read as desktops read it: what is odd outside of what a program needs is left out, with a remark.
struct DesktopEntry {
    private static let group = "[Desktop Entry]"

    private let values: [String: String]
    private let remarks: Remarks

    init(_ contents: [UInt8], _ remarks: Remarks) throws(Refusal) {
        guard contents.count <= Limits.desktopEntryBytes else {
            throw Refusal("The .desktop file is larger than \(Limits.desktopEntryBytes / 1024) KiB: shorten it.")
        }
        guard !contents.contains(0) else { throw Refusal("The .desktop file is no text: save it as UTF-8.") }
        let text = String(decoding: contents, as: UTF8.self)
        if !text.utf8.elementsEqual(contents) {
            remarks.add("The .desktop file is not UTF-8: bytes that are none count as \u{FFFD}.")
        }
        var values: [String: String] = [:]
        var (group, hasGroup) = ("", false)
        // Some editors write a byte order mark first.
        var lines = text.unicodeScalars[...]
        if lines.first == "\u{FEFF}" { lines.removeFirst() }
        for raw in lines.split(separator: "\n") {
            let line = Self.trimmed(Substring(raw))
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("[") {
                if hasGroup, line == Self.group { remarks.add("The .desktop file has two groups \(Self.group).") }
                group = String(line)
                hasGroup = hasGroup || group == Self.group
                continue
            }
            guard group == Self.group else { continue }
            guard let equals = line.firstIndex(of: "=") else {
                remarks.add("In the .desktop file the line \(Names.quoted(String(line))) is left out: it has no =.")
                continue
            }
            let key = String(Self.trimmed(line[..<equals]))
            let value = String(Self.trimmed(line[line.index(after: equals)...]))
            if values.updateValue(value, forKey: key) != nil {
                remarks.add("The .desktop file has the key \(Names.quoted(key)) twice: the last one counts.")
            }
        }
        guard hasGroup else { throw Refusal("The .desktop file has no group \(Self.group): add one.") }
        self.values = values
        self.remarks = remarks
    }

    /// A string with the specification's escapes undone; nil when it is absent or empty.
    func string(_ key: String) -> String? {
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
            case let other:
                // It escapes nothing, and what follows may mean something to `Exec`.
                result += "\\"
                if let other { result.unicodeScalars.append(other) }
            }
        }
        return result
    }

    func boolean(_ key: String) -> Bool? {
        switch values[key]?.lowercased() {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        default:
            remarks.add("In the .desktop file \(key) is neither true nor false, and is left out.")
            return nil
        }
    }

    /// A list separated by semicolons, the last one optional.
    func list(_ key: String) -> [String] { string(key)?.split(separator: ";").map(String.init) ?? [] }

    private static func trimmed(_ text: Substring) -> Substring {
        let isSpace: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
        var rest = text.unicodeScalars
        while let first = rest.first, isSpace(first) { rest.removeFirst() }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return Substring(rest)
    }
}
