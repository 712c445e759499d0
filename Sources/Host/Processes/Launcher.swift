internal import LinuxSystem
internal import Model
internal import SystemPackage
internal import Wire

/// Starts apps, on a worker: directories, cgroup, socket, environment, sandbox, process.
struct Launcher: Sendable {
    let home: Home
    let environment: HostEnvironment
    let keeper: String

    /// What a successful launch leaves: the process, our end of its socket, and its terminal's master.
    struct Launched: Sendable {
        let process: PidFD
        let socket: Descriptor?
        let terminal: Descriptor?
        let holder: PidFD?
        /// Of what it moves over the network, from its first instruction on; `nil`: the kernel allows none.
        let counter: TrafficCounter?
    }

    private static let defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    private static let appDescriptor: CInt = 3
    /// What a nice value of the highest class of service is below 0: `cuikit_class_interactive`.
    private static let highestClass: UInt64 = 4

    func launch(
        _ app: Installation, group: String?, counting program: TrafficProgram?, processLimit: Int32
    ) -> Result<Launched, LaunchFailure> {
        do {
            return .success(try start(app, group: group, counting: program, processLimit: processLimit))
        } catch let error as SpawnError {
            return .failure(failure(error.stage, error.errno.rawValue, "\(error.errno)"))
        } catch let error as SystemError {
            return .failure(failure(error.operation, error.errno.rawValue, "\(error)"))
        } catch {
            return .failure(failure("launch", 0, "\(error)"))
        }
    }

    private func failure(_ stage: String, _ number: Int32, _ message: String) -> LaunchFailure {
        LaunchFailure(stage: stage, errorNumber: number, message: message)
    }

    private func start(
        _ app: Installation, group: String?, counting program: TrafficProgram?, processLimit: Int32
    ) throws -> Launched {
        let run = home.run(app.identifier)
        try FileSystem.makeDirectory(home.path + "/run", mode: 0o711)
        try FileSystem.makeDirectory(run)
        let place = Place(app, home: home)
        var spawn = Spawn(
            path: place.program, arguments: [place.program] + app.arguments, environment: variables(app))
        spawn.directory = place.directory
        spawn.uid = app.uid
        spawn.limits = app.uid == nil ? [] : [.init(.processes, UInt64(processLimit) * 2)]
        spawn.limits.append(.init(.coreSize, 0))
        spawn.oomScore = 0
        // The child writes to it and cannot make room on a full disk.
        spawn.birth = try DiskReserve.using { () throws(SystemError) in
            let birth = try Descriptor.open(home.birth(app.identifier), .write, create: 0o600, truncate: true)
            try birth.prepare(for: 64)
            return birth
        }
        var counter: TrafficCounter?
        if let group {
            let directory = try Descriptor.open(group, .directory)
            spawn.cgroup = directory
            counter = try? program?.count(directory)
            if FileSystem.exists(group + "/pids.max") {
                try? Cgroup.write(String(processLimit * 2), to: group + "/pids.max")
            }
        }
        spawn.joins = legacyPids(app.identifier, limit: processLimit)
        // Without it threads are told, one by one.
        let legacy = try? LegacyShares(environment, app.identifier)?.begin()
        if let legacy { spawn.joins.append(legacy) }
        let isApart = legacy != nil || Autogroup.isOn || group.map { FileSystem.exists($0 + "/cpu.weight") } ?? false
        // Its threads may come back from a lower class, and where their nice values count within the app only, begin
        // above the usual one. The main thread of a program that knows nothing of that would come after the others.
        let above = isApart && app.kind != "plain" ? Self.highestClass : 0
        if let limit = Spawn.ResourceLimit.nice(below: above) { spawn.limits.append(limit) }
        FileSystem.remove(home.priority(app.identifier))
        let null = try Descriptor.open("/dev/null", .readWrite)
        var socket: Descriptor?
        if app.kind != "plain" {
            let (ours, theirs) = try UnixSocket.pair()
            socket = ours
            spawn.descriptors.append((theirs, Self.appDescriptor))
        }
        var terminal: Descriptor?
        var holder: PidFD?
        if app.terminal {
            let pty = try Terminal.open()
            terminal = pty.master
            if let uid = app.uid { try pty.give(to: uid) }
            spawn.controllingTerminal = 0
            spawn.descriptors += [(pty.slave, 0), (pty.slave, 1), (pty.slave, 2)]
            holder = try TerminalHolder.start(keeper: keeper, master: pty.master, home: home, app: app.identifier)
        } else {
            let output = try DiskReserve.using { () throws(SystemError) in
                try Descriptor.open(home.output(app.identifier), .append, create: 0o600)
            }
            spawn.descriptors += [(null, 0), (output, 1), (output, 2)]
        }
        if environment.isSandboxed { spawn.sandbox = sandbox(app, place) }
        AppConfinement(app: app, home: home, environment: environment).apply(to: &spawn)
        let process = try spawn.start()
        return Launched(process: process, socket: socket, terminal: terminal, holder: holder, counter: counter)
    }

    private func variables(_ app: Installation) -> [String] {
        let container = home.container(app.identifier)
        var list = [
            "HOME=\(container)", "TMPDIR=\(container)/tmp", "GREENROOM_APP=\(app.identifier)",
            "PATH=\(CurrentProcess.environment("PATH") ?? Self.defaultPath)",
            "LANG=\(CurrentProcess.environment("LANG") ?? "C.UTF-8")",
        ]
        for name in ["TZ", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE"] {
            if let value = CurrentProcess.environment(name) { list.append("\(name)=\(value)") }
        }
        if app.kind == "plain" {
            list += environment.display
            if app.terminal { list.append("TERM=xterm-256color") }
        } else {
            list.append("\(AppEnvironment.descriptor)=\(Self.appDescriptor)")
            list.append("\(AppEnvironment.socket)=\(socketPath)")
        }
        return list
    }

    /// Most languages connect to no path of more than 107 bytes: a longer one is given from the container, where every
    /// app starts.
    private var socketPath: String { home.appSocketLink.utf8.count < 108 ? home.appSocketLink : "../../app" }

    /// The hard bound beside the one that ends the app: `fork` fails before the machine is full.
    private func legacyPids(_ app: String, limit: Int32) -> [Descriptor] {
        guard let group = environment.legacyPids else { return [] }
        let path = "\(group)/\(app)"
        do throws(SystemError) {
            try FileSystem.makeDirectory(path, mode: 0o755)
            try Cgroup.write(String(limit * 2), to: path + "/pids.max")
            return [try Descriptor.open(path + "/cgroup.procs", .write)]
        } catch {
            return []
        }
    }

    /// The home, and what is closed above it, holds for the app its bundle, its container and the socket: nobody
    /// else's, and not the tools' socket.
    private func sandbox(_ app: Installation, _ place: Place) -> Spawn.Sandbox {
        var sandbox = Spawn.Sandbox(hiding: environment.hidden)
        let container = home.container(app.identifier)
        sandbox.binds = [(container, container, false), (home.wireDirectory, home.wireDirectory, true)]
        if let folder = place.boundFolder { sandbox.binds.append((folder, home.bundle(app.identifier), true)) }
        sandbox.links = [("wire/app", home.appSocketLink)]
        AppConfinement(app: app, home: home, environment: environment).isolate(&sandbox)
        return sandbox
    }
}

/// The paths of an app's program as the app sees them. Greenroom binds the folder to a place below the home if the app
/// has a user of its own. That user may not be able to enter the original folder.
private struct Place {
    let program: String
    let directory: String
    let boundFolder: String?

    init(_ app: Installation, home: Home) {
        let bundle = home.bundle(app.identifier)
        let container = home.container(app.identifier)
        guard app.kind == "plain" else {
            program = "\(bundle)/\(app.executable)"
            directory = container
            boundFolder = bundle
            return
        }
        let parent = app.executable.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        let isOfSystem = ["/usr", "/bin", "/sbin", "/opt"].contains { parent == $0 || parent.hasPrefix($0 + "/") }
        guard app.uid != nil, let folder = app.workingDirectory ?? (isOfSystem || parent.isEmpty ? nil : parent) else {
            program = app.executable
            directory = app.workingDirectory ?? container
            // It was installed as a whole, and its sandbox hides the rest of the home.
            boundFolder = [program, directory].contains { $0 == bundle || $0.hasPrefix(bundle + "/") } ? bundle : nil
            return
        }
        boundFolder = folder
        directory = app.workingDirectory == nil ? container : bundle
        program =
            app.executable.hasPrefix(folder + "/") ? bundle + app.executable.dropFirst(folder.count) : app.executable
    }
}
