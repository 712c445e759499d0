internal import LocationModel
internal import Model
internal import ServiceCore

// Standard updates: who gets them, and by which source.
extension LocationSystem {
    /// Its fixes are of use to it now.
    func receives(_ party: Party) -> Bool {
        guard let updates = party.updates, !updates.isPaused, authorization(of: party.app).allows else { return false }
        return mayReceive(party)
    }

    /// It is seen, or may go on unseen.
    func mayReceive(_ party: Party) -> Bool {
        guard party.standing.isRunning, party.stops[.updating] == nil else { return false }
        // What woke it lets it ask for where exactly it is.
        if case .allowed = party.waking { return true }
        if party.isRefused { return false }
        return party.standing.isVisible || party.updates.map { goesOnUnseen($0, party.app) } ?? false
    }

    func goesOnUnseen(_ updates: Party.Updates, _ app: AppIdentifier) -> Bool {
        records[app]?.hasKey == true && (updates.settings.allowsBackground || !rules.needsBackgroundFlag)
    }

    /// What it wants by now, all of it together.
    func wishes(of party: Party) -> [UpdateSettings] {
        guard authorization(of: party.app).allows else { return [] }
        let once = party.standing.isRunning ? party.once.map(\.settings) : []
        return once + (receives(party) ? (party.updates.map { [$0.settings] } ?? []) : [])
    }

    /// The cheapest source that is as exact as that; what is dearer is powered when it says nothing. What would be
    /// better, and has gone, is asked as well.
    func source(for settings: UpdateSettings, isOverdue: Bool) -> Set<FixSource> {
        if isKnownByCell(settings) { return [.cell] }
        let ladder = FixSource.allCases.filter { sources[$0]?.isPresent ?? false }
        guard let best = ladder.last else { return Set(sources.keys) }
        let sufficient = ladder.first { suffices($0, settings.accuracy) }
        let chosen = sufficient ?? best
        let missed = away.filter { source in
            sufficient == nil ? source > chosen : source < chosen && suffices(source, settings.accuracy)
        }
        let dearer = isOverdue ? ladder.first { $0 > chosen } : nil
        return Set([chosen, dearer].compactMap(\.self) + missed)
    }

    /// A cheaper source has had its time.
    func isOverdue(_ updates: Party.Updates?) -> Bool {
        updates.map { now - $0.waitsSince >= $0.patience(rules).help } ?? false
    }

    private func suffices(_ source: FixSource, _ accuracy: Double) -> Bool {
        switch source {
        case .gps: return true
        case .network:
            guard accuracy >= 100 else { return false }
            return lastOf[.network].map { $0.fix.accuracy <= accuracy } ?? (accuracy >= 100)
        case .cell: return false
        }
    }

    /// Where the cell is says enough; that comes again only when it is another one.
    func isKnownByCell(_ settings: UpdateSettings) -> Bool {
        guard settings.accuracy >= 1000, let cell = cellFix else { return false }
        return cell.accuracy <= settings.accuracy
    }

    /// The last one, where it is as exact and as fresh as somebody wants who wants one.
    func goodEnough(for settings: UpdateSettings) -> Fix? {
        guard let last = lastFix, now - last.at <= .seconds(5) else { return nil }
        return last.fix.accuracy <= max(settings.accuracy, 10) ? last.fix : nil
    }

    // MARK: After each event

    mutating func settleUpdates(_ app: AppIdentifier) {
        settleOnce(app)
        guard let party = parties[app], let updates = party.updates else { return }
        guard receives(party), !isKnownByCell(updates.settings) else {
            return with(app) { [now] in $0.updates?.waitsSince = now }
        }
        if !updates.hasFailed, now - updates.waitsSince >= updates.patience(rules).failure,
            let connection = party.connection
        {
            with(app) { $0.updates?.hasFailed = true }
            emit(.notify(connection, .failed(.locationUnknown, missing)))
        }
        settlePause(app, updates)
    }

    /// Why there is no fix, for people.
    var missing: String {
        let sentences = FixSource.allCases.reversed().compactMap { source -> String? in
            switch sources[source] {
            case .present?: powered.contains(source) ? "\(source.words) found no place yet" : nil
            case .absent(let why)?: why
            case nil: nil
            }
        }
        return sentences.isEmpty ? "this device has no source of location" : sentences.joined(separator: "; ")
    }

    private mutating func settleOnce(_ app: AppIdentifier) {
        for once in parties[app]?.once ?? [] where now - once.since >= rules.onceTime {
            with(app) { $0.once.removeAll { $0.request == once.request } }
            // Something is better than nothing.
            if let last = lastFix, now - last.at <= rules.onceTime {
                emit(.reply(once.request, .fix(last.fix.seen(reduced: isReduced(app)))))
            } else {
                emit(.refuse(once.request, .unknown(missing)))
            }
        }
    }

    mutating func refuseOnce(_ app: AppIdentifier, _ refusal: LocationRefusal) {
        for once in parties[app]?.once ?? [] { emit(.refuse(once.request, refusal)) }
        with(app) { $0.once = [] }
    }

    /// Nothing has moved for a while, and the app lets its updates stop for that.
    private mutating func settlePause(_ app: AppIdentifier, _ updates: Party.Updates) {
        guard updates.settings.pausesAutomatically, let still = updates.still else { return }
        guard now - still.since >= rules.stillTime(updates.settings.activity == .fitness) else { return }
        with(app) { $0.updates?.isPaused = true }
        tell(app, .paused)
        emit(.note(app, "its location updates pause: the device has not moved for \((now - still.since).words)"))
    }

    /// There is a sign that the device moves.
    mutating func resumePaused() {
        for app in concerned {
            guard let party = parties[app], let updates = party.updates, updates.isPaused, party.standing.isRunning
            else { continue }
            with(app) { [now] in $0.updates = Party.Updates(updates.settings, at: now) }
            tell(app, .resumed)
        }
    }

    // MARK: A fix

    mutating func deliver(_ fix: Fix) {
        for app in concerned {
            guard let party = parties[app] else { continue }
            for once in party.once where fix.accuracy <= max(once.settings.accuracy, 20) {
                with(app) { $0.once.removeAll { $0.request == once.request } }
                emit(.reply(once.request, .fix(fix.seen(reduced: isReduced(app)))))
            }
            deliver(fix, to: app)
        }
    }

    mutating func deliver(_ fix: Fix, to app: AppIdentifier) {
        guard let party = parties[app], let updates = party.updates, receives(party), party.isGreeted,
            let connection = party.connection
        else { return }
        deliver(fix, updates, app, connection)
    }

    private mutating func deliver(
        _ fix: Fix, _ updates: Party.Updates, _ app: AppIdentifier, _ connection: ConnectionID
    ) {
        note(fix, updates, app)
        if let last = updates.lastTold, let at = updates.lastToldAt {
            let isWorse = fix.accuracy > max(updates.settings.accuracy, last.accuracy * 1.5, 20)
            // A rough one beside exact ones says nothing new.
            if isWorse, now - at < rules.patience { return }
            let filter = updates.settings.distanceFilter
            let isBetter = fix.accuracy < last.accuracy / 2
            if filter > 0, !isBetter, last.coordinate.nearDistance(to: fix.coordinate) < filter { return }
        }
        with(app) { [now] party in
            party.updates?.lastTold = fix
            party.updates?.lastToldAt = now
        }
        emit(.notify(connection, .fixes([fix.seen(reduced: isReduced(app))])))
    }

    private mutating func note(_ fix: Fix, _ updates: Party.Updates, _ app: AppIdentifier) {
        let isOverdue = fix.accuracy > max(updates.settings.accuracy, 100)
        let hasMoved =
            updates.still.map {
                $0.place.nearDistance(to: fix.coordinate) > max(rules.stillDistance, fix.accuracy * 1.5)
            } ?? true
        with(app) { [now] party in
            party.updates?.hasFailed = false
            if !isOverdue { party.updates?.waitsSince = now }
            if hasMoved { party.updates?.still = (fix.coordinate, now) }
        }
    }

    mutating func turned(to heading: Heading) {
        for party in concerned.compactMap({ parties[$0] }) where party.wantsHeading && party.isGreeted {
            if let connection = party.connection, party.standing.isVisible || mayReceive(party) {
                emit(.notify(connection, .heading(heading)))
            }
        }
    }
}

extension FixSource {
    /// For people.
    var words: String {
        switch self {
        case .cell: "the cell"
        case .network: "the network"
        case .gps: "the satellites' receiver"
        }
    }
}

extension Double {
    /// For people, who may be told of any number that an app has sent.
    var whole: Int { isNaN ? 0 : Int(max(-1e15, min(1e15, rounded()))) }
}

extension Span {
    /// For people.
    var words: String {
        let seconds = self.seconds.whole
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}

extension Instant {
    /// Since boot.
    var seconds: Double { (self - .zero).seconds }
}
