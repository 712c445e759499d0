import Foundation

// Makes Swift for Linux of the iOS code of one module, line for line. The plugin IOSSources runs it, by the script
// `lower`, which compiles all that is in this folder.

/// The parsed command line.
private struct Arguments {
    /// The folder for what is made. A file that would stay the same is not touched.
    var output = ""
    /// The version of iOS that `#available` asks about, modules whose code is among the files, and modules that the
    /// target depends on.
    var profile = Profile()
    /// All Swift files of the module.
    var files: [String] = []
    /// The files that the plugin found when it planned the build, and what it made of them.
    var plan = Plan(configuration: URL(fileURLWithPath: "ios.json"), places: [])
    var planned: String?

    /// An error in the command line.
    struct Mistake: Error { let sentence: String }

    init(_ words: some Sequence<String>) throws(Mistake) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            switch word {
            case "--simulator": profile.isSimulator = true
            case "--output": output = try Self.value(&rest, word)
            case "--merge": profile.mergedModules.insert(try Self.value(&rest, word))
            case "--planned": planned = try Self.value(&rest, word)
            case "--configuration": plan.configuration = URL(fileURLWithPath: try Self.value(&rest, word))
            case "--place": plan.places.append(URL(fileURLWithPath: try Self.value(&rest, word)).standardizedFileURL)
            case "--module": profile.modules = (profile.modules ?? []).union([try Self.value(&rest, word)])
            case "--ios":
                let version = try Self.value(&rest, word)
                guard let version = Profile.Version(version) else {
                    throw Mistake(sentence: "--ios takes a version such as 18 or 17.4, not \(version)")
                }
                profile.iOS = version
            case let word where word.hasPrefix("--"): throw Mistake(sentence: "there is no option \(word)")
            default: files.append(word)
            }
        }
        guard !output.isEmpty, !files.isEmpty else {
            throw Mistake(
                sentence:
                    "usage: --output FOLDER [--ios VERSION] [--simulator] [--merge MODULE]… [--module MODULE]… FILE…")
        }
        let names = files.map { URL(fileURLWithPath: $0).lastPathComponent }
        for (name, same) in Dictionary(grouping: names, by: \.self) where same.count > 1 {
            throw Mistake(sentence: "the module has \(same.count) files called \(name): rename all but one")
        }
    }

    private static func value(_ rest: inout ArraySlice<String>, _ option: String) throws(Mistake) -> String {
        guard let value = rest.popFirst() else { throw Mistake(sentence: "\(option) takes a value") }
        return value
    }
}

private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// - Returns: whether everything could be made.
private func lower(_ arguments: Arguments) throws -> Bool {
    if let planned = arguments.planned, planned != arguments.plan.fingerprint {
        Plan.forget(output: URL(fileURLWithPath: arguments.output, isDirectory: true))
        print(
            "\(arguments.plan.configuration.path):1:1: error: this file, or the list of the app's files, has changed since "
                + "the build was planned: build again")
        return false
    }
    let sources = try arguments.files.map {
        ModuleLowering.Source(path: $0, text: try String(contentsOf: URL(fileURLWithPath: $0), encoding: .utf8))
    }
    let result = ModuleLowering.lower(sources, profile: arguments.profile)
    for diagnostic in result.diagnostics { print(diagnostic.text) }
    guard !result.diagnostics.contains(where: { $0.severity == .error }) else { return false }
    let folder = URL(fileURLWithPath: arguments.output, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (source, text) in zip(sources, result.texts) {
        let place = folder.appending(path: source.loweredName)
        let new = Data(text.utf8)
        // An unchanged file keeps its date, so the compiler skips it. A file that cannot be read is written anew.
        if (try? Data(contentsOf: place)) != new { try new.write(to: place, options: .atomic) }
    }
    return true
}

do {
    exit(try lower(Arguments(CommandLine.arguments.dropFirst())) ? 0 : 1)
} catch let mistake as Arguments.Mistake {
    say("Error: \(mistake.sentence)")
    exit(64)
} catch {
    say("Error: \(error.localizedDescription)")
    exit(1)
}
