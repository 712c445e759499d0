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

    /// Ends it, for an app that ends.
    package func kill() throws(SystemError) {
        let process = try PidFD(pid)
        guard ProcFS().stat(pid)?.startTime == start else { return }
        try process.send(SIGKILL)
    }

    /// An app whose strays are looked for.
    package struct Owner: Sendable {
        /// The folder of its group, which is below that of its system.
        package let group: String
        /// The number of its first process.
        package let first: CInt
        /// Whether that process lives. If it does not, another one may have its number.
        package let isFirstAlive: Bool

        package init(group: String, first: CInt, isFirstAlive: Bool) {
            self.group = group
            self.first = first
            self.isFirstAlive = isFirstAlive
        }

        /// Whether a group is one of those that the app's system makes for its apps. A service manager adds `.slice` or
        /// `.scope` to every name, so an app cannot have a group of its choice taken for one.
        func isOfApp(_ place: String) -> Bool {
            let system = group.split(separator: "/").dropLast().last
            let names = place.split(separator: "/")
            return zip(names, names.dropFirst()).contains { $0 == system && $1.hasPrefix("app-") }
        }
    }

    /// Whether a process is in a group that is none of an app.
    package static func isElsewhere(_ pid: CInt, _ owner: Owner, _ procFS: ProcFS = ProcFS()) -> Bool {
        procFS.cgroup(pid).map { !owner.isOfApp($0) } ?? false
    }

    /// Finds the strays of several apps in one walk through all processes.
    ///
    /// A stray descends from a process of its app, or is in the session of the app's first process. One that left both
    /// its parent and that session before it left the group is not found.
    ///
    /// - Returns: the strays of each app, in the order of `apps`.
    package static func find(of apps: [Owner], _ procFS: ProcFS = ProcFS()) -> [[Stray]] {
        var stats: [CInt: ProcFS.Stat] = [:]
        var (children, sessions): ([CInt: [CInt]], [CInt: [CInt]]) = ([:], [:])
        for pid in procFS.allProcesses() {
            guard let stat = procFS.stat(pid), !stat.isOver else { continue }
            stats[pid] = stat
            children[stat.parent, default: []].append(pid)
            sessions[stat.session, default: []].append(pid)
        }
        return apps.map { app in
            var open = Cgroup.processes(at: app.group)
            // A session keeps its number while it has members. Without any, the number of a dead process is free.
            if app.isFirstAlive || stats[app.first] == nil { open += [app.first] + (sessions[app.first] ?? []) }
            var seen: Set<CInt> = []
            var strays: [Stray] = []
            while let pid = open.popLast() {
                guard let stat = stats[pid], seen.insert(pid).inserted else { continue }
                open += children[pid] ?? []
                // One that is in another app's group is no stray of this app.
                guard let place = procFS.cgroup(pid), !app.isOfApp(place) else { continue }
                strays.append(Stray(pid: pid, start: stat.startTime, place: place))
            }
            return strays.sorted { $0.pid < $1.pid }
        }
    }
}
