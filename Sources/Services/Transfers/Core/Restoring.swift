internal import Model

extension TransferSystem {
    /// What a dead process had stored. Nothing runs; `clockChanged` and `conditions` let begin what can.
    package init(restoring stored: StoredTransfers, rules: TransferRules = TransferRules(), seed: UInt64) {
        self.init(rules: rules, seed: seed)
        var offsets: [TransferID: Int64] = [:]
        var events: [EventRecord] = []
        var records: [TaskRecord] = []
        for record in stored.records {
            switch record {
            case .app(let app): apps[app.app] = AppEntry(app)
            case .session(let session): sessions[session.id] = Session(session)
            case .task(let task): records.append(task)
            case .event(let event): events.append(event)
            case .kept(let file): kept[file.resumeData.file] = file
            case .offset(let id, let offset): offsets[id] = offset
            case .counters(let stored): counters = stored
            }
        }
        // Should the counters be lost: no number is given twice.
        counters.nextTransfer = max(counters.nextTransfer, (records.map(\.id.rawValue).max() ?? 0) &+ 1)
        counters.nextSession = max(counters.nextSession, (sessions.keys.map(\.rawValue).max() ?? 0) &+ 1)
        let parts = records.compactMap { $0.file?.number } + kept.keys.map(\.number)
        counters.nextPart = max(counters.nextPart, (parts.max() ?? 0) &+ 1)
        restoreSessions()
        for record in records.sorted(by: { $0.id < $1.id }) { restore(record, offset: offsets[record.id]) }
        for event in events.sorted(by: { $0.number < $1.number }) { sessions[event.session]?.events.append(event) }
        finishWhatWasBegun()
    }

    private mutating func restoreSessions() {
        for id in sessions.keys.sorted() {
            guard let record = sessions[id]?.record else { continue }
            names[SessionKey(app: record.app, name: record.name)] = id
            if let app = record.app { apps[app, default: AppEntry(AppTransfers(app))].sessions.append(id) }
        }
    }

    private mutating func restore(_ record: TaskRecord, offset: Int64?) {
        guard sessions[record.session] != nil else { return }
        var record = record
        if record.phase == .running { record.phase = .waiting }
        record.durable = offset ?? record.durable
        let task = ActiveTask(record)
        tasks[record.id] = task
        sessions[record.session]?.tasks[record.number] = record.id
        count(task, record.phase, by: 1)
        if record.phase == .ended, sessions[record.session]?.record.app == nil { endedToolTasks.append(record.id) }
    }

    /// What had been decided and may not have been done; to do it twice does no harm.
    private mutating func finishWhatWasBegun() {
        for id in transfers {
            guard let task = tasks[id], let session = sessions[task.record.session] else { continue }
            switch task.record.phase {
            case .placing: place(id)
            case .ended where task.record.outcome?.error == nil && task.record.file == nil:
                if let app = session.record.app { effects.append(.removeFromClient(id, app)) }
            case .suspended, .waiting, .running, .challenged, .ended: break
            }
        }
        touched.formUnion(sessions.keys)
    }
}
