package import ArgumentParser
internal import LinuxSystem
internal import Wire

/// `greenroom attach APP`
package struct AttachCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "attach", abstract: "Connect this terminal to an app's terminal.",
        discussion: "Detach with Ctrl-]. The app goes on; greenroom open and home decide whether it runs.")

    @OptionGroup var target: AppArgument

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let client = try context.client()
        let answer = try client.request(.attach, app: target.app)
        guard let path = answer["path"]?.string else {
            throw .failed("the daemon's answer has no path. Is it of another version?")
        }
        let name = Visible.line(target.app)
        if try isSuspended(client) {
            context.note("\(name) is suspended and does not see your keys until greenroom open \(name)")
        }
        let socket: Descriptor
        do throws(SystemError) {
            socket = try UnixSocket.connect(to: path)
        } catch {
            throw .failed("the terminal of \(name) cannot be reached: \(error). Is the app still running?")
        }
        let ending = attach(socket, context)
        switch ending {
        case .detached: context.note("detached from \(name)")
        case .ended: context.note("\(name) ended")
        case .signalled: throw .failed("detached from \(name) by a signal")
        }
    }

    private func isSuspended(_ client: ControlClient) throws(CommandFailure) -> Bool {
        let apps = try client.apps()
        let identifier = try AppNames(apps).identifier(for: target.app)
        return apps.contains { $0.app == identifier && $0.state == "suspended" }
    }

    /// The terminal is restored before anything is said to the user.
    private func attach(_ socket: Descriptor, _ context: CommandContext) -> TerminalSession.Ending {
        let terminal = RawTerminal(context.input)
        let isTerminal = terminal != nil
        var session = TerminalSession(socket: socket, context: context, isTerminal: isTerminal)
        let ending = session.run()
        if isTerminal, context.outputIsTerminal { context.write(RawTerminal.reset) }
        _ = consume terminal
        return ending
    }
}
