package import Foundation

/// Writes a package that compiles an iOS project's code where it lies.
package struct PackageWriter {
    private let folder: URL
    /// Where Greenroom is: a path or an address.
    private let greenroom: String

    package init(folder: URL, greenroom: String) {
        self.folder = folder.standardizedFileURL
        self.greenroom = greenroom
    }

    package func write(_ project: ImportedProject, name: String) throws {
        let (manager, targets) = (FileManager.default, project.targets)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for target in targets {
            let place = folder.appending(path: "Sources/\(target.module)")
            try manager.createDirectory(at: place, withIntermediateDirectories: true)
            try write("// The code of this target is the iOS code that ios.json names.\n", "Sources.swift", in: place)
            try write(Data(try configuration(target, from: place)), "ios.json", in: place)
            for (file, name) in target.renamed {
                let links = place.appending(path: Self.renamed)
                try manager.createDirectory(at: links, withIntermediateDirectories: true)
                try manager.createSymbolicLink(
                    atPath: links.appending(path: name).path, withDestinationPath: Self.path(from: links, to: file))
            }
            let bundle = folder.appending(path: "Apps/\(target.module)")
            try manager.createDirectory(at: bundle, withIntermediateDirectories: true)
            try target.information.write(to: bundle.appending(path: "Info.plist"), options: .atomic)
            for resource in target.resources { try copy(resource, to: bundle) }
        }
        try write(manifest(targets, name: name), "Package.swift", in: folder)
        try write(script(targets), "make-apps", in: folder)
        try manager.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.appending(path: "make-apps").path)
        var report = project.report
        report.output = folder.path
        try write(report.json, "report.json", in: folder)
    }

    /// The folder of links to files that have another name in the module.
    private static let renamed = "Renamed"

    private func copy(_ resource: ImportedTarget.Resource, to bundle: URL) throws {
        let copy = bundle.appending(path: resource.place)
        try FileManager.default.createDirectory(
            at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
        do {
            if let data = resource.data { return try data.write(to: copy, options: .atomic) }
            // A link becomes the file that it stands for.
            try FileManager.default.copyItem(at: resource.file.resolvingSymlinksInPath(), to: copy)
        } catch {
            throw ImportFailure("\(resource.file.path) cannot be copied: \(error.localizedDescription)")
        }
    }

    private func write(_ text: String, _ name: String, in place: URL) throws {
        try write(Data(text.utf8), name, in: place)
    }

    private func write(_ data: Data, _ name: String, in place: URL) throws {
        try data.write(to: place.appending(path: name), options: .atomic)
    }

    private struct Configuration: Encodable {
        var sources: [String]
        var merge: [String]
        var iOS: String
    }

    private func configuration(_ target: ImportedTarget, from place: URL) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let sources = target.sources.map { file in
            target.renamed[file].map { "\(Self.renamed)/\($0)" } ?? Self.path(from: place, to: file)
        }
        return try encoder.encode(Configuration(sources: sources, merge: target.merged, iOS: target.iOS))
    }

    /// How a file is called from a folder.
    static func path(from folder: URL, to file: URL) -> String {
        let (start, end) = (folder.standardizedFileURL.pathComponents, file.standardizedFileURL.pathComponents)
        let common = zip(start, end).prefix { $0 == $1 }.count
        let up = Array(repeating: "..", count: start.count - common)
        return (up + end.dropFirst(common)).joined(separator: "/")
    }

    // MARK: The files

    private func manifest(_ targets: [ImportedTarget], name: String) -> String {
        let isAddress = greenroom.contains("://")
        let packages = Set(targets.flatMap(\.products).map(\.package)).sorted { $0.path < $1.path }
        let dependencies =
            [
                isAddress
                    ? ".package(url: \(Self.quoted(greenroom)), branch: \"main\")"
                    : ".package(name: \"greenroom\", path: \(Self.quoted(greenroom)))"
            ] + packages.map { ".package(path: \(Self.quoted(Self.path(from: folder, to: $0))))" }
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: \(Self.quoted(name)),
                dependencies: [
            \(dependencies.map { "        \($0)," }.joined(separator: "\n"))
                ],
                targets: [
            \(targets.map(declaration).joined(separator: ",\n")),
                ])

            """
    }

    private func declaration(_ target: ImportedTarget) -> String {
        let products =
            Products.of(target).map { ".product(name: \"\($0)\", package: \"greenroom\")" }
            + target.products.map {
                ".product(name: \(Self.quoted($0.name)), package: \(Self.quoted($0.package.lastPathComponent)))"
            }
        return """
                    .executableTarget(
                        name: \(Self.quoted(target.module)),
                        dependencies: [
            \(products.map { "                \($0)," }.joined(separator: "\n"))
                        ],
                        exclude: [\(Self.excluded(target))],
                        sources: ["Sources.swift"],
                        swiftSettings: [
            \(Self.settings(target.compiler).map { "                \($0)," }.joined(separator: "\n"))
                        ],
                        plugins: [.plugin(name: "IOSSources", package: "greenroom")])
            """
    }

    /// The files of the target's folder that are not SwiftPM's.
    private static func excluded(_ target: ImportedTarget) -> String {
        ((target.renamed.isEmpty ? [] : [renamed]) + ["ios.json"]).map(quoted).joined(separator: ", ")
    }

    private static func settings(_ compiler: CompilerSettings) -> [String] {
        [".swiftLanguageMode(.\(compiler.mode))"] + compiler.conditions.map { ".define(\(quoted($0)))" }
            + compiler.features.map { ".enableUpcomingFeature(\(quoted($0)))" }
            + compiler.experiments.map { ".enableExperimentalFeature(\(quoted($0)))" }
            + (compiler.isOnMainActor ? [".defaultIsolation(MainActor.self)"] : [])
    }

    /// A text as Swift has it.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: " "))\""
    }

    private func script(_ targets: [ImportedTarget]) -> String {
        """
        #!/bin/sh
        # Builds the apps, as bundles that greenroom install takes.
        set -e
        cd "$(dirname "$0")"
        mkdir -p Built
        failed=
        for app in \(targets.map(\.module).joined(separator: " ")); do
            # An app that cannot be built keeps no other one from it.
            if swift build --product "$app"; then
                rm -rf "Built/$app.app"
                cp -R "Apps/$app" "Built/$app.app"
                cp "$(swift build --show-bin-path)/$app" "Built/$app.app/"
                echo "Built/$app.app"
            else
                failed="$failed $app"
            fi
        done
        if [ -n "$failed" ]; then
            echo "make-apps: not built:$failed" >&2
            exit 1
        fi

        """
    }
}

/// Which of Greenroom's products code needs, by what it imports and names.
enum Products {
    private static let byModule = [
        "BackgroundTasks": "BackgroundTasks", "UserNotifications": "UserNotifications", "CoreLocation": "CoreLocation",
        "MapKit": "CoreLocation", "AVFoundation": "AVFoundation", "AVFAudio": "AVFAudio", "AVKit": "AVFoundation",
        "MediaPlayer": "MediaPlayer", "CoreMedia": "CoreMedia", "Combine": "GreenroomCombine", "os": "GreenroomOS",
        "OSLog": "GreenroomOS", "Network": "GreenroomNetwork", "SwiftUI": "GreenroomSwiftUI",
        "SystemConfiguration": "GreenroomSystemConfiguration",
    ]

    static func of(_ target: ImportedTarget) -> [String] {
        var products: Set = ["UIKit"]
        for file in target.sources {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for line in text.split(whereSeparator: \.isNewline) {
                let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "@") }
                guard let place = words.firstIndex(of: "import") else { continue }
                for word in words[words.index(after: place)...] {
                    if let product = byModule[String(word)] { products.insert(product) }
                }
            }
            // What files use without importing it.
            if text.contains("URLSession") || text.contains("URLRequest") { products.insert("UIKitNetworking") }
            if text.contains("UNUserNotificationCenter") { products.insert("UserNotifications") }
            if ["ObservableObject", "AnyCancellable", "@Published"].contains(where: text.contains) {
                products.insert("GreenroomCombine")
            }
        }
        return products.sorted()
    }
}
