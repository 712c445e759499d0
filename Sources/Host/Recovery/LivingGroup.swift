internal import LinuxSystem

/// What a worker found of an app's group when a daemon starts. It needs nothing of what the Core knows, so that it is
/// looked for while the journal is read.
struct LivingGroup: Sendable {
    let path: String
    /// The number of the watch that tells what has changed since; `nil`: the kernel has no room for one.
    let watch: CInt?
    let isFrozen: Bool
    let processes: [CInt]
    /// What the file says that was written at the first process's birth.
    let birth: Birth?
    /// The first process, if it is in the group, or nobody has collected it yet.
    let first: PidFD?
    /// The one of the group that is there for longest; only where `first` is not in it.
    let oldest: PidFD?

    struct Birth: Sendable {
        let pid: CInt
        /// The file names that very process for ever.
        let isComplete: Bool
    }

    /// `nil`: it has no group.
    init?(_ app: String, _ home: Home, path: String, _ inotify: Inotify?) {
        self.path = path
        // Before the look, so that nothing is missed in between.
        watch = inotify.flatMap { try? GroupEvents.begin(path, $0) }
        guard let bytes = FileSystem.read(path + "/cgroup.events", limit: 4096) else { return nil }
        let state = Cgroup.parseEvents(bytes[...])
        isFrozen = state.isFrozen
        let (pids, procFS) = (state.isPopulated ? Cgroup.processes(at: path) : [], ProcFS())
        let birth = Birth(of: app, home, procFS)
        processes = pids
        self.birth = birth
        first = birth.flatMap { birth in
            let isThere = pids.contains(birth.pid) || procFS.stat(birth.pid)?.isOver == true
            return isThere ? try? PidFD(birth.pid) : nil
        }
        let hasFirst = birth.map { pids.contains($0.pid) } ?? false
        oldest = hasFirst && first != nil ? nil : Self.oldest(of: pids, procFS)
    }

    static func oldest(of pids: [CInt], _ procFS: ProcFS) -> PidFD? {
        let oldestFirst = pids.sorted { (procFS.stat($0)?.startTime ?? .max) < (procFS.stat($1)?.startTime ?? .max) }
        return oldestFirst.lazy.compactMap { try? PidFD($0) }.first
    }

    /// Of all that have a group, by their identifiers.
    static func all(_ environment: HostEnvironment, _ home: Home, _ inotify: Inotify?) -> [String: LivingGroup] {
        guard let root = environment.cgroup else { return [:] }
        var found: [String: LivingGroup] = [:]
        for path in Cgroup.children(of: root) {
            guard let app = environment.app(ofGroup: path) else { continue }
            found[app] = LivingGroup(app, home, path: path, inotify)
        }
        return found
    }
}

extension LivingGroup.Birth {
    /// The first process's pid as it was written at birth, if that process is still the one.
    init?(of app: String, _ home: Home, _ procFS: ProcFS = ProcFS()) {
        guard let bytes = FileSystem.read(home.birth(app), limit: 64) else { return nil }
        let fields = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard let pid = fields.first.flatMap({ CInt($0) }) else { return nil }
        if fields.count > 1, let start = UInt64(fields[1]) {
            if let stat = procFS.stat(pid), stat.startTime != start { return nil }
            self.init(pid: pid, isComplete: true)
        } else {
            guard procFS.environment(pid)?.contains("GREENROOM_APP=\(app)") == true else { return nil }
            self.init(pid: pid, isComplete: false)
        }
    }
}
