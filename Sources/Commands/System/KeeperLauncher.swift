internal import Glibc
internal import SystemPackage

/// Starts the supervisor in a session of its own.
struct KeeperLauncher {
    /// `POSIX_SPAWN_SETSID`, which the C library shows to GNU sources only.
    private static let newSession: Int32 = 0x80

    let home: GreenroomHome
    let keeper: String
    let daemon: String
    let daemonArguments: [String]

    init(home: GreenroomHome, context: CommandContext, daemonArguments: [String]) throws(CommandFailure) {
        let chosen = context.environment["GREENROOM_LIBEXEC"] ?? ""
        let folder = chosen.isEmpty ? context.programFolder : chosen
        self.home = home
        self.daemonArguments = daemonArguments
        keeper = try Self.program("greenroom-keeper", in: folder)
        daemon = try Self.program("greenroomd", in: folder)
    }

    private static func program(_ name: String, in folder: String) throws(CommandFailure) -> String {
        let path = FilePath(folder).appending(name).string
        guard Files.isExecutable(path) else {
            throw .failed("there is no program \(path): build it (make build), or set GREENROOM_LIBEXEC to its folder")
        }
        return path
    }

    private var arguments: [String] {
        let own = [keeper, "--home", home.path, "--daemon", daemon]
        return daemonArguments.isEmpty ? own : own + ["--"] + daemonArguments
    }

    /// `log` takes what the supervisor and the daemon print; without it they print where this process does.
    func start(environment: [String: String], log: String?) throws(CommandFailure) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        if let log {
            unsafe posix_spawn_file_actions_addopen(
                &actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }
        // A session of its own, so that Ctrl-C and the end of a terminal reach only this tool.
        var none = sigset_t()
        var all = sigset_t()
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = Self.newSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

        var pid: pid_t = 0
        let result = unsafe withCStrings(arguments) { arguments in
            unsafe withCStrings(environment.map { "\($0)=\($1)" }.sorted()) { environment in
                unsafe posix_spawn(&pid, keeper, &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw .failed("\(keeper) cannot be started: \(Errno(rawValue: result))") }
        return pid
    }

    private func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe copies.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("the list ends with nil") }
            return unsafe body(start)
        }
    }
}
