internal import Glibc

/// A process of an app that is outside of the app's cgroup. A service manager moves processes into a scope of their own
/// if it is asked to, as `systemd-run --scope`, browsers and terminals do.
package struct Stray: Hashable, Sendable {
    package let pid: CInt
    /// Clock ticks after boot.
    private let start: UInt64
    /// The path of the group that it is in, in the v2 hierarchy. Its maker chose the name.
    package let place: String

    init(pid: CInt, start: UInt64, place: String) {
        self.pid = pid
        self.start = start
        // It is shown in a terminal.
        self.place = String(decoding: place.utf8.map { (0x20..<0x7f).contains($0) ? $0 : 0x3f }, as: UTF8.self)
    }

    /// Moves it into the app's group. If that group is frozen, the process freezes.
    ///
    /// - Parameter group: the group's folder.
    package func bringBack(to group: String) throws(SystemError) {
        // Another process may have its number by now.
        guard ProcFS().stat(pid)?.startTime == start else { return }
        try Cgroup.write("\(pid)", to: group + "/cgroup.procs")
    }

    /// Finds the strays of several apps in one walk through all processes.
    ///
    /// A stray descends from a process of its app, or is in the session of the app's first process. One that left both
    /// its parent and that session before it left the group is not found.
    ///
    /// - Parameter apps: the folder of each app's group, and its first process.
    /// - Returns: the strays of each, in the order of `apps`.
    package static func find(of apps: [(group: String, first: CInt)], _ procFS: ProcFS = ProcFS()) -> [[Stray]] {
        var stats: [CInt: ProcFS.Stat] = [:]
        var (children, sessions): ([CInt: [CInt]], [CInt: [CInt]]) = ([:], [:])
        for pid in procFS.allProcesses() {
            guard let stat = procFS.stat(pid), !stat.isOver else { continue }
            stats[pid] = stat
            children[stat.parent, default: []].append(pid)
            sessions[stat.session, default: []].append(pid)
        }
        return apps.map { app in
            var open = Cgroup.processes(at: app.group) + [app.first] + (sessions[app.first] ?? [])
            var seen: Set<CInt> = []
            var strays: [Stray] = []
            while let pid = open.popLast() {
                guard let stat = stats[pid], seen.insert(pid).inserted else { continue }
                open += children[pid] ?? []
                // An app of another group is no stray of this one.
                guard let place = procFS.cgroup(pid), !PeerProcess.isOfApp(place) else { continue }
                strays.append(Stray(pid: pid, start: stat.startTime, place: place))
            }
            return strays.sorted { $0.pid < $1.pid }
        }
    }
}
