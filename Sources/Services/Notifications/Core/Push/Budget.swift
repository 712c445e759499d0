package import Model

/// What lets a silent push through.
enum PushRelease: Hashable, Sendable {
    /// The budget.
    case time
    /// The device spoke to the gateway anyway.
    case keepAlive
    /// An alert of the same app was shown.
    case alert
}

/// Silent pushes: a few an hour, and the newest one waits.
extension NotificationSystem {
    /// Told at once while the app is on the screen; more than that wait.
    private static let mostAtOnce = 8

    mutating func hold(_ message: PushMessage, _ app: AppIdentifier) {
        if let old = held[app] {
            report(.pushDropped(app: app.rawValue, old.message.id, .superseded))
        }
        let push = HeldPush(app: app, message: message, since: wall)
        held[app] = push
        store(.held(push))
    }

    mutating func dropHeld(_ app: AppIdentifier, _ why: PushDrop) {
        guard let held = takeHeld(app) else { return }
        report(.pushDropped(app: app.rawValue, held.message.id, why))
    }

    private mutating func takeHeld(_ app: AppIdentifier) -> HeldPush? {
        guard let push = held.removeValue(forKey: app) else { return nil }
        due.set(.budget(app), nil)
        // One that was held by this event was never stored.
        let record = NotificationEffect.store(.held(push))
        if let place = changes.others.lastIndex(of: record) { changes.others.remove(at: place) }
        erase(.held(app))
        return push
    }

    /// Gives the app what waits for it, if it may have it now.
    mutating func release(_ app: AppIdentifier, _ way: PushRelease = .time) {
        guard let entry = entries[app], let push = held[app] else { return }
        if let expires = push.message.expires, expires <= wall { return dropHeld(app, .expired) }
        // A clock that was set back does not keep it waiting until it is as late again.
        if let budget = budgets[app], budget.asOf > wall { changeBudget(app) { _ in } }
        switch passage(of: entry, way) {
        case .waits(let until): due.set(.budget(app), firstInstant(until, push.message.expires))
        case .goes(let isCharged):
            if isCharged { charge(app) }
            if way != .time { link.opening?.served.insert(app) }
            count(app, passed: true)
            _ = takeHeld(app)
            _ = give(push.message, app, isSilent: true)
        }
    }

    private enum Passage {
        case goes(isCharged: Bool)
        /// `nil`: something has to happen.
        case waits(until: WallTime?)
    }

    private func passage(of entry: AppEntry, _ way: PushRelease) -> Passage {
        let under = entry.tellings.count { $0.push != nil }
        if entry.isOnScreen { return under < Self.mostAtOnce ? .goes(isCharged: false) : .waits(until: nil) }
        if under > 0 { return .waits(until: nil) }
        if way == .alert { return .goes(isCharged: false) }
        if conditions.savesPower { return .waits(until: nil) }
        if way == .keepAlive { return .goes(isCharged: false) }
        let credit = credit(of: budgets[entry.record.app])
        if credit >= rules.budgetInterval { return .goes(isCharged: true) }
        return .waits(until: wall + (rules.budgetInterval - credit))
    }

    private func firstInstant(_ times: WallTime?...) -> Instant? {
        times.compactMap(\.self).min().map { now + ($0 - wall) }
    }

    /// The device has spoken to the gateway.
    mutating func releaseAll() {
        begin(.keepAlive)
        for app in held.keys.inOrder { release(app, .keepAlive) }
    }

    // MARK: Counting

    var fullCredit: Span { rules.budgetInterval * rules.budgetCapacity }

    /// In the time that earning it takes. A clock that was set back earns nothing, and takes nothing away.
    func credit(of budget: BudgetRecord?) -> Span {
        guard let budget else { return fullCredit }
        return min(fullCredit, max(.zero, budget.credit) + max(.zero, wall - budget.asOf))
    }

    private mutating func charge(_ app: AppIdentifier) {
        let price = rules.budgetInterval
        changeBudget(app) { $0.credit = max(.zero, $0.credit - price) }
    }

    mutating func count(_ app: AppIdentifier, passed: Bool) {
        let wall = wall
        changeBudget(app) { $0.hour.add(at: wall, came: passed ? 0 : 1, passed: passed ? 1 : 0) }
    }

    private mutating func changeBudget(_ app: AppIdentifier, _ body: (inout BudgetRecord) -> Void) {
        let old = budgets[app]
        var budget = BudgetRecord(app: app, credit: credit(of: old), asOf: wall)
        budget.hour = old?.hour ?? HourCount()
        body(&budget)
        budgets[app] = budget
        changes.budgets.insert(app)
    }
}

extension HourCount {
    private static let length: Int64 = 300
    static let mostParts = 12

    private static func number(_ time: WallTime) -> Int64 {
        floorDivide(floorDivide(time.nanoseconds, 1_000_000_000).quotient, length).quotient
    }

    mutating func add(at time: WallTime, came: Int32, passed: Int32) {
        let number = Self.number(time)
        // Also what a clock that was set back has left in the future.
        parts.removeAll { $0.number > number || $0.number <= number - Int64(Self.mostParts) }
        if parts.last?.number != number { parts.append(Part(number: number)) }
        let last = parts.count - 1
        parts[last].came = parts[last].came.addingReportingOverflow(came).partialValue
        parts[last].passed = parts[last].passed.addingReportingOverflow(passed).partialValue
    }

    /// In the last hour, but for up to five minutes of it.
    func counts(at time: WallTime) -> (came: Int, passed: Int) {
        let number = Self.number(time)
        let recent = parts.filter { $0.number <= number && $0.number > number - Int64(Self.mostParts) }
        return (recent.reduce(0) { $0 + Int($1.came) }, recent.reduce(0) { $0 + Int($1.passed) })
    }
}

// MARK: Why one waits

extension NotificationSystem {
    /// Where an app stands with silent pushes; `nil`: it never connected.
    package func pushStatus(of app: AppIdentifier, at instant: Instant) -> PushStatus? {
        guard let entry = entries[app] else { return nil }
        var later = self
        later.now = max(now, instant)
        let wall = later.wall
        let counts = (budgets[app]?.hour ?? HourCount()).counts(at: wall)
        let credit = later.credit(of: budgets[app])
        let left = Int(credit.nanoseconds / max(1, rules.budgetInterval.nanoseconds))
        var status = PushStatus(
            isRegistered: entry.record.isRegistered, came: counts.came, passed: counts.passed, left: left,
            capacity: Int(rules.budgetCapacity), nextAt: nil, heldSince: held[app]?.since, sentence: "")
        if left < status.capacity {
            let missing = rules.budgetInterval * Int64(left + 1) - credit
            status.nextAt = wall + missing
        }
        status.sentence = later.sentence(entry, status)
        return status
    }

    /// In one sentence with numbers; `nil`: the app never connected.
    package func sentence(for app: AppIdentifier, at instant: Instant) -> String? {
        pushStatus(of: app, at: instant)?.sentence
    }

    private func sentence(_ entry: AppEntry, _ status: PushStatus) -> String {
        let came = status.came == 1 ? "1 silent push came" : "\(status.came) silent pushes came"
        let start = "\(came) in the last hour, \(status.passed) went to the app"
        guard let held = held[entry.record.app] else {
            if entry.record.isClosedByUser {
                return "\(start); the user closed it, so no push wakes it until it is opened"
            }
            if conditions.savesPower { return "\(start); in Low Power Mode the next one waits" }
            if status.left > 0 {
                let patience = Int(link.advice.patience.seconds / 60)
                let delay = link.isUp && patience > 0 ? ", each after up to \(patience) minutes at the gateway" : ""
                return "\(start); \(status.left) more may wake it now (\(allowance))\(delay)"
            }
            let place = heldBack(entry.record.app) == nil ? "" : " at the gateway, where it costs no radio,"
            return "\(start); the next one waits\(place) until \(time(status.nextAt)) (\(allowance))"
        }
        let waiting = "\(start); one has waited since \(time(held.since))"
        if entry.tellings.contains(where: { $0.push != nil }) {
            return "\(waiting) until the app is done with the one before it"
        }
        if conditions.savesPower {
            return "\(waiting) because of Low Power Mode: a charger, an alert that is shown or opening the app lets it "
                + "through"
        }
        return "\(waiting) and goes at \(time(status.nextAt)) (\(allowance)), or before that with the next keep-alive"
            + "\(nextKeepAlive), an alert that is shown, or when the user opens the app"
    }

    private var allowance: String {
        "\(rules.budgetCapacity), and one more every \(Int(rules.budgetInterval.seconds / 60)) minutes"
    }

    private var nextKeepAlive: String {
        link.isUp ? link.nextInstant(conditions).map { " at \(time(wall + ($0 - now)))" } ?? "" : ""
    }

    private func time(_ wall: WallTime?) -> String { wall.map { String($0.iso8601.prefix(19)) + "Z" } ?? "some time" }
}
