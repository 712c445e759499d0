internal import Model

/// The rules for names and texts that come from outside.
enum Names {
    /// Identifiers name folders, cgroups and sockets: nothing in one may mean anything to a file system or a shell.
    static func isIdentifier(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, bytes.count <= 127 else { return false }
        return bytes.allSatisfy(isIdentifierByte) && first != UInt8(ascii: ".") && first != UInt8(ascii: "-")
    }

    static func identifier(_ text: String, from source: String) throws(Refusal) -> String {
        guard isIdentifier(text) else {
            throw Refusal(
                "\(source) \(quoted(text)) is not an identifier: use 1 to 127 of A-Z a-z 0-9 . - _ and begin with"
                    + " none of . and -.")
        }
        return text
    }

    /// The identifier for a program that has none: its file name with what is not allowed replaced.
    static func sanitised(_ fileName: String) throws(Refusal) -> String {
        let allowed = fileName.utf8.map { isIdentifierByte($0) && $0 != UInt8(ascii: "_") ? $0 : UInt8(ascii: "-") }
        let begun = allowed.drop { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        let identifier = String(decoding: begun.prefix(127), as: UTF8.self)
        guard isIdentifier(identifier) else {
            throw Refusal("No identifier can be made of the file name \(quoted(fileName)): rename the file.")
        }
        return identifier
    }

    /// A text that will be shown to people: control characters could rewrite a terminal, bidirectional controls
    /// could make one name look like another.
    static func text(_ text: String, _ what: String) throws(Refusal) -> String {
        guard !text.unicodeScalars.contains(where: isDeceptive) else {
            throw Refusal("\(what) contains a control character: remove it.")
        }
        guard text.utf8.count <= Limits.textBytes else {
            throw Refusal("\(what) is longer than \(Limits.textBytes) bytes: shorten it.")
        }
        return text
    }

    static func backgroundMode(_ text: String) throws(Refusal) -> String {
        guard BackgroundModes.isKey(text) else {
            throw Refusal("\(quoted(text)) is not a background mode: modes are words such as audio, location or voip.")
        }
        return text
    }

    static func task(_ text: String) throws(Refusal) -> String {
        guard !text.isEmpty, text.utf8.count <= 256 else {
            throw Refusal("BGTaskSchedulerPermittedIdentifiers holds \(quoted(text)): use 1 to 256 bytes.")
        }
        return text
    }

    /// RFC 3986's grammar. What the system itself opens cannot be taken by an app.
    static func scheme(_ text: String) throws(Refusal) -> String {
        let scheme = text.lowercased()
        let bytes = scheme.utf8
        let lower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard let first = bytes.first, lower.contains(first), bytes.count <= 64,
            bytes.allSatisfy({ lower.contains($0) || digits.contains($0) || "+.-".utf8.contains($0) })
        else {
            throw Refusal("\(quoted(text)) is not a URL scheme: begin with a letter, go on with letters, digits, + . -")
        }
        guard !["file", SystemURL.scheme].contains(scheme) else {
            throw Refusal("The URL scheme \(scheme) is reserved: choose one of your own.")
        }
        return scheme
    }

    /// Quotes what may be hostile for use within a message.
    static func quoted(_ text: String) -> String { "“" + shown(text) + "”" }

    /// What may be hostile, for use within a message.
    static func shown(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(80) {
            if isDeceptive(scalar) {
                result += "?"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + (text.unicodeScalars.count > 80 ? "…" : "")
    }

    static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
