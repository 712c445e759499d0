internal import LocationModel
internal import Model
internal import ServiceCore

// What apps are told: in order, each once, and kept until they have dealt with it.
extension LocationSystem {
    mutating func tell(_ app: AppIdentifier, _ news: LocationNews) {
        let waiting = records[app]?.news.count ?? 0
        change(app) { [rules] record in
            // Of changes only the newest place counts while nobody has heard of them.
            if case .significantChange = news { record.dropChanges(but: nil) }
            if waiting >= rules.mostNews { record.news.removeFirst() }
            record.news.append(AppRecord.Item(number: record.nextNews, news: news))
            record.nextNews += 1
        }
        guard news.wakes else { return }
        introduce(app)
        with(app) { [now] in if $0.waking == .idle { $0.waking = .wanted(at: now, tries: 0) } }
    }

    // MARK: After each event

    mutating func settleNews(_ app: AppIdentifier) {
        guard let party = parties[app], let record = records[app] else { return }
        guard !record.news.isEmpty else {
            return with(app) { if case .wanted = $0.waking { $0.waking = .idle } }
        }
        send(record.news, party)
        wake(record.news, app)
    }

    /// It waits in the socket of a suspended app; one that is being started says hello first.
    private mutating func send(_ items: [AppRecord.Item], _ party: Party) {
        guard party.isGreeted, let connection = party.connection else { return }
        let unsent = items.filter { !party.sent.contains($0.number) }
        guard !unsent.isEmpty else { return }
        with(party.app) { $0.sent.formUnion(unsent.map(\.number)) }
        for item in unsent { emit(.tell(connection, item.number, item.news)) }
    }

    private mutating func wake(_ items: [AppRecord.Item], _ app: AppIdentifier) {
        guard let party = parties[app], hasSystem, case .wanted(let at, let tries) = party.waking, at <= now else {
            return
        }
        guard let last = items.last(where: \.news.wakes) else { return with(app) { $0.waking = .idle } }
        // On the screen it hears it without the system's help.
        if party.standing.isVisible, party.standing.isRunning, party.isGreeted {
            return with(app) { $0.waking = .idle }
        }
        with(app) { $0.waking = .asked(tries: tries) }
        emit(
            .wake(
                app, upTo: last.number, .moved, because: last.news.because, payload: "\(last.number)"))
    }

    // MARK: What becomes of it

    mutating func woken(_ app: AppIdentifier, _ number: NewsNumber, _ answer: WakeAnswer) {
        guard case .asked(let tries)? = parties[app]?.waking else { return }
        let pause = rules.wakePause * Int64(1 << min(tries, 8))
        with(app) { [now, rules] party in
            switch answer {
            case .allowed: party.waking = .allowed(tries: tries)
            case .lost: party.waking = .wanted(at: now, tries: tries)
            case .notNow where tries + 1 < rules.mostWakes:
                party.waking = .wanted(at: now + pause, tries: tries + 1)
            case .notNow, .never: party.waking = .idle
            }
        }
        guard parties[app]?.waking == .idle, records[app]?.news.isEmpty == false else { return }
        emit(.note(app, "it could not be woken for where the device is: it hears of it when it is opened"))
    }

    /// It has heard what it was woken for, or has had its time for that.
    mutating func windowEnded(_ app: AppIdentifier) {
        guard case .allowed(let tries)? = parties[app]?.waking else { return }
        let isDone = records[app]?.news.isEmpty ?? true
        let runs = parties[app]?.standing.isRunning ?? false
        with(app) { [now, rules] party in
            // One that had no time is asked again when it runs, one that died is woken again, and not for ever.
            let isWokenAgain = !isDone && !runs && tries + 1 < rules.mostWakes
            party.waking =
                isWokenAgain ? .wanted(at: now + rules.wakePause * Int64(1 << min(tries, 8)), tries: tries + 1) : .idle
        }
    }

    mutating func answered(_ connection: ConnectionID, _ number: NewsNumber) {
        guard let app = connections[connection] else { return }
        change(app) { record in record.news.removeAll { $0.number == number } }
        with(app) { $0.sent.remove(number) }
        // The window may still be open, and more may come for which it was not opened.
        guard records[app]?.news.isEmpty == false, parties[app]?.waking == .idle,
            parties[app]?.standing.isRunning == false
        else { return }
        with(app) { [now] in $0.waking = .wanted(at: now, tries: 0) }
    }
}

extension AppRecord {
    mutating func dropChanges(but number: NewsNumber?) {
        news.removeAll { item in
            if case .significantChange = item.news { item.number != number } else { false }
        }
    }
}

extension LocationNews {
    /// For people.
    var because: String {
        switch self {
        case .significantChange: "the device is in another place"
        case .entered(let region, _): "the device has entered “\(region.identifier.prefix(60))”"
        case .exited(let region, _): "the device has left “\(region.identifier.prefix(60))”"
        case .visit(let visit): visit.departure == nil ? "the device stays in a place" : "the device has left a place"
        case .paused: "its location updates pause"
        case .resumed: "its location updates go on"
        }
    }
}
