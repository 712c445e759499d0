internal import LinuxSystem

/// The program `greenroom-keeper`.
package enum Program {
    private static let usage = """
        usage: greenroom-keeper --home HOME --daemon PATH [--report DESCRIPTOR] [-- DAEMON-ARGUMENTS…]
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
        var report: Descriptor?
        var rest = arguments.dropFirst()
        while let option = rest.popFirst(), option != "--" {
            switch option {
            case "--home": home = rest.popFirst()
            case "--daemon": daemon = rest.popFirst()
            // An open socket to the `up` that started this.
            case "--report": report = rest.popFirst().flatMap { CInt($0) }.map { Descriptor(owning: $0) }
            default: return refuse()
            }
        }
        guard let home, let daemon else { return refuse() }
        try report?.setNonblocking(true)
        let launch = LaunchReport(report)
        do throws(SystemError) {
            guard let lock = try take(home) else {
                launch.taken(by: HomeHolder(home: home)?.pid)
                return 1
            }
            launch.holds()
            return try keep(home, daemon, Array(rest), lock, launch)
        } catch {
            launch.failed(sentence(error, home))
            return 1
        }
    }

    private static func keep(
        _ home: String, _ daemon: String, _ arguments: [String], _ lock: HomeLock, _ launch: LaunchReport
    ) throws(SystemError) -> CInt {
        do throws(SystemError) {
            var keeper = try Keeper(
                home: home, daemon: daemon, arguments: arguments, lock: lock, listeners: nil, launch: launch)
            return try keeper.run()
        } catch {
            Keeper.removeFiles(home)
            throw error
        }
    }

    /// Whoever dies or clears up has the lock for a moment; a system that lives, for good.
    private static func take(_ home: String) throws(SystemError) -> HomeLock? {
        try HomeLock.take(in: home, milliseconds: lockPatience, orUntil: { HomeHolder(home: home) != nil })
    }

    private static let lockPatience: Int64 = 10_000

    private static func sentence(_ error: SystemError, _ home: String) -> String {
        guard error.operation == "flock" else { return "\(error)" }
        return "the file system of \(home) keeps no locks (\(error)), and a system needs one: "
            + "set GREENROOM_HOME to a folder elsewhere"
    }

    private static func refuse() -> CInt {
        StandardError.write(usage)
        return 2
    }

    /// A daemon whose keeper died goes on as the keeper, with the sockets and the lock that it was given.
    private static func succeed(_ arguments: [String]) throws(SystemError) -> CInt {
        let numbers = arguments.dropFirst(3).compactMap { CInt($0) }
        guard arguments.count == 6, numbers.count == 3 else { return refuse() }
        let descriptors = numbers.map { Descriptor(owning: $0) }
        // A crash's helper, or whatever else this process starts, must not have them.
        for descriptor in descriptors { try descriptor.setNonblocking(true) }
        guard let (daemon, rest) = Keeper.rememberedArguments(home: arguments[2]) else { return refuse() }
        var lock = HomeLock(inherited: descriptors[2])
        if !lock.isHeld(in: arguments[2]) {
            // Somebody removed the file, or the daemon was given none.
            guard let other = try HomeLock.take(in: arguments[2], milliseconds: 0) else {
                StandardError.write("greenroom-keeper: another system has taken \(arguments[2])\n")
                return 1
            }
            lock = other
        }
        let listeners = Keeper.Listeners(control: descriptors[0], app: descriptors[1])
        var keeper = try Keeper(
            home: arguments[2], daemon: daemon, arguments: rest, lock: lock, listeners: listeners,
            launch: LaunchReport(nil))
        return try keeper.run()
    }

    /// Descriptors: 3 the terminal's master, 4 the listening socket, 5 the file for what is printed.
    private static func holdTerminal(_ arguments: [String]) throws(SystemError) -> CInt {
        guard arguments.count == 3 else { return refuse() }
        let file = Descriptor(owning: 5)
        try file.setNonblocking(false)
        var holder = try TerminalHolder(
            path: arguments[2], master: Descriptor(owning: 3), listener: Descriptor(owning: 4), file: file)
        try holder.run()
        return 0
    }
}
