internal import Foundation

/// iOS code in a folder without a project: one program of everything that is there.
enum FolderProject {
    static func target(_ folder: URL) throws(ImportFailure) -> ImportedTarget {
        let manager = FileManager.default
        let found = manager.enumerator(at: folder, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        var (sources, tests, other): ([URL], Int, [String: Int]) = ([], 0, [:])
        var information: URL?
        for case let file as URL in found ?? FileManager.DirectoryEnumerator() {
            if ["Pods", "Carthage", "build", "DerivedData", "node_modules"].contains(file.lastPathComponent) {
                found?.skipDescendants()
                continue
            }
            if file.pathComponents.contains(where: { $0.hasSuffix("Tests") }) {
                if file.pathExtension == "swift" { tests += 1 }
            } else if file.pathExtension == "swift" {
                if file.lastPathComponent != "Package.swift" { sources.append(file) }
            } else if file.lastPathComponent == "Info.plist" {
                information = information ?? file
            } else if Kinds.leftOut[file.pathExtension] != nil {
                other[file.pathExtension, default: 0] += 1
            }
        }
        guard !sources.isEmpty else {
            throw ImportFailure(
                "\(folder.path) has no Swift files: name the folder of an app's code, or its .xcodeproj")
        }
        let name = folder.standardizedFileURL.lastPathComponent
        let settings = [
            "PRODUCT_NAME": name, "PRODUCT_MODULE_NAME": ImportedTarget.module(name),
            "PRODUCT_BUNDLE_IDENTIFIER": "org.example.\(ImportedTarget.module(name).lowercased())",
        ]
        var leftOut = other.sorted { $0.key < $1.key }.map { Kinds.sentence($0.key, $0.value) }
        if tests > 0 { leftOut.append("\(tests) files of tests: add a test target of your own") }
        let list = try InformationList(
            file: information, executable: ImportedTarget.module(name), settings: settings)
        return ImportedTarget(
            name: name, sources: sources.sorted { $0.path < $1.path }, merged: [], information: list.data,
            resources: [], iOS: list.iOS, leftOut: leftOut)
    }
}

/// What files of a kind are, and why a package does not have them.
enum Kinds {
    static let leftOut = [
        "m": "Objective-C", "mm": "Objective-C", "h": "headers of Objective-C", "storyboard": "storyboards",
        "xib": "nib files", "xcassets": "asset catalogues", "xcdatamodeld": "models of Core Data", "metal": "shaders",
        "intentdefinition": "definitions of intents", "c": "C", "cpp": "C++",
    ]

    static func sentence(_ kind: String, _ count: Int) -> String {
        let what = leftOut[kind] ?? ".\(kind)"
        let reason =
            switch kind {
            case "m", "mm", "h": "only Swift is compiled"
            case "c", "cpp": "put them into a target of their own"
            case "xcassets": "images are loaded from files: export those that the code names"
            case "storyboard", "xib": "nothing draws views: make windows and controllers in code"
            default: "there is nothing that uses them"
            }
        return "\(count) × \(what) (.\(kind)): \(reason)"
    }
}
