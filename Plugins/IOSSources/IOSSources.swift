import Foundation
import PackagePlugin

/// Compiles a target's iOS code, which stays as it is: what Linux's compiler is given lies in the build folder.
///
/// The code is what the target's folder has and its `sources` do not name, or the folders and files that `ios.json` in
/// the target's folder names.
@main
struct IOSSources: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let configuration = try Configuration(folder: target.directoryURL)
        let compiled = Set(target.sourceFiles.filter { $0.type == .source }.map { $0.url.standardizedFileURL.path })
        let sources = try configuration.sources().filter { !compiled.contains($0.standardizedFileURL.path) }
        guard !sources.isEmpty else {
            Diagnostics.error(
                "target \(target.name) has no iOS code: let its sources name one other file, or name folders in "
                    + Configuration.fileName)
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "Lowered", directoryHint: .isDirectory)
        let lowering = try Lowering(context)
        return [
            .buildCommand(
                displayName: "Lowering \(sources.count) files of \(target.name)",
                executable: URL(fileURLWithPath: "/bin/bash"),
                arguments: lowering.arguments + ["--output", output.path(percentEncoded: false)]
                    + configuration.options + sources.map { $0.path(percentEncoded: false) },
                inputFiles: sources + configuration.inputs + lowering.inputs,
                outputFiles: sources.map { output.appending(path: $0.lastPathComponent) })
        ]
    }
}

/// The program that lowers. It is no product: the package could not be used by version then (see its script).
private struct Lowering {
    let arguments: [String]
    /// The program's sources and its script.
    let inputs: [URL]

    init(_ context: PluginContext) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Lowering", directoryHint: .isDirectory)
        // One for all targets of a build: this is .build/plugins/outputs/PACKAGE/TARGET/destination/IOSSources.
        let built = (0..<5).reduce(context.pluginWorkDirectoryURL) { url, _ in url.deletingLastPathComponent() }
        // A toolchain that does not list its compiler has it in the PATH.
        let compiler = (try? context.tool(named: "swiftc"))?.url.path(percentEncoded: false) ?? "swiftc"
        arguments = [
            folder.appending(path: "lower").path(percentEncoded: false),
            built.appending(path: "greenroom-lower").path(percentEncoded: false), compiler,
        ]
        inputs = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }
    }
}

/// What `ios.json` says.
private struct Configuration {
    static let fileName = "ios.json"

    private struct Contents: Decodable {
        var sources: [String]?
        var exclude: [String]?
        var iOS: String?
        var simulator: Bool?
        var merge: [String]?
    }

    private let folder: URL
    private let contents: Contents
    /// What lowering depends on beside the sources.
    let inputs: [URL]

    init(folder: URL) throws {
        self.folder = folder
        let file = folder.appending(path: Self.fileName)
        guard let data = try? Data(contentsOf: file) else {
            contents = Contents()
            inputs = []
            return
        }
        inputs = [file]
        contents = try JSONDecoder().decode(Contents.self, from: data)
    }

    var options: [String] {
        (contents.iOS.map { ["--ios", $0] } ?? []) + (contents.simulator == true ? ["--simulator"] : [])
            + (contents.merge ?? []).flatMap { ["--merge", $0] }
    }

    /// All Swift files of the named folders, in an order that does not change.
    func sources() throws -> [URL] {
        let excluded = (contents.exclude ?? []).map { folder.appending(path: $0).standardizedFileURL.path }
        var result: [URL] = []
        for place in contents.sources?.map({ folder.appending(path: $0) }) ?? [folder] {
            for file in try files(in: place) where file.pathExtension == "swift" {
                let path = file.standardizedFileURL.path
                guard !excluded.contains(where: { path == $0 || path.hasPrefix($0 + "/") }) else { continue }
                result.append(file)
            }
        }
        return result.sorted { $0.path < $1.path }
    }

    private func files(in place: URL) throws -> [URL] {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard manager.fileExists(atPath: place.path, isDirectory: &isFolder) else {
            throw CocoaError(.fileReadNoSuchFile, userInfo: [NSFilePathErrorKey: place.path])
        }
        guard isFolder.boolValue else { return [place] }
        let found = manager.enumerator(at: place, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
        return found?.compactMap { $0 as? URL } ?? []
    }
}
