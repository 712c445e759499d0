internal import Foundation

/// The C preprocessor, through which a project may send its `Info.plist`.
struct Preprocessor {
    private let root: URL
    private let arguments: [String]
    /// Flags that are not passed on, in a sentence.
    let notes: [String]

    init(root: URL, settings: Settings) {
        self.root = root
        var arguments = settings.list("INFOPLIST_PREPROCESSOR_DEFINITIONS").map { "-D\($0)" }
        if let header = settings["INFOPLIST_PREFIX_HEADER"], !header.isEmpty { arguments += ["-include", header] }
        var (left, rest): ([String], ArraySlice<String>) = (
            [], settings.list("INFOPLIST_OTHER_PREPROCESSOR_FLAGS")[...]
        )
        while let flag = rest.popFirst() {
            // A project may come from anywhere, and other flags can run code.
            if ["-D", "-U", "-I", "-include", "-imacros", "-isystem", "-iquote"].contains(flag) {
                arguments += [flag] + (rest.popFirst().map { [$0] } ?? [])
            } else if Self.isHarmless(flag) {
                arguments.append(flag == "-traditional" ? "-traditional-cpp" : flag)
            } else {
                left.append(flag)
            }
        }
        self.arguments = arguments
        notes =
            left.isEmpty ? [] : ["flags are left out where Info.plist is preprocessed: \(left.joined(separator: " "))"]
    }

    private static func isHarmless(_ flag: String) -> Bool {
        let words: Set = ["-traditional", "-traditional-cpp", "-C", "-CC", "-w", "-undef", "-nostdinc"]
        if words.contains(flag) { return true }
        // A comma passes flags on to other programs.
        return ["-D", "-U", "-I"].contains(where: flag.hasPrefix) || flag.hasPrefix("-W") && !flag.contains(",")
    }

    /// The preprocessed file.
    func run(_ file: URL) throws(ImportFailure) -> Data {
        guard let clang = Self.clang() else {
            throw ImportFailure(
                "\(file.path) needs a C preprocessor, since INFOPLIST_PREPROCESS is YES: put clang into PATH")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "greenroom-import-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (output, errors) = (folder.appending(path: "Info.plist"), folder.appending(path: "errors"))
        let process = Process()
        process.executableURL = clang
        process.currentDirectoryURL = root
        process.arguments =
            ["-E", "-P", "-x", "c", "-Wno-everything"] + arguments + ["-o", output.path, file.path]
        process.standardInput = FileHandle.nullDevice
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data().write(to: errors)
            process.standardError = try FileHandle(forWritingTo: errors)
            try process.run()
            process.waitUntilExit()
        } catch {
            throw ImportFailure("\(file.path) cannot be preprocessed: \(error.localizedDescription)")
        }
        guard process.terminationStatus == 0, let data = try? Data(contentsOf: output) else {
            let text = (try? String(contentsOf: errors, encoding: .utf8)) ?? ""
            let line = text.split(whereSeparator: \.isNewline).first { $0.contains("error") } ?? "clang failed"
            throw ImportFailure("\(file.path) cannot be preprocessed: \(line)")
        }
        return data
    }

    /// The toolchain's own clang is beside swift.
    private static func clang() -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map {
            URL(fileURLWithPath: String($0))
        }
        let besideSwift = folders.map { $0.appending(path: "swift") }.filter { Disk.isFile($0) }
            .map { $0.resolvingSymlinksInPath().deletingLastPathComponent() }
        return (besideSwift + folders).flatMap { [$0.appending(path: "clang"), $0.appending(path: "cc")] }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
