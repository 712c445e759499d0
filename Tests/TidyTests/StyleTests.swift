import Foundation
import Testing

@Suite("The code")
struct StyleTests {
    @Test("No file has more than 400 lines")
    func files() {
        #expect(Repository.all.count > 100, "the repository was not found")
        for file in Repository.all where file.lines.count > 401 {
            Issue.record("\(file.path) has \(file.lines.count - 1) lines: split it along its own seams")
        }
    }

    @Test("No function has more than 70 lines")
    func functions() {
        for file in Repository.all {
            let code = file.code
            for (start, line) in code.enumerated() where Self.beginsFunction(line) {
                let length = Self.length(of: code[start...])
                if length > 70 { Issue.record("\(file.path):\(start + 1): a function of \(length) lines") }
            }
        }
    }

    private static func beginsFunction(_ line: String) -> Bool {
        let words = line.split { " (<".contains($0) }
        return words.contains("func") || words.contains("init") && line.hasSuffix("{") && !line.contains("=")
    }

    /// Lines from a function's first to the brace that closes it; zero for a declaration without a body.
    private static func length(of code: ArraySlice<String>) -> Int {
        var depth = 0
        var parentheses = 0
        var hasBegun = false
        for (offset, line) in code.enumerated() {
            for character in line {
                switch character {
                case "(": parentheses += 1
                case ")": parentheses -= 1
                case "{":
                    depth += 1
                    if parentheses == 0 { hasBegun = true }
                case "}": depth -= 1
                default: continue
                }
            }
            if hasBegun, depth <= 0 { return offset + 1 }
            // A protocol's requirement ends without a body.
            if !hasBegun, parentheses == 0, offset > 0, line.allSatisfy({ $0 == " " }) || depth < 0 { return 0 }
        }
        return 0
    }

    /// Words that hide a race, a hole or a crash. Where one is right, its line or the line before says why.
    static let suspicious = [
        "try!", "as!", "fatalError(", "preconditionFailure(", "Thread.sleep", "usleep(", "Task.sleep",
        "@unchecked Sendable",
        "nonisolated(unsafe)", "TODO", "FIXME", ".disabled(",
    ]

    @Test("What hides a race or a hole says why it is there", arguments: suspicious)
    func words(_ word: String) {
        // The rule itself has to name them.
        for file in Repository.all where !file.path.hasPrefix("Tests/TidyTests/") {
            for (number, line) in file.code.enumerated() where line.contains(word) {
                let near = [file.lines[number], number > 0 ? file.lines[number - 1] : ""]
                let isExplained = near.contains { $0.contains("// ") || $0.contains("/// ") }
                if !isExplained { Issue.record("\(file.path):\(number + 1) has \(word) without a reason beside it") }
            }
        }
    }

    @Test("A test that may be skipped says why, since the end of a run repeats it")
    func skips() throws {
        let condition = try Regex(#"\.enabled\(\s*if:((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)"#)
        var count = 0
        for file in Repository.files("Tests", "Examples") where !file.path.hasPrefix("Tests/TidyTests/") {
            for match in file.lines.joined(separator: "\n").matches(of: condition) {
                count += 1
                let text = match.output[0].substring ?? ""
                if !text.contains("\"") && !text.contains("Comment(") {
                    Issue.record("\(file.path) skips without a reason: \(text)")
                }
            }
        }
        #expect(count > 30, "the rule guards nothing")
    }

    @Test("No script names a folder to build in by an option, over which CI's variable would win")
    func buildFolders() throws {
        let folder = Repository.root.appendingPathComponent("Scripts")
        let scripts = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { "Scripts/\($0)" }
        for path in scripts + ["Makefile", ".ci/run"] {
            // A folder, or not text.
            guard let text = try? String(contentsOf: Repository.root.appendingPathComponent(path), encoding: .utf8)
            else { continue }
            let commands = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(
                !commands.contains { $0.contains("--scratch-path") || $0.contains("--build-path") },
                "\(path): set SWIFTPM_BUILD_DIR instead")
        }
    }

    @Test("No line is longer than 120 characters, but for texts that cannot be broken")
    func lines() {
        for file in Repository.all {
            for (number, line) in file.lines.enumerated()
            where line.count > 120 && !line.contains("\"") && !(file.code[number].isEmpty && !line.contains("//")) {
                Issue.record("\(file.path):\(number + 1) has \(line.count) characters")
            }
        }
    }
}
