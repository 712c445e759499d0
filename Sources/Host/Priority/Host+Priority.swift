internal import LinuxSystem
internal import Model
internal import PolicyCore

extension Host {
    /// Groups are told here and now, which is a write each; threads on a worker, in the order of the decisions.
    func setPriority(_ index: AppIndex, _ generation: Generation, _ priority: AppPriority) {
        guard let app = host(index), let process = process(index, generation) else { return }
        let identifier = app.installation.identifier
        let shares = process.shares ?? GroupShares(environment, identifier)
        process.shares = shares
        shares.set(priority)
        let legacy = LegacyShares(environment, identifier)
        // What an earlier daemon decided is not known here.
        let leavesBackground = priority != .background && process.priority ?? .background == .background
        process.priority = priority
        if leavesBackground { legacy?.background.lift() }
        let processes = process.box.census
        let threads = ThreadPriorities(
            memoryFile: home.priority(identifier), processes: processes,
            tellsProcessors: !shares.dividesProcessors)
        if priority != .background, let first = process.first?.pid { threads.hurry(first) }
        // A launch that nobody has told anything yet is as it should be.
        workers.run(.priorities) {
            if leavesBackground { legacy?.background.letGo(processes) }
            if priority == .foreground { legacy?.setsRealTime(true) }
            threads.set(priority)
            if priority != .foreground { legacy?.setsRealTime(false) }
            if priority == .background { legacy?.background.takeIn() }
        }
    }
}
