internal import Model

/// What clients hear of a transfer on its way: not durable, and no more often than they can use.
extension TransferSystem {
    /// When a note that came too early is sent; `nil`: there is none, or nobody to hear it.
    func progressFlush(_ task: ActiveTask) -> Instant? {
        guard let toldAt = task.toldAt, progressTotal(task) != task.told, listener(of: task) != nil else { return nil }
        return max(toldAt + rules.progressInterval, now)
    }

    private func progressTotal(_ task: ActiveTask) -> Int64 {
        task.record.kind == .download ? task.received : task.sent
    }

    /// Who hears of the progress now: nobody while the task has something of more weight to tell.
    private func listener(of task: ActiveTask) -> (connection: ConnectionID, session: Session)? {
        guard let session = sessions[task.record.session], let connection = session.connection, isReachable(session),
            !session.events.contains(where: { $0.task == task.record.id })
        else { return nil }
        return (connection, session)
    }

    /// - Parameter isLast: the last note comes before the end, however early that is.
    mutating func reportProgress(_ id: TransferID, isLast: Bool = false) {
        guard let task = tasks[id] else { return }
        let total = progressTotal(task)
        guard total != task.told else { return }
        let isEarly = task.toldAt.map { now < $0 + rules.progressInterval } ?? false
        if isEarly, !isLast {
            arm(id)
            return
        }
        tasks[id]?.toldAt = now
        effects.append(.changed(id))
        // What was begun anew is counted anew.
        if total < task.told { tasks[id]?.told = total }
        guard total > task.told, let (connection, session) = listener(of: task) else { return }
        tasks[id]?.told = total
        let record = task.record
        effects.append(
            .progress(
                connection,
                ProgressNote(
                    session: session.record.name, task: record.number, kind: record.kind, total: total,
                    bytes: total - task.told,
                    expected: record.kind == .download ? record.expected : record.body?.length)))
    }
}
