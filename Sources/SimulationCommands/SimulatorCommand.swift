package import ArgumentParser
internal import Commands
internal import ReplayCommands

/// The verbs of `greenroom` that run in virtual time. They are a program of their own, which the tool starts: so the
/// tool itself stays small and quick.
package struct SimulatorCommand: RootCommand {
    package static let configuration = CommandConfiguration(
        commandName: "greenroom", abstract: "Greenroom in virtual time.",
        subcommands: [RunCommand.self, ReplayCommand<ScenarioPrinter>.self])

    package init() {}
}
