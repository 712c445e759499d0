internal import Model

extension NotificationSystem {
    /// What a dead process had stored. Nothing is shown before `clockChanged`. What cannot be used is left out
    /// (`damaged`).
    package init(
        restoring stored: StoredNotifications, rules: NotificationRules = NotificationRules(), boot: String
    ) {
        self.init(rules: rules, boot: boot)
        // Apps first: the others are theirs.
        for record in stored.records {
            switch record {
            case .app(let record): restore(record)
            case .counters(let stored): counters = stored
            case .pending, .delivered, .telling, .categories, .budget, .held, .mutation, .seen, .network: continue
            }
        }
        var last = counters
        for record in stored.records {
            if let reason = restore(record, &last) { damaged.append(DamagedRecord(key: record.key, reason: reason)) }
        }
        counters = last
        sortRestored()
    }

    private mutating func restore(_ record: AppRecord) {
        var record = record
        record.badge = max(0, record.badge)
        record.nextTelling = min(max(1, record.nextTelling), .max / 2)
        entries[record.app] = AppEntry(record)
        if record.isRegistered { registered.insert(record.app) }
        if record.hasPlaces == true { placed.insert(record.app) }
        if record.isRegistered, record.token == nil { link.wanted.insert(record.app) }
    }

    /// - Returns: what is wrong with it.
    private mutating func restore(_ record: NotificationStored, _ last: inout NotificationCounters) -> String? {
        switch record {
        case .app, .counters: return nil
        case .pending(let record): return restore(record)
        case .delivered(let record):
            guard record.id.rawValue < .max / 2, record.order < .max / 2 else { return "its number is out of range" }
            guard shown[record.id] == nil else { return "there are two of its number" }
            if let fault = record.notification.request.content.fault(rules) { return fault.sentence }
            know(record.app)
            shown[record.id] = record
            entries[record.app]?.delivered.append(record.id)
            // Should the counters be lost: no number is given twice.
            last.nextNotification = max(last.nextNotification, record.id.rawValue + 1)
            last.nextOrder = max(last.nextOrder, record.order + 1)
            return nil
        case .telling(let record): return restore(record)
        case .categories(let app, let categories):
            if let fault = categories.fault(rules) { return fault.sentence }
            know(app)
            entries[app]?.categories = categories
            return nil
        case .budget(let record):
            guard record.hour.parts.count <= HourCount.mostParts else { return "it counts more than an hour" }
            know(record.app)
            var record = record
            record.credit = min(fullCredit, max(.zero, record.credit))
            budgets[record.app] = record
            return nil
        case .held(let push):
            guard push.message.payload.utf8.count <= rules.longestPayload else { return "its payload is too long" }
            know(push.app)
            held[push.app] = push
            return nil
        case .mutation(let record):
            guard record.id.rawValue < .max / 2 else { return "its number is out of range" }
            know(record.app)
            mutations[record.id] = record
            entries[record.app]?.mutations += 1
            last.nextMutation = max(last.nextMutation, record.id.rawValue + 1)
            return nil
        case .seen(let push):
            guard push.slot < rules.mostSeen else { return "its slot is out of range" }
            seen.set(push)
            return nil
        case .network(let record):
            guard link.networks.count < rules.mostNetworks else { return "there are too many networks" }
            let keepAlive = min(max(record.keepAlive, rules.shortestKeepAlive), rules.longestKeepAlive)
            link.networks[record.network] = NetworkRecord(
                network: record.network, keepAlive: keepAlive, used: record.used)
            return nil
        }
    }

    private mutating func restore(_ record: PendingRecord) -> String? {
        if let fault = record.request.fault(rules) { return fault.sentence }
        let known: Bool
        switch record.request.trigger {
        case .after: known = record.dueInstant != nil && record.due == nil
        case .matching: known = record.due != nil && record.dueInstant == nil
        case .region: known = record.due == nil && record.dueInstant == nil
        case .now, .push: known = false
        }
        guard known else { return "it waits for no time" }
        know(record.app)
        guard let pending = entries[record.app]?.pending, pending.count < rules.mostPending else {
            return "more than \(rules.mostPending) wait"
        }
        guard !pending.contains(where: { $0.record.request.identifier == record.request.identifier }) else {
            return "there are two of its identifier"
        }
        entries[record.app]?.pending.append(PendingEntry(record: record))
        waiting.insert(record.app)
        return nil
    }

    private mutating func restore(_ record: TellingRecord) -> String? {
        let id = record.telling.id
        know(id.app)
        guard let entry = entries[id.app] else { return nil }
        guard id.number > 0, id.number < .max / 2 else { return "its number is out of range" }
        guard entry.tellings.count < rules.mostTellings else { return "more than \(rules.mostTellings) wait" }
        guard !entry.tellings.contains(where: { $0.number == id.number }) else { return "there are two of its number" }
        entries[id.app]?.tellings.append(TellingEntry(restoring: record))
        entries[id.app]?.record.nextTelling = max(entry.record.nextTelling, id.number + 1)
        telling.insert(id.app)
        return nil
    }

    private mutating func sortRestored() {
        for app in entries.keys {
            guard let entry = entries[app] else { continue }
            if entry.delivered.count > 1 {
                entries[app]?.delivered.sort { (shown[$0]?.order ?? 0) < (shown[$1]?.order ?? 0) }
            }
            if entry.tellings.count > 1 { entries[app]?.tellings.sort { $0.number < $1.number } }
            // By when they were asked for: the shell has them in any order.
            if entry.pending.count > 1 {
                entries[app]?.pending.sort {
                    ($0.record.since, $0.record.request.identifier) < ($1.record.since, $1.record.request.identifier)
                }
            }
        }
    }

    // MARK: The clock is known

    /// The first `clockChanged`: now it is known when everything is due.
    mutating func begin(_ offset: Span) {
        if counters.boot != boot {
            let isOther = !counters.boot.isEmpty
            if isOther { anotherStart(from: counters.offset, to: offset) }
            counters.boot = boot
            changes.counters = true
        }
        if counters.offset != offset {
            counters.offset = offset
            changes.counters = true
        }
        if machineZone != nil { followZone() }
        for app in entries.keys.inOrder {
            guard let entry = entries[app] else { continue }
            if !entry.pending.isEmpty { schedule(app) }
            if placed.contains(app) { touched.insert(app) }
            if held[app] != nil { release(app) }
            guard !entry.tellings.isEmpty else { continue }
            for place in entry.tellings.indices {
                let deadline = deadline(of: entry.tellings[place].record)
                entries[app]?.tellings[place].deadline = deadline
            }
            touched.insert(app)
        }
        for id in mutations.keys.sorted() { if let record = mutations[id] { ask(for: record) } }
    }

    /// The machine has started anew: what the boot clock was to say is due at the same time of the wall clock.
    private mutating func anotherStart(from old: Span, to new: Span) {
        changePending { record, _ in
            if let due = record.dueInstant { record.dueInstant = due + old - new }
        }
        for app in entries.keys.inOrder {
            change(app) { $0.isClosedByUser = false }
        }
    }
}

extension Instant {
    fileprivate static func - (instant: Instant, span: Span) -> Instant { instant + (Span.zero - span) }
}
