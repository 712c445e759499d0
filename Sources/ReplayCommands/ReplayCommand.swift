package import ArgumentParser
package import Commands
internal import Recording

/// Turns a recording into a scenario. Only the simulator can: a replay alone links nothing of it.
package protocol ScenarioMaking {
    static func printScenario(of path: String, in context: CommandContext) throws(CommandFailure)
}

/// `greenroom replay`: what a system recorded, decided again.
package struct ReplayCommand<Scenarios: ScenarioMaking>: Verb {
    package static var configuration: CommandConfiguration { replayConfiguration }

    @Argument(help: "The recording.", completion: .directory)
    var path: String

    @Option(help: ArgumentHelp("Stop after the event that wrote this entry of the log.", valueName: "seq"))
    var until: UInt64?

    @Option(help: ArgumentHelp("Explain this app at that moment (default: at the end).", valueName: "app"))
    var why: String?

    @Flag(help: "Print a scenario in which the same happens, for greenroom run.")
    var asScenario = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    package init() {}

    package func validate() throws {
        guard !asScenario || (until == nil && why == nil && !json) else {
            throw ValidationError("--as-scenario stands for itself, without --until, --why and --json")
        }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        if asScenario { return try Scenarios.printScenario(of: path, in: context) }
        var session = try ReplaySession(path, in: context)
        let divergence = try session.run(until: until, keepingHistory: until != nil || why != nil)
        let isMoment = until != nil || why != nil
        if let divergence {
            if json { context.print(json: session.json(divergence)) }
            throw .failed(
                "\(divergence)\nIf the version of Greenroom that recorded this is the one that replays it, that is a "
                    + "fault in Greenroom: please report it with the recording.")
        }
        if let why {
            try MomentReport(session, context).explain(why, asJSON: json)
        } else if isMoment {
            MomentReport(session, context).show(asJSON: json)
        } else if json {
            context.print(json: session.json(nil))
        } else {
            context.write(session.text(context))
        }
    }
}

/// A generic type holds no static value.
private let replayConfiguration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay what a system recorded, and compare every effect.",
    discussion: """
        The daemon writes down every event and what it decided, in the folder journal of its home. A replay feeds \
        that to the policy again. It is equal if every decision is the same; if one is not, or the recording cannot \
        be read, the exit code is 1.

        The recording is the folder of a system (GREENROOM_HOME), also while it runs, a copy of its folder journal, \
        or what make demo RECORD=DIR kept. A file in it, such as 3.events, means: from there on.

          greenroom replay DIR                        compare everything
          greenroom replay DIR --until 120            the apps as of entry 120 of the log
          greenroom replay DIR --until 120 --why APP  why an app was as it was then
          greenroom replay DIR --as-scenario          a scenario in which the same happens
        """)
