internal import DequeModule
internal import Model

/// What delegates are told: one event of a session at a time, again and again until one has returned.
extension TransferSystem {
    mutating func enqueue(_ session: SessionID, _ task: TransferID?, _ kind: EventRecord.Kind) {
        guard let number = sessions[session]?.record.nextEvent else { return }
        change(session: session) { $0.nextEvent += 1 }
        let event = EventRecord(session: session, number: number, task: task, kind: kind)
        sessions[session]?.events.append(event)
        changes.others.append(.store(.event(event)))
        touched.insert(session)
    }

    mutating func removeEvents(in session: SessionID, where isUnwanted: (EventRecord) -> Bool) {
        guard let events = sessions[session]?.events, events.contains(where: isUnwanted) else { return }
        for event in events where isUnwanted(event) { changes.others.append(.erase(.event(session, event.number))) }
        sessions[session]?.events.removeAll(where: isUnwanted)
    }

    /// Nothing is sent to a suspended app.
    func isReachable(_ session: Session) -> Bool {
        guard session.connection != nil else { return false }
        guard let presence = session.record.app.flatMap({ apps[$0]?.presence }) else { return !hasSystem }
        return presence != .suspended
    }

    /// Tells the client the next event, or the system that there are some.
    mutating func tell(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        if session.events.isEmpty { concludeEvents(id) }
        deliverNext(id)
        announceIfDue(id)
    }

    private mutating func deliverNext(_ id: SessionID) {
        guard let session = sessions[id], let connection = session.connection, isReachable(session),
            !session.isDelivering, !session.isListing, let event = session.events.first,
            let kind = deliveryKind(event, session)
        else { return }
        sessions[id]?.isDelivering = true
        let task = event.task.flatMap { tasks[$0] }
        effects.append(
            .deliver(
                connection,
                EventDelivery(
                    sessionID: id, session: session.record.name, number: event.number, task: task?.record.number,
                    kind: kind)))
    }

    /// `nil`: the file has to be brought to the client first.
    private mutating func deliveryKind(_ event: EventRecord, _ session: Session) -> EventDelivery.Kind? {
        switch event.kind {
        case .resumedAt(let offset, let expected): return .resumedAt(offset: offset, expected: expected)
        case .challenge(let challenge): return .challenge(challenge)
        case .delayedRequest: return event.task.flatMap { tasks[$0] }.map { .delayedRequest($0.record.request) }
        case .finishedEvents: return .finishedEvents
        case .invalidated: return .invalidated
        case .completed:
            guard let task = event.task.flatMap({ tasks[$0] }), let outcome = task.record.outcome else { return nil }
            return .completed(
                CompletedTask(
                    error: outcome.error, resumeData: outcome.resumeData, response: task.record.response,
                    received: task.record.durable, sent: task.record.sent,
                    attempts: task.record.attempts, created: task.record.created, ended: outcome.ended))
        case .finished:
            guard let id = event.task, let task = tasks[id], let file = task.record.file, let app = session.record.app
            else { return nil }
            if let path = task.movedTo { return .finished(path: path, task.record.response) }
            if !task.isMoving, task.moveAgainAt == nil {
                tasks[id]?.isMoving = true
                effects.append(.moveToClient(id, file, app))
            }
            return nil
        }
    }

    mutating func delivered(_ connection: ConnectionID, _ id: SessionID, _ number: EventNumber) {
        guard let session = sessions[id], session.connection == connection, session.isDelivering,
            let event = session.events.first, event.number == number
        else { return }
        sessions[id]?.events.removeFirst()
        sessions[id]?.isDelivering = false
        changes.others.append(.erase(.event(id, number)))
        touched.insert(id)
        switch event.kind {
        case .finished:
            guard let task = event.task, let app = session.record.app else { return }
            change(task) { $0.file = nil }
            effects.append(.removeFromClient(task, app))
        case .completed: if let task = event.task { erase(task) }
        case .invalidated: eraseSession(id)
        // Who says nothing of it lets it begin.
        case .delayedRequest: if let task = event.task { decide(task, number, .continueLoading) }
        case .resumedAt, .challenge, .finishedEvents: break
        }
    }

    /// What comes when all has been told.
    private mutating func concludeEvents(_ id: SessionID) {
        guard let session = sessions[id] else { return }
        if session.record.announcement != .none, session.challenged == 0 {
            change(session: id) { $0.announcement = .none }
            sessions[id]?.announceAt = nil
            sessions[id]?.losses = 0
            due.set(.session(id), nil)
            enqueue(id, nil, .finishedEvents)
        } else if session.record.isInvalidated, session.tasks.isEmpty {
            enqueue(id, nil, .invalidated)
        }
    }

    // The system.

    private mutating func announceIfDue(_ id: SessionID) {
        guard hasSystem, let session = sessions[id], let app = session.record.app, let entry = apps[app] else { return }
        guard let reason = wakeReason(session), session.record.configuration.sendsLaunchEvents,
            !entry.record.isEndedByUser, let presence = entry.presence, presence != .foreground
        else {
            due.set(.session(id), nil)
            return
        }
        if case .told(let told) = session.record.announcement, told == reason || told == .finished { return }
        if let at = session.announceAt, at > wall {
            due.set(.session(id), instant(at))
            return
        }
        if session.record.announcement != .due(reason) {
            change(session: id) {
                $0.announcement = .due(reason)
                $0.announcements += 1
            }
            wakes(app)
        }
        announce(id, app, reason)
    }

    private mutating func announce(_ id: SessionID, _ app: AppIdentifier, _ reason: WakeReason) {
        guard let session = sessions[id] else { return }
        let again = wall + rules.announcementRetry
        sessions[id]?.announceAt = again
        due.set(.session(id), instant(again))
        effects.append(
            .announce(
                id, app, session: session.record.name, reason, number: session.record.announcements))
    }

    /// Why the app should be woken, if nobody can be told without.
    private func wakeReason(_ session: Session) -> WakeReason? {
        guard !session.events.isEmpty, !isReachable(session) else { return nil }
        if session.active - session.challenged == 0, session.ended > 0 { return .finished }
        return session.challenged > 0 && session.events.contains { $0.isQuestion } ? .authentication : nil
    }

    mutating func announced(_ id: SessionID, _ number: UInt64) {
        guard let session = sessions[id], session.record.announcements == number,
            case .due(let reason) = session.record.announcement
        else { return }
        change(session: id) { $0.announcement = .told(reason) }
        sessions[id]?.announceAt = nil
        due.set(.session(id), nil)
    }

    mutating func systemAttached() {
        hasSystem = true
        // It tells of every app now; what an earlier one said of them may be over.
        for app in Array(apps.keys) { apps[app]?.presence = nil }
        lastWaiting = nil
        looksAtWaiting = true
        for id in sessions.keys.sorted() {
            guard let record = sessions[id]?.record else { continue }
            if case .told(let reason) = record.announcement, sessions[id]?.connection == nil {
                change(session: id) { $0.announcement = .due(reason) }
            }
            sessions[id]?.announceAt = nil
            touched.insert(id)
        }
    }
}

extension EventRecord {
    var isQuestion: Bool {
        switch kind {
        case .challenge, .delayedRequest: true
        case .resumedAt, .finished, .completed, .finishedEvents, .invalidated: false
        }
    }
}
