/// Build settings, on levels over each other: a value may take in the one below it, and name other settings.
struct Settings: Sendable {
    /// The values of each setting, the highest level first.
    private var levels: [String: [String]] = [:]

    /// More characters are no setting.
    static let longestValue = 1 << 14

    var names: [String] { levels.keys.sorted() }

    /// Puts a value over those so far.
    mutating func push(_ name: String, _ value: String) {
        levels[name, default: []].insert(String(value.prefix(Self.longestValue)), at: 0)
    }

    /// Puts a value under those so far.
    mutating func pushBelow(_ name: String, _ value: String) { levels[name, default: []].append(value) }

    /// Puts the values that hold over those so far. One with conditions stands over one without.
    mutating func push(_ assignments: [SettingAssignment], conditions: SettingConditions) {
        for assignment in assignments where assignment.conditions.isEmpty {
            push(assignment.name, assignment.value)
        }
        for assignment in assignments where !assignment.conditions.isEmpty && conditions.hold(assignment) {
            push(assignment.name, assignment.value)
        }
    }

    /// A setting's value with what it names put in; `nil` if no level has it.
    subscript(name: String) -> String? {
        levels[name] == nil ? nil : fill("$(\(name))")
    }

    /// Whether a setting is YES.
    func isOn(_ name: String) -> Bool { ["YES", "TRUE", "1"].contains(self[name]?.uppercased() ?? "") }

    /// The words of a setting. Quotation marks and backslashes keep words together.
    func list(_ name: String) -> [String] { Self.words(self[name] ?? "") }

    static func words(_ text: String) -> [String] {
        var (result, word, isWord, isEscaped): ([String], String, Bool, Bool) = ([], "", false, false)
        var mark: Character?
        for character in text {
            if isEscaped {
                word.append(character)
                isEscaped = false
            } else if character == "\\" {
                (isEscaped, isWord) = (true, true)
            } else if character == mark {
                mark = nil
            } else if mark == nil, character == "\"" || character == "'" {
                (mark, isWord) = (character, true)
            } else if mark == nil, character.isWhitespace {
                if isWord { result.append(word) }
                (word, isWord) = ("", false)
            } else {
                word.append(character)
                isWord = true
            }
        }
        return isWord ? result + [word] : result
    }

    /// The text with what it names put in: `$(NAME)`, `${NAME:lower}`, `$(NAME_$(OTHER))`. An unknown name is empty.
    func fill(_ text: String) -> String {
        var filler = Filler(levels: levels)
        return filler.fill(text[...], depth: 0)
    }

    private struct Filler {
        let levels: [String: [String]]
        /// How many names may still be looked up: settings that name others twice, and those others twice, have no end.
        var names = 2000
        /// The levels that are being read, so that a setting that names itself means the level below.
        var open: [String: Int] = [:]
        /// The setting whose value is being read.
        var current: String?

        mutating func fill(_ text: Substring, depth: Int) -> String {
            guard depth < 16 else { return "" }
            var (result, rest) = ("", text)
            while let dollar = rest.firstIndex(of: "$") {
                result += rest[..<dollar]
                names -= 1
                guard names > 0, result.utf8.count < Settings.longestValue else { return result }
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
            // What is used instead of an empty value may have colons itself.
            let fallback = words.firstRange(of: ":default=")
            let parts = words[..<(fallback?.lowerBound ?? words.endIndex)]
                .split(separator: ":", omittingEmptySubsequences: false)
            var name = parts.first.map(String.init) ?? ""
            if name == "inherited" || name == "value", let current { name = current }
            var value = raw(name, depth: depth)
            for change in parts.dropFirst() { value = Change.apply(change, to: value) }
            return value.isEmpty ? fallback.map { String(words[$0.upperBound...]) } ?? "" : value
        }

        private mutating func raw(_ name: String, depth: Int) -> String {
            let level = open[name].map { $0 + 1 } ?? 0
            guard let values = levels[name], level < values.count else { return "" }
            let outer = (open[name], current)
            (open[name], current) = (level, name)
            defer { (open[name], current) = outer }
            return fill(values[level][...], depth: depth + 1)
        }
    }

    /// The changes that a name may ask for.
    private enum Change {
        static func apply(_ change: Substring, to value: String) -> String {
            let names = value.split(separator: "/", omittingEmptySubsequences: false)
            let last = names.last ?? ""
            let dot = last.lastIndex(of: ".")
            switch change {
            case "lower": return value.lowercased()
            case "upper": return value.uppercased()
            case "rfc1034identifier": return String(value.map { isPlain($0) || $0 == "." ? $0 : "-" })
            case "c99extidentifier", "identifier": return ImportedTarget.module(value)
            case "dir": return names.count > 1 ? names.dropLast().joined(separator: "/") + "/" : "./"
            case "file": return String(last)
            case "base": return String(last[..<(dot ?? last.endIndex)])
            case "suffix": return dot.map { String(last[$0...]) } ?? ""
            case "not": return value == "YES" ? "NO" : "YES"
            case "quote": return value.replacing(" ", with: "\\ ")
            default: return value
            }
        }

        private static func isPlain(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber)
        }
    }
}

/// The conditions under which the code is built: for a device, by a configuration.
struct SettingConditions: Sendable {
    private let values: [String: String]

    init(configuration: String) {
        values = ["sdk": "iphoneos18.0", "arch": "arm64", "variant": "normal", "config": configuration]
    }

    func hold(_ assignment: SettingAssignment) -> Bool {
        assignment.conditions.allSatisfy { condition in
            let (name, pattern) = (condition.what.filter { $0 != " " }, condition.pattern.filter { $0 != " " })
            return values[name].map { Pattern.matches(pattern, $0) } ?? false
        }
    }
}
