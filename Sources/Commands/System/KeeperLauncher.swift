internal import LinuxSystem
internal import SystemPackage

/// Starts the supervisor in a session of its own, so that Ctrl-C and the end of a terminal reach only this tool.
struct KeeperLauncher {
    private let home: GreenroomHome
    private let keeper: String
    private let daemon: String
    private let daemonArguments: [String]

    init(home: GreenroomHome, context: CommandContext, daemonArguments: [String]) throws(CommandFailure) {
        self.home = home
        self.daemonArguments = daemonArguments
        keeper = try context.program("greenroom-keeper")
        daemon = try context.program("greenroomd")
    }

    private static let report: Int32 = 3

    private var arguments: [String] {
        let own = [keeper, "--home", home.path, "--daemon", daemon, "--report", String(Self.report)]
        return daemonArguments.isEmpty ? own : own + ["--"] + daemonArguments
    }

    /// A crash's helper would keep a dead daemon's place for as long as it takes to read symbols: nobody waits for
    /// that unless it was asked for.
    private static func quiet(_ environment: [String: String]) -> [String: String] {
        environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { chosen, _ in chosen }
    }

    /// `log` takes what the supervisor and the daemon print; without it they print where this process does.
    func start(environment: [String: String], log: String?) throws(CommandFailure) -> StartedKeeper {
        let variables = Self.quiet(environment)
        var spawn = Spawn(path: keeper, arguments: arguments, environment: variables.map { "\($0)=\($1)" }.sorted())
        let report: Descriptor
        do throws(SystemError) {
            let (ours, theirs) = try UnixSocket.pair()
            report = ours
            let nothing = try Descriptor.open("/dev/null", .readWrite)
            if let log {
                let file = try Descriptor.open(log, .append, create: 0o600)
                spawn.descriptors = [(nothing, 0), (file, 1), (file, 2)]
            } else {
                let (output, errors) = (Self.own(.standardOutput) ?? nothing, Self.own(.standardError) ?? nothing)
                spawn.descriptors = [(nothing, 0), (output, 1), (errors, 2)]
            }
            spawn.descriptors.append((theirs, Self.report))
        } catch {
            throw .failed("the supervisor cannot be started: \(error)")
        }
        do throws(SpawnError) {
            return try StartedKeeper(spawn.start(), report)
        } catch {
            throw .failed("\(keeper) cannot be started: \(error)")
        }
    }

    /// A second number for one of this process's own descriptors, `nil` if it is closed.
    private static func own(_ descriptor: FileDescriptor) -> Descriptor? {
        (try? descriptor.duplicate()).map { Descriptor(owning: $0.rawValue) }
    }
}

/// A supervisor that is on its way, and what it says of it (`LaunchReport` in the supervisor).
final class StartedKeeper {
    let process: PidFD
    /// It has the lock of the home: what answers there is its system.
    private(set) var holdsHome = false
    /// Another system has the home.
    private(set) var isTaken = false
    /// Why there will be no system.
    private(set) var failure: String?
    private let report: Descriptor
    private var buffer: [UInt8] = []

    init(_ process: PidFD, _ report: Descriptor) {
        self.process = process
        self.report = report
        try? report.setNonblocking(true)
    }

    /// Takes in what it has said by now.
    func listen() {
        while case .bytes? = try? report.read(into: &buffer, upTo: 4096) {}
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
            let words = String(decoding: buffer[..<end], as: UTF8.self)
                .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            buffer.removeSubrange(...end)
            switch words[0] {
            case "holds": holdsHome = true
            case "taken": isTaken = true
            case "failed": failure = words.count > 1 ? String(words[1]) : nil
            default: break
            }
        }
    }

    /// What it was, once it is dead; all that it said has arrived by then.
    func ended() -> ProcessStatus? {
        guard process.isDead else { return nil }
        listen()
        return process.reap() ?? .exited(0)
    }
}

extension ProcessStatus {
    /// For sentences about the supervisor.
    var sentence: String {
        switch self {
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let number): "was ended by signal \(number)"
        }
    }
}
