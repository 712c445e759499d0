internal import LinuxSystem
internal import Model
internal import Wire

/// What depends on a cgroup of the v2 hierarchy: tried in one that is made for it.
struct CgroupProbes {
    private let root = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)

    private static let freezeLimit: Int32 = 1000

    func findings() -> [DoctorFinding] {
        guard let root else { return Self.withoutCgroup("no cgroup v2 hierarchy can be written by this user") }
        // Two in one process do not take each other's group away.
        let path = "\(root)/greenroom-doctor-\(CurrentProcess.pid)-\(Clock.monotonic())"
        let group: Cgroup
        do throws(SystemError) {
            group = try Cgroup(creating: path)
        } catch {
            return Self.withoutCgroup("no group can be made in \(root): \(error)")
        }
        defer { remove(path) }
        let writable = DoctorFinding(mechanism: "cgroup v2", status: .ok, detail: "groups can be made in \(root)")
        let traffic = TrafficProbe(group: group).finding()
        let background = BackgroundTrafficProbe(isMarked: traffic.status == .ok).finding()
        return [writable] + inside(group)
            + [controller("memory", root), controller("pids", root), traffic, background]
    }

    private static func withoutCgroup(_ detail: String) -> [DoctorFinding] {
        [
            DoctorFinding(
                mechanism: "cgroup v2", status: .replaced, detail: detail,
                instead: "an app is its first process's session and what descends from it",
                cost: "a process that leaves session and parent escapes; run as root, or in a delegated subtree "
                    + "(systemd-run --user --scope -p Delegate=yes)"),
            DoctorFinding(
                mechanism: "freezer", status: .replaced, detail: "needs a cgroup", instead: "SIGSTOP and SIGCONT",
                cost: "the app's parent sees the stop, and anyone of the same user can undo it"),
            DoctorFinding(
                mechanism: "birth in the cgroup", status: .replaced, detail: "needs a cgroup",
                instead: "the process writes its number down before it runs the app", cost: nil),
            DoctorFinding(
                mechanism: "cgroup.kill", status: .replaced, detail: "needs a cgroup",
                instead: "signals to every process, until none is left", cost: "a fork bomb takes longer to end"),
            DoctorFinding(
                mechanism: "memory controller", status: .replaced, detail: "needs a cgroup",
                instead: "the daemon reads each process's smaps",
                cost: "no limits or pressure of a single app"),
            DoctorFinding(
                mechanism: "pids controller", status: .replaced, detail: "needs a cgroup",
                instead: "the daemon counts an app's processes",
                cost: "an app can exceed its limit until it is counted next"),
            TrafficProbe(group: nil).finding(), BackgroundTrafficProbe(isMarked: false).finding(),
        ]
    }

    /// With a process that sleeps in the group.
    private func inside(_ group: Cgroup) -> [DoctorFinding] {
        var spawn = Spawn(path: "/bin/sleep", arguments: ["sleep", "60"], environment: [])
        spawn.cgroup = try? group.directory
        let process: PidFD
        do throws(SpawnError) {
            process = try spawn.start()
        } catch {
            return [
                DoctorFinding(
                    mechanism: "birth in the cgroup", status: .missing, detail: "clone3 into a cgroup fails: \(error)",
                    cost: "apps cannot be started in their group: Linux 5.7 or later is needed")
            ]
        }
        defer { _ = process.reap() }
        let born = DoctorFinding(
            mechanism: "birth in the cgroup", status: .ok, detail: "clone3 with CLONE_INTO_CGROUP")
        return [born, freeze(group), kill(group, process)]
    }

    private func freeze(_ group: Cgroup) -> DoctorFinding {
        let start = Clock.monotonic()
        do throws(SystemError) {
            try group.setFrozen(true)
        } catch {
            return DoctorFinding(
                mechanism: "freezer", status: .replaced, detail: "\(error)", instead: "SIGSTOP and SIGCONT",
                cost: "the app's parent sees the stop, and anyone of the same user can undo it")
        }
        defer { try? group.setFrozen(false) }
        let limit = start + Int64(Self.freezeLimit) * 1_000_000
        let watch = FolderWatch("\(group.path)/cgroup.events")
        while !group.readEvents().isFrozen, Clock.monotonic() < limit { watch.wait(atMost: .milliseconds(5)) }
        guard group.readEvents().isFrozen else {
            return DoctorFinding(
                mechanism: "freezer", status: .missing, detail: "a group is not frozen after \(Self.freezeLimit) ms",
                cost: "suspending an app fails and is reported")
        }
        let microseconds = (Clock.monotonic() - start) / 1000
        return DoctorFinding(mechanism: "freezer", status: .ok, detail: "a process was frozen in \(microseconds) µs")
    }

    private func kill(_ group: Cgroup, _ process: PidFD) -> DoctorFinding {
        let isThere = Files.exists("\(group.path)/cgroup.kill")
        try? group.kill()
        guard process.waitUntilDead(milliseconds: 1000) else {
            try? process.send(Signal.kill)
            return DoctorFinding(
                mechanism: "cgroup.kill", status: .missing, detail: "a killed process did not end within 1 s",
                cost: "closing an app can hang")
        }
        guard isThere else {
            return DoctorFinding(
                mechanism: "cgroup.kill", status: .replaced, detail: "comes with Linux 5.14",
                instead: "signals to every process of the frozen group", cost: "ending many processes takes longer")
        }
        return DoctorFinding(mechanism: "cgroup.kill", status: .ok, detail: "ends every process of an app at once")
    }

    private func controller(_ name: String, _ root: String) -> DoctorFinding {
        let mechanism = "\(name) controller"
        let here = (Files.text("\(root)/cgroup.controllers") ?? "").split(whereSeparator: { " \n".contains($0) })
        let isThere = here.contains(Substring(name))
        if isThere, Cgroup.canBeDivided(root) {
            return DoctorFinding(mechanism: mechanism, status: .ok, detail: "in the cgroup v2 hierarchy")
        }
        let lack =
            isThere
            ? "no group below \(root) can have it, because processes are in that one" : "not in the v2 hierarchy"
        if name == "memory" {
            return DoctorFinding(
                mechanism: mechanism, status: .replaced, detail: lack,
                instead: "process_madvise, and the daemon reads each process's smaps",
                cost: "clean pages that several apps map are not taken")
        }
        if let mount = CgroupRoot.legacyMountPoint(of: name), Files.isWritable(mount) {
            return DoctorFinding(
                mechanism: mechanism, status: .replaced, detail: lack,
                instead: "the v1 hierarchy at \(mount)")
        }
        return DoctorFinding(
            mechanism: mechanism, status: .replaced, detail: isThere ? lack : "in no hierarchy",
            instead: "the daemon counts an app's processes",
            cost: "an app can exceed its limit until it is counted next")
    }

    private func remove(_ path: String) {
        try? Cgroup.kill(at: path)
        let limit = TimeLimit(in: .seconds(1))
        let watch = FolderWatch("\(path)/cgroup.events")
        while (try? Cgroup.remove(at: path)) == nil, !limit.isOver { watch.wait(atMost: .milliseconds(5)) }
    }
}
