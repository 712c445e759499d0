import Foundation
import Testing

/// The repository that this file is part of, and its Swift sources.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct File: Sendable, CustomTestStringConvertible {
        /// Relative to the repository.
        let path: String
        let lines: [String]

        var testDescription: String { path }
    }

    /// Every Swift file below these folders, in order.
    static func files(_ folders: String...) -> [File] {
        var found: [File] = []
        for folder in folders {
            let base = root.appendingPathComponent(folder)
            let entries = FileManager.default.enumerator(atPath: base.path)
            while let entry = entries?.nextObject() as? String {
                guard entry.hasSuffix(".swift"),
                    let text = try? String(contentsOf: base.appendingPathComponent(entry), encoding: .utf8)
                else { continue }
                found.append(File(path: "\(folder)/\(entry)", lines: text.components(separatedBy: "\n")))
            }
        }
        return found.sorted { $0.path < $1.path }
    }

    static let all = files(
        "Sources", "Tests", "Examples", "Fixtures", "Benchmarks", "Fuzzing", "Gateway/Sources", "Gateway/Tests",
        "Gateway/Benchmarks")
}

extension Repository.File {
    /// The modules that it imports.
    var imports: [String] {
        lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), words.count > place + 1,
                words[..<place].allSatisfy({ ["internal", "package", "public", "private", "@_exported"].contains($0) })
            else { return nil }
            let name = words[place + 1]
            return String(name.split(separator: ".")[0])
        }
    }

    /// The lines without comments and without what stands between quotation marks; multi-line texts are blanked.
    var code: [String] {
        var isText = false
        return lines.map { line in
            if line.contains("\"\"\"") {
                let isWhole = line.components(separatedBy: "\"\"\"").count > 2
                if !isWhole { isText.toggle() }
                return isText || isWhole ? String(line.prefix { $0 == " " }) + "{}".prefix(0) : ""
            }
            return isText ? "" : Self.strip(line)
        }
    }

    private static func strip(_ line: String) -> String {
        var result = ""
        var isQuoted = false
        var previous: Character = " "
        for character in line {
            if character == "\"", previous != "\\" {
                isQuoted.toggle()
            } else if !isQuoted {
                if character == "/", previous == "/" { return String(result.dropLast()) }
                result.append(character)
            }
            previous = character == "\\" && previous == "\\" ? " " : character
        }
        return result
    }
}
