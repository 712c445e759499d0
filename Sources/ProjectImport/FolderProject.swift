internal import Foundation

/// iOS code in a folder without a project: one program of all its Swift files.
struct FolderProject {
    private let folder: URL

    init(_ folder: URL) { self.folder = folder.resolvingSymlinksInPath() }

    func read(_ options: ImportOptions) throws(ImportFailure) -> ImportedProject {
        let module = ImportedTarget.module(name)
        let isFree = !options.reserved.contains { $0.lowercased() == module.lowercased() }
        var (ledger, target) = (Ledger(), ImportedTarget(name: name, module: isFree ? module : module + "App"))
        var information: URL?
        var tests = 0
        for file in Disk.files(below: folder) {
            let names = file.pathComponents.dropFirst(folder.pathComponents.count)
            if let reason = reason(leaving: file, Array(names)) {
                if file.pathExtension == "swift", reason == Self.tests { tests += 1 }
                ledger.leave(file, reason)
            } else if file.lastPathComponent == "Info.plist", information == nil {
                information = file
            } else {
                switch FileKind(file) {
                case .swift: target.sources.append(file)
                case .other(let reason): ledger.leave(file, reason)
                case .resource:
                    ledger.leave(file, "no project says that the app has it: copy it to Apps/\(target.module)")
                }
            }
        }
        guard !target.sources.isEmpty else {
            throw ImportFailure(
                "\(folder.path) has no Swift files: name the folder of an app's code, or its .xcodeproj")
        }
        if tests > 0 { target.notes.append("tests are left out (\(tests)): add a test target of your own") }
        var settings = Settings()
        for (key, value) in [
            ("PRODUCT_NAME", name), ("PRODUCT_MODULE_NAME", target.module), ("EXECUTABLE_NAME", target.module),
            ("TARGET_NAME", name), ("DEVELOPMENT_LANGUAGE", "en"), ("CURRENT_PROJECT_VERSION", "1"),
            ("MARKETING_VERSION", "1.0"), ("PRODUCT_BUNDLE_PACKAGE_TYPE", "APPL"),
            ("PRODUCT_BUNDLE_IDENTIFIER", "org.example.\(target.module.lowercased())"),
        ] { settings.push(key, value) }
        for (name, tool) in [("project.yml", "XcodeGen"), ("Project.swift", "Tuist")]
        where Disk.isFile(folder.appending(path: name)) {
            target.notes.append("\(name) describes a project: run \(tool), and import the .xcodeproj that it makes")
        }
        let list = try InformationList(
            file: information, root: folder, executable: target.module, settings: settings)
        (target.information, target.iOS) = (list.data, list.iOS)
        target.notes += list.notes
        target.sources.sort { $0.path < $1.path }
        for source in target.sources { ledger.take(source, as: .source, in: target.module) }
        if let information { ledger.take(information, as: .information, in: target.module) }
        var report = ImportReport(project: folder.path, root: folder.path, folders: [folder.path])
        report.targets = [ImportReport.Target(name: target.name, module: target.module)]
        report.notes = target.notes.map { ImportReport.Note(target: target.name, text: $0) }
        try ledger.close(&report)
        return ImportedProject(targets: [target], report: report)
    }

    private var name: String { folder.lastPathComponent }

    private static let tests = "it is a test: add a test target of your own"

    /// The reason for which a file is not the app's, as far as its place shows it.
    ///
    /// - Parameter names: the path in the folder.
    private func reason(leaving file: URL, _ names: [String]) -> String? {
        let path = names.joined(separator: "/")
        let usual = FileKind.reason(ofUnused: path)
        if usual != FileKind.unused { return usual }
        if names.contains(where: { $0.hasSuffix("Tests") || $0.hasSuffix("Tests.swift") }) { return Self.tests }
        var place = folder
        for name in names.dropLast() {
            place.append(path: name)
            if Disk.isFile(place.appending(path: "Package.swift")) {
                return "\(name) is a Swift package of its own: add it to Package.swift"
            }
        }
        return nil
    }
}
