internal import Foundation

/// Settings in a file of their own, an `.xcconfig`, and in those that it includes.
struct ConfigurationFile {
    /// In the order in which they are said: a later one counts.
    private(set) var assignments: [SettingAssignment] = []
    /// What could not be read, in sentences.
    private(set) var complaints: [String] = []
    private var count = 0

    // A project is anybody's: what no project needs is not followed.
    private static let deepest = 16
    private static let mostFiles = 200
    private static let largestFile = 1 << 20

    init(_ file: URL) { read(file.standardizedFileURL, isNeeded: true, within: []) }

    /// - Parameter within: the files that include this one.
    private mutating func read(_ file: URL, isNeeded: Bool, within: [URL]) {
        let name = file.lastPathComponent
        guard !within.contains(file) else {
            return complaints.append("\(name) includes itself: what it says there is left out")
        }
        count += 1
        guard within.count < Self.deepest, count <= Self.mostFiles else {
            return complaints.append("\(name): too many files of settings include each other")
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
        guard let size, size <= Self.largestFile, let text = try? String(contentsOf: file, encoding: .utf8) else {
            if isNeeded || size != nil {
                complaints.append("the settings in \(name): \(size == nil ? "it is not there" : "it cannot be read")")
            }
            return
        }
        for line in text.split(whereSeparator: \.isNewline) {
            // Of an address only what is in front of the slashes is left, as in Xcode.
            let said = (line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
                .trimmingCharacters(in: .whitespaces)
            if said.hasPrefix("#include") {
                include(said.dropFirst("#include".count), file, within + [file])
            } else if let assignment = SettingAssignment(line: said) {
                assignments.append(assignment)
            }
        }
    }

    /// - Parameter said: the file's name in quotation marks, after a question mark where it may be missing.
    private mutating func include(_ said: Substring, _ file: URL, _ within: [URL]) {
        let parts = said.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty else {
            return complaints.append("\(file.lastPathComponent) includes \(said): that is no name in quotation marks")
        }
        let path = String(parts[1])
        let place =
            path.hasPrefix("/")
            ? URL(fileURLWithPath: path) : file.deletingLastPathComponent().appending(path: path)
        let isNeeded = !parts[0].contains("?")
        read(place.standardizedFileURL, isNeeded: isNeeded, within: within)
    }
}

/// A setting, and when it has this value.
struct SettingAssignment {
    var name: String
    /// Such as `sdk` and `iphoneos*`.
    var conditions: [(what: Substring, pattern: Substring)]
    var value: String

    /// `NAME[sdk=iphoneos*] = value`; `nil` if it is nothing of the kind.
    init?(line: String) {
        var depth = 0
        let equals = line.firstIndex { character in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return character == "=" && depth == 0
        }
        guard let equals else { return nil }
        var value = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
        if value.hasSuffix(";") { value.removeLast() }
        self.init(key: line[..<equals].trimmingCharacters(in: .whitespaces), value: value)
    }

    /// - Parameter key: the name, with the conditions.
    init?(key: String, value: String) {
        let parts = key.split { "[]".contains($0) }
        name = parts.first?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !name.isEmpty, !name.contains(where: \.isWhitespace) else { return nil }
        self.value = value
        conditions = parts.dropFirst().flatMap { $0.split(separator: ",") }.map { condition in
            let sides = condition.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (sides[0], sides.count == 2 ? sides[1] : "")
        }
    }
}

/// What of a project's settings holds where the app is built for a device.
struct SettingLevels {
    private(set) var values: [String: String] = [:]
    private let conditions: [String: String]
    /// More characters are no setting.
    static let longestValue = 1 << 14

    init(configuration: String) {
        values["CONFIGURATION"] = configuration
        conditions = ["sdk": "iphoneos18.0", "arch": "arm64", "variant": "normal", "config": configuration]
    }

    /// Settings that stand over those so far: `$(inherited)` in them is what the others say.
    mutating func add(_ assignments: [SettingAssignment]) {
        var (plain, special): ([String: String], [String: String]) = ([:], [:])
        for assignment in assignments {
            if assignment.conditions.isEmpty {
                plain[assignment.name] = assignment.value
            } else if assignment.conditions.allSatisfy({ holds($0.what, $0.pattern) }) {
                special[assignment.name] = assignment.value
            }
        }
        for (name, value) in plain.merging(special, uniquingKeysWith: { $1 }) {
            let below = values[name] ?? ""
            let whole = value.replacing("$(inherited)", with: below).replacing("${inherited}", with: below)
            values[name] = String(whole.prefix(Self.longestValue))
        }
    }

    private func holds(_ what: Substring, _ pattern: Substring) -> Bool {
        guard let value = conditions[String(what)] else { return false }
        guard let star = pattern.firstIndex(of: "*") else { return value == pattern }
        let (before, after) = (pattern[..<star], pattern[pattern.index(after: star)...])
        return value.count >= before.count + after.count && value.hasPrefix(before) && value.hasSuffix(after)
    }
}
