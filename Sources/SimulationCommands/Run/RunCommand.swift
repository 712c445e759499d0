package import ArgumentParser
package import Commands
internal import Simulation

/// `greenroom run`: scenarios, storms and real days in virtual time.
package struct RunCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run scenarios in virtual time: whole days in seconds, exactly repeatable, without a daemon.",
        discussion: """
            A scenario is a YAML file (docs/SCENARIOS.md); a folder means the files directly in it. A run fails when \
            something that a scenario expects is not so, or when an invariant of the system breaks; then the exit code \
            is 1, and what is printed tells the seed, the causes and how to see it again.

              greenroom run Scenarios/                   run what is in a folder
              greenroom run --storm 100 --seed 1         make up 100 days full of faults
              greenroom run --usage T.csv --apps A.csv   play a person's month, and count its warm starts
              greenroom run --make-month month           make up such a month
            """)

    @Argument(help: "Scenario files, and folders of them.", completion: .file())
    var files: [String] = []

    @Option(help: "Use this seed in place of the scenario's own; of a storm, the first one's.")
    var seed: UInt64?

    @Option(help: "Write down every event and what came of it.", completion: .file())
    var trace: String?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Option(help: ArgumentHelp("Make up this many scenarios and run them.", valueName: "count"))
    var storm: Int?

    @Option(help: ArgumentHelp("How long each of them is, about (default: 24).", valueName: "hours"))
    var hours: Int?

    @Option(
        help: ArgumentHelp(
            "Where a storm that fails is written, made as small as possible (default: here).", valueName: "folder"),
        completion: .directory)
    var out: String?

    @OptionGroup(title: "Real days")
    var days: UsageOptions

    package init() {}

    package func validate() throws {
        let ways = [!files.isEmpty, storm != nil, days.usage != nil, days.makeMonth != nil].count { $0 }
        guard ways == 1 else {
            throw ValidationError(
                ways == 0
                    ? "name a scenario file or a folder, or use --storm, --usage or --make-month"
                    : "scenario files, --storm, --usage and --make-month are different ways to run: choose one")
        }
        if trace != nil, days.usage != nil || days.makeMonth != nil {
            throw ValidationError("--trace writes down scenarios and storms")
        }
        if hours != nil, storm == nil { throw ValidationError("--hours says how long storms are: use it with --storm") }
        if let hours, !(1...24).contains(hours) { throw ValidationError("--hours needs a number from 1 to 24") }
        if let storm, storm < 1 { throw ValidationError("--storm needs a number from 1 on") }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        if try days.run(seed: seed, isJSON: json, in: context) { return }
        if let storm {
            var session = StormSession(count: storm, seed: seed ?? 1, folder: out ?? ".", trace: trace, isJSON: json)
            session.hours = hours ?? session.hours
            try session.run(in: context)
        } else {
            try ScenarioSession(seed: seed, trace: trace, isJSON: json).run(files, in: context)
        }
    }
}
