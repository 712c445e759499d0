/// Patterns of names, as the shell has them: `*`, `?` and `[a-z]`.
enum Pattern {
    /// Whether a text matches. A `*` stands for no slash where `path` is set.
    static func matches(_ pattern: some StringProtocol, _ text: some StringProtocol, path: Bool = false) -> Bool {
        matches(Array(pattern)[...], Array(text)[...], path)
    }

    /// Whether a file matches, as `EXCLUDED_SOURCE_FILE_NAMES` has it: a pattern of several names stands for the last
    /// ones of the path.
    static func matches(_ pattern: String, file: String) -> Bool {
        let wanted = pattern.split(separator: "/")
        let names = file.split(separator: "/")
        guard !wanted.isEmpty, names.count >= wanted.count else { return false }
        if pattern.hasPrefix("/"), names.count != wanted.count { return false }
        return zip(wanted, names.suffix(wanted.count)).allSatisfy { matches($0, $1) }
    }

    private static func matches(
        _ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>, _ path: Bool
    ) -> Bool {
        var (pattern, text) = (pattern, text)
        // Where to continue if what follows the last star does not match.
        var retry: (pattern: ArraySlice<Character>, text: ArraySlice<Character>)?
        while true {
            if pattern.first == "*" {
                pattern = pattern.dropFirst()
                retry = (pattern, text)
            } else if let character = text.first, let rest = match(pattern, character, path) {
                (pattern, text) = (rest, text.dropFirst())
            } else if pattern.isEmpty, text.isEmpty {
                return true
            } else if let last = retry, let passed = last.text.first, !(path && passed == "/") {
                retry = (last.pattern, last.text.dropFirst())
                (pattern, text) = (last.pattern, last.text.dropFirst())
            } else {
                return false
            }
        }
    }

    /// The pattern behind what stands for one character; `nil` if it does not match.
    private static func match(
        _ pattern: ArraySlice<Character>, _ character: Character, _ path: Bool
    ) -> ArraySlice<Character>? {
        guard let first = pattern.first else { return nil }
        let rest = pattern.dropFirst()
        switch first {
        case "?": return path && character == "/" ? nil : rest
        case "\\": return rest.first == character ? rest.dropFirst() : nil
        case "[":
            guard let end = rest.dropFirst().firstIndex(of: "]") else { return character == "[" ? rest : nil }
            var list = rest[..<end]
            let isInverse = list.first == "!" || list.first == "^"
            if isInverse { list = list.dropFirst() }
            return holds(list, character) != isInverse ? rest[rest.index(after: end)...] : nil
        default: return first == character ? rest : nil
        }
    }

    private static func holds(_ list: ArraySlice<Character>, _ character: Character) -> Bool {
        var rest = list
        while let first = rest.popFirst() {
            if rest.first == "-", rest.count > 1 {
                let last = rest[rest.index(after: rest.startIndex)]
                if first <= character, character <= last { return true }
                rest = rest.dropFirst(2)
            } else if first == character {
                return true
            }
        }
        return false
    }
}
