internal import LinuxSystem
internal import Model
internal import PolicyCore

extension Host {
    /// What a hidden app still does after so long it goes on doing. Most are suspended before, and are not moved.
    private static let staysInBackground: Int64 = 1_000_000_000

    /// Groups are told here and now, which is a write each; threads on a worker, in the order of the decisions.
    func setPriority(_ index: AppIndex, _ generation: Generation, _ priority: AppPriority) {
        guard let app = host(index), let process = process(index, generation) else { return }
        // Of ten thousand that a new daemon finds frozen, most are frozen tomorrow too.
        process.owedPriority = adoption != nil && process.standing != nil ? priority : nil
        guard process.owedPriority == nil else { return }
        let identifier = app.installation.identifier
        let shares = process.shares ?? GroupShares(environment, identifier)
        process.shares = shares
        shares.set(priority)
        let common = LegacyShares(environment, identifier)?.background
        process.isInBackground = priority == .background
        traffic.setGivesWay(process.isInBackground, index, generation)
        let isLeaving = priority != .background && process.mayShareBackground
        if isLeaving { common?.lift() }
        let processes = process.box.census
        if priority != .background { process.mayShareBackground = false }
        let threads = ThreadPriorities(
            memoryFile: home.priority(identifier), processes: processes,
            tellsProcessors: !shares.dividesProcessors)
        if priority != .background, let first = process.first?.pid { threads.hurry(first) }
        let legacy = LegacyShares(environment, identifier)
        // A launch that nobody has told anything yet is as it should be.
        workers.run(.priorities) {
            if isLeaving { common?.letGo(processes) }
            if priority == .foreground { legacy?.setsRealTime(true) }
            threads.set(priority)
            if priority != .foreground { legacy?.setsRealTime(false) }
        }
        shareBackground(index, process)
    }

    /// It is in the background, or goes on there: if it still runs a second later, it is moved into the common group.
    /// One timer at a time, however often it comes and goes.
    func shareBackground(_ index: AppIndex, _ process: AppProcess) {
        guard process.isInBackground, let app = host(index) else { return }
        process.backgroundStays += 1
        guard !process.awaitsSharing,
            let common = LegacyShares(environment, app.installation.identifier)?.background
        else { return }
        process.awaitsSharing = true
        let (stay, generation) = (process.backgroundStays, process.generation)
        loop.after(nanoseconds: Self.staysInBackground) { [weak self] in
            guard let self, let process = self.process(index, generation) else { return }
            process.awaitsSharing = false
            // What stands still meanwhile is in nobody's way; its thaw begins another stay.
            guard process.isInBackground, system.app(index)?.state.isRunning == true else { return }
            guard process.backgroundStays == stay else { return shareBackground(index, process) }
            // From here on, whether it has come to it or not: nobody waits for the worker.
            process.mayShareBackground = true
            workers.run(.priorities) { common.takeIn() }
        }
    }
}
