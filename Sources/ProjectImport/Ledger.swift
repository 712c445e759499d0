internal import Foundation

/// Collects what becomes of files.
struct Ledger {
    /// A target's use of a file.
    private struct Taken {
        var use: ImportReport.Use
        var modules: [String] = []
        var copies: [String] = []
        var package: Path?
    }

    private var names = Names()
    private var taken: [Path: Taken] = [:]
    /// By files, and by folders with all that is in them.
    private var left: [Path: String] = [:]
    private var missing: [Path: String] = [:]
    private var packages: [Path] = []
    /// The files that single apps do not have.
    private var refused: [(path: Path, target: ImportReport.Target, reason: String)] = []

    mutating func take(_ file: URL, as use: ImportReport.Use, in module: String? = nil, at place: String? = nil) {
        let path = names.path(file)
        var entry = taken[path] ?? Taken(use: use)
        if let module, !entry.modules.contains(module) { entry.modules.append(module) }
        if let module, let place { entry.copies.append("\(module)/\(place)") }
        taken[path] = entry
        // The file that a link stands for is taken with it.
        let real = Path(URL(fileURLWithPath: path.text).resolvingSymlinksInPath().path)
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
        let root = Path(report.root)
        func short(_ path: Path) -> String {
            path.isBelow(root) ? String(path.text.utf8.dropFirst(root.text.utf8.count + 1)) ?? path.text : path.text
        }
        let all = Set(report.folders.flatMap { Disk.files(below: URL(fileURLWithPath: $0)) }.map { names.path($0) })
        for path in all where taken[path] == nil && left[path] == nil {
            if let package = packages.first(where: path.isBelow) {
                taken[path] = Taken(use: .package, package: package)
            }
        }
        for (path, entry) in taken.sorted(by: { $0.key < $1.key }) {
            report.taken.append(
                ImportReport.Taken(
                    path: short(path), use: entry.use, modules: entry.modules.sorted(),
                    copies: entry.copies.sorted(), package: entry.package.map(short)))
        }
        // What is outside of the folders is named as far as a target names it.
        let folders = report.folders.map { Path($0) }
        let others = left.keys.filter { path in !folders.contains(where: path.isBelow) && !folders.contains(path) }
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
        let named = Set((report.taken.map(\.path) + report.left.map(\.path)).map { Path($0) })
        let lost = all.filter { !named.contains(Path(short($0))) }.map(\.text).sorted()
        guard lost.isEmpty else {
            throw ImportFailure("the import has lost \(lost.joined(separator: ", ")): this is a fault of Greenroom")
        }
    }

    /// The reason of the file itself, or of the nearest folder around it.
    private func reason(_ path: Path, _ short: String) -> String {
        var place = path.text[...]
        while !place.isEmpty {
            if let reason = left[Path(place)] { return reason }
            place = place[..<(place.lastIndex(of: "/") ?? place.startIndex)]
        }
        if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path.text) {
            return "a symbolic link to \(target)"
        }
        if Disk.isFolder(URL(fileURLWithPath: path.text)) { return "a folder that cannot be read" }
        return FileKind.reason(ofUnused: short)
    }
}
