package import ArgumentParser
internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// `greenroom up`
package struct UpCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start the system.",
        discussion: """
            Stays in the foreground and prints the log; Ctrl-C takes the system down. With --detach it returns when \
            the system takes commands; what supervisor and daemon print goes to daemon.log in the home.
            """)

    @Flag(name: .shortAndLong, help: "Leave the system running and return.")
    var detach = false

    @Option(
        help: ArgumentHelp(
            "The device to be: iphone-os-3, iphone-3gs, iphone-4, ios-7, ipad-air-2, linux, or a profile of your own.",
            valueName: "PROFILE|FILE.json"))
    var device: String?

    @Option(help: ArgumentHelp("How much memory the apps share, for example 512M.", valueName: "SIZE"))
    var memory: ByteCount?

    package init() {}

    private static let startLimit = Model.Span.seconds(10)

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var home = try context.home
        let arguments = try daemonArguments(context)
        guard !LivingSystem(home: home).lives else { throw Self.alreadyRuns(home, arguments) }
        try home.create()
        // Now that it is there: its one name, by which it is known to the kernel.
        home = home.resolved
        let launcher = try KeeperLauncher(home: home, context: context, daemonArguments: arguments)
        var environment = context.environment
        environment["GREENROOM_HOME"] = home.path
        guard detach else {
            var system = ForegroundSystem(home: home, context: context, arguments: arguments)
            return try system.run { () throws(CommandFailure) in
                try launcher.start(environment: environment, log: nil)
            }
        }
        let start = StartLog(path: home.daemonLog)
        let keeper = try launcher.start(environment: environment, log: home.daemonLog)
        try waitUntilReady(home, keeper, start, arguments)
        let pid = home.keeper?.pid ?? keeper.process.pid
        context.print("Greenroom runs in \(home.path), pid \(pid): greenroom down ends it")
    }

    /// Says who serves, and with which options if they are not those that were asked for.
    static func alreadyRuns(_ home: GreenroomHome, _ arguments: [String]) -> CommandFailure {
        let known = [home.keeper, home.holder, home.daemon].compactMap(\.self).first(where: \.isAlive)
        let pid = known.map { ", pid \($0.pid)" } ?? ""
        let running = (Files.text(home.daemonArguments) ?? "").split(separator: "\n").dropFirst().map(String.init)
        let options = running.isEmpty ? "without options" : "with \(running.joined(separator: " "))"
        let difference = known == nil || running == arguments ? "" : " \(Visible.line(options))"
        return .failed(
            "Greenroom is already running in \(home.path)\(pid)\(difference): greenroom down ends it")
    }

    private func daemonArguments(_ context: CommandContext) throws(CommandFailure) -> [String] {
        var arguments: [String] = []
        if let device {
            var chosen = device
            if device.contains("/") || device.hasSuffix(".json") {
                let given = FilePath(device)
                chosen = (given.isAbsolute ? given : FilePath(context.workingDirectory).pushing(given)).string
                guard Files.exists(chosen) else { throw .failed("there is no device profile \(chosen)") }
            }
            arguments += ["--device", chosen]
        }
        if let memory { arguments += ["--memory", String(memory.bytes)] }
        return arguments
    }

    /// The supervisor's sockets accept before the daemon can serve, which may yet refuse to start.
    private func daemonAnswers(_ home: GreenroomHome, _ keeper: PidFD, _ limit: TimeLimit) -> Bool {
        guard let connection = try? ControlConnection(path: home.controlSocket),
            (try? connection.send(.status, [:])) != nil
        else { return false }
        let ready = Poll.ready([connection.number, keeper.descriptor.rawValue], atMost: limit.left)
        return ready.contains(connection.number) && (try? connection.receive(silentAtMost: limit.left)) != nil
    }

    private func waitUntilReady(
        _ home: GreenroomHome, _ keeper: StartedKeeper, _ start: StartLog, _ arguments: [String]
    ) throws(CommandFailure) {
        let limit = TimeLimit(in: Self.startLimit)
        let watch = FolderWatch(home.path)
        let leftovers = Leftovers(home: home)
        while true {
            keeper.listen()
            if keeper.holdsHome, leftovers.accepts(home.appSocket), daemonAnswers(home, keeper.process, limit) {
                return
            }
            if let status = keeper.ended(), keeper.isTaken || home.keeper?.isAlive != true {
                if keeper.isTaken { throw Self.alreadyRuns(home, arguments) }
                throw Self.didNotStart(keeper.failure, status, start.lastLines)
            }
            guard !limit.isOver else {
                throw .failed(
                    "the system takes no commands after \(Int(Self.startLimit.seconds)) s; greenroom down ends it"
                        + start.lastLines)
            }
            watch.wait(atMost: .milliseconds(20))
        }
    }

    /// In the words of what failed; where it had none, with the last lines of the log.
    static func didNotStart(_ cause: String?, _ status: ProcessStatus, _ lastLines: String) -> CommandFailure {
        guard let cause else {
            return .failed("the system did not start: the supervisor \(status.sentence)\(lastLines)")
        }
        let isCrash = cause.contains("was ended by signal")
        return .failed("the system did not start: \(Visible.line(cause))\(isCrash ? lastLines : "")")
    }
}

/// A size as people write it: 512M, 1.5G, 4096.
struct ByteCount: ExpressibleByArgument {
    let bytes: Int

    init?(argument: String) {
        var text = argument.uppercased()
        for suffix in ["IB", "B"] where text.hasSuffix(suffix) && text.count > suffix.count {
            text.removeLast(suffix.count)
            break
        }
        let powers: [Character: Double] = ["K": 0x1p10, "M": 0x1p20, "G": 0x1p30, "T": 0x1p40]
        var factor = 1.0
        if let last = text.last, let power = powers[last] {
            factor = power
            text.removeLast()
        }
        guard let number = Double(text), text.first?.isNumber == true, number * factor >= 1, number * factor < 1e15
        else {
            return nil
        }
        bytes = Int(number * factor)
    }

    var defaultValueDescription: String { String(bytes) }
}

/// What the log of supervisor and daemon says since a start.
private struct StartLog {
    private let path: String
    private let sizeBefore: Int

    init(path: String) {
        self.path = path
        sizeBefore = Files.bytes(path, limit: .max)?.count ?? 0
    }

    /// For the end of a message; empty when nothing was said.
    var lastLines: String {
        let bytes = (Files.bytes(path, limit: .max) ?? []).dropFirst(sizeBefore)
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(8)
        return lines.isEmpty ? "" : ". \(path) says:\n" + lines.map { "  \($0)" }.joined(separator: "\n")
    }
}
