internal import Model

/// Notifications whose time has come: shown, listed, withdrawn.
extension NotificationSystem {
    /// - Returns: it is shown, or its app decides.
    @discardableResult
    mutating func deliver(_ notification: ArrivedNotification, to app: AppIdentifier) -> Bool {
        guard let entry = entries[app] else { return false }
        let identifier = notification.request.identifier
        guard entry.record.settings.status.shows else {
            report(.notShown(app, identifier: identifier, .notAuthorized))
            return false
        }
        // One that answers nothing is not asked more and more.
        guard entry.isOnScreen, entry.tellings.count < rules.mostTellings else {
            present(notification, of: app, nil)
            return true
        }
        tell(app, .willPresent(notification), .connection)
        return true
    }

    /// - Parameter options: what the app's delegate said; `nil`: the app is not on the screen, and is not asked.
    mutating func present(
        _ notification: ArrivedNotification, of app: AppIdentifier, _ options: PresentationOptions?
    ) {
        guard let entry = entries[app] else { return }
        let settings = entry.record.settings
        let content = notification.request.content
        func wants(_ option: PresentationOptions) -> Bool { options.map { !$0.isDisjoint(with: option) } ?? true }
        if let badge = content.badge, settings.showsBadge, wants(.badge) { changeBadge(app, badge) }
        let isQuiet = settings.status == .provisional || content.interruption == .passive
        let sound = settings.playsSounds && !isQuiet && wants(.sound) ? content.sound : nil
        let hasBanner = settings.showsAlerts && content.hasAlert && !isQuiet && wants([.banner, .alert])
        let isListed = settings.showsAlerts && content.hasAlert && wants([.list, .alert])
        guard hasBanner || isListed else {
            if let sound { effects.append(.playSound(app, sound)) }
            if options?.isEmpty == true {
                report(.notShown(app, identifier: notification.request.identifier, .declinedByApp))
            }
            return
        }
        let id = keepShown(notification, of: app, isListed: isListed)
        if let record = shown[id] {
            effects.append(.present(presentation(record, hasBanner: hasBanner, sound: sound)))
        }
    }

    func presentation(_ record: DeliveredRecord, hasBanner: Bool, sound: String?) -> Presentation {
        let category = entries[record.app]?.category(of: record.notification)
        var level = record.notification.request.content.interruption
        let mayBeCritical = entries[record.app]?.record.settings.options.contains(.criticalAlert) ?? false
        if level == .critical, !mayBeCritical { level = .active }
        return Presentation(
            id: record.id, app: record.app, notification: record.notification, level: level, hasBanner: hasBanner,
            sound: sound,
            actions: category?.actions ?? [],
            tellsDismissal: category?.options.contains(.customDismissAction) ?? false)
    }

    private mutating func keepShown(
        _ notification: ArrivedNotification, of app: AppIdentifier, isListed: Bool
    ) -> NotificationID {
        let own = entries[app]?.delivered ?? []
        let identifier = notification.request.identifier
        let old = own.first { shown[$0]?.notification.request.identifier == identifier }
        let id: NotificationID
        if let old {
            id = old
            entries[app]?.delivered.removeAll { $0 == old }
        } else {
            if own.count >= rules.mostDelivered, let oldest = own.first { removeShown(oldest) }
            id = NotificationID(counters.nextNotification)
            counters.nextNotification += 1
            changes.counters = true
        }
        let record = DeliveredRecord(
            id: id, app: app, notification: notification, order: counters.nextOrder, isListed: isListed)
        counters.nextOrder += 1
        changes.counters = true
        shown[id] = record
        entries[app]?.delivered.append(id)
        store(.delivered(record))
        return id
    }

    /// - Parameter identifiers: `nil`: all of the list.
    mutating func removeDelivered(_ app: AppIdentifier, _ identifiers: [String]?) {
        guard let own = entries[app]?.delivered, !own.isEmpty else { return }
        let unwanted = identifiers.map(Set.init)
        for id in own {
            guard let record = shown[id] else { continue }
            if unwanted?.contains(record.notification.request.identifier) ?? record.isListed { removeShown(id) }
        }
    }

    mutating func removeAllShown(_ app: AppIdentifier) {
        for id in entries[app]?.delivered ?? [] { removeShown(id) }
    }

    mutating func removeShown(_ id: NotificationID) {
        guard let record = shown.removeValue(forKey: id) else { return }
        entries[record.app]?.delivered.removeAll { $0 == id }
        erase(.delivered(id))
        effects.append(.withdraw(id))
    }

    /// The banner is gone: what is in no list goes with it.
    mutating func expired(_ id: NotificationID) {
        guard let record = shown[id], !record.isListed else { return }
        removeShown(id)
    }

    // MARK: What a person does

    /// - Returns: why nothing came of it.
    mutating func acted(_ id: NotificationID, _ action: ResponseAction) -> NotificationRefusal? {
        guard let record = shown[id], let entry = entries[record.app] else { return .noSuchNotification }
        let category = entry.category(of: record.notification)
        var response = NotificationResponse(notification: record.notification, action: action, date: wall)
        var way: TellingRecord.Way? = .open
        switch action {
        case .open: break
        case .dismiss: way = category?.options.contains(.customDismissAction) == true ? .wake : nil
        case .custom(let identifier, let text):
            guard let known = category?.actions.first(where: { $0.identifier == identifier }) else {
                return .invalid(parameter: "action", "the notification offers no \(identifier)")
            }
            if let text, text.utf8.count > rules.longestContent {
                return .invalid(parameter: "text", "it is longer than \(rules.longestContent) bytes")
            }
            // What is not asked for is not passed on.
            response.action = .custom(identifier: identifier, text: known.textInput == nil ? nil : text ?? "")
            if !known.options.contains(.foreground) { way = .wake }
        }
        removeShown(id)
        if let way { tell(record.app, .didReceive(response), way) }
        return nil
    }
}
