internal import Model

/// What apps are told, each thing until the app has answered: by its connection, or by waking or opening it first.
extension NotificationSystem {
    mutating func tell(_ app: AppIdentifier, _ kind: Telling.Kind, _ way: TellingRecord.Way) {
        guard let entry = entries[app] else { return }
        if entry.tellings.count >= rules.mostTellings, let first = entry.tellings.first {
            giveUp(app, first, "\(rules.mostTellings) others wait")
        }
        let id = TellingID(app, entry.record.nextTelling)
        change(app) { $0.nextTelling += 1 }
        var new = TellingEntry(TellingRecord(telling: Telling(id: id, kind: kind), way: way, created: wall))
        new.deadline = deadline(of: new.record)
        store(.telling(new.record))
        entries[app]?.tellings.append(new)
        telling.insert(app)
        touched.insert(app)
    }

    /// By when it is to be answered, whether or not it was told. A push has its time from when it was told.
    func deadline(of record: TellingRecord) -> Instant? {
        switch record.telling.kind {
        case .willPresent: return now + rules.presentTime
        case .didReceive:
            let age = max(.zero, wall - record.created)
            return now + max(.zero, rules.responseTime - age)
        case .push: return nil
        }
    }

    private func place(_ app: AppIdentifier, _ number: TellingNumber) -> Int? {
        entries[app]?.tellings.firstIndex { $0.number == number }
    }

    /// It is over, and of no more interest.
    mutating func conclude(_ app: AppIdentifier, _ number: TellingNumber) {
        guard let place = place(app, number), let entry = entries[app]?.tellings.remove(at: place) else { return }
        erase(.telling(entry.record.telling.id))
        if entries[app]?.tellings.isEmpty == true { telling.remove(app) }
        touched.insert(app)
        if entry.push != nil { release(app) }
    }

    private mutating func giveUp(_ app: AppIdentifier, _ entry: TellingEntry, _ reason: String) {
        report(.untold(entry.record.telling.id, reason))
        conclude(app, entry.number)
    }

    // MARK: What follows from an event

    mutating func settle(_ app: AppIdentifier) {
        guard let entry = entries[app], !entry.tellings.isEmpty else { return due.set(.tellings(app), nil) }
        presentIfOffScreen(app)
        for number in (entries[app]?.tellings ?? []).map(\.number) { drive(app, number) }
        let instants = (entries[app]?.tellings ?? []).compactMap(\.nextInstant)
        due.set(.tellings(app), instants.min())
    }

    /// An app that has left the screen does not decide any more.
    private mutating func presentIfOffScreen(_ app: AppIdentifier) {
        guard let entry = entries[app], let presence = entry.presence, !presence.isOnScreen else { return }
        for telling in entry.tellings {
            guard case .willPresent(let notification) = telling.record.telling.kind else { continue }
            conclude(app, telling.number)
            present(notification, of: app, nil)
        }
        touched.remove(app)
    }

    private mutating func drive(_ app: AppIdentifier, _ number: TellingNumber) {
        guard let place = place(app, number), let entry = entries[app], !entry.tellings[place].isWithApp,
            !entry.tellings[place].isAsked
        else { return }
        let telling = entry.tellings[place]
        switch telling.record.telling.kind {
        case .willPresent: if entry.isOnScreen { speak(app, place) }
        case .push:
            if telling.isHanded { return }
            if entry.isOnScreen { speak(app, place) } else { wake(app, place, .push, "a push") }
        case .didReceive(let response):
            if entry.isOnScreen || entry.isWokenForResponse { return speak(app, place) }
            switch telling.record.way {
            case .open: open(app, place, response)
            case .wake, .connection: wake(app, place, .response, "what the user answered")
            }
        }
    }

    private mutating func speak(_ app: AppIdentifier, _ place: Int) {
        guard var telling = entries[app]?.tellings[place], let connection = entries[app]?.greeted.last else { return }
        if telling.tries >= rules.mostTimes {
            return giveUp(app, telling, "the app ended each of \(telling.tries) times that it was told")
        }
        telling.tries += 1
        telling.toldOn = connection
        if telling.push != nil { telling.deadline = now + rules.pushTime }
        if telling.record.way == .open, !telling.record.isOpened {
            // Should it die of that: it does not come to the screen by itself.
            telling.record.isOpened = true
            store(.telling(telling.record))
        }
        entries[app]?.tellings[place] = telling
        effects.append(.tell(connection, telling.record.telling))
    }

    private mutating func wake(_ app: AppIdentifier, _ place: Int, _ window: WakeWindow, _ because: String) {
        guard hasSystem, let entry = entries[app] else { return }
        let telling = entry.tellings[place]
        guard !telling.isHanded, !telling.isBlocked, telling.retryAt == nil,
            !entry.tellings.contains(where: { $0.window == window && ($0.isHanded || $0.isAsked) })
        else { return }
        if telling.record.times >= rules.mostTimes {
            return giveUp(app, telling, "the app ended each of \(telling.record.times) times that it was woken")
        }
        entries[app]?.tellings[place].isAsked = true
        effects.append(.wake(WakeOrder(telling: telling.record.telling, window: window, because: because)))
    }

    private mutating func open(_ app: AppIdentifier, _ place: Int, _ response: NotificationResponse) {
        guard hasSystem, let telling = entries[app]?.tellings[place], !telling.record.isOpened else { return }
        entries[app]?.tellings[place].isAsked = true
        let isRemote = response.notification.request.trigger == .push
        effects.append(
            .open(
                OpenOrder(
                    telling: telling.record.telling, response: response,
                    option: isRemote ? .remoteNotification : .localNotification,
                    because: "the user tapped a notification")))
    }

    // MARK: Answers

    mutating func answered(_ connection: ConnectionID, _ number: TellingNumber, _ answer: TellingAnswer) {
        guard let app = connections[connection], let place = place(app, number),
            let telling = entries[app]?.tellings[place]
        else { return }
        switch (telling.record.telling.kind, answer) {
        case (.willPresent(let notification), .present(let options)):
            conclude(app, number)
            present(notification, of: app, options)
        case (.didReceive, .done), (.push, .fetched): conclude(app, number)
        case (.willPresent, .done), (.willPresent, .fetched), (.didReceive, .present), (.didReceive, .fetched),
            (.push, .present), (.push, .done):
            return
        }
    }

    mutating func woken(_ id: TellingID, _ answer: WakeAnswer) {
        guard let place = place(id.app, id.number), var telling = entries[id.app]?.tellings[place], telling.isAsked
        else { return }
        telling.isAsked = false
        switch (answer, telling.record.way == .open) {
        case (.allowed, true), (.notNow, true):
            // A later moment would take the user by surprise: it is told when it comes to the screen.
            telling.record.isOpened = true
            store(.telling(telling.record))
        case (.allowed, false):
            telling.isHanded = true
            telling.handedUntil = now + rules.pushTime * 2
            telling.record.times += 1
            store(.telling(telling.record))
        case (.notNow, false): telling.retryAt = now + rules.wakeAgain
        case (.never, true): return giveUp(id.app, telling, "the app cannot be opened")
        case (.never, false):
            if let push = telling.push {
                report(.pushDropped(app: id.app.rawValue, push.push, .notWoken))
                return conclude(id.app, id.number)
            }
            telling.isBlocked = true
        case (.lost, _): break
        }
        entries[id.app]?.tellings[place] = telling
        touched.insert(id.app)
    }

    mutating func windowEnded(_ app: AppIdentifier, _ window: WakeWindow, _ result: WindowResult) {
        for telling in entries[app]?.tellings ?? [] where telling.window == window {
            guard let place = place(app, telling.number) else { continue }
            entries[app]?.tellings[place].retryAt = nil
            // While the app was at it the system did not wake it again: it was told then.
            guard telling.isHanded || telling.mayBeHanded else { continue }
            entries[app]?.tellings[place].mayBeHanded = false
            entries[app]?.tellings[place].isHanded = false
            entries[app]?.tellings[place].handedUntil = nil
            switch result {
            case .done, .late: conclude(app, telling.number)
            case .gone: entries[app]?.tellings[place].isInHand = false
            }
        }
        touched.insert(app)
    }

    mutating func tellingsAreDue(_ app: AppIdentifier) {
        touched.insert(app)
        for telling in entries[app]?.tellings ?? [] {
            guard let place = place(app, telling.number) else { continue }
            if let retryAt = telling.retryAt, retryAt <= now { entries[app]?.tellings[place].retryAt = nil }
            if let until = telling.handedUntil, until <= now {
                // Its end was not told: it is woken again, by the same number.
                entries[app]?.tellings[place].handedUntil = nil
                entries[app]?.tellings[place].isHanded = false
            }
            guard let deadline = telling.deadline, deadline <= now else { continue }
            switch telling.record.telling.kind {
            case .willPresent(let notification):
                conclude(app, telling.number)
                // It cannot be asked, and has decided nothing: it is shown like those of an app off the screen.
                guard telling.isWithApp else {
                    present(notification, of: app, nil)
                    break
                }
                report(.notShown(app, identifier: notification.request.identifier, .noAnswer))
            case .didReceive: giveUp(app, telling, "no delegate wanted it")
            case .push:
                // A process that is suspended has not had its time.
                let isOver = telling.isWithApp && entries[app]?.presence?.isRunning == true
                if isOver {
                    giveUp(app, telling, "it did not call its completion handler in time")
                } else {
                    entries[app]?.tellings[place].deadline = telling.isWithApp ? now + rules.pushTime : nil
                }
            }
        }
    }

    // MARK: What the system says of apps

    mutating func presenceChanged(_ app: AppIdentifier, _ presence: NotificationPresence) {
        know(app)
        let wasOnScreen = entries[app]?.isOnScreen ?? false
        entries[app]?.presence = presence
        touched.insert(app)
        if presence == .none {
            entries[app]?.greeted = []
            changeTellings(app) {
                $0.toldOn = nil
                $0.isInHand = false
                $0.mayBeHanded = false
            }
        }
        if wasOnScreen, !presence.isOnScreen, conditions.isRadioWarm { adviseGateway() }
        guard presence.isOnScreen, !wasOnScreen else { return }
        change(app) { $0.isClosedByUser = false }
        adviseGateway(of: app)
        changeTellings(app) {
            $0.isBlocked = false
            $0.retryAt = nil
        }
        release(app)
    }

    mutating func closedByUser(_ app: AppIdentifier) {
        know(app)
        change(app) { $0.isClosedByUser = true }
        dropHeld(app, .closedByUser)
        adviseGateway(of: app)
        for telling in entries[app]?.tellings ?? [] {
            guard let push = telling.push else { continue }
            report(.pushDropped(app: app.rawValue, push.push, .closedByUser))
            conclude(app, telling.number)
        }
    }

    mutating func forgetWakes(_ app: AppIdentifier) {
        touched.insert(app)
        changeTellings(app) {
            $0.isAsked = false
            $0.mayBeHanded = $0.isHanded || $0.mayBeHanded
            $0.isHanded = false
            $0.handedUntil = nil
        }
    }

    private mutating func changeTellings(_ app: AppIdentifier, _ body: (inout TellingEntry) -> Void) {
        for place in entries[app]?.tellings.indices ?? 0..<0 {
            guard var telling = entries[app]?.tellings[place] else { continue }
            body(&telling)
            entries[app]?.tellings[place] = telling
        }
    }
}

extension AppEntry {
    /// Its process runs because of an answer: it is told of all of them.
    fileprivate var isWokenForResponse: Bool {
        presence?.isRunning == true && tellings.contains { $0.isHanded && $0.window == .response }
    }
}
