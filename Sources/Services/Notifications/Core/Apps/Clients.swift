internal import Model

/// What apps and tools ask for.
extension NotificationSystem {
    mutating func attached(_ connection: ConnectionID, _ app: AppIdentifier) {
        know(app)
        connections[connection] = app
    }

    mutating func detached(_ connection: ConnectionID) {
        guard let app = connections.removeValue(forKey: connection), entries[app] != nil else { return }
        entries[app]?.greeted.removeAll { $0 == connection }
        entries[app]?.waiters.removeAll { $0.connection == connection }
        for place in entries[app]?.tellings.indices ?? 0..<0 where entries[app]?.tellings[place].toldOn == connection {
            entries[app]?.tellings[place].toldOn = nil
        }
        touched.insert(app)
    }

    mutating func app(_ connection: ConnectionID, _ request: RequestID, _ asked: AppRequest) {
        guard let app = connections[connection], let entry = entries[app] else {
            return effects.append(.refuse(request, .notAttached))
        }
        switch asked {
        case .hello(let running): hello(app, connection, running, request)
        case .authorize(let options): authorize(app, options, request)
        case .settings: reply(request, .settings(entry.record.settings))
        case .add(let notification):
            do throws(NotificationRefusal) {
                let dropped = try add(notification, for: app)
                reply(request, .added(dropped: dropped))
            } catch {
                effects.append(.refuse(request, error))
            }
        case .pending: reply(request, .pending(pending(of: app)))
        case .removePending(let identifiers):
            removePending(app, identifiers)
            reply(request, .done)
        case .delivered: reply(request, .delivered(delivered(of: app)))
        case .removeDelivered(let identifiers):
            removeDelivered(app, identifiers)
            reply(request, .done)
        case .setCategories(let categories): setCategories(app, categories, request)
        case .categories: reply(request, .categories(entry.categories))
        case .setBadge(let count): setBadge(app, count, connection, request)
        case .register: register(app, connection, request)
        case .unregister:
            unregister(app)
            reply(request, .done)
        case .opening: reply(request, .opening(entry.tellings.last { $0.record.way == .open }?.record.telling))
        }
    }

    mutating func reply(_ request: RequestID, _ reply: NotificationReply) { effects.append(.reply(request, reply)) }

    private mutating func hello(
        _ app: AppIdentifier, _ connection: ConnectionID, _ running: Set<TellingNumber>, _ request: RequestID
    ) {
        guard let entry = entries[app] else { return }
        entries[app]?.greeted.removeAll { $0 == connection }
        entries[app]?.greeted.append(connection)
        for (place, telling) in entry.tellings.enumerated() {
            if running.contains(telling.number) {
                entries[app]?.tellings[place].isInHand = true
                if telling.push != nil { entries[app]?.tellings[place].deadline = now + rules.pushTime }
            } else if entry.greeted.isEmpty {
                // Another process, perhaps: what the one before had in hand went with it.
                entries[app]?.tellings[place].isInHand = false
            }
        }
        reply(
            request,
            .hello(
                Hello(settings: entry.record.settings, badge: entry.record.badge, token: entry.record.token)))
        touched.insert(app)
    }

    private mutating func setCategories(
        _ app: AppIdentifier, _ categories: [NotificationCategory], _ request: RequestID
    ) {
        if let fault = categories.fault(rules) {
            return effects.append(.refuse(request, .invalid(parameter: fault.parameter, fault.text)))
        }
        if entries[app]?.categories != categories {
            entries[app]?.categories = categories
            if categories.isEmpty { erase(.categories(app)) } else { store(.categories(app, categories)) }
        }
        reply(request, .done)
    }

    // MARK: Tools

    mutating func tool(_ request: RequestID, _ asked: ToolRequest) {
        switch asked {
        case .show(let app, let notification):
            guard entries[app] != nil else { return effects.append(.refuse(request, .noSuchApp)) }
            do throws(NotificationRefusal) {
                let dropped = try add(notification, for: app)
                reply(request, .added(dropped: dropped))
            } catch {
                effects.append(.refuse(request, error))
            }
        case .act(let id, let action):
            guard let refusal = acted(id, action) else { return reply(request, .done) }
            effects.append(.refuse(request, refusal))
        case .decide(let app, let isAllowed):
            guard entries[app] != nil else { return effects.append(.refuse(request, .noSuchApp)) }
            decide(app, isAllowed: isAllowed)
            reply(request, .done)
        case .push(let message):
            guard let app = message.app, entries[app] != nil else {
                return effects.append(.refuse(request, .noSuchApp))
            }
            let outcome = arrived(message, app, isFromTool: true)
            reply(request, .outcome(outcome.sentence, isDropped: outcome.isDropped))
        case .cross(let app, let region, let isEntry):
            guard entries[app] != nil else { return effects.append(.refuse(request, .noSuchApp)) }
            reply(request, .crossed(notifications: regionCrossed(app, region, isEntry)))
        }
    }

    // MARK: Removal

    mutating func forget(_ app: AppIdentifier, _ request: RequestID) {
        defer { reply(request, .done) }
        guard let entry = entries[app] else { return }
        for waiter in entry.waiters { effects.append(.refuse(waiter.request, .noSuchApp)) }
        removePending(app, nil)
        removeDelivered(app, nil)
        for id in entry.delivered where shown[id] != nil { removeShown(id) }
        for telling in entry.tellings { erase(.telling(telling.record.telling.id)) }
        for (id, record) in mutations where record.app == app { endMutation(id) }
        if !entry.categories.isEmpty { erase(.categories(app)) }
        if budgets.removeValue(forKey: app) != nil { erase(.budget(app)) }
        if held.removeValue(forKey: app) != nil { erase(.held(app)) }
        if entry.record.isRegistered { effects.append(.unregister(topic: app.rawValue)) }
        if entry.record.badge != 0 { effects.append(.badge(app, 0)) }
        erase(.app(app))
        due.set(.tellings(app), nil)
        due.set(.budget(app), nil)
        due.set(.places(app), nil)
        telling.remove(app)
        touched.remove(app)
        changes.apps.remove(app)
        changes.budgets.remove(app)
        link.wanted.remove(app)
        registered.remove(app)
        placed.remove(app)
        entries[app] = nil
        for (connection, other) in connections where other == app { connections[connection] = nil }
    }
}
