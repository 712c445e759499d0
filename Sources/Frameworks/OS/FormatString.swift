internal import Foundation

/// What `os_log` writes: C's format with Apple's additions, `%{public}@` and `%@`.
struct FormatString {
    private var rest: Substring
    private var arguments: ArraySlice<any CVarArg>
    private var result = ""

    static func text(_ format: String, _ arguments: [any CVarArg]) -> String {
        var formatter = FormatString(rest: format[...], arguments: arguments[...])
        return formatter.text()
    }

    private init(rest: Substring, arguments: ArraySlice<any CVarArg>) {
        self.rest = rest
        self.arguments = arguments
    }

    private mutating func text() -> String {
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            conversion()
        }
        return result + rest
    }

    private mutating func conversion() {
        var isHidden = false
        if rest.first == "{", let end = rest.firstIndex(of: "}") {
            let words = rest[rest.index(after: rest.startIndex)..<end].split { $0 == "," || $0 == " " }
            isHidden = words.contains("private") || words.contains("sensitive")
            rest = rest[rest.index(after: end)...]
        }
        let flags = rest.prefix { "-+ #0123456789.*'hlqjzt".contains($0) }
        rest = rest[flags.endIndex...]
        guard let kind = rest.popFirst() else { return }
        guard kind != "%" else {
            result += "%"
            return
        }
        guard let argument = arguments.popFirst() else {
            result += "<missing argument>"
            return
        }
        result += isHidden ? "<private>" : Self.written(argument, kind: kind, flags: String(flags))
    }

    private static func written(_ argument: any CVarArg, kind: Character, flags: String) -> String {
        switch kind {
        case "@": return "\(argument)"
        case "s", "S":
            // A C string, or what the compiler made of a Swift one.
            if let pointer = unsafe argument as? UnsafePointer<CChar> { return unsafe String(cString: pointer) }
            if let pointer = unsafe argument as? UnsafeMutablePointer<CChar> { return unsafe String(cString: pointer) }
            return "\(argument)"
        case "d", "i", "D", "u", "U", "x", "X", "o", "O", "c", "p", "f", "F", "e", "E", "g", "G", "a", "A":
            // Values of fewer than 64 bits are passed as 64 where the format says so, and the other way round.
            if let integer = argument as? any BinaryInteger, "diDuUxXoO".contains(kind) {
                let plain = flags.filter { !"hlqjzt".contains($0) }
                let letter = kind == "D" || kind == "i" ? "d" : kind
                return String(format: "%\(plain)ll\(letter)", Int64(truncatingIfNeeded: integer))
            }
            return String(format: "%\(flags)\(kind)", argument)
        default: return "\(argument)"
        }
    }
}
