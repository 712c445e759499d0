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
        let leftovers = Leftovers(home: home)
        guard !leftovers.isEmpty else { throw .noDaemon("nothing is running in \(home.path)") }
        if !force, leftovers.isSupervised, try askDaemon(home, context) {
            try Self.waitForEnd(of: home)
        }
        let killed = try leftovers.clear()
        if killed > 0 { context.print("processes that were left and killed: \(killed)") }
        context.print("Greenroom in \(home.path) is down")
    }

    /// False when no daemon came in time to be asked.
    private func askDaemon(_ home: GreenroomHome, _ context: CommandContext) throws(CommandFailure) -> Bool {
        do {
            _ = try ControlClient(home: home, patience: context.patience).request(.down)
            return true
        } catch .noDaemon {
            return false
        } catch {
            throw .failed("\(error.description); greenroom down --force kills everything")
        }
    }

    /// The supervisor is the last to go.
    private static func waitForEnd(of home: GreenroomHome) throws(CommandFailure) {
        let processes = [home.keeper, home.daemon].compactMap(\.self)
        let limit = TimeLimit(in: longest)
        let watch = FolderWatch(home.path)
        while let left = processes.first(where: \.isAlive) {
            guard !limit.isOver else {
                throw .failed("the process \(left.pid) does not end; greenroom down --force kills everything")
            }
            watch.wait(atMost: .milliseconds(20))
        }
    }
}
