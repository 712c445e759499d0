package import ArgumentParser
package import Commands

/// `greenroom-replay`: the replay without the simulator, so that it is built and starts quickly.
package struct ReplayProgram: RootCommand {
    package static let configuration = CommandConfiguration(
        commandName: "greenroom", abstract: "Greenroom's replay.", subcommands: [ReplayCommand<NoScenarios>.self])

    package init() {}
}

package enum NoScenarios: ScenarioMaking {
    package static func printScenario(of path: String, in context: CommandContext) throws(CommandFailure) {
        throw .failed("greenroom-replay makes no scenarios: run greenroom replay, which starts greenroom-simulator")
    }
}
