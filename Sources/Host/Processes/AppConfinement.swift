internal import LinuxSystem

/// What an app may not do to the rest of the machine, whatever its user may.
struct AppConfinement {
    let app: Installation
    let home: Home
    let environment: HostEnvironment

    /// Counted as the app's own memory.
    private static let sharedMemory: UInt64 = 256 << 20

    private var isPlain: Bool { app.kind == "plain" }
    private var isOnDisplay: Bool { isPlain && !environment.display.isEmpty }
    private var makesNamespaces: Bool { isPlain && app.namespaces == true }

    func apply(to spawn: inout Spawn) {
        var confinement = Spawn.Confinement()
        confinement.sharesUser = app.uid == nil
        confinement.isUntraceable = !isPlain
        confinement.makesNamespaces = makesNamespaces
        confinement.reachesAbstractSockets = isOnDisplay
        confinement.writable = app.uid == nil && !makesNamespaces ? writable : []
        spawn.confinement = confinement
        spawn.limits += [
            .atMost(.openFiles, 65_536), .atMost(.lockedMemory, 8 << 20), .atMost(.messageQueues, 819_200),
            .atMost(.pendingSignals, 8_192),
        ]
    }

    /// Of what all users share there is one for each app.
    func isolate(_ sandbox: inout Spawn.Sandbox) {
        let isUsers = environment.makesUserNamespaces
        // A plain program of the user's exchanges files with the user's other programs.
        if !(isUsers && isPlain) { sandbox.temporary = home.container(app.identifier) + "/tmp" }
        sandbox.sharedMemory = Self.sharedMemory
        sandbox.hidesProcesses = true
        sandbox.ownsUser = isUsers
        // A browser writes the users of its own namespaces into `/proc`.
        sandbox.closesProcesses = isUsers && !makesNamespaces
        sandbox.closesRest = isUsers && !isPlain
        // A display takes pictures out of System V's shared memory.
        sandbox.ownsIPC = !isOnDisplay
        if isOnDisplay, sandbox.temporary != nil { sandbox.shown = ["/tmp/.X11-unix", "/tmp/.ICE-unix"] }
    }

    /// Where apps share the daemon's user, the kernel still lets an app change only its own files: not those of other
    /// apps or of the system. A plain program works on the user's files, but not on the kernel's: the groups that hold
    /// it are in `/sys`.
    private var writable: [String] {
        guard isPlain else {
            // Its output, which may lie where it sees nothing, is open already.
            return [home.container(app.identifier), "/proc/self/fd/1", "/tmp", "/var/tmp", "/dev", "/proc"]
        }
        return FileSystem.names(in: "/").filter { $0 != "sys" }.map { "/\($0)" }
    }
}
