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

/// Collects what becomes of files.
struct Ledger {
    /// A target's use of a file.
    private struct Taken {
        var use: ImportReport.Use
        var modules: [String] = []
        var copies: [String] = []
        var package: String?
    }

    private var names = Names()
    private var taken: [String: Taken] = [:]
    /// By files, and by folders with all that is in them.
    private var left: [String: String] = [:]
    private var missing: [String: String] = [:]
    private var packages: [String] = []
    /// The files that single apps do not have.
    private var refused: [(path: String, target: ImportReport.Target, reason: String)] = []

    mutating func take(_ file: URL, as use: ImportReport.Use, in module: String? = nil, at place: String? = nil) {
        let path = names.path(file)
        var entry = taken[path] ?? Taken(use: use)
        if let module, !entry.modules.contains(module) { entry.modules.append(module) }
        if let module, let place { entry.copies.append("\(module)/\(place)") }
        taken[path] = entry
        // The file that a link stands for is taken with it.
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        if real != path, taken[real] == nil { taken[real] = entry }
    }

    /// A package takes all of its folder, unless a target says otherwise.
    mutating func take(package folder: URL) {
        let path = names.path(folder)
        if !packages.contains(path) { packages.append(path) }
    }

    /// The first reason counts.
    ///
    /// - Parameter target: the app that leaves the file out, while another one may have it.
    mutating func leave(_ file: URL, _ reason: String, of target: ImportReport.Target? = nil) {
        let path = names.path(file)
        if left[path] == nil { left[path] = reason }
        if let target { refused.append((path, target, reason)) }
    }

    mutating func miss(_ file: URL, _ reason: String) {
        let path = names.path(file)
        if missing[path] == nil { missing[path] = reason }
    }

    /// Writes down what became of all files of the folders.
    mutating func close(_ report: inout ImportReport) throws(ImportFailure) {
        let root = report.root
        func short(_ path: String) -> String {
            path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : path
        }
        let all = Set(report.folders.flatMap { Disk.files(below: URL(fileURLWithPath: $0)) }.map { names.path($0) })
        for path in all where taken[path] == nil && left[path] == nil {
            if let package = packages.first(where: { path.hasPrefix($0 + "/") }) {
                taken[path] = Taken(use: .package, package: short(package))
            }
        }
        for (path, entry) in taken.sorted(by: { $0.key < $1.key }) {
            report.taken.append(
                ImportReport.Taken(
                    path: short(path), use: entry.use, modules: entry.modules.sorted(), copies: entry.copies.sorted(),
                    package: entry.package))
        }
        // What is outside of the folders is named as far as a target names it.
        let others = left.keys.filter { path in
            !report.folders.contains { path.hasPrefix($0 + "/") } && !taken.keys.contains(path)
        }
        for path in all.union(others).sorted() where taken[path] == nil {
            report.left.append(ImportReport.Left(path: short(path), reason: reason(path, short(path))))
        }
        for (path, reason) in missing.sorted(by: { $0.key < $1.key }) {
            report.missing.append(ImportReport.Left(path: short(path), reason: reason))
        }
        for (path, target, reason) in refused {
            guard let modules = taken[path]?.modules, !modules.contains(target.module) else { continue }
            report.notes.append(ImportReport.Note(target: target.name, text: "\(short(path)) is left out: \(reason)"))
        }
        let named = Set(report.taken.map(\.path)).union(report.left.map(\.path))
        let lost = all.filter { !named.contains(short($0)) }.sorted()
        guard lost.isEmpty else {
            throw ImportFailure("the import has lost \(lost.joined(separator: ", ")): this is a fault of Greenroom")
        }
    }

    /// The reason of the file itself, or of the nearest folder around it.
    private func reason(_ path: String, _ short: String) -> String {
        var place = path
        while !place.isEmpty, place != "/" {
            if let reason = left[place] { return reason }
            place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
        }
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
            return "a symbolic link to \(target)"
        }
        return FileKind.reason(ofUnused: short)
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
