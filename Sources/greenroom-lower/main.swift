internal import ArgumentParser
internal import Foundation
internal import Lowering

/// Makes Swift for Linux of the iOS code of one module. The plugin IOSSources runs it.
struct Lower: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-lower",
        abstract: "Makes Swift that compiles on Linux of a module's iOS code, line for line.")

    @Option(help: "The folder for what is made. A file that would stay the same is not touched.")
    var output: String

    @Option(name: .customLong("ios"), help: "The version of iOS that #available asks about.")
    var iOS = "18.0"

    @Flag(help: "Let targetEnvironment(simulator) hold.")
    var simulator = false

    @Option(name: .customLong("merge"), help: "A module whose code is among the files: it need not be imported.")
    var merged: [String] = []

    @Argument(help: "All Swift files of the module.")
    var files: [String]

    func validate() throws {
        guard Profile.Version(iOS) != nil else {
            throw ValidationError("--ios takes a version such as 18 or 17.4, not \(iOS)")
        }
        let names = files.map { URL(fileURLWithPath: $0).lastPathComponent }
        for (name, same) in Dictionary(grouping: names, by: \.self) where same.count > 1 {
            throw ValidationError("the module has \(same.count) files called \(name): rename all but one")
        }
    }

    func run() throws {
        let sources = try files.map {
            ModuleLowering.Source(path: $0, text: try String(contentsOf: URL(fileURLWithPath: $0), encoding: .utf8))
        }
        let profile = Profile(
            iOS: Profile.Version(iOS) ?? Profile().iOS, isSimulator: simulator, mergedModules: Set(merged))
        let result = ModuleLowering.lower(sources, profile: profile)
        for diagnostic in result.diagnostics { print(diagnostic.text) }
        guard !result.diagnostics.contains(where: { $0.severity == .error }) else { throw ExitCode.failure }
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (source, text) in zip(sources, result.texts) {
            let place = folder.appending(path: URL(fileURLWithPath: source.path).lastPathComponent)
            let new = Data(text.utf8)
            // What has not changed keeps its date, and is not compiled again.
            if (try? Data(contentsOf: place)) != new { try new.write(to: place, options: .atomic) }
        }
    }
}

Lower.main()
