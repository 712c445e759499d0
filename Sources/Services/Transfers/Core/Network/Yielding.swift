internal import Model

/// Transfers that give way to an app on screen that uses the network.
struct Yielding: Sendable {
    var share = LinkShare()
    /// Those that do now, in order.
    var ids: [TransferID] = []
    /// Somebody began, ended, came to the screen or left it.
    var isDue = false
    var told: Int64?
}

extension TransferSystem {
    mutating func linkMoved(_ sample: LinkSample) {
        guard !yielding.ids.isEmpty else { return }
        yielding.share.note(sample, rules)
        yielding.isDue = true
    }

    /// The user does not wait for it: its app says so, or another app is on screen, and it is not what a tool was asked
    /// for.
    private func givesWay(_ id: TransferID) -> Bool {
        guard let task = tasks[id], !task.isLoopback, let session = sessions[task.record.session] else { return false }
        if serviceType(of: task) == .background { return true }
        guard let app = session.record.app else { return task.record.isDiscretionary }
        return apps[app]?.presence != .foreground
    }

    mutating func tellYielding() {
        yielding.isDue = false
        let before = yielding.ids
        yielding.ids = conditions?.isAppOnScreen == true ? running.filter(givesWay).sorted() : []
        if yielding.ids.isEmpty { yielding.share = LinkShare() }
        let limit = yielding.share.limit
        guard before != yielding.ids || yielding.told != limit else { return }
        if yielding.told != nil, limit == nil {
            // Their silence was not the servers'.
            for id in before where running.contains(id) { tasks[id]?.lastActivity = now }
        }
        yielding.told = limit
        effects.append(.yields(yielding.ids, limit: limit))
    }

    /// It is slow because it was made slow, and no server is to blame.
    func isHeldBack(_ id: TransferID) -> Bool { yielding.told != nil && yielding.ids.contains(id) }
}
