internal import LinuxSystem

/// A look at what the processes of an app that stands still have locked. Takes its time: for a worker.
struct LockLook: Sendable {
    let pids: [CInt]
    /// What it has locked here is its own affair.
    let container: String
    let isPlain: Bool

    struct Findings: Sendable {
        /// On files outside its container, and worth watching.
        var held: [HeldLock] = []
        /// What the Core is to be told: an exclusive lock, or one that somebody else needs.
        var lock: (path: String, blocksOthers: Bool)?
        /// Tells when somebody opens a file that a plain program has for itself alone.
        var watches: [CInt] = []
        /// The kernel has no room for such a watch.
        var isUnwatched = false
    }

    /// With an `inotify` the files of a plain program are watched before the check of which processes have them open,
    /// so that none is missed in between.
    func findings(_ inotify: Inotify?) -> Findings {
        let members = Set(pids)
        var findings = Findings(held: held().worthWatching)
        if let device = ProcFS().grabbedInput(of: pids) {
            findings.lock = (device, true)
            return findings
        }
        let own = findings.held.filter(\.lock.isExclusive)
        if let first = own.first {
            findings.lock = (Self.name(first.path), false)
            // Of an application that is enough.
            guard isPlain else { return findings }
        }
        // Whom the kernel does not tell of, nobody waits for.
        let table = findings.held.isEmpty ? nil : LockTable.now()
        if let table, let awaited = findings.held.first(where: { Self.isAwaited($0, table, members) }) {
            findings.lock = (Self.name(awaited.path), true)
            return findings
        }
        for one in own {
            if let watch = try? inotify?.watch(one.link, for: .opened) {
                findings.watches.append(watch)
            } else {
                findings.isUnwatched = true
            }
        }
        if let open = ProcFS().firstOpen(among: own, byOthersThan: members) {
            findings.lock = (Self.name(open.path), true)
        }
        return findings
    }

    /// Each once, by whichever descriptors it is held.
    private func held() -> [HeldLock] {
        let folder = FileSystem.realPath(container) + "/"
        var seen: Set<FileLock> = []
        return pids.flatMap { ProcFS().locks(of: $0) }.filter {
            !$0.path.hasPrefix(folder) && seen.insert($0.lock).inserted
        }
    }

    static func isAwaited(_ held: HeldLock, _ table: LockTable, _ members: Set<CInt>) -> Bool {
        table.isAwaited(held.lock, byOthersThan: members)
            || (!held.lock.isExclusive && table.isAwaitedBySQLite(held.lock, byOthersThan: members))
    }

    /// SQLite locks a database in WAL mode by a file beside it: people know the database.
    private static func name(_ path: String) -> String {
        let database = String(path.dropLast("-shm".count))
        return path.hasSuffix("-shm") && FileSystem.exists(database) ? database : path
    }
}

extension [HeldLock] {
    /// Those for which somebody may come to wait. Who has a SQLite database in WAL mode open has shared locks on it all
    /// the time, which are in nobody's way.
    var worthWatching: [HeldLock] {
        let paths = Set(map(\.path))
        return filter { $0.lock.isExclusive || !($0.path.hasSuffix("-shm") || paths.contains($0.path + "-shm")) }
    }
}
