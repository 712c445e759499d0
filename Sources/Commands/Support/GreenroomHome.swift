internal import Glibc
internal import LinuxSystem
internal import SystemPackage

/// The folder of one Greenroom system.
package struct GreenroomHome: Equatable {
    package let path: String

    package init(environment: [String: String], workingDirectory: String) throws(CommandFailure) {
        if let chosen = environment["GREENROOM_HOME"], !chosen.isEmpty {
            let given = FilePath(chosen)
            let path = given.isAbsolute ? given : FilePath(workingDirectory).pushing(given)
            self.path = path.lexicallyNormalized().string
            return
        }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = FilePath("\(state)/greenroom").lexicallyNormalized().string
            return
        }
        guard let user = environment["HOME"], user.hasPrefix("/") else {
            throw .failed("there is no home folder to keep the system in: set GREENROOM_HOME")
        }
        path = FilePath("\(user)/.local/state/greenroom").lexicallyNormalized().string
    }

    private init(path: String) { self.path = path }

    /// The same folder by its one name without links: its apps' users and cgroups are called after it.
    package var resolved: GreenroomHome { GreenroomHome(path: FileSystem.realPath(path)) }

    package var controlSocket: String { "\(path)/control" }
    package var appSocket: String { "\(path)/app" }
    package var keeperFile: String { "\(path)/keeper.pid" }
    package var daemonFile: String { "\(path)/daemon.pid" }
    package var servicesFolder: String { "\(path)/services" }
    package var daemonLog: String { "\(path)/daemon.log" }
    /// Names the system's cgroup; empty where SIGSTOP stands in for it.
    package var cgroupFile: String { "\(path)/cgroup" }
    /// The program and the options of the daemon, a line each.
    package var daemonArguments: String { "\(path)/daemon.arguments" }
    package var runFolder: String { "\(path)/run" }

    /// True when a system was started here and not taken down.
    package var holdsSystem: Bool { Files.exists(keeperFile) || Files.exists(controlSocket) }

    package var keeper: RecordedProcess? { RecordedProcess(file: keeperFile) }
    package var daemon: RecordedProcess? { RecordedProcess(file: daemonFile) }
    /// Those of services, each beside what it keeps.
    package var serviceFiles: [String] { Files.folders(in: servicesFolder).map { "\(servicesFolder)/\($0)/pid" } }

    package var notRunning: CommandFailure {
        .noDaemon("no Greenroom is running in \(path): start it with greenroom up")
    }

    /// The process that has the lock of this home, as far as it named itself.
    package var holder: RecordedProcess? {
        guard let process = RecordedProcess(file: HomeLock.path(in: path)), process.startTime != nil, process.isAlive
        else { return nil }
        return process
    }

    /// What a folder says of processes and cgroups is obeyed only in the name of its owner.
    package func requireOwner() throws(CommandFailure) {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_uid != geteuid() else { return }
        throw .failed(
            "\(path) belongs to the user \(status.st_uid): run greenroom as that user, or set GREENROOM_HOME to a "
                + "folder of your own")
    }

    /// Makes the folder, for its owner alone.
    package func create() throws(CommandFailure) {
        var made = FilePath("/")
        for component in FilePath(path).components {
            made.append(component)
            let isHome = made.string == path
            if unsafe mkdir(made.string, isHome ? 0o700 : 0o755) != 0, errno != EEXIST {
                throw .failed("cannot make the folder \(made): \(Files.lastError). Set GREENROOM_HOME to another one")
            }
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed("\(path) is not a folder: set GREENROOM_HOME to one")
        }
        guard status.st_uid == geteuid() else {
            throw .failed("\(path) belongs to the user \(status.st_uid): set GREENROOM_HOME to a folder of your own")
        }
        if status.st_mode & 0o077 != 0, unsafe chmod(path, 0o700) != 0 {
            throw .failed("others can enter \(path), and that cannot be changed: \(Files.lastError)")
        }
    }
}
