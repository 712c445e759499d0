package import ArgumentParser

/// `greenroom thaw`
package struct ThawCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "thaw", abstract: "Let every suspended app run; works without a daemon.",
        discussion: "For when supervisor and daemon are both dead and are not to be started again.")

    @Flag(help: "Even while a daemon is there, which will suspend the apps again as it sees fit.")
    var force = false

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let home = try context.home
        try home.requireOwner()
        let leftovers = Leftovers(home: home)
        guard !leftovers.isEmpty else { throw home.notRunning }
        guard force || !leftovers.isSupervised else {
            throw .failed(
                "Greenroom runs in \(home.path) and decides which apps are suspended: use greenroom open or "
                    + "greenroom exempt, or greenroom thaw --force")
        }
        let thawed = try leftovers.thaw()
        for name in thawed { context.print("thawed \(Visible.line(name))") }
        if thawed.isEmpty { context.print("nothing was frozen") }
    }
}
