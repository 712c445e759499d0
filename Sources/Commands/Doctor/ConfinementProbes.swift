internal import Glibc
internal import LinuxSystem
internal import Wire

/// What keeps an app away from the rest of the machine.
struct ConfinementProbes {
    private let isRoot = CurrentProcess.isRoot
    /// An ordinary user's apps get a sandbox, too.
    private let hasUserNamespaces = Self.hasUserNamespaces()

    func findings() -> [DoctorFinding] { [systemCalls(), landlock(), processes(), memory(), crashes()] }

    private static func temporaryFolder() -> String? {
        var template = Array("/tmp/greenroom-doctor-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func hasUserNamespaces() -> Bool {
        guard !CurrentProcess.isRoot, let folder = temporaryFolder() else { return false }
        defer { unsafe rmdir(folder) }
        return Spawn.Sandbox.worksForUsers(hiding: folder)
    }

    /// Runs a script as an app would be run; whether it says yes.
    private func holds(_ script: String, _ change: (inout Spawn.Sandbox) -> Void = { _ in }) -> Bool {
        guard let folder = Self.temporaryFolder() else { return false }
        defer { unsafe rmdir(folder) }
        var spawn = Spawn(path: "/bin/sh", arguments: ["sh", "-c", script], environment: ["PATH=/usr/bin:/bin"])
        spawn.confinement = Spawn.Confinement()
        if isRoot || hasUserNamespaces {
            var sandbox = Spawn.Sandbox(hiding: folder)
            sandbox.ownsUser = !isRoot
            change(&sandbox)
            spawn.sandbox = sandbox
        }
        if isRoot { spawn.uid = 65_534 }
        guard let process = try? spawn.start() else { return false }
        guard process.waitUntilDead(milliseconds: 5000) else {
            try? process.send(Signal.kill)
            _ = process.waitUntilDead(milliseconds: 1000) && process.reap() != nil
            return false
        }
        return process.reap() == .exited(0)
    }

    private func systemCalls() -> DoctorFinding {
        guard holds("grep -q '^Seccomp:.*2' /proc/self/status && grep -q '^NoNewPrivs:.*1' /proc/self/status") else {
            return DoctorFinding(
                mechanism: "seccomp", status: .missing, detail: "programs cannot be given a filter of system calls",
                cost: "an app can make any system call that its user may make, and namespaces of its own")
        }
        return DoctorFinding(
            mechanism: "seccomp", status: .ok,
            detail: "apps get no new privileges, and make no namespaces, mounts, keys or io_uring")
    }

    private func landlock() -> DoctorFinding {
        let version = Spawn.Confinement.landlockVersion
        let detail = version == 0 ? "the kernel has none or it is off" : "version \(version)"
        if version >= 6 {
            return DoctorFinding(
                mechanism: "Landlock", status: .ok,
                detail: "\(detail): an app signals, traces and reads no process but its own")
        }
        if isRoot {
            return DoctorFinding(
                mechanism: "Landlock", status: .replaced, detail: "\(detail); signals come with version 6 (Linux 6.12)",
                instead: "each app's own user", cost: "an app can connect to another app's abstract Unix sockets")
        }
        let open = version >= 2 || hasUserNamespaces ? "signal" : "signal, and change the files of,"
        return DoctorFinding(
            mechanism: "Landlock", status: .missing, detail: "\(detail); signals come with version 6 (Linux 6.12)",
            cost: "an app can \(open) other apps and the daemon")
    }

    private func processes() -> DoctorFinding {
        guard isRoot else {
            return DoctorFinding(
                mechanism: "hidden processes", status: .missing, detail: "only root can mount /proc",
                cost: "an app sees which programs run, and with which arguments")
        }
        guard holds("! test -e /proc/1", { $0.hidesProcesses = true }) else {
            return DoctorFinding(
                mechanism: "hidden processes", status: .missing, detail: "hidepid=invisible comes with Linux 5.8",
                cost: "an app sees which programs run, and with which arguments")
        }
        return DoctorFinding(
            mechanism: "hidden processes", status: .ok, detail: "an app sees no process but its own in /proc")
    }

    private func memory() -> DoctorFinding {
        let cost = "what an app leaves in /dev/shm and /tmp counts for no app, and stays when it ends"
        guard isRoot || hasUserNamespaces else {
            return DoctorFinding(
                mechanism: "own /tmp and /dev/shm", status: .missing, detail: "this user can mount nothing", cost: cost)
        }
        let isOwn = holds("grep -q ' /dev/shm .* greenroom ' /proc/self/mountinfo") {
            $0.sharedMemory = 1 << 20
            $0.ownsIPC = true
        }
        guard isOwn else {
            return DoctorFinding(
                mechanism: "own /tmp and /dev/shm", status: .missing, detail: "a tmpfs cannot be mounted", cost: cost)
        }
        return DoctorFinding(
            mechanism: "own /tmp and /dev/shm", status: .ok,
            detail: "what an app leaves there is its own, limited, and counted for it")
    }

    private func crashes() -> DoctorFinding {
        let pattern = (Files.text("/proc/sys/kernel/core_pattern") ?? "").prefix { $0 != "\n" && $0 != " " }
        guard pattern.hasPrefix("|") else {
            return DoctorFinding(
                mechanism: "crash handler", status: .ok, detail: "no program of the system is started by crashes")
        }
        return DoctorFinding(
            mechanism: "crash handler", status: .replaced,
            detail: "the kernel starts \(pattern.dropFirst()) as root for every crash", instead: "nothing limits it",
            cost: "an app that crashes again and again keeps it busy outside of every limit; "
                + "kernel.core_pattern=core turns it off")
    }
}
