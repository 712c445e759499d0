import Foundation
import ProjectImport
import Testing

/// A folder that is gone with the test.
final class Folder {
    let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appending(path: "import-\(UUID())")

    /// - Parameter files: texts by paths. A path that ends in a slash is an empty folder.
    init(_ files: [String: String]) throws {
        for (name, text) in files {
            let file = url.appending(path: name)
            if name.hasSuffix("/") {
                try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
                continue
            }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: url.appending(path: name).path, withDestinationPath: target)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}

func propertyList(_ data: Data) throws -> [String: Any] {
    try #require(unsafe PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
}

/// A project of an app called App, whose files are in the group GROUP of the folder App.
struct Sample {
    /// More keys of the project.
    var project = ""
    /// Settings of the project and of the app.
    var projectSettings = ""
    var settings = ""
    /// More keys of the app.
    var app = ""
    /// Files in the app's group, by their identifiers; those in `sources` and `resources` belong to the phases.
    var files: [String: String] = [:]
    var sources = ["MAIN"]
    var resources: [String] = []
    /// More keys of the build files, by the identifiers of their files.
    var filters: [String: String] = [:]
    var children: [String] = []
    var phases: [String] = []
    var targets: [String] = []
    var objects = ""

    /// The text of the project's file.
    var text: String {
        let files = self.files.merging(["MAIN": "path = Main.swift;"]) { own, _ in own }
        let references = files.sorted { $0.key < $1.key }.map { id, keys in
            let tree = keys.contains("sourceTree") ? "" : "sourceTree = \"<group>\";"
            let kind = keys.contains("isa") ? "" : "isa = PBXFileReference;"
            return "\(id) = { \(kind) \(tree) \(keys) };"
        }
        let members = Set(sources + resources).sorted().map { id in
            "B_\(id) = { isa = PBXBuildFile; fileRef = \(id); \(filters[id] ?? "") };"
        }
        func list(_ names: [String]) -> String { names.joined(separator: ", ") }
        return """
            // !$*UTF8*$!
            { archiveVersion = 1; objectVersion = 77; rootObject = P; objects = {
            P = { isa = PBXProject; mainGroup = G; targets = (\(list(["APP"] + targets))); buildConfigurationList = PL;
                \(project) };
            G = { isa = PBXGroup; sourceTree = "<group>"; children = (\(list(["GROUP"] + children))); };
            GROUP = { isa = PBXGroup; sourceTree = "<group>"; path = App; children = (\(list(files.keys.sorted()))); };
            \(references.joined(separator: "\n"))
            \(members.joined(separator: "\n"))
            S = { isa = PBXSourcesBuildPhase; files = (\(list(sources.map { "B_\($0)" }))); };
            R = { isa = PBXResourcesBuildPhase; files = (\(list(resources.map { "B_\($0)" }))); };
            APP = { isa = PBXNativeTarget; name = App; productType = "com.apple.product-type.application";
                buildPhases = (\(list(["S", "R"] + phases))); buildConfigurationList = AL; \(app) };
            PL = { isa = XCConfigurationList; buildConfigurations = (PC); defaultConfigurationName = Release; };
            PC = { isa = XCBuildConfiguration; name = Release; buildSettings = { \(projectSettings) }; };
            AL = { isa = XCConfigurationList; buildConfigurations = (AC); defaultConfigurationName = Release; };
            AC = { isa = XCBuildConfiguration; name = Release; buildSettings = { \(settings) }; };
            \(objects)
            }; }
            """
    }

    /// Reads it with these files beside it, and checks that all of them are accounted for.
    func read(
        _ files: [String: String], links: [String: String] = [:]
    ) throws -> (project: ImportedProject, folder: Folder) {
        var all = files
        all["App/Main.swift"] = all["App/Main.swift"] ?? "import UIKit\n"
        all["App.xcodeproj/project.pbxproj"] = text
        let folder = try Folder(all)
        for (name, target) in links { try folder.link(name, to: target) }
        let project = try ProjectImport.read(folder.url)
        try project.expectComplete(folder.url)
        return (project, folder)
    }
}

extension ImportedProject {
    /// The reason for which a file is left out.
    func reason(_ path: String) -> String? { report.left.first { $0.path == path }?.reason }

    /// The paths of the first app's sources.
    var sources: [String] { report.taken.filter { $0.use == .source }.map(\.path) }

    /// The paths of the first app's resources in its bundle.
    var places: [String] { (targets.first?.resources ?? []).map(\.place).sorted() }

    /// Checks that each file below a folder is taken or left out, and not both.
    func expectComplete(_ folder: URL, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let (taken, left) = (report.taken.map(\.path), report.left.map(\.path))
        var found: [String] = []
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        while let name = files.nextObject() as? String {
            let kind = files.fileAttributes?[.type] as? FileAttributeType
            guard kind != .typeDirectory, !name.contains(".xcodeproj/"), !name.hasPrefix(".git/") else { continue }
            found.append(name)
        }
        for name in found {
            let count = (taken + left).count { $0.utf8.elementsEqual(name.utf8) }
            #expect(count == 1, "\(name) is named \(count) times", sourceLocation: sourceLocation)
        }
        for file in report.left {
            #expect(file.reason.split(separator: " ").count > 1, "\(file.path)", sourceLocation: sourceLocation)
        }
    }
}
