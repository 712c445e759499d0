internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Sees to it that nobody waits for long for what a suspended app has locked (R11): looks when an app has been frozen,
/// and again for as long as one is suspended that has something locked, which few have: else nothing is looked at.
final class LockWatch {
    private struct Entry {
        let generation: Generation
        let look: LockLook
        let held: [HeldLock]
        var watches: [CInt]
        /// Who has its files open is to be looked at anew in the next turn.
        var isStale: Bool
        /// In every turn, because nothing tells of it.
        let isUnwatched: Bool
    }

    private unowned let host: Host
    private let inotify: Inotify?
    private var watch: Loop.Watch?
    private var entries: [AppIndex: Entry] = [:]
    private var isPolling = false
    /// Who opens a file again and again has it looked at again and again, but not more than once at a time.
    private var looks = LooksUnderWay()

    /// The bound that `docs/TERMINATION.md` states.
    private static let pause: Int64 = 1_000_000_000

    init(_ host: Host) {
        self.host = host
        inotify = try? Inotify()
        guard let inotify else { return }
        watch = try? host.loop.watch(inotify.descriptor.rawValue, .readable) { [unowned self] _ in opened() }
    }

    // MARK: Looking at one app

    /// It is frozen and everything that it sent is handled: what it has locked, it keeps.
    func verify(_ index: AppIndex, _ process: AppProcess, then: @escaping () -> Void) {
        look(index, process) { [unowned self] lock in
            if let lock { tell(index, process.generation, lock) }
            then()
        }
    }

    /// A daemon that starts finds it suspended.
    func adopt(_ index: AppIndex, _ process: AppProcess) {
        look(index, process) { [unowned self] lock in
            if let lock { tell(index, process.generation, lock) }
        }
    }

    private func tell(_ index: AppIndex, _ generation: Generation, _ lock: (path: String, blocksOthers: Bool)) {
        host.post(.locks(.found(path: lock.path, blocksOthers: lock.blocksOthers)), of: index, generation)
    }

    private func look(
        _ index: AppIndex, _ process: AppProcess, then: @escaping ((path: String, blocksOthers: Bool)?) -> Void
    ) {
        guard let app = host.host(index) else { return }
        let look = LockLook(
            pids: process.processes, container: host.home.container(app.installation.identifier),
            isPlain: host.system.app(index)?.isPlain ?? false)
        let (verification, inotify) = (process.verification, inotify)
        host.workers.run(.locks) {
            look.findings(inotify)
        } then: { [unowned self] findings in
            // It was thawed meanwhile, or is gone.
            guard host.process(index, process.generation) === process, process.verification == verification else {
                stop(findings.watches)
                return
            }
            begin(index, process.generation, look, findings)
            then(findings.lock)
        }
    }

    private func begin(
        _ index: AppIndex, _ generation: Generation, _ look: LockLook, _ findings: LockLook.Findings
    ) {
        let before = entries.removeValue(forKey: index)
        if !findings.held.isEmpty {
            entries[index] = Entry(
                generation: generation, look: look, held: findings.held, watches: findings.watches,
                // Who opened it before the entry was there was told to nobody.
                isStale: !findings.watches.isEmpty,
                isUnwatched: findings.isUnwatched)
        }
        stop(before?.watches ?? [])
        poll()
    }

    /// It runs again, or is gone.
    func forget(_ index: AppIndex) {
        if let entry = entries.removeValue(forKey: index) { stop(entry.watches) }
    }

    /// The kernel has one watch for a file, whoever asked for it.
    private func stop(_ watches: [CInt]) {
        for watch in watches where !entries.values.contains(where: { $0.watches.contains(watch) }) {
            inotify?.stop(watch)
        }
    }

    // MARK: Looking again

    /// Somebody opened a file that a suspended program has locked.
    private func opened() {
        guard let inotify, let changes = try? inotify.read() else { return }
        let isOverflow = changes.contains { $0.changes.contains(.overflow) }
        let watches = Set(changes.map(\.watch))
        for index in entries.keys.sorted() where isOverflow || !watches.isDisjoint(with: entries[index]?.watches ?? [])
        {
            // The kernel tells before the other process has the descriptor: once more in the next turn.
            entries[index]?.isStale = true
            lookAgain(index)
        }
    }

    private func lookAgain(_ index: AppIndex) {
        guard let entry = entries[index], looks.begin(index) else { return }
        host.workers.run(.locks) {
            entry.look.findings(nil)
        } then: { [unowned self] findings in
            if looks.end(index) { lookAgain(index) }
            guard let lock = findings.lock, lock.blocksOthers, entries[index]?.generation == entry.generation else {
                return
            }
            tell(index, entry.generation, lock)
        }
    }

    private func poll() {
        guard !isPolling, !entries.isEmpty else { return }
        isPolling = true
        host.loop.after(nanoseconds: Self.pause) { [weak self] in self?.turn() }
    }

    private func turn() {
        for index in entries.keys.sorted() {
            guard let entry = entries[index], entry.isStale || entry.isUnwatched else { continue }
            entries[index]?.isStale = false
            lookAgain(index)
        }
        let watched = entries.keys.sorted().compactMap { index in entries[index].map { (index, $0) } }
        host.workers.run(.locks) {
            guard let table = LockTable.now() else { return [] }
            return watched.compactMap { index, entry in
                let members = Set(entry.look.pids)
                return entry.held.contains { LockLook.isAwaited($0, table, members) } ? index : nil
            }
        } then: { [unowned self] (awaited: [AppIndex]) in
            isPolling = false
            // A closer look says which file.
            for index in awaited { lookAgain(index) }
            poll()
        }
    }
}
