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
        let output = context.pluginWorkDirectoryURL.appending(path: "Lowered", directoryHint: .isDirectory)
        do {
            return [try command(context: context, target: target, output: output)]
        } catch let mistake as Mistake {
            return [failure(mistake, of: target, output: output)]
        }
    }

    private func command(context: PluginContext, target: any SourceModuleTarget, output: URL) throws -> Command {
        let configuration = try Configuration(folder: target.directoryURL)
        let compiled = Set(target.sourceFiles.filter { $0.type == .source }.map { $0.url.standardizedFileURL.path })
        let sources = try configuration.sources().filter { !compiled.contains($0.path) }
        guard !sources.isEmpty else {
            throw Mistake(
                file: configuration.file,
                sentence:
                    "target \(target.name) has no iOS code: let its sources in Package.swift name one other file, "
                    + "or name folders in \(Configuration.fileName)")
        }
        for (name, same) in Dictionary(grouping: sources, by: \.lastPathComponent) where same.count > 1 {
            throw Mistake(
                file: same[0],
                sentence: "target \(target.name) has \(same.count) files called \(name): rename all but one")
        }
        let modules = target.recursiveTargetDependencies.map { ($0 as? any SourceModuleTarget)?.moduleName ?? $0.name }
        let lowering = try Lowering(context)
        let plan = configuration.plan
        let planned =
            ["--planned", plan.fingerprint, "--configuration", plan.configuration.path(percentEncoded: false)]
            + plan.places.flatMap { ["--place", $0.path(percentEncoded: false)] }
        return .buildCommand(
            displayName: "Lowering \(sources.count) files of \(target.name)",
            executable: URL(fileURLWithPath: "/bin/bash"),
            arguments: lowering.arguments + ["--output", output.path(percentEncoded: false)] + planned
                + configuration.options
                + Set(modules).sorted().flatMap { ["--module", $0] } + sources.map { $0.path(percentEncoded: false) },
            inputFiles: sources + configuration.inputs + lowering.inputs
                + plan.places.flatMap { Plan.contents(of: $0).folders },
            outputFiles: sources.map { output.appending(path: Lowering.name(of: $0)) })
    }

    /// Fails where the target is built. An error that the plugin reports itself would stop the build of every target.
    private func failure(_ mistake: Mistake, of target: any SourceModuleTarget, output: URL) -> Command {
        // SwiftPM keeps a plan that had no errors, so a corrected ios.json would make no difference: plan again.
        let script = #"rm -f "$1"/*/*/description.json; echo "$2:1:1: error: $3"; exit 1"#
        return .buildCommand(
            displayName: "Looking for the iOS code of \(target.name)",
            executable: URL(fileURLWithPath: "/bin/bash"),
            arguments: [
                "-c", script, "IOSSources", buildFolder(of: output).path(percentEncoded: false),
                mistake.file.path(percentEncoded: false), mistake.sentence,
            ],
            inputFiles: [], outputFiles: [output.appending(path: "NoCode.swift")])
    }

    /// The output is in .build/plugins/outputs/PACKAGE/TARGET/destination/IOSSources.
    private func buildFolder(of output: URL) -> URL {
        (0..<7).reduce(output) { url, _ in url.deletingLastPathComponent() }
    }
}

/// Why a target has no code that can be lowered.
private struct Mistake: Error {
    /// The file that the user is to change.
    var file: URL
    var sentence: String
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

    /// The program names its files so, too: see `ModuleLowering.Source.loweredName`.
    static func name(of source: URL) -> String {
        let name = source.lastPathComponent
        return name == "main.swift" ? name : source.deletingPathExtension().lastPathComponent + ".lowered.swift"
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
    /// The place of the file, whether it exists or not.
    let file: URL
    /// What lowering depends on beside the sources.
    let inputs: [URL]

    init(folder: URL) throws {
        self.folder = folder
        file = folder.appending(path: Self.fileName)
        guard let data = try? Data(contentsOf: file) else {
            contents = Contents()
            inputs = []
            return
        }
        inputs = [file]
        do {
            contents = try JSONDecoder().decode(Contents.self, from: data)
        } catch {
            throw Mistake(file: file, sentence: Self.sentence(about: error))
        }
    }

    private static func sentence(about error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            let key = context.codingPath.first.map { "“\($0.stringValue)”" } ?? "the file"
            return "\(key) has a value of the wrong type: docs/PORTING.md lists the keys and their values"
        default: return "the file is not valid JSON: correct it, or remove it to take the code of the target's folder"
        }
    }

    var options: [String] {
        (contents.iOS.map { ["--ios", $0] } ?? []) + (contents.simulator == true ? ["--simulator"] : [])
            + (contents.merge ?? []).flatMap { ["--merge", $0] }
    }

    var plan: Plan { Plan(configuration: file, places: contents.sources?.map(place) ?? [folder.standardizedFileURL]) }

    /// All Swift files of the named folders, in an order that does not change.
    func sources() throws -> [URL] {
        let excluded = (contents.exclude ?? []).map { place($0).path }
        var result: Set<URL> = []
        for place in plan.places {
            guard FileManager.default.fileExists(atPath: place.path) else {
                throw Mistake(
                    file: file,
                    sentence: "\(place.path) does not exist: correct “sources”, whose paths begin at \(folder.path)")
            }
            for file in Plan.contents(of: place).files where file.pathExtension == "swift" {
                guard !excluded.contains(where: { file.path == $0 || file.path.hasPrefix($0 + "/") }) else { continue }
                result.insert(file)
            }
        }
        return result.sorted { $0.path < $1.path }
    }

    private func place(_ path: String) -> URL {
        (path.hasPrefix("/") ? URL(fileURLWithPath: path) : folder.appending(path: path)).standardizedFileURL
    }
}
