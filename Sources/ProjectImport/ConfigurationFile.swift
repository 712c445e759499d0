internal import Foundation

/// Settings in a file of their own, an `.xcconfig`, and in those that it includes.
struct ConfigurationFile {
    /// In the order of the files: a later one counts.
    private(set) var assignments: [SettingAssignment] = []
    /// Files and lines that could not be read, in sentences.
    private(set) var complaints: [String] = []
    /// The files that were read.
    private(set) var files: [URL] = []
    private let root: URL

    // A project may come from anywhere: more than any project needs is not followed.
    private static let deepest = 16
    private static let mostFiles = 200
    private static let largestFile = 1 << 20

    /// - Parameter root: the project's folder, in which included files may be as well.
    init(_ file: URL, root: URL) {
        self.root = root
        read(Disk.find(file), isNeeded: true, within: [])
    }

    /// - Parameter within: the files that include this one.
    private mutating func read(_ file: URL, isNeeded: Bool, within: [URL]) {
        let name = file.lastPathComponent
        guard !within.contains(file) else {
            return complaints.append("\(name) includes itself: the second time is left out")
        }
        guard within.count < Self.deepest, files.count < Self.mostFiles else {
            return complaints.append("\(name): too many files of settings include each other")
        }
        let size = (try? FileManager.default.attributesOfItem(atPath: file.path))?[.size] as? Int
        guard let size, size <= Self.largestFile, let text = try? Self.text(of: file) else {
            if isNeeded || size != nil {
                let reason = size == nil ? "is not there" : "cannot be read"
                complaints.append("\(name) \(reason): its settings are unknown")
            }
            return
        }
        files.append(file)
        for line in text.split(whereSeparator: \.isNewline) {
            // Of an address only what is in front of the slashes is left, as in Xcode.
            let said = (line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line)
                .trimmingCharacters(in: .whitespaces)
            if said.hasPrefix("#") {
                include(said.dropFirst().drop { $0.isWhitespace }, file, within + [file])
            } else if let assignment = SettingAssignment(line: said) {
                assignments.append(assignment)
            }
        }
    }

    private static func text(of file: URL) throws -> String {
        let data = try Data(contentsOf: file)
        if let text = String(data: data, encoding: .utf8) { return text }
        return String(data: data, encoding: data.starts(with: [0xFF, 0xFE]) ? .utf16 : .isoLatin1) ?? ""
    }

    /// - Parameter said: `include` or `include?`, and the file's name in quotation marks.
    private mutating func include(_ said: Substring, _ file: URL, _ within: [URL]) {
        let parts = said.split(separator: "\"", omittingEmptySubsequences: false)
        guard said.hasPrefix("include") else {
            return complaints.append("\(file.lastPathComponent) has a line that is not a setting: #\(said)")
        }
        guard parts.count == 3, !parts[1].isEmpty else {
            let words = said.dropFirst("include".count)
            return complaints.append("\(file.lastPathComponent) includes \(words): that is no name in quotation marks")
        }
        let path = String(parts[1])
        let isNeeded = !parts[0].contains("?")
        guard !path.hasPrefix("<") else {
            if isNeeded {
                complaints.append("\(path) is not there, since it is a part of Xcode: its settings are unknown")
            }
            return
        }
        var places = [file.deletingLastPathComponent(), root].map {
            path.hasPrefix("/") ? URL(fileURLWithPath: path) : $0.appending(path: path)
        }
        if !path.contains(".") || !path.hasSuffix(".xcconfig") {
            places += places.map { $0.appendingPathExtension("xcconfig") }
        }
        let place = places.map(Disk.find).first { Disk.isFile($0) } ?? places[0].standardizedFileURL
        read(place, isNeeded: isNeeded, within: within)
    }
}

/// A setting's value, and the conditions under which it has it.
struct SettingAssignment: Sendable {
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
