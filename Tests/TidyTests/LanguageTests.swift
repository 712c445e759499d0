import Foundation
import Testing

@Suite("The language")
struct LanguageTests {
    /// Habits over which readers stumble, each with what to write instead. Only those that a search finds for certain.
    static let habits: [(pattern: String, instead: String)] = [
        (#"\bas new\b"#, "say what is reset"),
        (#"\b[Ll]ook(s|ed|ing)? (what|whether|which|who)\b"#, "checks"),
        (#"\b[Ff]lutters?\b"#, "oscillates"),
        (#"\b[Tt]ried and (left|not)\b"#, "Rejected alternatives"),
        (#"\bin vain\b"#, "say what did not happen"),
        (#"\bcan be tried\b"#, "say what to do, and what it shows"),
        (#"\b(refuses?|accepts?|ends|only|so is|so does) who\b"#, "name it: the app, the process, the client"),
    ]

    /// Those of texts that users read: documents, help, errors, reasons. Comments may have them.
    static let habitsToUsers: [(pattern: String, instead: String)] = [
        (#"\b[Ww]hoever\b"#, "name it: the app, the process, the client"),
        (#"\b[Ss]omebody\b"#, "name it: the app, the process, the client"),
        (#"[.;:] [Ww]ho [a-z]"#, "name it: the app, the process, the client"),
        (#"\b([Hh]im|[Hh]is)\b"#, "an app, a process and a client are “it”; a person is “you” or “the user”"),
    ]

    /// Recordings hold these sentences as effects, and a replay compares them.
    private static let recorded = [
        "somebody wanted", "it goes with whoever wakes it next", "who connects is refused at once",
        "somebody connected",
        "somebody is connected",
    ]

    private func isFolder(_ path: String) -> Bool {
        let full = Repository.root.appendingPathComponent(path).path
        let kind = try? FileManager.default.attributesOfItem(atPath: full)[.type] as? FileAttributeType
        return kind == .typeDirectory
    }

    /// Lines with their place, of every file below these folders whose name ends so.
    private func lines(_ folders: [String], _ suffixes: [String]) throws -> [(place: String, text: String)] {
        var found: [(place: String, text: String)] = []
        for folder in folders {
            let base = Repository.root.appendingPathComponent(folder)
            var files: [String] = []
            if let entries = FileManager.default.enumerator(atPath: base.path) {
                while let entry = entries.nextObject() as? String { files.append("\(folder)/\(entry)") }
            }
            if files.isEmpty { files = [folder] }
            for file in files where suffixes.contains(where: file.hasSuffix) && !isFolder(file) {
                let text = try String(contentsOf: Repository.root.appendingPathComponent(file), encoding: .utf8)
                for (number, line) in text.components(separatedBy: "\n").enumerated() {
                    found.append(("\(file):\(number + 1)", line))
                }
            }
        }
        return found
    }

    private func search(
        _ habits: [(pattern: String, instead: String)], in lines: [(place: String, text: String)]
    ) throws {
        #expect(lines.count > 1_000, "the rule guards nothing")
        for habit in habits {
            let pattern = try Regex(habit.pattern)
            for line in lines where line.text.contains(pattern) && !Self.recorded.contains(where: line.text.contains) {
                Issue.record("\(line.place): instead of “\(habit.pattern)”: \(habit.instead)\n\(line.text)")
            }
        }
    }

    @Test("Documents and help are in plain English")
    func documents() throws {
        let pages = try lines(
            [
                "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "docs", "Examples", "Fixtures",
                "Benchmarks", "Gateway/Benchmarks",
            ],
            [".md", "Makefile"])
        try search(Self.habits + Self.habitsToUsers, in: pages)
    }

    @Test("So is what the programs say")
    func texts() throws {
        let files = Repository.files("Sources", "Examples", "Fixtures", "Gateway/Sources").filter {
            !$0.path.contains("/Tests/")
        }
        try search(Self.habits + Self.habitsToUsers, in: files.flatMap(\.texts))
    }

    @Test("So are comments and scripts, as far as a search finds it")
    func comments() throws {
        let files = Repository.files(
            "Sources", "Examples", "Fixtures", "Benchmarks", "Fuzzing", "Gateway/Sources", "Gateway/Benchmarks")
        let scripts = try lines(
            ["Scripts", ".ci", "Benchmarks", "Gateway/Benchmarks", "Examples"], [".py", ".sh", "run", "bench"])
        try search(Self.habits, in: files.flatMap(\.comments) + scripts)
    }
}

extension Repository.File {
    /// What stands between quotation marks, with its place.
    var texts: [(place: String, text: String)] { parts.compactMap { $0.text.isEmpty ? nil : ($0.place, $0.text) } }

    /// What stands behind slashes, with its place.
    var comments: [(place: String, text: String)] {
        parts.compactMap { $0.comment.isEmpty ? nil : ($0.place, $0.comment) }
    }

    private var parts: [(place: String, text: String, comment: String)] {
        var isText = false
        return lines.enumerated().map { number, line in
            let place = "\(path):\(number + 1)"
            if line.contains("\"\"\"") {
                if line.components(separatedBy: "\"\"\"").count == 2 { isText.toggle() }
                return (place, line, "")
            }
            guard !isText else { return (place, line, "") }
            var (text, comment, isQuoted, previous) = ("", "", false, Character(" "))
            for character in line {
                if !comment.isEmpty {
                    comment.append(character)
                } else if character == "\"", previous != "\\" {
                    isQuoted.toggle()
                    text.append(" ")
                } else if isQuoted {
                    text.append(character)
                } else if character == "/", previous == "/" {
                    comment = "//"
                }
                previous = character == "\\" && previous == "\\" ? " " : character
            }
            return (place, text.allSatisfy { $0 == " " } ? "" : text, comment)
        }
    }
}
