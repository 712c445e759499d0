internal import Model

/// What apps may show, and the numbers on their icons.
extension NotificationSystem {
    mutating func authorize(_ app: AppIdentifier, _ options: AuthorizationOptions, _ request: RequestID) {
        let isProvisional = options.contains(.provisional)
        let badge = visibleBadge(app)
        let grantsAtFirst = rules.grantsAtFirst
        change(app) { record in
            switch record.settings.status {
            case .denied: return
            case .notDetermined where !grantsAtFirst: record.settings.status = .denied
            case .notDetermined:
                record.settings.status = isProvisional ? .provisional : .authorized
                record.settings.options = options.subtracting(.provisional)
            case .provisional:
                if !isProvisional { record.settings.status = .authorized }
                record.settings.options.formUnion(options.subtracting(.provisional))
            case .authorized: record.settings.options.formUnion(options.subtracting(.provisional))
            }
        }
        if visibleBadge(app) != badge { effects.append(.badge(app, visibleBadge(app))) }
        reply(request, .authorized(entries[app]?.record.settings.status.shows ?? false))
    }

    /// A person does.
    mutating func decide(_ app: AppIdentifier, isAllowed: Bool) {
        let badge = visibleBadge(app)
        change(app) { record in
            record.settings.status = isAllowed ? .authorized : .denied
            if isAllowed, record.settings.options.isEmpty { record.settings.options = [.alert, .sound, .badge] }
        }
        if !isAllowed { removeAllShown(app) }
        if visibleBadge(app) != badge { effects.append(.badge(app, visibleBadge(app))) }
    }

    // MARK: Badges

    private func visibleBadge(_ app: AppIdentifier) -> Int {
        guard let record = entries[app]?.record, record.settings.showsBadge else { return 0 }
        return record.badge
    }

    mutating func setBadge(_ app: AppIdentifier, _ count: Int, _ connection: ConnectionID, _ request: RequestID) {
        guard count >= 0 else {
            return effects.append(.refuse(request, .invalid(parameter: "count", "it is less than zero")))
        }
        guard count == 0 || entries[app]?.record.settings.showsBadge == true else {
            return effects.append(.refuse(request, .notAllowed))
        }
        changeBadge(app, count, except: connection)
        reply(request, .done)
    }

    /// Each process of the app knows it but the one that has said it.
    mutating func changeBadge(_ app: AppIdentifier, _ count: Int, except connection: ConnectionID? = nil) {
        guard let entry = entries[app], entry.record.badge != count else { return }
        let before = visibleBadge(app)
        change(app) { $0.badge = count }
        if visibleBadge(app) != before { effects.append(.badge(app, visibleBadge(app))) }
        for other in entry.greeted where other != connection { effects.append(.tellBadge(other, count)) }
    }
}
