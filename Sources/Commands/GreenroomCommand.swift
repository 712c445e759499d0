package import ArgumentParser
internal import Wire

/// The `greenroom` tool.
package struct GreenroomCommand: RootCommand {
    package static let configuration = CommandConfiguration(
        commandName: "greenroom",
        abstract: "The multitasking of iOS for Linux: apps that freeze, wait, and come back exactly as they were.",
        discussion: """
            A system lives in the folder $GREENROOM_HOME (by default $XDG_STATE_HOME/greenroom, else \
            ~/.local/state/greenroom); systems with different homes run side by side.

            Every command that reads takes --json. Commands return when what they ask for is true. Exit codes: 0 done, \
            1 refused, unknown or failed, 2 used wrongly, 3 no daemon.

            Shell completion: greenroom --generate-completion-script bash (or zsh, fish) prints the script; bash \
            looks for it in ~/.local/share/bash-completion/completions/greenroom.
            """,
        version: "greenroom \(Release.version) (protocol \(protocolVersion))",
        groupedSubcommands: [
            CommandGroup(
                name: "The system",
                subcommands: [
                    UpCommand.self, DownCommand.self, StatusCommand.self, MemoryCommand.self, EnergyCommand.self,
                    ServicesCommand.self,
                    DoctorCommand.self, ThawCommand.self,
                ]),
            CommandGroup(
                name: "Apps",
                subcommands: [
                    InstallCommand.self, UninstallCommand.self, AppsCommand.self, ExemptCommand.self,
                    AttachCommand.self, OutputCommand.self, SnapshotCommand.self, ShortcutsCommand.self,
                    RefreshCommand.self, DefaultCommand.self, PassedOn.Import.self,
                ]),
            CommandGroup(name: "Transfers", subcommands: [TransferCommand.self, TransfersCommand.self]),
            CommandGroup(
                name: "Notifications",
                subcommands: [NotificationsCommand.self, PushCommand.self, PassedOn.PushGate.self]),
            CommandGroup(name: "Audio", subcommands: [AudioVerb.self]),
            CommandGroup(name: "Location", subcommands: [LocationVerb.self]),
            CommandGroup(
                name: "The screen",
                subcommands: [
                    OpenCommand.self, HomeCommand.self, SwitcherCommand.self, CloseCommand.self, RestartCommand.self,
                    LockCommand.self, UnlockCommand.self, SimulateCommand.self,
                ]),
            CommandGroup(
                name: "What happened, and why",
                subcommands: [
                    WhyCommand.self, LogCommand.self, TimelineCommand.self, ReportsCommand.self, FetchCommand.self,
                ]),
            CommandGroup(
                name: "In virtual time",
                subcommands: [PassedOn.Run.self, PassedOn.Replay.self]),
        ])

    package init() {}
}

/// A command line with verbs.
package protocol RootCommand: ParsableCommand {}

extension RootCommand {
    /// Runs the tool and returns its exit code.
    package static func main(arguments: [String], in context: CommandContext) -> Int32 {
        do {
            let command = try parseAsRoot(arguments)
            guard let verb = command as? any Verb else {
                var other = command
                try other.run()
                return finished(0, context)
            }
            try verb.perform(in: context)
            return finished(0, context)
        } catch let failure as CommandFailure {
            context.note(failure.description)
            return failure.exitCode
        } catch {
            return explain(error, in: context)
        }
    }

    /// Help and completion scripts are asked for; anything else is a command line that cannot be read.
    private static func explain(_ error: any Error, in context: CommandContext) -> Int32 {
        let text = fullMessage(for: error)
        guard exitCode(for: error) != .success else {
            context.print(text)
            return finished(0, context)
        }
        let usage = text.hasPrefix("Error: ") ? String(text.dropFirst("Error: ".count)) : text
        context.note(usage)
        return 2
    }

    private static func finished(_ code: Int32, _ context: CommandContext) -> Int32 {
        guard let failure = (context.output as? DescriptorSink)?.failure else { return code }
        context.note("the output could not be written: \(failure)")
        return 1
    }
}

/// What this build calls itself.
enum Release {
    static let version = "0.1.0"
}
