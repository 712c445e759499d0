package import ArgumentParser
internal import Wire

/// `greenroom snapshot APP`
package struct SnapshotCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "The picture that an app left behind when it left the screen.",
        discussion: "An app gives it through the framework; it may show less there than on the screen.")

    @OptionGroup var target: AppArgument

    @Option(name: .shortAndLong, help: "Write the picture to this file.")
    var output: String?

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.snapshot, app: target.app)
        let info: SnapshotInfo
        do {
            info = try SnapshotInfo(json: answer)
        } catch {
            throw .failed("the daemon's answer has no snapshot: \(error.message). Is it of another version?")
        }
        if let output {
            guard let bytes = Files.bytes(info.path, limit: 1 << 20) else {
                throw .failed("\(info.path) cannot be read")
            }
            let file = try OutputFile(output, in: context)
            file.write(bytes)
            try file.close()
        }
        if format.json { return context.print(json: answer) }
        let place = output.map { " in \($0)" } ?? ""
        let ignored = info.ignoredAtLaunch ? "; not for its next launch" : ""
        context.print(
            Visible.line(
                "\(info.app): \(info.kind), \(info.width) × \(info.height), \(info.bytes) bytes\(place), taken at "
                    + "\(info.taken)\(ignored)"))
    }
}
