package import ArgumentParser
internal import SystemPackage
internal import Wire

/// `greenroom install PATH`
package struct InstallCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "install", abstract: "Install a bundle, a .desktop file or a plain executable.",
        discussion: "An app that is installed already is replaced; its container stays.")

    @Argument(help: "Name.app, name.desktop, or an executable.", completion: .file())
    var path: String

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        guard !path.isEmpty else { throw .misuse("give the path of what to install") }
        let given = FilePath(path)
        let absolute = given.isAbsolute ? given : FilePath(context.workingDirectory).pushing(given)
        guard Files.exists(absolute.string) else { throw .failed("there is no file \(absolute)") }
        let answer = try context.client().request(.install, ["path": .string(absolute.string)])
        for warning in answer["warnings"]?.array ?? [] { context.note(warning.string ?? "") }
        let name = Visible.line(answer["name"]?.string ?? "the app")
        context.print("installed \(name) as \(Visible.line(answer["app"]?.string ?? "?"))")
    }
}

/// `greenroom uninstall APP`
package struct UninstallCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "uninstall", abstract: "End an app and remove it with its container.")

    @OptionGroup var target: AppArgument

    @Flag(name: .customLong("keep-data"), help: "Leave the app's container.")
    var keepData = false

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        // By its identifier: a repetition must not take a name that is nobody's for an app that is gone.
        let app = try AppNames(client.apps()).identifier(for: target.app)
        _ = try client.request(.uninstall, ["app": .string(app), "keepData": .bool(keepData)])
    }
}

/// `greenroom exempt APP`
package struct ExemptCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "exempt", abstract: "Let an app run in the background instead of suspending it.")

    @OptionGroup var target: AppArgument

    @Flag(help: "Suspend it again as any other app.")
    var off = false

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        _ = try context.client().request(.exempt, app: target.app, ["exempt": .bool(!off)])
    }
}
