internal import AudioModel
internal import Model
internal import ServiceCore

// What apps are told: in order, each once, and kept until they have dealt with it.
extension AudioSystem {
    @discardableResult
    mutating func tell(_ id: PartyID, _ news: AudioNews, request: RequestID? = nil) -> NewsNumber {
        let number = newsNumber()
        let party = parties[id]
        let isBehind = party.map { $0.news.items.count >= rules.mostNews } ?? false
        if isBehind, let oldest = party?.news.items.first { giveUp(id, oldest.number) }
        let wakes = isWorthWaking(id, news)
        with(id) { [now] in
            $0.news.items.append(
                NewsQueue.Item(
                    number: number, news: news, request: request,
                    wakes: wakes ? .wanted(at: now, tries: 0) : .never))
        }
        return number
    }

    /// What an app out of sight would do about it at once.
    private func isWorthWaking(_ id: PartyID, _ news: AudioNews) -> Bool {
        guard let party = parties[id] else { return false }
        switch news {
        case .command: return true
        case .interruptionEnded(let shouldResume):
            return shouldResume && party.hasKey && party.session.settings.category.goesOnInBackground
        case .interrupted, .routeChanged, .silenceHint: return false
        }
    }

    // MARK: After each event

    mutating func settleNews(_ id: PartyID) {
        guard let party = parties[id], !party.news.isEmpty else { return }
        for item in party.news.items { settle(item, id) }
        for item in parties[id]?.news.items ?? [] where item.until.map({ $0 <= now }) ?? false {
            // The app had its time; what it says later is still taken.
            if item.request != nil { giveUp(id, item.number) } else { endTime(id, item.number) }
        }
    }

    private mutating func endTime(_ id: PartyID, _ number: NewsNumber) {
        with(id) { party in
            if let place = party.news.place(number) { party.news.items[place].until = nil }
        }
    }

    private mutating func settle(_ item: NewsQueue.Item, _ id: PartyID) {
        guard let party = parties[id] else { return }
        // It waits in the socket of a suspended app; one that is being started says hello first.
        if party.isGreeted, let connection = party.connection, item.connection != connection {
            let hasTime = party.standing.isRunning
            let time = item.news.isCommand ? rules.commandTime : rules.newsTime
            with(id) { [now, rules] party in
                guard let place = party.news.place(item.number) else { return }
                party.news.items[place].connection = connection
                if hasTime { party.news.items[place].until = now + time }
                if item.news.isCommand || item.news.endsInterruption { party.actsUntil = now + rules.commandTime }
            }
            emit(.tell(connection, item.number, item.news))
        }
        if party.standing.isRunning {
            // It hears it without the system's help.
            guard party.isGreeted, case .wanted = item.wakes else { return }
            return setWaking(id, item.number, .never)
        }
        wake(item, id)
    }

    private mutating func wake(_ item: NewsQueue.Item, _ id: PartyID) {
        guard hasSystem, case .wanted(let at, let tries) = item.wakes, at <= now, let app = id.app else { return }
        setWaking(id, item.number, .asked(tries: tries))
        emit(
            .wake(
                app, upTo: item.number, .told, because: item.news.because, payload: "\(item.number)"))
    }

    private mutating func setWaking(_ id: PartyID, _ number: NewsNumber, _ waking: NewsQueue.Item.Waking) {
        with(id) { party in
            if let place = party.news.place(number) { party.news.items[place].wakes = waking }
        }
    }

    // MARK: What becomes of it

    mutating func woken(_ app: AppIdentifier, _ number: NewsNumber, _ answer: WakeAnswer) {
        let id = PartyID.app(app)
        guard let place = parties[id]?.news.place(number), let item = parties[id]?.news.items[place],
            case .asked(let tries) = item.wakes
        else { return }
        switch answer {
        case .allowed:
            setWaking(id, number, .allowed)
            with(id) { [now, rules] in $0.news.items[place].until = now + rules.commandTime }
        case .notNow where tries + 1 < rules.mostWakes:
            setWaking(id, number, .wanted(at: now + rules.wakePause, tries: tries + 1))
        case .lost: setWaking(id, number, .wanted(at: now, tries: tries))
        case .notNow, .never:
            emit(.own(.report(.notWoken(app, item.news))))
            if item.request != nil || item.news.isCommand {
                giveUp(id, number)
            } else {
                setWaking(id, number, .never)
            }
        }
    }

    /// What it was woken for it has heard, or has had its time for.
    mutating func windowEnded(_ app: AppIdentifier) {
        let id = PartyID.app(app)
        for item in parties[id]?.news.items ?? [] where item.wakes == .allowed {
            // What it says of it comes by another way.
            with(id) { [now, rules] party in
                guard let place = party.news.place(item.number) else { return }
                party.news.items[place].wakes = .never
                party.news.items[place].until = now + rules.newsTime
            }
        }
    }

    mutating func answered(_ connection: ConnectionID, _ number: NewsNumber, _ status: AudioCommandStatus) {
        guard let id = connections[connection], let place = parties[id]?.news.place(number) else { return }
        var item: NewsQueue.Item?
        with(id) { item = $0.news.items.remove(at: place) }
        if let request = item?.request { emit(.reply(request, .status(status))) }
    }

    /// Nobody waits for it any more.
    mutating func giveUp(_ id: PartyID, _ number: NewsNumber) {
        guard let place = parties[id]?.news.place(number) else { return }
        var item: NewsQueue.Item?
        with(id) { item = $0.news.items.remove(at: place) }
        guard let item else { return }
        if let request = item.request { emit(.reply(request, .status(.failed))) }
        if item.connection != nil, let app = id.app { emit(.own(.report(.untold(app, item.news)))) }
    }

    /// What was for a process that is gone is of no use to the next one, but for a command that starts it.
    mutating func dropNewsOfProcess(_ id: PartyID) {
        for item in parties[id]?.news.items ?? [] {
            let isWaking = item.wakes != .never && item.news.isCommand && item.connection == nil
            if !isWaking { giveUp(id, item.number) }
        }
    }

    /// It has been told something, and is to deal with it before it may be suspended.
    func isTold(_ party: Party) -> Bool {
        party.standing.isRunning && party.news.items.contains { $0.until.map { now < $0 } ?? false }
    }
}

extension AudioNews {
    var isCommand: Bool {
        if case .command = self { true } else { false }
    }

    /// It says that the app should go on.
    var resumes: Bool { self == .interruptionEnded(shouldResume: true) }

    var interrupts: Bool {
        if case .interrupted = self { true } else { false }
    }

    var endsInterruption: Bool {
        if case .interruptionEnded = self { true } else { false }
    }

    /// For people.
    var because: String {
        switch self {
        case .command(let command): "the controls say \(command.kind.rawValue)"
        case .interruptionEnded: "what interrupted its audio is over"
        case .interrupted: "its audio is interrupted"
        case .routeChanged: "its audio has another route"
        case .silenceHint: "another app plays"
        }
    }
}
