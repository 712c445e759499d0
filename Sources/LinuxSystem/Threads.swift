internal import CLinux

// A process whose first thread has ended while others go on looks dead: its files in `/proc` are empty. What it has is
// shown in the folders of the threads that live. They may also have descriptors of their own.
extension ProcFS {
    /// Threads may come and go while they are looked for.
    private static let tries = 8

    /// What `look` finds in a process's folder or, if that is nothing and the first thread has ended, in that of
    /// another.
    package func looking<Found>(at pid: CInt, _ look: (_ folder: String) -> Found?) -> Found? {
        if let found = look("\(root)/\(pid)") { return found }
        for _ in 0..<Self.tries {
            guard let thread = otherThread(of: pid) else { return nil }
            if let found = look("\(root)/\(pid)/task/\(thread)") { return found }
        }
        return nil
    }

    /// A thread that lives of a process whose first one does not; `nil` for any other process.
    private func otherThread(of pid: CInt) -> CInt? {
        guard let stat = stat(pid), stat.hasDeadLeader, stat.threads > 1 else { return nil }
        return threads(pid).first { thread in
            thread != pid && self.stat(thread, of: pid).map { !$0.hasDeadLeader } ?? false
        }
    }

    /// Of one thread.
    package func stat(_ thread: CInt, of pid: CInt) -> Stat? {
        FileSystem.read("\(root)/\(pid)/task/\(thread)/stat", limit: 4096).flatMap { Self.parseStat($0) }
    }

    /// Whether nothing of it runs: it is stopped, or dead.
    package func isStopped(_ pid: CInt) -> Bool {
        guard let stat = stat(pid) else { return true }
        guard stat.hasDeadLeader, !stat.isOver else { return "TtZX".contains(stat.state) }
        return threads(pid).allSatisfy { thread in self.stat(thread, of: pid).map { "TtZX".contains($0.state) } ?? true
        }
    }

    /// Whether a thread of it waits in the kernel and hears no signal until that is over.
    package func isUninterruptible(_ pid: CInt) -> Bool { threads(pid).contains { stat($0, of: pid)?.state == "D" } }

    /// Descriptors that belong together, and where they are shown.
    package struct DescriptorTable: Hashable, Sendable {
        package let pid: CInt
        /// One of the threads that have them.
        package let thread: CInt
        package let folder: String

        /// The numbers in it.
        package var descriptors: [String] { FileSystem.names(in: folder + "/fd") }
        package func link(_ descriptor: String) -> String { "\(folder)/fd/\(descriptor)" }
        package func info(_ descriptor: String) -> String { "\(folder)/fdinfo/\(descriptor)" }
    }

    /// All that a process's threads have: each table once, whoever has it (`CLONE_FILES`, `unshare`).
    package func descriptorTables(of pid: CInt) -> [DescriptorTable] {
        let threads = threads(pid)
        guard threads.count > 1 else { return [table(pid, pid)] }
        var tables: [DescriptorTable] = []
        for thread in threads where !tables.contains(where: { has(thread, the: $0) }) {
            // The first one, if it has ended before the others, has none any more.
            if thread == pid, stat(pid)?.hasDeadLeader == true { continue }
            tables.append(table(pid, thread))
        }
        return tables
    }

    /// Those that most processes have: for looking at all that there are.
    package func mainDescriptorTable(of pid: CInt) -> DescriptorTable {
        let own = table(pid, pid)
        guard own.descriptors.isEmpty, let thread = otherThread(of: pid) else { return own }
        return table(pid, thread)
    }

    private func table(_ pid: CInt, _ thread: CInt) -> DescriptorTable {
        let folder = thread == pid ? "\(root)/\(pid)" : "\(root)/\(pid)/task/\(thread)"
        return DescriptorTable(pid: pid, thread: thread, folder: folder)
    }

    private func has(_ thread: CInt, the table: DescriptorTable) -> Bool {
        switch gr_share(thread, table.thread, GR_SHARED_FILES) {
        case 1: true
        case 0: false
        // A kernel that does not compare them: what looks the same is the same.
        default: self.table(table.pid, thread).descriptors == table.descriptors
        }
    }

    /// Those of the processes that have a memory of their own; of each that several share (`CLONE_VM`, and a child
    /// between `vfork` and its program) only one, since each shows all of it.
    package func owners(ofMemory pids: [CInt]) -> [CInt] {
        guard pids.count > 1 else { return pids }
        var owners: [ProcessMemory.Size: [CInt]] = [:]
        return pids.filter { pid in
            // Only those of the same size can be the same.
            guard let size = ProcessMemory.size(pid, root: root) else { return false }
            // All threads that have ended have the same memory: none.
            let thread = otherThread(of: pid) ?? pid
            if owners[size, default: []].contains(where: { gr_share($0, thread, GR_SHARED_MEMORY) == 1 }) {
                return false
            }
            owners[size, default: []].append(thread)
            return true
        }
    }
}
