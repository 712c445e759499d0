internal import ArgumentParser
internal import Commands
internal import PolicyCore

/// Real days, and days made up in their place.
struct UsageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Play a person's days: time,event,app,duration_s with the events open, unlock, wake, sleep, notification, "
                + "boot and shutdown. Needs --apps.",
            valueName: "trace.csv"),
        completion: .file(extensions: ["csv"]))
    var usage: String?

    @Option(
        help: ArgumentHelp("What each app of the trace has in memory: app,footprint_mb.", valueName: "apps.csv"),
        completion: .file(extensions: ["csv"]))
    var apps: String?

    @Option(
        help: ArgumentHelp(
            "What the apps of the trace have to fit into. Then the starts are counted for every policy.",
            valueName: "MB"))
    var memory: Int64?

    @Option(
        help: ArgumentHelp(
            "Who chooses the apps that end for memory: ours, by size and likelihood of use; lru, the longest unused; "
                + "documents, the largest (default: ours).",
            valueName: "name"))
    var policy: TerminationPolicyName?

    @Option(
        help: ArgumentHelp(
            "Make up a month from the seed and write usage.csv and apps.csv, as --usage and --apps read them.",
            valueName: "folder"),
        completion: .directory)
    var makeMonth: String?

    @Option(help: "How many days the made-up month has (default: 30).")
    var days: Int?

    func validate() throws {
        if usage != nil, apps == nil { throw ValidationError("--usage needs --apps with what each app has in memory") }
        if usage == nil {
            if apps != nil { throw ValidationError("--apps belongs to --usage") }
            if memory != nil { throw ValidationError("--memory belongs to --usage") }
        }
        if makeMonth == nil, days != nil { throw ValidationError("--days belongs to --make-month") }
        if policy != nil, memory == nil { throw ValidationError("--policy belongs to --memory") }
        if let memory, memory < 1 { throw ValidationError("--memory needs a number of megabytes from 1 on") }
        if let days, !(1...3650).contains(days) { throw ValidationError("--days needs a number from 1 to 3650") }
    }

    /// True when it was one of these that was asked for.
    func run(seed: UInt64?, isJSON: Bool, in context: CommandContext) throws(CommandFailure) -> Bool {
        if let usage, let apps {
            try UsageSession(
                trace: usage, apps: apps, memory: memory, policy: policy ?? .ours, seed: seed ?? 1, isJSON: isJSON
            ).run(in: context)
            return true
        }
        if let makeMonth {
            try MonthSession(folder: makeMonth, seed: seed ?? 1, days: days ?? 30).run(in: context)
            return true
        }
        return false
    }
}

extension TerminationPolicyName: ExpressibleByArgument {}
