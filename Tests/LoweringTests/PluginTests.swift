import Foundation
import Testing

/// A package with apps of iOS, which the plugin compiles, and a Greenroom with the plugin and nothing else.
private struct Apps {
    let folder: URL

    init() throws {
        let manager = FileManager.default
        folder = manager.temporaryDirectory.appending(path: "apps-\(UUID())")
        let repository = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        try write("greenroom/Package.swift", Self.greenroom)
        try write("greenroom/Sources/UIKit/UIKit.swift", "@_exported import Foundation\n")
        try manager.createSymbolicLink(
            at: folder.appending(path: "greenroom/Plugins"), withDestinationURL: repository.appending(path: "Plugins"))
        try write("Package.swift", Self.manifest)
        // The program need not be compiled again.
        let built = (0..<3).reduce(URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()) { url, _ in
            url.deletingLastPathComponent()
        }.appending(path: "plugins/greenroom-lower")
        if manager.fileExists(atPath: built.path) {
            try manager.createDirectory(
                at: folder.appending(path: ".build/plugins"), withIntermediateDirectories: true)
            try manager.copyItem(at: built, to: folder.appending(path: ".build/plugins/greenroom-lower"))
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    func write(_ path: String, _ text: String) throws {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Builds a product, and says whether it could be built.
    func build(_ product: String) throws -> (isBuilt: Bool, log: String) {
        let log = try run("/usr/bin/env", ["swift", "build", "--package-path", folder.path, "--product", product])
        return (log.status == 0, log.text)
    }

    /// The log of a build with a plan that is not old.
    func buildAgain(_ product: String) throws -> String {
        let log = try build(product).log
        return log.contains("has changed since the build was planned: build again") ? try build(product).log : log
    }

    func output(of product: String) throws -> String {
        try run(folder.appending(path: ".build/debug/\(product)").path, []).text
    }

    private func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        // Whoever runs these tests may build elsewhere. This package is built in its own folder.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "SWIFTPM_BUILD_DIR" }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let text = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    private static let greenroom = """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "greenroom",
            products: [
                .library(name: "UIKit", targets: ["UIKit"]), .plugin(name: "IOSSources", targets: ["IOSSources"]),
            ],
            targets: [.target(name: "UIKit"), .plugin(name: "IOSSources", capability: .buildTool())])
        """

    private static let manifest = """
        // swift-tools-version: 6.2
        import PackageDescription
        func app(_ name: String, exclude: [String] = ["ios.json"]) -> Target {
            .executableTarget(
                name: name, dependencies: [.product(name: "UIKit", package: "greenroom")], exclude: exclude,
                sources: ["Sources.swift"], swiftSettings: [.swiftLanguageMode(.v5)],
                plugins: [.plugin(name: "IOSSources", package: "greenroom")])
        }
        let package = Package(
            name: "apps", dependencies: [.package(path: "greenroom")],
            targets: [app("Good"), app("Bad"), app("Lost"), app("Twice"), app("Plain", exclude: [])])
        """
}

@Suite("Apps that the plugin compiles")
struct PluginTests {
    private static let app = """
        import Darwin
        @main struct App {
            static func main() {
                if #available(iOS 26, *) { Later.run() } else { print(#fileID, #line) }
                print(Darwin.getpid() > 0)
            }
        }
        @available(iOS 26, *) enum Later { static func run() { BGContinuedProcessingTask.run() } }
        """

    @Test("An error in one app stops no other, and each product has the errors of its own code")
    func products() throws {
        let apps = try Apps()
        defer { apps.remove() }
        for name in ["Good", "Bad", "Lost", "Twice", "Plain"] {
            try apps.write("Sources/\(name)/Sources.swift", "// The code is beside this file.\n")
        }
        try apps.write("Sources/Good/ios.json", #"{"sources": ["../../iOS/Good"]}"#)
        try apps.write("iOS/Good/App.swift", Self.app)
        try apps.write("Sources/Bad/ios.json", #"{"sources": ["../../iOS/Bad"]}"#)
        try apps.write("iOS/Bad/App.swift", "let a = 1\n\n  class_addMethod(a)\n")
        try apps.write("Sources/Lost/ios.json", #"{"sources": ["../../iOS/Lost"]}"#)
        try apps.write("Sources/Twice/ios.json", #"{"sources": ["../../iOS/Good", "../Plain/Parts"]}"#)
        try apps.write("Sources/Plain/Parts/App.swift", Self.app)
        try apps.write("Sources/Plain/Other.swift", "#if !os(iOS)\n#error(\"not lowered\")\n#endif\nlet other = 1\n")

        let good = try apps.build("Good")
        #expect(good.isBuilt, "\(good.log)")
        #expect(!good.log.contains("sourceLocation") && !good.log.contains("warning:"))
        #expect(try apps.output(of: "Good") == "Good/App.swift 4\ntrue\n")

        // SwiftPM does not notice these changes itself. If its plan is old, the first build says so.
        try apps.write("iOS/Good/New.swift", "#warning(\"new\")\n")
        #expect(try apps.buildAgain("Good").contains("/iOS/Good/New.swift:1:10: warning: new"))
        try apps.write("Sources/Good/ios.json", #"{"sources": ["../../iOS/Good"], "iOS": "26.0"}"#)
        #expect(try apps.buildAgain("Good").contains("cannot find 'BGContinuedProcessingTask' in scope"))

        let bad = try apps.build("Bad")
        #expect(!bad.isBuilt)
        #expect(bad.log.contains("\(apps.folder.path)/iOS/Bad/App.swift:3:3: error: class_addMethod needs"))

        let lost = try apps.build("Lost")
        #expect(!lost.isBuilt)
        #expect(
            lost.log.contains("/Sources/Lost/ios.json:1:1: error: ") && lost.log.contains("iOS/Lost does not exist"))
        try apps.write("Sources/Lost/ios.json", #"{"sources": ["../../iOS/Good"]}"#)
        let found = try apps.build("Lost")
        #expect(found.isBuilt, "\(found.log)")

        let twice = try apps.build("Twice")
        #expect(!twice.isBuilt && twice.log.contains("error: target Twice has 2 files called App.swift"))

        // Without ios.json: all Swift files of the target's folder that Package.swift does not name.
        let plain = try apps.build("Plain")
        #expect(plain.isBuilt, "\(plain.log)")
        #expect(try apps.output(of: "Plain") == "Plain/App.swift 4\ntrue\n")
    }
}
