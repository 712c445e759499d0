internal import Glibc
internal import LinuxSystem
internal import SystemPackage
internal import Wire

/// What the kernel knows of processes, and how it keeps them apart.
struct ProcessProbes {
    func findings() -> [DoctorFinding] {
        [pidfd(), peer(), exitStatus(), release(), users(), namespaces(), tracing(), locks(), sockets(), descriptors()]
    }

    private func pidfd() -> DoctorFinding {
        do throws(SystemError) {
            _ = try PidFD(CurrentProcess.pid)
            return DoctorFinding(mechanism: "pidfd", status: .ok, detail: "processes cannot be mistaken for others")
        } catch {
            return DoctorFinding(
                mechanism: "pidfd", status: .missing, detail: "\(error)",
                cost: "Greenroom does not run: Linux 5.3 or later is needed")
        }
    }

    private func peer() -> DoctorFinding {
        guard let (one, other) = try? UnixSocket.pair(), UnixSocket.peerProcess(of: one) != nil else {
            return DoctorFinding(
                mechanism: "SO_PEERPIDFD", status: .replaced, detail: "comes with Linux 6.5",
                instead: "the peer's number, compared with that of a held pidfd that is still alive",
                cost: "none, unless a process ends while it connects")
        }
        withExtendedLifetime(other) {}
        return DoctorFinding(mechanism: "SO_PEERPIDFD", status: .ok, detail: "an app that reconnects is known for sure")
    }

    /// Asks for a status that was collected already: what an adopted process's pidfd has to tell.
    private func exitStatus() -> DoctorFinding {
        let spawn = Spawn(path: "/bin/sh", arguments: ["sh", "-c", "exit 7"], environment: [])
        if let process = try? spawn.start(), process.waitUntilDead(milliseconds: 5000), process.reap() == .exited(7),
            process.reap() == .exited(7)
        {
            return DoctorFinding(
                mechanism: "PIDFD_GET_INFO", status: .ok, detail: "tells how a process ended that is not a child")
        }
        return DoctorFinding(
            mechanism: "PIDFD_GET_INFO", status: .replaced, detail: "exit statuses come with Linux 6.15",
            instead: "the supervisor collects them",
            cost: "how an app ended while the supervisor was dead too stays unknown")
    }

    private func release() -> DoctorFinding {
        let missing = DoctorFinding(
            mechanism: "process_mrelease", status: .replaced, detail: "comes with Linux 5.15",
            instead: "the dying process gives its memory back itself", cost: "memory comes back later under pressure")
        let spawn = Spawn(path: "/bin/sleep", arguments: ["sleep", "60"], environment: [])
        guard let process = try? spawn.start() else { return missing }
        defer { _ = process.waitUntilDead(milliseconds: 1000) && process.reap() != nil }
        try? process.send(Signal.kill)
        do throws(SystemError) {
            try process.releaseMemory()
        } catch {
            // Gone before it could be asked.
            if error.errno != .noSuchProcess { return missing }
        }
        return DoctorFinding(
            mechanism: "process_mrelease", status: .ok, detail: "a killed app's memory comes back at once")
    }

    private func users() -> DoctorFinding {
        guard CurrentProcess.isRoot else {
            return DoctorFinding(
                mechanism: "users of their own", status: .replaced, detail: "only root can give each app a user",
                instead: "a user namespace where the system allows it (mount namespaces), and the protocol",
                cost: "an app can signal other apps' processes, and read the user's files")
        }
        return DoctorFinding(
            mechanism: "users of their own", status: .ok, detail: "each app runs under a user of its own")
    }

    private func namespaces() -> DoctorFinding {
        var template = Array("/tmp/greenroom-doctor-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template) != nil
        let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { if made { unsafe rmdir(folder) } }
        var spawn = Spawn(path: "/bin/true", arguments: ["true"], environment: [])
        spawn.sandbox = Spawn.Sandbox(hiding: folder)
        spawn.sandbox?.ownsUser = !CurrentProcess.isRoot
        do throws(SpawnError) {
            let process = try spawn.start()
            _ = process.waitUntilDead(milliseconds: 5000)
            _ = process.reap()
            return DoctorFinding(
                mechanism: "mount namespaces", status: .ok,
                detail: "an app sees of the home only its bundle, its container and the app socket")
        } catch {
            return DoctorFinding(
                mechanism: "mount namespaces", status: .replaced, detail: "\(error)",
                instead: CurrentProcess.isRoot ? "file modes" : "nothing but the daemon's check of each connection",
                cost: CurrentProcess.isRoot
                    ? "an app can see that other apps are there"
                    : "an app reads the files of other apps and of the system, changes their modes and times, locks "
                        + "the databases, and reaches the sockets for tools")
        }
    }

    private func locks() -> DoctorFinding {
        guard LockTable.now() != nil else {
            return DoctorFinding(
                mechanism: "/proc/locks", status: .missing, detail: "cannot be read",
                cost: "a suspended app keeps its locks, and the daemon does not notice")
        }
        guard CurrentProcess.isRoot else {
            return DoctorFinding(
                mechanism: "/proc/locks", status: .replaced,
                detail: "only the user's own processes show which files they have open",
                instead: "of other users' processes only those count that wait for the lock",
                cost:
                    "one that asks for it again and again, as SQLite does, waits while a plain program is suspended with it"
            )
        }
        return DoctorFinding(
            mechanism: "/proc/locks", status: .ok, detail: "suspended apps keep no file locked that others need")
    }

    /// Turns a peer away in the name of a listener that is another's as far as the kernel is concerned.
    private func sockets() -> DoctorFinding {
        let refusing = "connections to suspended apps are refused at once, or wake them"
        let spawn = Spawn(path: "/bin/sleep", arguments: ["sleep", "60"], environment: [])
        do throws(SystemError) {
            let process: PidFD
            do throws(SpawnError) { process = try spawn.start() } catch { throw SystemError("clone3", .noSuchProcess) }
            defer {
                try? process.send(Signal.kill)
                _ = process.waitUntilDead(milliseconds: 1000) && process.reap() != nil
            }
            _ = try process.duplicate(0)
            return DoctorFinding(mechanism: "pidfd_getfd", status: .ok, detail: refusing)
        } catch {
            return DoctorFinding(
                mechanism: "pidfd_getfd", status: .missing, detail: "\(error)",
                cost:
                    "connections to a suspended app wait until it runs again, and the background mode listen wakes no app"
            )
        }
    }

    /// Whether the daemon can refuse what it would else have to close.
    private func descriptors() -> DoctorFinding {
        // As in asm-generic/socket.h, which older systems lack.
        let (passRights, no) = (Int32(83), Int32(0))
        let isThere = (try? UnixSocket.pair()).map { one, _ in
            unsafe withUnsafePointer(to: no) {
                unsafe setsockopt(one.rawValue, SOL_SOCKET, passRights, $0, socklen_t(MemoryLayout<Int32>.size)) == 0
            }
        }
        guard isThere == true else {
            return DoctorFinding(
                mechanism: "SO_PASSRIGHTS", status: .replaced, detail: "comes with Linux 6.16",
                instead: "descriptors that apps send to the daemon are closed at once",
                cost: "a file of a hung FUSE server, sent by a program that declares namespaces, can hold the daemon")
        }
        return DoctorFinding(
            mechanism: "SO_PASSRIGHTS", status: .ok, detail: "descriptors that apps send to the daemon are refused")
    }

    private func tracing() -> DoctorFinding {
        let scope = Files.text("/proc/sys/kernel/yama/ptrace_scope").flatMap { $0.first?.wholeNumberValue }
        guard let scope, scope > 1, !CurrentProcess.isRoot else {
            return DoctorFinding(
                mechanism: "ptrace scope", status: .ok,
                detail: scope.map { "Yama scope \($0) allows an ancestor to look into its apps" } ?? "Yama is off")
        }
        return DoctorFinding(
            mechanism: "ptrace scope", status: .missing, detail: "Yama scope \(scope) forbids it to all but root",
            cost: "listeners and memory of suspended apps cannot be handled from outside")
    }
}
