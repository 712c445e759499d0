internal import DequeModule
internal import Model

/// What must hold after every event; a text names what does not.
extension TransferSystem {
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        require(illegalTransitions == 0, "\(illegalTransitions) illegal transitions were decided")
        require(
            effects.isEmpty && changes.isEmpty && touched.isEmpty && !looksAtWaiting && candidates.isEmpty,
            "work is left over")
        require(running.count <= Int(rules.mostRunning), "\(running.count) run at once")
        if let alone = trial.alone { require(running == [alone.id], "others run beside one that is to run alone") }
        require(running.isSuperset(of: yielding.ids), "what does not run gives way")
        require(!yielding.isDue, "who gives way is not decided")
        require(yielding.told == nil || !yielding.ids.isEmpty, "a limit for nobody")
        for (id, task) in tasks { broken += brokenInvariants(id, task) }
        for (id, session) in sessions { broken += brokenInvariants(id, session) }
        for (app, entry) in apps {
            let count = entry.sessions.reduce(Int32(0)) { $0 + (sessions[$1]?.running.values.reduce(0, +) ?? 0) }
            require(entry.running == count, "\(app): \(entry.running) counted, \(count) run")
            require(entry.running <= (rules.mostRunning + 1) / 2, "\(app): \(entry.running) run, more than half")
            require(entry.sessions.count <= rules.mostSessionsPerApp, "\(app): \(entry.sessions.count) sessions")
        }
        let parts = tasks.values.compactMap(\.record.file) + kept.keys
        require(Set(parts).count == parts.count, "two have the same file")
        return broken
    }

    private func brokenInvariants(_ id: TransferID, _ task: ActiveTask) -> [String] {
        var broken: [String] = []
        let record = task.record
        func require(_ condition: Bool, _ text: String) {
            if !condition { broken.append("task \(id.rawValue): \(text)") }
        }
        guard let session = sessions[record.session] else { return ["task \(id.rawValue) of no session"] }
        require(record.id == id && session.tasks[record.number] == id, "its session has it by another name")
        require(record.number < session.record.nextTask, "its number will be given again")
        require(waiting.contains(id) == (record.phase == .waiting), "\(record.phase), and counted otherwise")
        require(running.contains(id) == (record.phase == .running), "\(record.phase), and counted otherwise")
        require((record.outcome != nil) == (record.phase == .ended), "\(record.phase) with outcome or without")
        require(
            record.challenge == nil || record.phase == .challenged || record.phase == .suspended,
            "asked, and no answer is needed")
        require(
            !record.isAskedFirst || record.phase == .challenged || record.phase == .suspended,
            "asked, and no answer is needed")
        require(record.phase != .challenged || record.hasQuestion, "waits for an answer to nothing")
        require(record.durable == 0 || record.file != nil || record.phase == .ended, "bytes in no file")
        require(record.durable >= 0 && record.durable <= max(task.received, record.durable), "impossible offsets")
        require(task.storedOffset == record.durable || record.isErrorBody, "an offset that is not stored")
        let isToBeDone = record.phase == .waiting || record.phase == .running || record.phase == .challenged
        require(!isToBeDone || wallOffset == nil || record.deadline != nil, "it has no end")
        require(!isToBeDone || wallOffset == nil || due.instant(.task(id)) != nil, "nobody looks at it again")
        if record.phase == .ended, session.record.app != nil {
            let kinds = session.events.filter { $0.task == id }.map(\.kind)
            require(kinds.last == .completed, "ended, and nobody is told")
            require(kinds.filter { $0 == .completed }.count == 1, "told more than once")
            require(
                kinds.contains(.finished) == (record.file != nil), "a file without an event, or an event without a file"
            )
        }
        return broken
    }

    private func brokenInvariants(_ id: SessionID, _ session: Session) -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: String) {
            if !condition { broken.append("session \(id.rawValue): \(text)") }
        }
        let own = session.tasks.values.compactMap { tasks[$0] }
        require(own.count == session.tasks.count, "tasks that are not there")
        require(session.active == own.filter { $0.record.phase.isActive }.count, "\(session.active) active")
        require(session.ended == own.filter { $0.record.phase == .ended }.count, "\(session.ended) ended")
        require(session.challenged == own.filter { $0.record.phase == .challenged }.count, "wrong number challenged")
        let counted = Dictionary(own.filter { $0.record.phase == .running }.map { ($0.server, 1) }, uniquingKeysWith: +)
        require(session.running.mapValues(Int.init) == counted, "counts its running ones wrongly")
        let most = min(max(session.record.configuration.connectionsPerHost, 1), rules.mostConnectionsPerHost)
        // A session that is opened again with a lower limit lets run what runs.
        require(session.running.values.allSatisfy { $0 <= max(most, rules.mostConnectionsPerHost) }, "too many at once")
        let numbers = session.events.map(\.number)
        require(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "events out of order")
        require(numbers.allSatisfy { $0 < session.record.nextEvent }, "an event's number will be given again")
        require(session.events.allSatisfy { $0.task.map { tasks[$0] != nil } ?? true }, "an event of no task")
        require(!session.isDelivering || !session.events.isEmpty, "delivers nothing")
        require(!session.isDelivering || session.connection != nil, "delivers to nobody")
        require(!session.isListing || session.connection != nil, "tells nobody of its tasks")
        require(session.tasks.count <= max(rules.mostTasksPerSession, rules.mostToolTasks), "too many tasks")
        require(session.connection.map { connections[$0] == session.record.app } ?? true, "a stranger's connection")
        return broken
    }
}

extension TaskPhase {
    var isActive: Bool {
        switch self {
        case .waiting, .running, .challenged, .placing: true
        case .suspended, .ended: false
        }
    }
}
