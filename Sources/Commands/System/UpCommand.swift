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
        let home = try context.home
        try refuseSecond(home)
        let launcher = try KeeperLauncher(home: home, context: context, daemonArguments: daemonArguments(context))
        try home.create()
        var environment = context.environment
        environment["GREENROOM_HOME"] = home.path
        guard detach else {
            var system = ForegroundSystem(home: home, context: context)
            return try system.run { () throws(CommandFailure) in
                try launcher.start(environment: environment, log: nil)
            }
        }
        let start = StartLog(path: home.daemonLog)
        let keeper = try launcher.start(environment: environment, log: home.daemonLog)
        try waitUntilReady(home, keeper: keeper, start)
        context.print("Greenroom runs in \(home.path), pid \(home.keeper?.pid ?? keeper.pid): greenroom down ends it")
    }

    private func refuseSecond(_ home: GreenroomHome) throws(CommandFailure) {
        guard Leftovers(home: home).isSupervised else { return }
        let pid = [home.keeper, home.daemon].compactMap(\.self).first(where: \.isAlive).map { ", pid \($0.pid)" }
        throw .failed("Greenroom is already running in \(home.path)\(pid ?? ""): greenroom down ends it")
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
        return ready.contains(connection.number) && (try? connection.receive()) != nil
    }

    private func waitUntilReady(_ home: GreenroomHome, keeper: PidFD, _ start: StartLog) throws(CommandFailure) {
        let limit = TimeLimit(in: Self.startLimit)
        let watch = FolderWatch(home.path)
        let leftovers = Leftovers(home: home)
        while true {
            if leftovers.accepts(home.appSocket), daemonAnswers(home, keeper, limit) { return }
            if keeper.isDead, let status = keeper.reap(), home.keeper?.isAlive != true {
                throw .failed("the system did not start: the supervisor \(status.sentence)\(start.lastLines)")
            }
            guard !limit.isOver else {
                throw .failed(
                    "the system takes no commands after \(Int(Self.startLimit.seconds)) s; greenroom down ends it"
                        + start.lastLines)
            }
            watch.wait(atMost: .milliseconds(20))
        }
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
