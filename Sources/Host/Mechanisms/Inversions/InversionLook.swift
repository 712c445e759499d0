package import LinuxSystem
package import Model

/// For whom the main thread of an app waits, and whether that thread comes after it. Looks at processes, so it is a
/// worker's.
///
/// What a lock says of its owner is the app's own word. So each look costs the same whatever is said and however many
/// apps there are: a number is looked up, and nobody's processes are searched for it.
package struct InversionLook: Sendable {
    package var process: CInt
    /// Of the app, for one that numbers its processes itself.
    package var processes: @Sendable () -> [CInt]
    /// The name of the group that has a group for each app; `nil`: each app has a session.
    package var root: String?

    package init(process: CInt, processes: @escaping @Sendable () -> [CInt], root: String? = nil) {
        self.process = process
        self.processes = processes
        self.root = root
    }

    /// A thread that has what the one before it waits for.
    package struct Holder: Sendable {
        fileprivate var name: String
        /// The group or the session of its app; `nil`: it is of the app that waits.
        fileprivate var place: String?
        /// Why it comes later, whatever its app does.
        fileprivate var rank: PriorityInversion.Rank?
        fileprivate var nice: Int32
        fileprivate var lock: UInt64
    }

    /// What is found, and the lock by which it is known again.
    package struct Finding: Sendable {
        package var inversion: PriorityInversion
        package var lock: UInt64
    }

    private struct Thread {
        var number: CInt
        var process: CInt
    }

    /// Threads that wait for each other in a row.
    private static let longestRow = 8
    /// An app that has more is looked at in part.
    private static let (mostProcesses, mostThreads) = (64, 1024)
    private var files: ProcFS { ProcFS() }

    /// Those that wait for each other, the first of them for the second; empty when the main thread waits no more.
    package func holders() -> [Holder] {
        guard let first = FutexWait(of: process, in: process) else { return [] }
        let home = place(of: process)
        var waiter = Thread(number: process, process: process)
        var row: [Holder] = []
        // Who has the lock may wait as well.
        while row.count < Self.longestRow {
            guard let wait = FutexWait(of: waiter.number, in: waiter.process),
                let own = files.ownNumber(of: waiter.number, in: waiter.process),
                let number = wait.holder(in: waiter.process, waiter: own), number != own,
                let thread = thread(number, of: wait, waiter, own), let holder = holder(thread, wait, home)
            else { break }
            row.append(holder)
            waiter = thread
        }
        // A wait that has ended meanwhile was not for long.
        guard !row.isEmpty, FutexWait(of: process, in: process) == first else { return [] }
        return row
    }

    /// The first that comes later. `app`: what is known of another app, by its place; `nil` where none is.
    package static func finding(
        _ row: [Holder], _ app: (String) -> (name: String, rank: PriorityInversion.Rank?)?
    ) -> Finding? {
        for holder in row {
            let other = holder.place.map(app)
            // Another program of the machine, which is nobody's to know.
            if case .some(nil) = other { return nil }
            guard let rank = other??.rank ?? holder.rank else { continue }
            return Finding(
                inversion: PriorityInversion(
                    thread: holder.name, app: other??.name ?? "", rank: rank, nice: holder.nice),
                lock: holder.lock)
        }
        return nil
    }

    /// Only words that processes share can have an owner in another one.
    private func thread(_ number: CInt, of wait: FutexWait, _ waiter: Thread, _ own: CInt) -> Thread? {
        guard own != waiter.number else {
            guard let process = files.process(ofThread: number), wait.isShared || process == waiter.process,
                files.ownNumber(of: number, in: process) == number
            else { return nil }
            return Thread(number: number, process: process)
        }
        // The app made a PID namespace, and such numbers say nothing outside.
        var left = Self.mostThreads
        let others = wait.isShared ? processes().prefix(Self.mostProcesses).filter { $0 != waiter.process } : []
        for process in [waiter.process] + others {
            for thread in files.threads(process).prefix(left) {
                if files.ownNumber(of: thread, in: process) == number {
                    return Thread(number: thread, process: process)
                }
                left -= 1
            }
        }
        return nil
    }

    /// Where an app lives: the name of its group, or the number of its session.
    private func place(of process: CInt) -> String? {
        guard let root else { return files.stat(process).map { String($0.session) } }
        let path = files.cgroup(process)?.split(separator: "/") ?? []
        guard let index = path.firstIndex(of: root[...]) else { return nil }
        return path[(index + 1)...].first.map(String.init)
    }

    private func holder(_ thread: Thread, _ wait: FutexWait, _ home: String?) -> Holder? {
        guard let place = place(of: thread.process), let main = try? Scheduling(of: process),
            let its = try? Scheduling(of: thread.number)
        else { return nil }
        let disk = (try? DiskPriority(of: process), try? DiskPriority(of: thread.number))
        return Holder(
            name: files.threadName(thread.number, of: thread.process) ?? "?", place: place == home ? nil : place,
            rank: Self.rank(its, disk.1 ?? .none, below: main, disk.0 ?? .none), nice: its.nice, lock: wait.address)
    }

    /// Why a thread comes after another; `nil`: it does not.
    package static func rank(
        _ thread: Scheduling, _ disk: DiskPriority, below main: Scheduling, _ mainDisk: DiskPriority
    ) -> PriorityInversion.Rank? {
        if thread.isRealTime { return nil }
        if thread.policy == Scheduling.idle, main.policy != Scheduling.idle { return .idle }
        if thread.policy != Scheduling.idle, thread.nice > main.nice { return .nice }
        return disk == .idle && mainDisk != .idle ? .disk : nil
    }
}
