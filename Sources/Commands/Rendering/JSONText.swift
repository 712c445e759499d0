package import Wire

/// JSON for standard output.
package enum JSONText {
    /// One line, all keys, as the daemon sent it. What would drive a terminal is escaped, which is the same JSON.
    package static func line(_ value: JSONValue) -> String { escaped(value.description) }

    /// Indented, for people.
    package static func pretty(_ value: JSONValue) -> String {
        var text = ""
        write(value, indent: 0, to: &text)
        return escaped(text)
    }

    private static func write(_ value: JSONValue, indent: Int, to text: inout String) {
        let inner = String(repeating: "  ", count: indent + 1)
        let outer = String(repeating: "  ", count: indent)
        switch value {
        case .array(let elements) where !elements.isEmpty:
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "[\n" : ",\n") + inner
                write(element, indent: indent + 1, to: &text)
            }
            text += "\n\(outer)]"
        case .object(let object) where !object.isEmpty:
            for (index, member) in object.members.enumerated() {
                text += (index == 0 ? "{\n" : ",\n") + inner + JSONValue.string(member.key).description + ": "
                write(member.value, indent: indent + 1, to: &text)
            }
            text += "\n\(outer)}"
        case .null, .bool, .int, .double, .string, .array, .object: text += value.description
        }
    }

    private static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: Visible.hidesInJSON) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard Visible.hidesInJSON(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }
}

extension CommandContext {
    package func print(json value: JSONValue) { print(JSONText.line(value)) }
}
