/// Build settings, which may name each other.
struct Settings {
    private let values: [String: String]
    /// How many names may still be looked up: settings that name others twice, and those others twice, have no end.
    private var names = 2000

    private init(_ values: [String: String]) { self.values = values }

    /// The text with what it names put in: `$(NAME)`, `${NAME:lower}`, `$(NAME_$(OTHER))`. What is not known is empty.
    static func fill(_ text: String, _ settings: [String: String]) -> String {
        var filler = Settings(settings)
        return filler.fill(text[...], depth: 0)
    }

    private mutating func fill(_ text: Substring, depth: Int) -> String {
        guard depth < 16 else { return "" }
        var (result, rest) = ("", text)
        while let dollar = rest.firstIndex(of: "$") {
            result += rest[..<dollar]
            names -= 1
            guard names > 0, result.utf8.count < SettingLevels.longestValue else { return result }
            rest = rest[rest.index(after: dollar)...]
            guard let opening = rest.first, opening == "(" || opening == "{",
                let end = Self.end(of: rest, opening, opening == "(" ? ")" : "}")
            else {
                result += "$"
                continue
            }
            let inside = rest[rest.index(after: rest.startIndex)..<end]
            rest = rest[rest.index(after: end)...]
            result += value(fill(inside, depth: depth + 1), depth: depth)
        }
        return result + rest
    }

    /// Where what was opened is closed.
    private static func end(of text: Substring, _ opening: Character, _ closing: Character) -> Substring.Index? {
        var depth = 0
        return text.indices.first { index in
            if text[index] == opening { depth += 1 }
            if text[index] == closing { depth -= 1 }
            return depth == 0
        }
    }

    /// - Parameter words: a name, and after colons what is done with its value.
    private mutating func value(_ words: String, depth: Int) -> String {
        let parts = words.split(separator: ":", omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        var value = (values[name] ?? Self.defaults[name]).map { fill($0[...], depth: depth + 1) } ?? ""
        for change in parts.dropFirst() {
            switch change {
            case "lower": value = value.lowercased()
            case "upper": value = value.uppercased()
            case "rfc1034identifier": value = String(value.map { Self.isPlain($0) || $0 == "." ? $0 : "-" })
            case "c99extidentifier", "identifier": value = ImportedTarget.module(value)
            default:
                if value.isEmpty, change.hasPrefix("default=") { value = String(change.dropFirst("default=".count)) }
            }
        }
        return value
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }

    private static let defaults = [
        "MARKETING_VERSION": "1.0", "CURRENT_PROJECT_VERSION": "1", "DEVELOPMENT_LANGUAGE": "en",
        "PRODUCT_BUNDLE_PACKAGE_TYPE": "APPL",
    ]
}
