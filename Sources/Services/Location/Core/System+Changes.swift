internal import LocationModel
internal import Model
internal import ServiceCore

/// Where the device stays.
struct Stay: Sendable {
    var place: Coordinate
    var accuracy: Double
    /// By the clock on the wall, and by ours.
    var since: Double
    var at: Instant
    var last: Double
}

// Significant changes, and visits.
extension LocationSystem {
    mutating func setSignificant(_ app: AppIdentifier, _ isOn: Bool) throws(LocationRefusal) {
        guard isOn else {
            with(app) { $0.changePending = nil }
            return change(app) { record in
                record.significant = nil
                record.dropChanges(but: nil)
            }
        }
        guard hasRadio else { throw .noCellRadio }
        try require(.always, app)
        guard records[app]?.significant == nil else { return }
        change(app) { $0.significant = AppRecord.Significant() }
        // The one that is known comes first.
        if let known = lastFix?.fix ?? cellFix ?? device.lastFix { tellChange(app, known) }
    }

    private var hasListeners: Bool { !registrations.listening.isEmpty }

    /// The device is in another cell.
    mutating func changedCell(isFirst: Bool) {
        lookSoon()
        guard hasListeners else { return }
        if let cell = cellFix {
            noteChange(cell)
        } else if let last = lastFix, now - last.at < .seconds(60) {
            noteChange(last.fix)
        } else if !isFirst || lastFix == nil {
            searchesChangeSince = searchesChangeSince ?? now
        }
    }

    mutating func decideChanges(_ fix: Fix) {
        guard hasListeners else {
            searchesChangeSince = nil
            return
        }
        let isSearched = searchesChangeSince != nil
        searchesChangeSince = nil
        if isSearched || rules.significantDistance != nil { noteChange(fix) }
    }

    /// Whoever has been told of another place long enough ago is told of this one.
    private mutating func noteChange(_ fix: Fix) {
        for app in registrations.listening.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let significant = records[app]?.significant else { continue }
            introduce(app)
            if let least = rules.significantDistance, let last = significant.last {
                let way = last.coordinate.nearDistance(to: fix.coordinate)
                // It has come back before that was told.
                guard way >= least else {
                    with(app) { $0.changePending = nil }
                    continue
                }
            }
            with(app) { $0.changePending = fix }
        }
    }

    func pauseOfChanges(_ party: Party) -> Span {
        conditions.isLocked && !party.standing.isVisible
            ? max(rules.significantPause, rules.sleepingPause) : rules.significantPause
    }

    var changeDeadline: Instant? {
        let due = concerned.compactMap { app -> Instant? in
            guard let party = parties[app], party.changePending != nil else { return nil }
            return party.changedAt.map { $0 + pauseOfChanges(party) } ?? now
        }.min()
        let search = searchesChangeSince.map { $0 + rules.lookTime }
        return [due, search].compactMap(\.self).min()
    }

    mutating func settleChange() {
        if let since = searchesChangeSince, now - since >= rules.lookTime { searchesChangeSince = nil }
        for app in concerned {
            guard let party = parties[app], let fix = party.changePending else { continue }
            if let at = party.changedAt, at + pauseOfChanges(party) > now { continue }
            tellChange(app, fix)
        }
    }

    private mutating func tellChange(_ app: AppIdentifier, _ fix: Fix) {
        change(app) { $0.significant?.last = fix }
        with(app) { [now] in ($0.changePending, $0.changedAt) = (nil, now) }
        tell(app, .significantChange(fix.seen(reduced: isReduced(app))))
    }

    // MARK: Visits

    mutating func visit(_ fix: Fix) {
        guard let known = stay, known.place.nearDistance(to: fix.coordinate) <= rules.visitRadius + fix.accuracy / 2
        else {
            if let known = stay { departed(known) }
            stay = Stay(place: fix.coordinate, accuracy: fix.accuracy, since: fix.time, at: now, last: fix.time)
            return
        }
        stay?.last = fix.time
        if fix.accuracy < known.accuracy {
            stay?.place = fix.coordinate
            stay?.accuracy = fix.accuracy
        }
        if now - known.at >= rules.visitTime { arrived() }
    }

    private var visitors: [AppIdentifier] { registrations.visiting.sorted { $0.rawValue < $1.rawValue } }

    private mutating func arrived() {
        guard let stay else { return }
        for app in visitors where records[app]?.visits?.current == nil {
            let visit = Visit(stay.place, accuracy: stay.accuracy, arrival: stay.since, departure: nil)
            change(app) { $0.visits?.current = visit }
            tell(app, .visit(visit))
        }
    }

    private mutating func departed(_ stay: Stay) {
        for app in visitors {
            guard var visit = records[app]?.visits?.current else { continue }
            visit.departure = stay.last
            change(app) { $0.visits?.current = nil }
            tell(app, .visit(visit))
        }
    }
}
