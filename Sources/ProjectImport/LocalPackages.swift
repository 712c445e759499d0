package import Foundation

/// A Swift package in a folder of the project.
package struct LocalPackage: Sendable, Equatable {
    package var folder: URL
    /// The products that it declares, as far as its manifest names them by plain texts.
    package var products: [String]

    /// The name by which SwiftPM knows a package of a folder.
    package var identity: String { folder.lastPathComponent }
}

/// A product of a local package that an app uses.
package struct PackageProduct: Sendable, Hashable {
    package var name: String
    package var package: URL
}

/// The packages of a project.
struct ProjectPackages {
    private(set) var local: [LocalPackage] = []
    /// Packages that are not on the disk, in sentences.
    private(set) var notes: [String] = []

    init(_ project: XcodeProject, _ settings: Settings) {
        var folders: [URL] = []
        for reference in project.objects(project.project.list("packageReferences"))
        where reference.kind == "XCLocalSwiftPackageReference" {
            let path = settings.fill(reference.text("relativePath") ?? reference.text("path") ?? "")
            let places = [project.file(path: path), Disk.find(project.folder.appending(path: path))]
            if let found = places.first(where: Self.isPackage) {
                folders.append(found)
            } else {
                notes.append("the local package \(path) is left out: \(places[0].path) has no Package.swift")
            }
        }
        // Before Xcode 15 a local package was a folder among the files.
        let types: Set = ["folder", "wrapper", "wrapper.folder", "text", "file"]
        for reference in project.all("PBXFileReference")
        where types.contains(reference.text("lastKnownFileType") ?? "folder") {
            guard let folder = project.file(reference.identifier, settings), Disk.isFolder(folder) else { continue }
            if Self.isPackage(folder) { folders.append(folder) }
        }
        folders += Self.workspacePackages(near: project.folder)
        // Xcode finds packages in synchronized folders as well.
        for group in project.all("PBXFileSystemSynchronizedRootGroup") {
            guard let folder = project.file(group.identifier, settings) else { continue }
            folders += Self.packages(below: folder, depth: 0)
        }
        var seen: Set<String> = []
        for folder in folders.map({ $0.standardizedFileURL }) where seen.insert(folder.path).inserted {
            local.append(LocalPackage(folder: folder, products: Self.products(of: folder)))
        }
    }

    private static func packages(below folder: URL, depth: Int) -> [URL] {
        if isPackage(folder) { return [folder] }
        guard depth < 5 else { return [] }
        return Disk.names(in: folder).filter { !$0.hasPrefix(".") && !Disk.skipped.contains($0) }
            .map { folder.appending(path: $0) }.filter {
                Disk.isFolder($0) && !Disk.isLink($0) && !FileKind.isBundle($0)
            }
            .flatMap { packages(below: $0, depth: depth + 1) }
    }

    /// A package and those that it depends on by their folders, as SwiftPM follows them.
    static func closure(of folder: URL) -> [URL] {
        var (result, open): ([URL], [URL]) = ([], [folder.standardizedFileURL])
        while let next = open.popLast(), result.count < 500 {
            guard !result.contains(next) else { continue }
            result.append(next)
            open += manifest(of: next).matches(
                of: /\.package\s*\(\s*(?:name\s*:\s*"[^"]*"\s*,\s*)?path\s*:\s*"([^"]+)"/
            )
            .map { match in
                let path = String(match.output.1)
                return (path.hasPrefix("/") ? URL(fileURLWithPath: path) : next.appending(path: path))
                    .standardizedFileURL
            }.filter(isPackage)
        }
        return result
    }

    private static func isPackage(_ folder: URL) -> Bool { Disk.isFile(folder.appending(path: "Package.swift")) }

    /// Packages that workspaces beside the project, or in the folder around it, name.
    private static func workspacePackages(near folder: URL) -> [URL] {
        [folder, folder.deletingLastPathComponent()].flatMap { place in
            Disk.names(in: place).filter { $0.hasSuffix(".xcworkspace") }.flatMap { name -> [URL] in
                let contents = place.appending(path: "\(name)/contents.xcworkspacedata")
                guard let text = try? String(contentsOf: contents, encoding: .utf8) else { return [] }
                return text.matches(of: /location\s*=\s*"(?:group|container):([^"]*)"/).map {
                    let path = String($0.output.1)
                    return (path.isEmpty ? place : place.appending(path: path)).standardizedFileURL
                }
            }
        }.filter(isPackage)
    }

    /// The products that a manifest declares.
    static func products(of folder: URL) -> [String] {
        let text = manifest(of: folder)
        return text.matches(of: /\.(?:library|executable)\s*\(\s*name\s*:\s*"([^"]+)"/).map { String($0.output.1) }
    }

    /// A package's manifest without its comments.
    private static func manifest(of folder: URL) -> String {
        let text = (try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8)) ?? ""
        return text.replacing(/\/\*(?s:.*?)\*\//, with: " ").split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.replacing(/(^|\s)\/\/.*/, with: " ") }.joined(separator: "\n")
    }

    /// The local package that has a product.
    func package(of product: String) -> LocalPackage? {
        local.first { $0.products.contains(product) }
            // A manifest may compute its products.
            ?? local.first {
                $0.folder.lastPathComponent == product || Self.manifest(of: $0.folder).contains("\"\(product)\"")
            }
    }

    /// What to know of a package before it is built, in sentences.
    func warnings(of folder: URL) -> [String] {
        let (text, name) = (Self.manifest(of: folder), folder.lastPathComponent)
        var result: [String] = []
        let remote = text.matches(of: /\.package\s*\(\s*(?:name\s*:\s*"[^"]*"\s*,\s*)?url\s*:\s*"([^"]+)"/)
            .map { String($0.output.1) }
        if !remote.isEmpty {
            result.append(
                "the package \(name) fetches \(remote.joined(separator: ", ")): check that they build on Linux"
            )
        }
        var modules: Set<String> = []
        for file in Disk.files(below: folder) where file.pathExtension == "swift" {
            let path = file.path.dropFirst(folder.path.count)
            guard !path.contains("Tests/"), let code = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for module in Self.appleModules where Self.imports(module, code) { modules.insert(module) }
        }
        if !modules.isEmpty {
            result.append(
                "the package \(name) is built as it is, and imports "
                    + "\(modules.sorted().joined(separator: ", ")). If it does not build, add its sources and its name "
                    + "to ios.json, and remove it from Package.swift")
        }
        return result
    }

    private static let appleModules = [
        "UIKit", "SwiftUI", "Combine", "AppKit", "CoreData", "SwiftData", "CoreGraphics", "CoreLocation",
        "AVFoundation",
        "os", "OSLog", "Network", "Security", "WebKit", "StoreKit", "MapKit", "UserNotifications", "CryptoKit",
        "BackgroundTasks", "MediaPlayer", "WidgetKit", "CoreImage", "QuartzCore",
    ]

    /// Whether code imports a module without asking first whether it can.
    private static func imports(_ module: String, _ code: String) -> Bool {
        guard !code.contains("canImport(\(module))") else { return false }
        return code.split(whereSeparator: \.isNewline).contains { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place < 3, place + 1 < words.count else { return false }
            return words[place + 1].split(separator: ".").first == Substring(module)
        }
    }
}
