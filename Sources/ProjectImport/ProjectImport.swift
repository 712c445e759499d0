package import Foundation

/// An iOS project as it was read.
package struct ImportedProject: Sendable {
    package var targets: [ImportedTarget]
    package var report: ImportReport

    /// What was left out beside files, in sentences.
    package var notes: [String] { report.notes.map { note in (note.target.map { "\($0): " } ?? "") + note.text } }
}

/// How a project is to be read.
package struct ImportOptions: Sendable {
    /// The build configuration whose settings count; the usual one if there is none.
    package var configuration: String?
    /// The names of modules that an app's module must not have.
    package var reserved: Set<String>

    package init(configuration: String? = nil, reserved: Set<String> = []) {
        (self.configuration, self.reserved) = (configuration, reserved)
    }

    /// The names of the modules in a package's folder, as its manifest has them.
    package static func modules(of package: URL) -> Set<String> {
        let text = try? String(contentsOf: package.appending(path: "Package.swift"), encoding: .utf8)
        return Set((text ?? "").matches(of: /name:\s*"([^"]+)"/).map { String($0.output.1) })
    }
}

/// Reads iOS projects.
package enum ProjectImport {
    /// The programs of a project, or of a folder of code.
    ///
    package static func read(
        _ path: URL, _ options: ImportOptions = ImportOptions()
    ) throws(ImportFailure) -> ImportedProject {
        var path = path.standardizedFileURL
        if path.lastPathComponent == "project.pbxproj" { path.deleteLastPathComponent() }
        guard FileManager.default.fileExists(atPath: path.path) else {
            throw ImportFailure("\(path.path) does not exist")
        }
        guard path.pathExtension != "xcodeproj" else {
            return try ProjectReader(path, folder: nil, options).read()
        }
        let folder = path.pathExtension == "xcworkspace" ? path.deletingLastPathComponent() : path
        guard Disk.isFolder(folder) else {
            throw ImportFailure("\(path.path) is a file: name an .xcodeproj, or a folder")
        }
        let projects = projects(in: folder, depth: 0)
        guard projects.count < 2 else {
            let names = projects.map { String($0.path.dropFirst(folder.path.count + 1)) }.joined(separator: ", ")
            throw ImportFailure("\(folder.path) has several projects: name one of \(names)")
        }
        guard let only = projects.first else { return try FolderProject(folder).read(options) }
        return try ProjectReader(only, folder: folder, options).read()
    }

    /// The projects of a folder; if it has none, those of the folders in it.
    private static func projects(in folder: URL, depth: Int) -> [URL] {
        let names = Disk.names(in: folder).filter { !$0.hasPrefix(".") && !Disk.skipped.contains($0) }
        let here = names.filter { $0.hasSuffix(".xcodeproj") }.map { folder.appending(path: $0) }
        guard here.isEmpty, depth < 3 else { return here }
        return names.filter { !["Pods", "Carthage", "node_modules", "build"].contains($0) }
            .map { folder.appending(path: $0) }.filter { Disk.isFolder($0) && !Disk.isLink($0) }
            .flatMap { projects(in: $0, depth: depth + 1) }
    }
}
