internal import Model

/// What clients ask for. A request may come twice; the second time it has no effect, and the same answer.
extension TransferSystem {
    mutating func client(_ connection: ConnectionID, _ request: RequestID, _ asked: ClientRequest) {
        do throws(TransferRefusal) {
            guard let app = connections[connection] else { throw .notAttached }
            let answer = try perform(asked, of: app, connection)
            effects.append(.reply(request, answer))
        } catch {
            // The shell made the file its own before anybody had looked at the request.
            if case .create(_, let creation) = asked, let body = creation.body { dropUnused(body.file) }
            effects.append(.refuse(request, error))
        }
    }

    private mutating func perform(
        _ asked: ClientRequest, of app: AppIdentifier, _ connection: ConnectionID
    ) throws(TransferRefusal) -> TransferReply {
        if case .open(let name, let configuration) = asked { return try open(name, configuration, app, connection) }
        guard let id = names[SessionKey(app: app, name: asked.session)], sessions[id]?.connection == connection else {
            throw .sessionIsNotOpen
        }
        switch asked {
        case .open: return .done
        case .tasks(_, let number): return .tasks(list(id, after: number))
        case .create(_, let creation): return try create(creation, in: id)
        case .invalidate(_, let cancels): invalidate(id, cancels)
        case .resume(_, let task): if let task = try find(task, id) { resume(task) }
        case .suspend(_, let task): if let task = try find(task, id) { suspend(task) }
        case .cancel(_, let task, let produces):
            guard let task = try find(task, id) else { return .cancelled(nil) }
            return .cancelled(cancel(task, produces: produces))
        case .change(_, let task, let change): if let task = try find(task, id) { try self.change(task, change) }
        case .credential(_, let task, let number, let answer):
            guard let task = try find(task, id) else { return .done }
            try check(answer)
            self.answer(task, number, answer)
        }
        return .done
    }

    /// `nil`: it was there, and has been told.
    private func find(_ number: Int64, _ session: SessionID) throws(TransferRefusal) -> TransferID? {
        if let id = sessions[session]?.tasks[number] { return id }
        guard number > 0, let next = sessions[session]?.record.nextTask, number < next else { throw .noSuchTask }
        return nil
    }

    // Sessions.

    private mutating func open(
        _ name: String, _ configuration: TransferConfiguration, _ app: AppIdentifier, _ connection: ConnectionID
    ) throws(TransferRefusal) -> TransferReply {
        try check(name, configuration)
        let key = SessionKey(app: app, name: name)
        let isNew = names[key] == nil
        if let id = names[key], let other = sessions[id]?.connection, other != connection {
            throw .sessionIsOpenElsewhere
        }
        if isNew, (apps[app]?.sessions.count ?? 0) >= rules.mostSessionsPerApp { throw .tooMuch("sessions") }
        let id = names[key] ?? makeSession(key, configuration)
        if sessions[id]?.record.configuration != configuration {
            change(session: id) { $0.configuration = configuration }
        }
        if sessions[id]?.record.isInvalidated == true { revive(id) }
        if sessions[id]?.connection != connection {
            sessions[id]?.connection = connection
            sessions[id]?.isDelivering = false
        }
        if !configuration.asksBeforeDelayedRequests { stopAsking(id) }
        touched.insert(id)
        looksAtWaiting = true
        let page = list(id, after: 0)
        return .opened(id, nextTask: sessions[id]?.record.nextTask ?? 1, page, isNew: isNew)
    }

    /// Until the client has heard of the last task, no event is delivered: it would not know of what.
    private mutating func list(_ id: SessionID, after number: Int64) -> TaskPage {
        var page = TaskPage(tasks: [], hasMore: false)
        var length = 0
        for (_, task) in (sessions[id]?.tasks ?? [:]).filter({ $0.key > number }).sorted(by: { $0.key < $1.key }) {
            guard let view = tasks[task].map(TaskView.init) else { continue }
            length += view.length
            guard page.tasks.isEmpty || length <= rules.longestPage else {
                page.hasMore = true
                break
            }
            page.tasks.append(view)
        }
        sessions[id]?.isListing = page.hasMore
        touched.insert(id)
        return page
    }

    mutating func makeSession(_ key: SessionKey, _ configuration: TransferConfiguration) -> SessionID {
        let id = SessionID(counters.nextSession)
        counters.nextSession += 1
        changes.counters = true
        sessions[id] = Session(SessionRecord(id: id, app: key.app, name: key.name, configuration: configuration))
        names[key] = id
        changes.sessions.insert(id)
        if let app = key.app {
            if apps[app] == nil { change(app: app) { _ in } }
            apps[app]?.sessions.append(id)
        }
        return id
    }

    /// A session of the same name again: what the earlier one was still to be told of its end nobody waits for.
    private mutating func revive(_ id: SessionID) {
        change(session: id) { $0.isInvalidated = false }
        removeEvents(in: id) { $0.kind == .invalidated }
        sessions[id]?.isDelivering = false
    }

    private mutating func invalidate(_ id: SessionID, _ cancels: Bool) {
        change(session: id) { $0.isInvalidated = true }
        if cancels { for task in (sessions[id]?.tasks.values.sorted() ?? []) { end(task, .cancelled, keeps: false) } }
        touched.insert(id)
    }

    mutating func eraseSession(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        for task in session.tasks.values.sorted() { erase(task) }
        removeEvents(in: id) { _ in true }
        sessions[id] = nil
        names[SessionKey(app: session.record.app, name: session.record.name)] = nil
        if let app = session.record.app { apps[app]?.sessions.removeAll { $0 == id } }
        touched.remove(id)
        changes.sessions.remove(id)
        due.set(.session(id), nil)
        changes.others.append(.erase(.session(id)))
    }

    mutating func detached(_ connection: ConnectionID) {
        connections[connection] = nil
        for id in sessions.keys.sorted() where sessions[id]?.connection == connection {
            sessions[id]?.connection = nil
            sessions[id]?.isDelivering = false
            sessions[id]?.isListing = false
            for task in sessions[id]?.tasks.values.sorted() ?? [] { tasks[task]?.movedTo = nil }
            loseListener(id)
        }
    }

    /// An app that was woken and went before it had heard all is woken again, every time after a wait twice as long.
    private mutating func loseListener(_ id: SessionID) {
        touched.insert(id)
        guard let session = sessions[id], session.record.announcement != .none, !session.events.isEmpty else { return }
        change(session: id) { $0.announcement = .none }
        let losses = min(session.losses + 1, 1000)
        let earliest = wall + rules.delay(wakes: losses)
        sessions[id]?.losses = losses
        sessions[id]?.announceAt = earliest
    }

    // Tasks.

    private mutating func create(
        _ creation: TransferCreation, in id: SessionID
    ) throws(TransferRefusal) -> TransferReply {
        guard let session = sessions[id], let app = session.record.app else { throw .sessionIsNotOpen }
        try check(creation)
        // A number that was given before: this is a repetition.
        if session.record.nextTask > creation.number {
            if let body = creation.body { dropUnused(body.file) }
            return .done
        }
        if session.record.isInvalidated { throw .sessionIsInvalid }
        if session.tasks.count >= rules.mostTasksPerSession { throw .tooMuch("tasks of a session") }
        // One that speaks while it counts as suspended was woken, and is about to hear what for.
        let isBackground = apps[app]?.presence == .background || apps[app]?.presence == .suspended
        makeTask(
            creation, in: id, isDiscretionary: session.record.configuration.isDiscretionary || isBackground,
            delayedUntil: isBackground ? delayForNewTask(of: app) : nil)
        return .done
    }

    @discardableResult
    mutating func makeTask(
        _ creation: TransferCreation, in session: SessionID, isDiscretionary: Bool, delayedUntil: WallTime? = nil
    ) -> TransferID {
        let id = TransferID(counters.nextTransfer)
        counters.nextTransfer += 1
        changes.counters = true
        var record = TaskRecord(
            id: id, session: session, creation: creation, isDiscretionary: isDiscretionary, created: wall)
        record.priority = min(max(record.priority, 0), 1000)
        record.delayedUntil = delayedUntil
        if let data = creation.resumes, takeKept(data, by: sessions[session]?.record.app) {
            record.file = data.file
            record.durable = data.offset
            record.validator = data.validator
            record.expected = data.expected
            record.resumedAt = data.offset
        }
        var task = ActiveTask(record)
        task.storedOffset = 0
        tasks[id] = task
        sessions[session]?.tasks[record.number] = id
        change(session: session) { $0.nextTask = record.number + 1 }
        changes.tasks.insert(id)
        effects.append(.changed(id))
        return id
    }

    private mutating func cancel(_ id: TransferID, produces: Bool) -> ResumeData? {
        if tasks[id]?.record.phase == .ended { return tasks[id]?.record.outcome?.resumeData }
        end(id, .cancelled, keeps: produces)
        return tasks[id]?.record.outcome?.resumeData
    }

    private mutating func change(_ id: TransferID, _ wanted: TransferChange) throws(TransferRefusal) {
        try check(description: wanted.description)
        let wall = wall
        change(id) {
            // Put off again, it is asked for again.
            if $0.delayedStart == .settled, let time = wanted.earliestBegin, time > wall { $0.delayedStart = nil }
            $0.description = wanted.description ?? $0.description
            $0.priority = min(max(wanted.priority ?? $0.priority, 0), 1000)
            $0.earliestBegin = wanted.earliestBegin ?? $0.earliestBegin
            $0.expectsToSend = wanted.expectsToSend ?? $0.expectsToSend
            $0.expectsToReceive = wanted.expectsToReceive ?? $0.expectsToReceive
        }
        arm(id)
        if waiting.contains(id) { candidates.insert(id) }
    }

    private mutating func dropUnused(_ file: TransferFile) {
        let isUsed = tasks.values.contains { $0.record.phase != .ended && $0.record.body?.file == file }
        if !isUsed { effects.append(.remove(file)) }
    }
}

extension ClientRequest {
    var session: String {
        switch self {
        case .open(let name, _), .tasks(let name, _), .create(let name, _), .resume(let name, _), .suspend(let name, _),
            .cancel(let name, _, _), .change(let name, _, _), .credential(let name, _, _, _), .invalidate(let name, _):
            name
        }
    }
}

extension TaskView {
    /// About what it takes to write it down.
    var length: Int {
        func length(of headers: [HeaderField]) -> Int {
            headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 8 }
        }
        let answer = record.response.map { $0.url.utf8.count + length(of: $0.headers) } ?? 0
        let request = record.request.url.utf8.count + length(of: record.request.headers)
        let data = record.outcome?.resumeData.map { 2 * $0.url.utf8.count + 400 } ?? 0
        return 400 + request + answer + data + (record.description?.utf8.count ?? 0)
    }

    init(_ task: ActiveTask) {
        record = task.record
        received = task.received
        sent = task.sent
        switch task.record.phase {
        case .suspended: state = .suspended
        case .waiting, .running, .challenged, .placing: state = .running
        case .ended: state = .completed
        }
    }
}
