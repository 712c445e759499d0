internal import Model

/// What an app's state means to its transfers.
extension TransferSystem {
    mutating func presenceChanged(_ app: AppIdentifier, _ presence: AppPresence) {
        guard apps[app] != nil || presence != .none else { return }
        if apps[app] == nil { apps[app] = AppEntry(AppTransfers(app)) }
        apps[app]?.presence = presence
        yielding.isDue = true
        if presence == .foreground { opened(app) }
        touched.formUnion(apps[app]?.sessions ?? [])
    }

    /// The user has opened it: nothing that it made in the background has to wait on that account.
    private mutating func opened(_ app: AppIdentifier) {
        var fresh = AppTransfers(app)
        // What its tasks did to the service is no matter of the background.
        fresh.setAside = apps[app]?.record.setAside
        fresh.lastSetAside = apps[app]?.record.lastSetAside
        let record = fresh
        if apps[app]?.record != record { change(app: app) { $0 = record } }
        armDelay(app)
        for id in taskIDs(of: app) where tasks[id]?.record.delayedUntil != nil {
            change(id) { $0.delayedUntil = nil }
            arm(id)
            looksAtWaiting = true
        }
    }

    private func taskIDs(of app: AppIdentifier) -> [TransferID] {
        (apps[app]?.sessions ?? []).flatMap { sessions[$0]?.tasks.values.sorted() ?? [] }
    }

    /// The user threw it out: its transfers end, and nothing wakes it before it is opened again.
    mutating func userEnded(_ app: AppIdentifier) {
        guard apps[app] != nil else { return }
        change(app: app) { $0.isEndedByUser = true }
        for id in taskIDs(of: app) { end(id, .forceQuit) }
        for session in apps[app]?.sessions ?? [] {
            if sessions[session]?.record.announcement != SessionRecord.Announcement.none {
                change(session: session) { $0.announcement = .none }
            }
            touched.insert(session)
        }
    }

    /// It was removed: nothing of it is left.
    mutating func forget(_ app: AppIdentifier, _ request: RequestID) {
        for session in apps[app]?.sessions ?? [] { eraseSession(session) }
        for file in kept.values.filter({ $0.app == app }).map(\.resumeData.file).sorted(by: { $0.number < $1.number }) {
            dropKept(file)
        }
        if apps.removeValue(forKey: app) != nil {
            changes.apps.remove(app)
            changes.others.append(.erase(.app(app)))
            due.set(.app(app), nil)
        }
        for (connection, owner) in connections where owner == app { connections[connection] = nil }
        looksAtWaiting = true
        effects.append(.reply(request, .done))
    }

    // The delay that doubles.

    /// Transfers have woken the app once more.
    mutating func wakes(_ app: AppIdentifier) {
        let wall = wall
        change(app: app) {
            $0.wakes = min($0.wakes + 1, 1000)
            $0.lastWake = wall
            $0.usedDelay = false
        }
        armDelay(app)
    }

    mutating func delayForNewTask(of app: AppIdentifier) -> WallTime? {
        guard let record = apps[app]?.record, record.wakes > 0 else { return nil }
        if !record.usedDelay { change(app: app) { $0.usedDelay = true } }
        due.set(.app(app), nil)
        return wall + rules.delay(wakes: record.wakes)
    }

    mutating func armDelay(_ app: AppIdentifier) {
        guard let record = apps[app]?.record, record.wakes > 0, !record.usedDelay, let last = record.lastWake else {
            due.set(.app(app), nil)
            return
        }
        due.set(.app(app), instant(last + rules.delay(wakes: record.wakes)))
    }

    /// The app made nothing in the time that it would have had to wait: it starts anew.
    mutating func delayPassed(_ app: AppIdentifier) {
        guard let record = apps[app]?.record, record.wakes > 0, !record.usedDelay, let last = record.lastWake else {
            return
        }
        guard last + rules.delay(wakes: record.wakes) <= wall else {
            armDelay(app)
            return
        }
        change(app: app) {
            $0.wakes = 0
            $0.lastWake = nil
        }
    }

    mutating func shiftApps(by shift: Span) {
        for app in apps.keys.sorted(by: { $0.rawValue < $1.rawValue }) where apps[app]?.record.lastWake != nil {
            change(app: app) { $0.lastWake = $0.lastWake.map { $0 + shift } }
        }
        for id in sessions.keys.sorted() {
            guard let at = sessions[id]?.announceAt else { continue }
            sessions[id]?.announceAt = at + shift
        }
    }
}
