package import ArgumentParser
internal import Model
internal import Wire

/// A command of `greenroom`. It acts in the context it is given, so a test can run it.
package protocol Verb: ParsableCommand {
    func perform(in context: CommandContext) throws(CommandFailure)
}

extension Verb {
    package func run() throws { try perform(in: .ofThisProcess()) }
}

/// The app that a command is about.
struct AppArgument: ParsableArguments {
    @Argument(
        help: "The app's identifier, its name, or the last part of its identifier.",
        completion: .custom { _, _, _ in Completions.apps() })
    var app: String
}

/// For commands that read.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print the answer as JSON (docs/PROTOCOL.md describes it).")
    var json = false
}

/// For commands that wait until what they ask for is true.
struct WaitOption: ParsableArguments {
    @Flag(name: .customLong("no-wait"), help: "Return when the command is accepted, not when it is carried out.")
    var noWait = false
}

enum Completions {
    /// Identifiers of the installed apps; none where no daemon answers at once.
    static func apps() -> [String] {
        let context = CommandContext.ofThisProcess()
        guard let home = try? context.home,
            let apps = try? ControlClient(home: home, patience: .zero, silence: .seconds(1)).apps()
        else { return [] }
        return apps.map(\.app)
    }
}
