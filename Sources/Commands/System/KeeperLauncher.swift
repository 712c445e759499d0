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

    private var arguments: [String] {
        let own = [keeper, "--home", home.path, "--daemon", daemon]
        return daemonArguments.isEmpty ? own : own + ["--"] + daemonArguments
    }

    /// `log` takes what the supervisor and the daemon print; without it they print where this process does.
    func start(environment: [String: String], log: String?) throws(CommandFailure) -> PidFD {
        var spawn = Spawn(
            path: keeper, arguments: arguments, environment: environment.map { "\($0)=\($1)" }.sorted())
        do throws(SystemError) {
            let nothing = try Descriptor.open("/dev/null", .readWrite)
            if let log {
                let file = try Descriptor.open(log, .append, create: 0o600)
                spawn.descriptors = [(nothing, 0), (file, 1), (file, 2)]
            } else {
                let (output, errors) = (Self.own(.standardOutput) ?? nothing, Self.own(.standardError) ?? nothing)
                spawn.descriptors = [(nothing, 0), (output, 1), (errors, 2)]
            }
        } catch {
            throw .failed("the supervisor cannot be started: \(error)")
        }
        do throws(SpawnError) {
            return try spawn.start()
        } catch {
            throw .failed("\(keeper) cannot be started: \(error)")
        }
    }

    /// A second number for one of this process's own descriptors, `nil` if it is closed.
    private static func own(_ descriptor: FileDescriptor) -> Descriptor? {
        (try? descriptor.duplicate()).map { Descriptor(owning: $0.rawValue) }
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
