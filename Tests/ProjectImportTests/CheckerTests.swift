import Foundation
import ProjectImport
import Testing

@Suite("Scripts/check-import")
struct CheckerTests {
    /// What the script says of a package, and its exit code.
    private func check(_ package: URL) throws -> (text: String, code: Int32) {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", root.appending(path: "Scripts/check-import").path, package.path]
        (process.standardOutput, process.standardError) = (output, output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }

    private func package() throws -> (package: URL, folder: Folder) {
        var sample = Sample()
        sample.files = [
            "M": "path = Mac.swift;", "V": "isa = PBXVariantGroup; name = T.strings; children = (EN);",
            "W": "path = Web; lastKnownFileType = folder;", "GONE": "path = Gone.swift;", "C": "path = C.xcstrings;",
        ]
        sample.sources += ["M", "GONE"]
        sample.resources = ["V", "W", "C"]
        sample.filters = ["M": "platformFilter = macos;"]
        sample.app = "fileSystemSynchronizedGroups = (OWN); packageProductDependencies = (DEP);"
        sample.children = ["OWN"]
        sample.project = "packageReferences = (LOCAL);"
        sample.objects = """
            EN = { isa = PBXFileReference; path = en.lproj/T.strings; sourceTree = "<group>"; };
            OWN = { isa = PBXFileSystemSynchronizedRootGroup; path = Own; sourceTree = "<group>"; };
            DEP = { isa = XCSwiftPackageProductDependency; productName = Core; };
            LOCAL = { isa = XCLocalSwiftPackageReference; relativePath = Core; };
            """
        let (project, folder) = try sample.read(
            [
                "App/Mac.swift": "", "App/en.lproj/T.strings": "\"a\" = \"b\";", "App/Web/index.html": "x",
                "App/C.xcstrings": """
                { "strings": { "a": { "localizations": { "de": { "stringUnit": { "value": "b" } } } } } }
                """,
                "Own/Main.swift": "", "Own/ping.caf": "sound", "Own/Art.xcassets/Contents.json": "{}", "README.md": "",
                "Core/Package.swift": "let package = Package(products: [.library(name: \"Core\", targets: [])])",
                "Core/Sources/Core/Core.swift": "", ".git/config": "",
            ], links: ["Own/linked.txt": "../README.md", "dead": "nowhere"])
        let output = folder.url.appending(path: "App-greenroom")
        try PackageWriter(folder: output, greenroom: "/opt/greenroom").write(project, name: "App")
        return (output, folder)
    }

    @Test("An import of every kind of file accounts for each of them")
    func complete() throws {
        let (package, folder) = try package()
        let (text, code) = try check(package)
        #expect(code == 0 && text.contains("1 of 1 imports account for each file"), "\(text) in \(folder.url.path)")
    }

    @Test(
        "A file that is lost, reported wrongly, or in the package without a report is found",
        arguments: [
            ("README.md", "is lost"), ("Own/ping.caf", "is in the bundle, but not in the report"),
            ("Own/Main.swift", "is compiled, but not reported"), ("Core/Sources/Core/Core.swift", "is lost"),
            ("", "is not App/Web/index.html"),
        ])
    func faults(lost: String, words: String) throws {
        let (package, folder) = try package()
        let file = package.appending(path: "report.json")
        var report = try #require(
            JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any])
        for key in ["taken", "left"] {
            let entries = report[key] as? [[String: Any]] ?? []
            report[key] = entries.filter { $0["path"] as? String != lost }
        }
        try JSONSerialization.data(withJSONObject: report).write(to: file)
        if lost.isEmpty { try Data("y".utf8).write(to: package.appending(path: "Apps/App/Web/index.html")) }
        let (text, code) = try check(package)
        #expect(code == 1 && text.contains(words), "\(text) in \(folder.url.path)")
    }
}
