package import LinuxSystem
package import Model

/// For whom the main thread of an app waits, and whether that thread comes after it. Looks at processes, so it is a
/// worker's.
package struct InversionLook: Sendable {
    /// An app that may have what another one waits for.
    package struct Other: Sendable {
        package var name: String
        package var processes: @Sendable () -> [CInt]
        /// Why all its threads come later, if they do.
        package var rank: PriorityInversion.Rank?

        package init(name: String, processes: @escaping @Sendable () -> [CInt], rank: PriorityInversion.Rank?) {
            self.name = name
            self.processes = processes
            self.rank = rank
        }
    }

    package var process: CInt
    package var processes: @Sendable () -> [CInt]
    package var others: [Other]

    package init(process: CInt, processes: @escaping @Sendable () -> [CInt], others: [Other]) {
        self.process = process
        self.processes = processes
        self.others = others
    }

    /// What is found, and the lock by which it is known again.
    package struct Finding: Sendable {
        package var inversion: PriorityInversion
        package var lock: UInt64
    }

    private struct Thread {
        var number: CInt
        var process: CInt
        var other: Other?
    }

    /// Threads that wait for each other in a row.
    private static let longestRow = 8
    /// An app that has more is looked at in part.
    private static let mostProcesses = 64
    private var files: ProcFS { ProcFS() }

    package func find() -> Finding? {
        guard let first = FutexWait(of: process, in: process) else { return nil }
        var waiter = Thread(number: process, process: process)
        // Who has the lock may wait as well.
        for _ in 0..<Self.longestRow {
            guard let wait = FutexWait(of: waiter.number, in: waiter.process), let own = ownNumber(waiter),
                let number = wait.holder(in: waiter.process, waiter: own), number != own,
                let holder = holder(number, of: wait, waiter)
            else { return nil }
            if let inversion = inversion(holder) {
                // A wait that has ended meanwhile was not for long.
                guard FutexWait(of: process, in: process) == first else { return nil }
                return Finding(inversion: inversion, lock: wait.address)
            }
            waiter = holder
        }
        return nil
    }

    private func ownNumber(_ thread: Thread) -> CInt? { files.ownNumber(of: thread.number, in: thread.process) }

    private func holder(_ number: CInt, of wait: FutexWait, _ waiter: Thread) -> Thread? {
        if let thread = thread(number, in: [waiter.process]) {
            return Thread(number: thread, process: waiter.process, other: waiter.other)
        }
        // Words that processes share: first those of the app itself.
        guard wait.isShared else { return nil }
        for process in processes().prefix(Self.mostProcesses) {
            if let thread = thread(number, in: [process]) { return Thread(number: thread, process: process) }
        }
        for other in others {
            for process in other.processes().prefix(Self.mostProcesses) {
                guard let thread = thread(number, in: [process]) else { continue }
                return Thread(number: thread, process: process, other: other)
            }
        }
        return nil
    }

    private func thread(_ number: CInt, in processes: [CInt]) -> CInt? {
        for process in processes {
            if let thread = files.threads(process).first(where: { files.ownNumber(of: $0, in: process) == number }) {
                return thread
            }
        }
        return nil
    }

    private func inversion(_ holder: Thread) -> PriorityInversion? {
        guard let main = try? Scheduling(of: process), let its = try? Scheduling(of: holder.number) else { return nil }
        let disk = (try? DiskPriority(of: process), try? DiskPriority(of: holder.number))
        guard let rank = holder.other?.rank ?? Self.rank(its, disk.1 ?? .none, below: main, disk.0 ?? .none) else {
            return nil
        }
        return PriorityInversion(
            thread: files.threadName(holder.number, of: holder.process) ?? "?", app: holder.other?.name ?? "",
            rank: rank, nice: its.nice)
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
