internal import Model

/// What must hold after every event; a text names what does not.
extension NotificationSystem {
    package func brokenInvariants() -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        require(effects.isEmpty && changes.isEmpty && touched.isEmpty, "work is left over")
        for (connection, app) in connections {
            require(entries[app] != nil, "connection \(connection.rawValue) of an app that is not known")
        }
        for (app, entry) in entries {
            broken += (brokenRequests(app, entry) + brokenLists(app, entry) + brokenTellings(app, entry))
                .map { "\(app): \($0)" }
        }
        require(entries.values.reduce(0) { $0 + $1.delivered.count } == shown.count, "a notification in no list")
        require(entries.values.reduce(0) { $0 + $1.mutations } == mutations.count, "mutations are miscounted")
        for (id, record) in mutations {
            require(entries[record.app] != nil, "a mutation of no app")
            require(wallOffset == nil || due.time(.mutation(id)) != nil, "a mutation is waited for without end")
        }
        broken += brokenPushes()
        return broken
    }

    private func brokenRequests(_ app: AppIdentifier, _ entry: AppEntry) -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        let pending = entry.pending
        require(entry.record.app == app && pending.allSatisfy { $0.record.app == app }, "has what is another's")
        require(pending.count <= rules.mostPending, "\(pending.count) wait")
        require(Set(pending.map(\.record.request.identifier)).count == pending.count, "two of the same identifier")
        require(waiting.contains(app) == !pending.isEmpty, "counted as waiting, or not")
        for record in pending.map(\.record) {
            switch record.request.trigger {
            case .now, .push: broken.append("\(record.request.identifier) waits for nothing")
            case .after: require(record.dueInstant != nil && record.due == nil, "an interval without an end")
            case .matching: require(record.due != nil && record.dueInstant == nil, "a date without a time")
            case .region: require(record.due == nil && record.dueInstant == nil, "a place with a time")
            }
            if let due = record.due, record.request.trigger.repeats { require(due > record.since, "it goes back") }
        }
        guard wallOffset != nil else { return broken }
        let first = firstDue(app)
        require(due.time(.interval(app)) == first.instant, "the boot clock is set otherwise")
        require(dueByWall.time(app) == first.wall, "the wall clock is set otherwise")
        require(first.instant.map { $0 > now } ?? true, "it was due, and is not shown")
        require(first.wall.map { $0 > wall } ?? true, "it was due by the wall clock, and is not shown")
        return broken
    }

    private func brokenLists(_ app: AppIdentifier, _ entry: AppEntry) -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        let records = entry.delivered.compactMap { shown[$0] }
        require(records.count == entry.delivered.count, "lists what is not shown")
        require(records.allSatisfy { $0.app == app }, "lists what is another's")
        require(Set(records.map(\.notification.request.identifier)).count == records.count, "shows one twice")
        require(records.count <= rules.mostDelivered, "lists \(records.count)")
        let orders = records.map(\.order)
        require(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 }, "lists them out of order")
        require(records.allSatisfy { $0.id.rawValue < counters.nextNotification }, "a number will be given again")
        require(entry.record.badge >= 0, "a badge below zero")
        require(
            entry.greeted.allSatisfy { connections[$0] == app } && Set(entry.greeted).count == entry.greeted.count,
            "speaks to strangers")
        require(registered.contains(app) == entry.record.isRegistered, "counted as registered, or not")
        require(placed.contains(app) == (entry.record.hasPlaces == true), "counted as having places, or not")
        require(entry.places.retryAt == nil || due.time(.places(app)) != nil, "asks for its places never again")
        require(
            entry.waiters.isEmpty || entry.record.isRegistered && entry.record.token == nil,
            "keeps an app waiting for its token")
        return broken
    }

    private func brokenTellings(_ app: AppIdentifier, _ entry: AppEntry) -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        let tellings = entry.tellings
        let numbers = tellings.map(\.number)
        require(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "tells out of order")
        require(numbers.allSatisfy { $0 < entry.record.nextTelling }, "a number will be told again")
        require(tellings.count <= rules.mostTellings, "\(tellings.count) are to be told")
        require(telling.contains(app) == !tellings.isEmpty, "counted as to be told, or not")
        for window in WakeWindow.allCases {
            let woken = tellings.count { $0.window == window && ($0.isHanded || $0.isAsked) }
            require(woken <= 1, "woken twice for \(window.rawValue)")
        }
        for entry in tellings {
            require(entry.toldOn.map { connections[$0] == app } ?? true, "told a stranger")
            require(!entry.isHanded || entry.handedUntil != nil, "handed for ever")
            require(!(entry.isAsked || entry.isHanded) || hasSystem, "woken by no system")
            if case .willPresent = entry.record.telling.kind, let presence = self.entries[app]?.presence {
                require(presence.isOnScreen, "asks an app that is not on the screen")
            }
        }
        guard wallOffset != nil else { return broken }
        let instants = tellings.compactMap(\.nextInstant)
        require(due.time(.tellings(app)) == instants.min(), "nobody looks at what is told again")
        require(instants.allSatisfy { $0 > now }, "time for an answer is over")
        return broken
    }

    private func brokenPushes() -> [String] {
        var broken: [String] = []
        func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { broken.append(text()) } }
        require(seen.count <= Int(rules.mostSeen), "\(seen.count) messages are remembered")
        for (app, push) in held {
            guard let entry = entries[app] else {
                broken.append("holds a push for nobody")
                continue
            }
            require(!entry.record.isClosedByUser || entry.isOnScreen, "\(app): holds a push that no one will get")
            require(push.app == app, "\(app): holds another's push")
            let isWaitedFor =
                due.time(.budget(app)) != nil || entry.tellings.contains { $0.push != nil } || conditions.savesPower
            require(isWaitedFor || wallOffset == nil, "\(app): nothing lets its push through")
        }
        for (app, budget) in budgets {
            require(budget.credit >= .zero && budget.credit <= fullCredit, "\(app): \(budget.credit) of credit")
            require(budget.hour.parts.count <= HourCount.mostParts, "\(app): counts more than an hour")
        }
        for app in link.wanted {
            require(entries[app]?.record.isRegistered == true, "\(app): wants a token that it did not ask for")
        }
        require(link.askedAt == nil || link.isUp, "asks nobody")
        require((due.time(.keepAlive) != nil) == link.isUp, "keep-alives without a link, or a link without")
        require(link.networks.count <= rules.mostNetworks, "\(link.networks.count) networks")
        return broken
    }
}
