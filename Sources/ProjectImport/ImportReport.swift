package import Foundation

/// What became of each file of a project.
package struct ImportReport: Encodable, Sendable {
    package enum Use: String, Encodable, Sendable {
        case source, resource, information, settings, package
        /// Files of the bundle are made of it.
        case catalog
    }

    package struct Taken: Encodable, Sendable {
        package var path: String
        package var use: Use
        /// The modules that have it.
        package var modules: [String]
        /// Its copies in the package's folder `Apps`, of a resource.
        package var copies: [String]
        /// The package that it belongs to.
        package var package: String?
    }

    package struct Left: Encodable, Sendable {
        package var path: String
        package var reason: String
    }

    package struct Target: Encodable, Sendable {
        package var name: String
        package var module: String
    }

    package struct Note: Encodable, Sendable {
        /// The target that it is about; none if it is about the project.
        package var target: String?
        package var text: String
    }

    /// The project, or the folder of code.
    package var project: String
    /// The folder that paths are relative to. A path outside of it is absolute.
    package var root: String
    /// The folders whose files are all in the report.
    package var folders: [String]
    /// The package's folder.
    package var output: String?
    package var targets: [Target] = []
    /// The folders of local packages that the apps use, those that these depend on included.
    package var packages: [String] = []
    package var taken: [Taken] = []
    package var left: [Left] = []
    /// Files that the project names, and that are not there.
    package var missing: [Left] = []
    package var notes: [Note] = []

    package var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self) + Data("\n".utf8)
        }
    }
}

extension ImportReport {
    /// The files that were left out, in few lines: folders of which all files have one reason are one.
    package func summary(perReason limit: Int = 8) -> [String] {
        let lines = Dictionary(grouping: left, by: \.reason).map { reason, files in
            (reason, collapsed(Set(files.map(\.path))), files.count)
        }
        return lines.sorted { ($0.1.first ?? "") < ($1.1.first ?? "") }.map { reason, names, count in
            let shown = names.prefix(limit).joined(separator: ", ")
            let more = names.count > limit ? " and \(names.count - limit) more (see report.json)" : ""
            return "left out: \(count == 1 ? "" : "\(count) files: ")\(shown)\(more): \(reason)"
        }
    }

    /// Names folders instead of their files, if no other file is in them.
    private func collapsed(_ paths: Set<String>) -> [String] {
        var whole: [String: Int] = [:]
        for path in taken.map(\.path) + left.map(\.path).filter({ !paths.contains($0) }) {
            for folder in Self.folders(of: path) { whole[folder] = -1 }
        }
        for path in paths {
            for folder in Self.folders(of: path) where whole[folder] != -1 { whole[folder, default: 0] += 1 }
        }
        var result: Set<String> = []
        for path in paths {
            if let folder = Self.folders(of: path).first(where: { (whole[$0] ?? -1) > 1 }) {
                result.insert("\(folder)/")
            } else {
                result.insert(path)
            }
        }
        return result.sorted()
    }

    /// The folders around a path, the outermost first.
    private static func folders(of path: String) -> [String] {
        path.indices.filter { path[$0] == "/" && $0 != path.startIndex }.map { String(path[..<$0]) }
    }
}
