internal import LinuxSystem

/// The program `greenroom-keeper`.
package enum Program {
    private static let usage = """
        usage: greenroom-keeper --home HOME --daemon PATH [-- DAEMON-ARGUMENTS…]
        greenroom up starts it; nobody needs to start it by hand.

        """

    /// Runs a command line and returns the exit status.
    package static func run(_ arguments: [String]) -> CInt {
        do throws(SystemError) {
            switch arguments.dropFirst().first {
            case "terminal": return try holdTerminal(arguments)
            case "succeed": return try succeed(arguments)
            default: return try keep(arguments)
            }
        } catch {
            StandardError.write("greenroom-keeper: \(error)\n")
            return 1
        }
    }

    private static func keep(_ arguments: [String]) throws(SystemError) -> CInt {
        var home: String?
        var daemon: String?
        var rest = arguments.dropFirst()
        while let option = rest.popFirst(), option != "--" {
            switch option {
            case "--home": home = rest.popFirst()
            case "--daemon": daemon = rest.popFirst()
            default: return refuse()
            }
        }
        guard let home, let daemon else { return refuse() }
        var keeper = try Keeper(home: home, daemon: daemon, arguments: Array(rest), listeners: nil)
        return try keeper.run()
    }

    private static func refuse() -> CInt {
        StandardError.write(usage)
        return 2
    }

    /// A daemon whose keeper died goes on as the keeper, with the sockets that it was given.
    private static func succeed(_ arguments: [String]) throws(SystemError) -> CInt {
        guard arguments.count == 5, let control = CInt(arguments[3]), let app = CInt(arguments[4]),
            let (daemon, rest) = Keeper.rememberedArguments(home: arguments[2])
        else { return refuse() }
        let listeners = Keeper.Listeners(control: Descriptor(owning: control), app: Descriptor(owning: app))
        var keeper = try Keeper(home: arguments[2], daemon: daemon, arguments: rest, listeners: listeners)
        return try keeper.run()
    }

    /// Descriptors: 3 the terminal's master, 4 the listening socket, 5 the file for what is printed.
    private static func holdTerminal(_ arguments: [String]) throws(SystemError) -> CInt {
        guard arguments.count == 3 else { return refuse() }
        var holder = try TerminalHolder(
            path: arguments[2], master: Descriptor(owning: 3), listener: Descriptor(owning: 4),
            file: Descriptor(owning: 5))
        try holder.run()
        return 0
    }
}
