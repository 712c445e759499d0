internal import ArgumentParser
internal import Foundation
internal import ProjectImport

/// `greenroom import`
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom import",
        abstract: "Make a package of an iOS project: its code is compiled where it lies.",
        discussion: """
            PATH is an .xcodeproj, a folder with one, or a folder of Swift files. The package has a target for each app, and \
            make-apps, which builds bundles for greenroom install. Each file of the project is taken, or left out with a \
            reason: the package's report.json lists all of them.
            """)

    @Argument(help: "An .xcodeproj, or a folder.", completion: .file())
    var path: String

    @Option(help: "The package's folder (default: NAME-greenroom in this folder). It must not exist.")
    var output: String?

    @Option(help: "Where Greenroom's own package is: a path or an address.")
    var greenroom: String?

    @Option(help: "The build configuration whose settings count (default: the one that the app is released by).")
    var configuration: String?

    @Flag(help: "Print the report of all files as JSON.")
    var json = false

    func run() throws {
        let source = URL(fileURLWithPath: path).standardizedFileURL
        do {
            let greenroom = try place()
            let reserved = greenroom.contains("://") ? [] : ImportOptions.modules(of: URL(fileURLWithPath: greenroom))
            let project = try ProjectImport.read(
                source, ImportOptions(configuration: configuration, reserved: reserved))
            let name = source.deletingPathExtension().lastPathComponent
            let folder = URL(fileURLWithPath: output ?? "\(name)-greenroom")
            guard !FileManager.default.fileExists(atPath: folder.path) else {
                throw ValidationError("\(folder.path) exists: name another folder with --output, or remove it")
            }
            try PackageWriter(folder: folder, greenroom: greenroom).write(project, name: name)
            if json {
                FileHandle.standardOutput.write(try Data(contentsOf: folder.appending(path: "report.json")))
            } else {
                describe(project, folder)
            }
        } catch let failure as ImportFailure {
            FileHandle.standardError.write(Data("greenroom: \(failure)\n".utf8))
            throw ExitCode.failure
        }
    }

    private func describe(_ project: ImportedProject, _ folder: URL) {
        let report = project.report
        for target in project.targets {
            print("\(target.name): \(target.sources.count) Swift files, \(target.resources.count) resources")
            for note in report.notes where note.target == target.name { print("    note: \(note.text)") }
        }
        for package in report.packages { print("package: \(package)") }
        for note in report.notes where note.target == nil { print("note: \(note.text)") }
        for file in report.missing { print("not on the disk: \(file.path): \(file.reason)") }
        for line in report.summary() { print(line) }
        print("files taken: \(report.taken.count), left out: \(report.left.count). report.json lists all of them.")
        print("\(folder.path): swift build there, or make-apps for bundles")
    }

    /// The package that this program was built of, if it still lies there.
    private func place() throws -> String {
        if let greenroom { return greenroom.contains("://") ? greenroom : URL(fileURLWithPath: greenroom).path }
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let manifest = try? String(contentsOf: folder.appending(path: "Package.swift"), encoding: .utf8)
            if manifest?.contains("name: \"greenroom\"") == true { return folder.path }
            folder.deleteLastPathComponent()
        }
        throw ValidationError("say where Greenroom's package is: --greenroom PATH")
    }
}

// As all of the tool: 2 for what was used wrongly.
do {
    var command = try Import.parseAsRoot()
    try command.run()
} catch let code as ExitCode {
    Import.exit(withError: code)
} catch {
    let code = Import.exitCode(for: error)
    let text = Import.fullMessage(for: error)
    if code.isSuccess {
        print(text)
    } else {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
    exit(code.isSuccess ? 0 : 2)
}
