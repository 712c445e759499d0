internal import ArgumentParser
internal import Glibc
internal import LinuxSystem

/// Verbs that another program carries out, which takes the place of this one: replay, simulator, import and gateway
/// link much that the tool would have to load for every `open`.
enum PassedOn {
    struct Run: Verb {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Run scenarios, storms and real days on simulated devices (greenroom run --help).")

        @Argument(parsing: .captureForPassthrough, help: "See greenroom run --help.", completion: .file())
        var arguments: [String] = []

        func perform(in context: CommandContext) throws(CommandFailure) {
            throw try PassedOn.become("greenroom-simulator", "run", arguments, in: context)
        }
    }

    struct Replay: Verb {
        static let configuration = CommandConfiguration(
            commandName: "replay",
            abstract: "Replay what a system recorded, and explain any moment of it (greenroom replay --help).")

        @Argument(parsing: .captureForPassthrough, help: "See greenroom replay --help.", completion: .file())
        var arguments: [String] = []

        func perform(in context: CommandContext) throws(CommandFailure) {
            let program = arguments.contains("--as-scenario") ? "greenroom-simulator" : "greenroom-replay"
            throw try PassedOn.become(program, "replay", arguments, in: context)
        }
    }

    struct Import: Verb {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Make a package of an iOS project (greenroom import --help).")

        @Argument(parsing: .captureForPassthrough, help: "See greenroom import --help.", completion: .file())
        var arguments: [String] = []

        func perform(in context: CommandContext) throws(CommandFailure) {
            throw try PassedOn.become("greenroom-import", nil, arguments, in: context)
        }
    }

    struct PushGate: Verb {
        static let configuration = CommandConfiguration(
            commandName: "pushgate",
            abstract: "Run a gateway that takes pushes from providers (greenroom pushgate --help).")

        @Argument(parsing: .captureForPassthrough, help: "See greenroom pushgate --help.", completion: .file())
        var arguments: [String] = []

        func perform(in context: CommandContext) throws(CommandFailure) {
            throw try PassedOn.become("greenroom-pushgate", nil, arguments, in: context)
        }
    }

    /// Returns only if that failed.
    private static func become(
        _ name: String, _ verb: String?, _ arguments: [String], in context: CommandContext
    ) throws(CommandFailure) -> CommandFailure {
        let program = try context.program(name)
        let error = CurrentProcess.exec(program, [program] + (verb.map { [$0] } ?? []) + arguments)
        return .failed("\(program) cannot be started: \(error)")
    }
}
