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

    package func write(_ targets: [ImportedTarget], name: String) throws {
        let manager = FileManager.default
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        for target in targets {
            let place = folder.appending(path: "Sources/\(target.module)")
            try manager.createDirectory(at: place, withIntermediateDirectories: true)
            try write("// The code of this target is the iOS code that ios.json names.\n", "Sources.swift", in: place)
            try write(Data(try configuration(target, from: place)), "ios.json", in: place)
            let bundle = folder.appending(path: "Apps/\(target.module)")
            try manager.createDirectory(at: bundle, withIntermediateDirectories: true)
            try target.information.write(to: bundle.appending(path: "Info.plist"), options: .atomic)
            for resource in target.resources {
                let copy = bundle.appending(path: resource.lastPathComponent)
                try? manager.removeItem(at: copy)
                try manager.copyItem(at: resource, to: copy)
            }
        }
        try write(manifest(targets, name: name), "Package.swift", in: folder)
        try write(script(targets), "make-apps", in: folder)
        try manager.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.appending(path: "make-apps").path)
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
        return try encoder.encode(
            Configuration(
                sources: target.sources.map { Self.path(from: place, to: $0) }, merge: target.merged, iOS: target.iOS))
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
        let dependency =
            isAddress
            ? ".package(url: \"\(greenroom)\", branch: \"main\")"
            : ".package(name: \"greenroom\", path: \"\(greenroom)\")"
        let listed = targets.map { target in
            """
                    .executableTarget(
                        name: "\(target.module)",
                        dependencies: [
            \(Products.of(target).map { "                .product(name: \"\($0)\", package: \"greenroom\")," }.joined(separator: "\n"))
                        ],
                        exclude: ["ios.json"],
                        sources: ["Sources.swift"],
                        swiftSettings: [.swiftLanguageMode(.v5)],
                        plugins: [.plugin(name: "IOSSources", package: "greenroom")])
            """
        }
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "\(name)",
                dependencies: [\(dependency)],
                targets: [
            \(listed.joined(separator: ",\n")),
                ])

            """
    }

    private func script(_ targets: [ImportedTarget]) -> String {
        """
        #!/bin/sh
        # Builds the apps, as bundles that greenroom install takes.
        set -e
        cd "$(dirname "$0")"
        swift build
        for app in \(targets.map(\.module).joined(separator: " ")); do
            rm -rf "Built/$app.app"
            mkdir -p Built
            cp -R "Apps/$app" "Built/$app.app"
            cp "$(swift build --show-bin-path)/$app" "Built/$app.app/"
            echo "Built/$app.app"
        done

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
