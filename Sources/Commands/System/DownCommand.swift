package import ArgumentParser
internal import Model
internal import Wire

/// `greenroom down`
package struct DownCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "down", abstract: "End every app and the system; works without a daemon.",
        discussion: "Leaves no process, cgroup or socket. The apps' data stays.")

    @Flag(help: "Kill at once, without telling the apps.")
    var force = false

    package init() {}

    /// Apps have their time limits for ending in order; together they take no longer than this.
    private static let longest = Model.Span.seconds(60)

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let home = try context.home
        try home.requireOwner()
        let leftovers = Leftovers(home: home)
        guard !leftovers.isEmpty else { throw .noDaemon("nothing is running in \(home.path)") }
        // Who they are now: another system may begin as soon as this one has ended.
        let processes = [home.keeper, home.daemon].compactMap(\.self)
        var isAsked = false
        if !force, leftovers.isSupervised, try askDaemon(home, context) {
            isAsked = true
            try Self.waitForEnd(of: processes)
        }
        let killed = try leftovers.clearAlone(endingSupervision: !isAsked)
        if let killed, killed > 0 { context.print("processes that were left and killed: \(killed)") }
        context.print("Greenroom in \(home.path) is down")
        if killed == nil { context.note("another greenroom up has started it again since") }
    }

    /// False when no daemon came in time to be asked.
    private func askDaemon(_ home: GreenroomHome, _ context: CommandContext) throws(CommandFailure) -> Bool {
        let client = ControlClient(home: home, patience: context.patience, silence: context.silence)
        do {
            _ = try client.request(.down)
            return true
        } catch .noDaemon(let sentence) {
            // One that lives may be busy with what the user wants to keep.
            if let daemon = home.daemon, daemon.isAlive { throw .failed(sentence) }
            return false
        } catch {
            throw .failed("\(error.description); greenroom down --force kills everything")
        }
    }

    /// The supervisor is the last to go.
    private static func waitForEnd(of processes: [RecordedProcess]) throws(CommandFailure) {
        let limit = TimeLimit(in: longest)
        for process in processes {
            while process.isAlive {
                guard !limit.isOver else {
                    throw .failed(
                        "the process \(process.pid) does not end; greenroom down --force kills everything")
                }
                _ = process.isDead(within: 100)
            }
        }
    }
}
