internal import Model

/// Requests that wait for their time.
extension NotificationSystem {
    // MARK: Asked for

    /// - Returns: what it pushed out.
    mutating func add(_ request: NotificationRequest, for app: AppIdentifier) throws(NotificationRefusal) -> [String] {
        if let fault = request.fault(rules) { throw .invalid(parameter: fault.parameter, fault.text) }
        know(app)
        var record = PendingRecord(app: app, request: request, since: wall)
        switch request.trigger {
        case .now:
            removePending(app, [request.identifier])
            deliver(ArrivedNotification(request: request, date: wall), to: app)
            return []
        case .after(let seconds, _): record.dueInstant = now + seconds
        case .matching(let components, _):
            let past = wall + (Span.zero - rules.longestPast)
            record.due =
                components.next(after: wall, in: zone) ?? components.last(after: past, until: wall, in: zone)
            if record.due == nil { throw .noDate }
        case .region: break
        case .push: throw .invalid(parameter: "trigger", "only a provider's message has this one")
        }
        return try keep(PendingEntry(record: record))
    }

    private mutating func keep(_ entry: PendingEntry) throws(NotificationRefusal) -> [String] {
        let app = entry.record.app
        var pending = entries[app]?.pending ?? []
        var dropped: [String] = []
        if let place = pending.firstIndex(where: { $0.record.request.identifier == entry.record.request.identifier }) {
            pending.remove(at: place)
        } else if pending.count >= rules.mostPending {
            let last = lastDue(pending)
            guard let last, entry.instant(offset: wallOffset ?? .zero) < last.instant else {
                report(.overflow(app, dropped: entry.record.request.identifier))
                throw .tooManyPending
            }
            let identifier = pending.remove(at: last.place).record.request.identifier
            erase(.pending(RequestKey(app, identifier)))
            report(.overflow(app, dropped: identifier))
            dropped = [identifier]
        }
        pending.append(entry)
        entries[app]?.pending = pending
        store(.pending(entry.record))
        schedule(app)
        return dropped
    }

    private func lastDue(_ pending: [PendingEntry]) -> (place: Int, instant: Instant)? {
        let offset = wallOffset ?? .zero
        // Of two that are due at the same time, the one that was asked for last goes.
        return pending.indices.max { pending[$0].isSooner(than: pending[$1], offset: offset) }
            .map { ($0, pending[$0].instant(offset: offset)) }
    }

    /// - Parameter identifiers: `nil`: all.
    mutating func removePending(_ app: AppIdentifier, _ identifiers: [String]?) {
        guard let pending = entries[app]?.pending, !pending.isEmpty else { return }
        let unwanted = identifiers.map(Set.init)
        for entry in pending where unwanted?.contains(entry.record.request.identifier) ?? true {
            erase(.pending(RequestKey(app, entry.record.request.identifier)))
        }
        entries[app]?.pending.removeAll { unwanted?.contains($0.record.request.identifier) ?? true }
        schedule(app)
    }

    /// One key an app in each queue, whatever waits.
    func firstDue(_ app: AppIdentifier) -> (instant: Instant?, wall: WallTime?) {
        var first: (instant: Instant?, wall: WallTime?) = (nil, nil)
        for entry in entries[app]?.pending ?? [] {
            if let due = entry.record.due, due < .never { first.wall = min(first.wall ?? due, due) }
            if let due = entry.record.dueInstant, due < .never { first.instant = min(first.instant ?? due, due) }
        }
        return first
    }

    mutating func schedule(_ app: AppIdentifier) {
        if entries[app]?.pending.isEmpty == false { waiting.insert(app) } else { waiting.remove(app) }
        let first = firstDue(app)
        due.set(.interval(app), first.instant)
        dueByWall.set(app, first.wall)
        touched.insert(app)
    }

    // MARK: Due

    mutating func requestsAreDue(_ app: AppIdentifier) {
        guard let offset = wallOffset, let pending = entries[app]?.pending else { return }
        let due = pending.filter { isDue($0.record) }.sorted { $0.isSooner(than: $1, offset: offset) }
        var arrived: [ArrivedNotification] = []
        for entry in due { arrived.append(arrive(entry, in: app)) }
        schedule(app)
        for notification in arrived { deliver(notification, to: app) }
    }

    /// By the clock that it goes by, as the queues of what is due have it: a request that only one of both says is due
    /// would be looked at for ever.
    private func isDue(_ record: PendingRecord) -> Bool {
        if let due = record.due { return due <= wall && due < .never }
        return record.dueInstant.map { $0 <= now && $0 < .never } ?? false
    }

    /// It waits no longer, or for its next time.
    mutating func arrive(_ entry: PendingEntry, in app: AppIdentifier) -> ArrivedNotification {
        var record = entry.record
        let request = record.request
        let date = lastTime(of: record)
        let place = entries[app]?.pending.firstIndex { $0.record.request.identifier == request.identifier }
        record.since = date
        let hasNext = request.trigger.repeats && setNext(&record)
        if let place {
            if hasNext {
                entries[app]?.pending[place].record = record
                store(.pending(record))
            } else {
                entries[app]?.pending.remove(at: place)
                erase(.pending(RequestKey(app, request.identifier)))
            }
        }
        let delay = wall - date
        if delay > rules.lateAfter { report(.late(app, identifier: request.identifier, by: delay)) }
        return ArrivedNotification(request: request, date: date, isLate: delay > rules.lateAfter)
    }

    /// The last time that a request was due: what repeats may have missed some.
    private func lastTime(of record: PendingRecord) -> WallTime {
        switch record.request.trigger {
        case .matching(let components, let repeats):
            let due = record.due ?? wall
            guard repeats else { return due }
            return components.last(after: due, until: wall, in: zone) ?? due
        case .after(let interval, let repeats):
            let due = record.dueInstant ?? now
            let missed = repeats && interval > .zero ? (now - due).nanoseconds / interval.nanoseconds : 0
            return wall + (due + interval * missed - now)
        case .now, .region, .push: return wall
        }
    }

    private func setNext(_ record: inout PendingRecord) -> Bool {
        switch record.request.trigger {
        case .matching(let components, _):
            record.due = components.next(after: max(record.since, wall), in: zone)
            return record.due != nil
        case .after(let interval, _):
            guard let due = record.dueInstant, interval > .zero else { return false }
            record.dueInstant = due + interval * ((now - due).nanoseconds / interval.nanoseconds + 1)
            return true
        case .region: return true
        case .now, .push: return false
        }
    }

    /// - Returns: how many waited for it.
    mutating func regionCrossed(_ app: AppIdentifier, _ region: String, _ isEntry: Bool) -> Int {
        guard wallOffset != nil else { return 0 }
        var count = 0
        for entry in entries[app]?.pending ?? [] {
            guard case .region(let trigger, _) = entry.record.request.trigger, trigger.identifier == region,
                isEntry ? trigger.onEntry : trigger.onExit
            else { continue }
            deliver(arrive(entry, in: app), to: app)
            count += 1
        }
        if count > 0 { schedule(app) }
        return count
    }

    // MARK: Another clock

    mutating func zoneChanged(_ rules: ZoneRules) {
        guard rules.fault == nil, rules != machineZone else { return }
        machineZone = rules
        if wallOffset != nil { followZone() }
    }

    /// What the machine's zone decides is due when that says so.
    mutating func followZone() {
        changePending { record, zone in
            guard case .matching(let components, _) = record.request.trigger, components.zone == nil else { return }
            record.due = components.next(after: record.since, in: zone) ?? record.due
        }
    }

    /// The clock was set back by more than a day: what was shown in a time that is yet to come is not waited for.
    mutating func forgetTheFuture() {
        let wall = wall
        changePending { record, zone in
            guard case .matching(let components, _) = record.request.trigger, record.since > wall else { return }
            record.since = wall
            record.due = components.next(after: wall, in: zone) ?? record.due
        }
    }

    mutating func changePending(_ body: (inout PendingRecord, ZoneRules) -> Void) {
        for app in waiting.inOrder {
            guard let pending = entries[app]?.pending else { continue }
            for (place, entry) in pending.enumerated() {
                var record = entry.record
                body(&record, zone)
                guard record != entry.record else { continue }
                entries[app]?.pending[place].record = record
                store(.pending(record))
            }
            schedule(app)
        }
    }
}

/// Where a sum ends that is more than a clock can say.
extension Instant {
    fileprivate static let never = Instant(nanoseconds: .max)
}

extension WallTime {
    fileprivate static let never = WallTime(nanoseconds: .max)
}
