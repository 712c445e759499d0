import Foundation
import Testing

/// The program that lowers, as the plugin runs it.
enum Tool {
    struct Diagnostic {
        var text: String
        var line: Int
        var column: Int
        var message: String
    }

    struct Result {
        /// In the order of the files; empty if something could not be lowered.
        var texts: [String]
        var diagnostics: [Diagnostic]
        var status: Int32
    }

    static func lower(_ files: [(name: String, text: String)], options: [String] = []) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lowering-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files { try Data(file.text.utf8).write(to: folder.appending(path: file.name)) }
        let process = Process()
        let repository = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        process.executableURL = repository.appending(path: "Plugins/Lowering/lower")
        // Where the plugin puts it as well, beside what is built.
        let built = (0..<3).reduce(URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()) { url, _ in
            url.deletingLastPathComponent()
        }
        process.arguments =
            [built.appending(path: "plugins/greenroom-lower").path, "swiftc", "--output", "out"] + options
            + files.map(\.name)
        process.currentDirectoryURL = folder
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let printed = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let texts =
            try process.terminationStatus != 0
            ? []
            : files.map { file -> String in
                let name = file.name == "main.swift" ? file.name : "\(file.name.dropLast(6)).lowered.swift"
                return try String(contentsOf: folder.appending(path: "out/\(name)"), encoding: .utf8)
            }
        let lines = String(decoding: printed, as: UTF8.self).split(separator: "\n")
        return Result(
            texts: texts, diagnostics: lines.compactMap { Diagnostic(String($0)) },
            status: process.terminationStatus)
    }
}

extension Tool {
    /// Lowers one file that compiles, and takes off what is put before it.
    static func lowered(_ text: String, options: [String] = []) throws -> String {
        let result = try lower([("A.swift", text)], options: options)
        #expect(result.diagnostics.isEmpty)
        let lines = try #require(result.texts.first).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[1] == "#sourceLocation(file: \"A.swift\", line: 1)")
        return lines.dropFirst(2).joined(separator: "\n")
    }

    static func complaints(_ text: String, options: [String] = []) throws -> [Diagnostic] {
        try lower([("A.swift", text)], options: options).diagnostics
    }
}

extension Tool.Diagnostic {
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 4)
        guard parts.count == 5, let line = Int(parts[1]), let column = Int(parts[2]) else { return nil }
        self.init(text: text, line: line, column: column, message: String(parts[4]))
    }
}
