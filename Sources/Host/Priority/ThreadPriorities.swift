internal import LinuxSystem
package import Model

/// Tells the threads of an app, one by one, what no group can be told: what they may have of the disks, that they are
/// not real-time, and, where processors are not divided between groups, what they may have of those. On a worker.
///
/// A thread inherits all of it from the one that makes it. So when a look finds none that was not seen before, none is
/// left out; what is made later is made by one that was told.
package struct ThreadPriorities: Sendable {
    package let memoryFile: String
    package let processes: @Sendable () -> [CInt]
    /// Processors are not divided between groups.
    package let tellsProcessors: Bool
    /// Threads of class idle can be made ordinary again, and real-time ones of whatever priority be given it back.
    package let canRaise = CurrentProcess.canRaisePriorities

    private static let rounds = 16
    /// Others on the machine may have used up what it allows.
    private static let attempts = 100
    /// The weight of a group falls by a quarter with each; the last is 15 of 1024.
    private static let lowNice: Int32 = 19

    package init(memoryFile: String, processes: @escaping @Sendable () -> [CInt], tellsProcessors: Bool) {
        self.memoryFile = memoryFile
        self.processes = processes
        self.tellsProcessors = tellsProcessors
    }

    package func set(_ level: AppPriority) {
        var memory = ThreadMemory(path: memoryFile) ?? ThreadMemory(level: .foreground)
        let before = memory.level
        remember(&memory, isLowered: before == .background, takesRealTime: level != .foreground)
        memory.level = level
        do throws(SystemError) {
            try memory.write(to: memoryFile)
        } catch {
            // What cannot be given back is not taken.
            if level < before { return Diagnostics.write("priorities stay as they are: \(error)") }
        }
        if tellsProcessors { setSessions(level, memory) }
        everyThread { thread, pid in tell(thread, pid, level, memory) }
        // What is all as it was needs no memory of it.
        if level == .foreground { FileSystem.remove(memoryFile) }
    }

    /// What its first thread needs to go on at once; the rest follows in `set`.
    package func hurry(_ pid: CInt) {
        guard tellsProcessors else { return }
        if let place = Autogroup.place(of: pid), place.nice == Self.lowNice { try? Autogroup.setNice(0, of: pid) }
        guard canRaise, var now = try? Scheduling(of: pid), now.policy == Scheduling.idle else { return }
        now.policy = Scheduling.other
        try? now.apply(to: pid)
    }

    // MARK: Remembering

    /// Notes what an app had chosen itself: everything, if nothing has been taken yet; else what real-time threads are
    /// left, since those were not made by us.
    private func remember(_ memory: inout ThreadMemory, isLowered: Bool, takesRealTime: Bool) {
        var found = memory
        let procFS = ProcFS()
        everyThread { id, pid in
            guard let now = try? Scheduling(of: id), let disk = try? DiskPriority(of: id) else { return }
            let isOwn = !isLowered && (now.policy != Scheduling.other || disk != .none)
            guard now.isRealTime && takesRealTime || isOwn, let start = procFS.threadStart(id, of: pid) else { return }
            // What was taken from it a while ago is still its own.
            if !now.isRealTime, found.thread(id, start: { start })?.scheduling.isRealTime == true { return }
            found.threads.removeAll { $0.id == id }
            found.threads.append(
                ThreadMemory.Thread(id: id, start: start, scheduling: now, disk: isLowered ? .none : disk))
        }
        if tellsProcessors, !isLowered {
            for pid in processes() {
                if let nice = Autogroup.place(of: pid)?.nice, nice != 0 { found.sessions[pid] = nice }
            }
        }
        memory = found
    }

    // MARK: Telling

    private func tell(_ id: CInt, _ pid: CInt, _ level: AppPriority, _ memory: ThreadMemory) {
        let known = memory.thread(id) { ProcFS().threadStart(id, of: pid) }
        if let now = try? DiskPriority(of: id) {
            let wanted = level == .background ? .idle : known?.disk ?? (now == .idle ? .none : now)
            if now != wanted { try? wanted.apply(to: id) }
        }
        guard let now = try? Scheduling(of: id) else { return }
        let wanted = scheduling(now, known?.scheduling, level, pid)
        if now != wanted { try? wanted.apply(to: id) }
    }

    private func scheduling(_ now: Scheduling, _ known: Scheduling?, _ level: AppPriority, _ pid: CInt) -> Scheduling {
        var wanted = now
        switch level {
        case .foreground: if let known { return Self.keepingNice(of: now, known) }
        case .background, .timed:
            // What is taken has to be given back some time.
            if now.isRealTime, !canRaise,
                now.policy == Scheduling.deadline
                    || Scheduling.realTimeLimit(pid) < now.priority
            {
                return now
            }
            if now.isRealTime { wanted = Scheduling(policy: Scheduling.other, nice: now.nice) }
            if level == .timed, let known, !known.isRealTime { return Self.keepingNice(of: now, known) }
        }
        guard tellsProcessors, canRaise else { return wanted }
        if level == .background {
            wanted.policy = Scheduling.idle
        } else if now.policy == Scheduling.idle {
            wanted.policy = Scheduling.other
        }
        return wanted
    }

    /// Nice values are never taken: the present one is the app's own choice, the class of service of what it runs now.
    private static func keepingNice(of now: Scheduling, _ known: Scheduling) -> Scheduling {
        var wanted = known
        wanted.nice = now.nice
        return wanted
    }

    private func setSessions(_ level: AppPriority, _ memory: ThreadMemory) {
        var told: Set<String> = []
        for pid in processes() {
            guard let place = Autogroup.place(of: pid), told.insert(place.name).inserted else { continue }
            let wanted = level == .background ? Self.lowNice : memory.sessions[pid] ?? 0
            if place.nice != wanted { try? Autogroup.setNice(wanted, of: pid, attempts: Self.attempts) }
        }
    }

    /// Every thread once; again until none is new.
    private func everyThread(_ body: (CInt, CInt) -> Void) {
        let procFS = ProcFS()
        var seen: Set<CInt> = []
        for _ in 0..<Self.rounds {
            var isComplete = true
            for pid in processes() {
                for thread in procFS.threads(pid) where seen.insert(thread).inserted {
                    isComplete = false
                    body(thread, pid)
                }
            }
            if isComplete { return }
        }
    }
}
