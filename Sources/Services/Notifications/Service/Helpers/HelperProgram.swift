internal import LinuxSystem

/// A program of an app's bundle that may change pushes before they are shown, and what it may cost.
struct HelperProgram: Hashable, Sendable {
    /// Where a bundle's `Info.plist` says what the program is for.
    static let point = "com.apple.usernotifications.service"

    var app: String
    /// Relative to the bundle.
    var program: String
    var bundle: String
    var container: String
    /// `nil`: this process's.
    var user: UInt32?

    /// `nil`: the app has none.
    init?(_ info: AppInfo) {
        guard let helper = info.helper, info.bundle.hasPrefix("/"), info.container.hasPrefix("/") else { return nil }
        app = info.app
        program = helper
        bundle = info.bundle
        container = info.container
        user = info.user
    }

    private static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    /// Bytes. A program in Swift maps several hundred megabytes, and uses a few.
    private static let (addressSpace, data, file): (UInt64, UInt64, UInt64) = (1 << 30, 128 << 20, 64 << 20)
    private static let sharedMemory: UInt64 = 16 << 20
    private static let processorSeconds: UInt64 = 30

    /// With one end of a stream as its input and output. It gets what its app gets, less what could outlive it: it has
    /// no other process.
    func spawn(_ stream: Descriptor) -> Spawn {
        let path = "\(bundle)/\(program)"
        var spawn = Spawn(path: path, arguments: [path], environment: environment)
        spawn.directory = container
        spawn.uid = user
        spawn.descriptors = [(stream, 0), (stream, 1)]
        spawn.oomScore = 1000
        spawn.limits = [
            .init(.coreSize, 0), .init(.processorSeconds, Self.processorSeconds),
            .atMost(.addressSpace, Self.addressSpace),
            .atMost(.data, Self.data), .atMost(.fileSize, Self.file), .atMost(.openFiles, 256),
            .atMost(.lockedMemory, 0), .atMost(.messageQueues, 0), .atMost(.pendingSignals, 1024),
        ]
        var confinement = Spawn.Confinement()
        confinement.isAlone = true
        confinement.sharesUser = user == nil
        // Files in `/dev/shm` are memory that no limit counts.
        confinement.writable = user == nil ? [container, "/dev/null", "/dev/zero", "/dev/full", "/proc"] : []
        spawn.confinement = confinement
        if user != nil { spawn.sandbox = sandbox }
        return spawn
    }

    /// As its app sees the files: nothing of the system's home but its own parts.
    private var sandbox: Spawn.Sandbox {
        var sandbox = Spawn.Sandbox(hiding: FileSystem.firstClosed(onTheWayTo: home))
        sandbox.binds = [(container, container, false), (bundle, bundle, true)]
        sandbox.temporary = "\(container)/tmp"
        sandbox.sharedMemory = Self.sharedMemory
        sandbox.ownsIPC = true
        sandbox.hidesProcesses = true
        return sandbox
    }

    /// The folder in which both are.
    private var home: String {
        let common = zip(bundle.split(separator: "/"), container.split(separator: "/")).prefix { $0 == $1 }
        return common.map { "/\($0.0)" }.joined()
    }

    private var environment: [String] {
        var list = [
            "HOME=\(container)", "TMPDIR=\(container)/tmp", "GREENROOM_APP=\(app)",
            // Foundation takes the home from the list of users, and knows only the XDG folders.
            "CFFIXED_USER_HOME=\(container)", "XDG_CACHE_HOME=\(container)/Library/Caches",
            "XDG_DATA_HOME=\(container)/Library/Application Support",
            "XDG_CONFIG_HOME=\(container)/Library/Preferences",
            "PATH=\(CurrentProcess.environment("PATH") ?? Self.defaultPath)",
            "LANG=\(CurrentProcess.environment("LANG") ?? "C.UTF-8")", "MALLOC_ARENA_MAX=2",
            // It would start a process to tell of a crash.
            "SWIFT_BACKTRACE=enable=no",
        ]
        for name in ["TZ", "LD_LIBRARY_PATH"] {
            if let value = CurrentProcess.environment(name) { list.append("\(name)=\(value)") }
        }
        return list
    }
}
