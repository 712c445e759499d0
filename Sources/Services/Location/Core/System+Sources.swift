internal import LocationModel
internal import Model
internal import ServiceCore

/// A fix far from where the device was, until others bear it out.
struct Doubt: Sendable {
    var fix: Fix
    var since: Instant
    var count: Int
}

/// For whom satellites are received: those who asked themselves, or all who monitor something.
struct SatelliteUsers: Hashable, Sendable {
    var own: [AppIdentifier] = []
    /// Which of them there were by then; `nil`: it is not for them.
    var lookers: Int?

    var isEmpty: Bool { own.isEmpty && lookers == nil }
}

// What sources say, and which of them are powered.
extension LocationSystem {
    mutating func sourceChanged(_ source: FixSource, _ state: SourceState) {
        let before = sources[source]
        sources[source] = state
        if source == .cell, !state.isPresent { tower = nil }
        // Whoever waits for a fix waits for it again.
        guard before?.isPresent != state.isPresent, state.isPresent else { return }
        for app in concerned { with(app) { [now] in $0.updates?.waitsSince = now } }
    }

    mutating func found(_ given: Fix) {
        guard given.isSound, let fix = believed(given) else { return }
        lastOf[fix.source] = (fix, now)
        let isFresh = lastFix.map { now - $0.at < .seconds(30) } ?? false
        // A rough one does not take the place of an exact one that is still true.
        if !isFresh || fix.accuracy <= (lastFix?.fix.accuracy ?? .infinity) * 2 { lastFix = (fix, now) }
        learnTower(fix)
        deliver(fix)
        if fix.accuracy <= rules.decisiveAccuracy * 1.5 { visit(fix) }
        decideRegions(fix)
        decideChanges(fix)
        noteLook(fix)
    }

    /// What a source said of late is not believed yet.
    package var doubts: Bool { doubt != nil }

    /// Whether the device can be there, by what was there before: a receiver under a bridge, or one that lies, jumps.
    private mutating func believed(_ given: Fix) -> Fix? {
        var fix = given
        // A receiver that knows no error of its own is not exact to the millimetre.
        fix.accuracy = max(fix.accuracy, 1)
        // Apps ask how old a fix is. A receiver's clock may be wrong, and that of a replay is.
        if abs(fix.time - time) > 600 { fix.time = time }
        if let before = lastOf[fix.source], fix.time < before.fix.time, now - before.at < .seconds(600) {
            // It comes late: somewhere it has lain in a queue.
            return nil
        }
        guard let last = lastFix else { return fix }
        let way = last.fix.coordinate.nearDistance(to: fix.coordinate) - last.fix.accuracy - fix.accuracy
        let time = max((now - last.at).seconds, 1)
        guard way > rules.mostSpeed * time else {
            doubt = nil
            return fix
        }
        guard var known = doubt,
            known.fix.coordinate.nearDistance(to: fix.coordinate)
                <= rules.mostSpeed * max((now - known.since).seconds, 1) + fix.accuracy
        else {
            doubt = Doubt(fix: fix, since: now, count: 1)
            return nil
        }
        known.count += 1
        // Satellites confirm what another source said: the two do not go wrong alike.
        let isConfirmed =
            fix.source == .gps && known.fix.source != .gps
            && known.fix.coordinate.nearDistance(to: fix.coordinate) <= known.fix.accuracy + fix.accuracy
        if isConfirmed {
            doubt = nil
            return fix
        }
        doubt = known
        // It says so for long: the device was carried there while nobody looked, or it is a replay.
        guard known.count >= 3, now - known.since >= .seconds(3) else { return nil }
        doubt = nil
        return fix
    }

    // MARK: Cells

    /// Where the device is by the cell, where anybody knows where that is.
    var cellFix: Fix? {
        guard let tower else { return nil }
        if let place = tower.coordinate {
            return Fix(place, accuracy: max(tower.reach ?? 1000, 50), time: time, source: .cell)
        }
        guard let learned = device.towers.first(where: { $0.name == tower.name }), learned.fixes >= 3 else {
            return nil
        }
        return Fix(learned.coordinate, accuracy: max(learned.reach * 1.5, 500), time: time, source: .cell)
    }

    mutating func moved(to new: CellTower?) {
        guard new != tower else { return }
        let isOther = new?.name != tower?.name
        let isFirst = tower == nil
        tower = new
        guard new != nil, isOther else { return }
        resumePaused()
        if let cellFix { found(cellFix) }
        changedCell(isFirst: isFirst)
    }

    private mutating func learnTower(_ fix: Fix) {
        guard fix.source == .gps, fix.accuracy <= 50, let tower, tower.coordinate == nil else { return }
        guard let place = device.towers.firstIndex(where: { $0.name == tower.name }) else {
            if device.towers.count >= rules.mostTowers { device.towers.removeFirst() }
            device.towers.append(
                LearnedTower(name: tower.name, coordinate: fix.coordinate, reach: 0, fixes: 1))
            isDeviceChanged = true
            return
        }
        var known = device.towers[place]
        let way = known.coordinate.nearDistance(to: fix.coordinate)
        let isWider = way > known.reach * 1.1 + 50
        // The middle of what was seen, the first hundred times.
        let share = 1 / Double(min(known.fixes + 1, 100))
        let before = known.coordinate
        if abs(fix.coordinate.longitude - before.longitude) < 1 {
            known.coordinate.latitude += (fix.coordinate.latitude - before.latitude) * share
            known.coordinate.longitude += (fix.coordinate.longitude - before.longitude) * share
        }
        known.reach = max(known.reach + before.nearDistance(to: known.coordinate), way)
        known.fixes += 1
        device.towers[place] = known
        if isWider || known.fixes == 3 { isDeviceChanged = true }
    }

    // MARK: Power

    mutating func settlePower() {
        var wanted = lookSources
        var own: [AppIdentifier] = []
        let hasSatellites = sources[.gps]?.isPresent != false
        for app in concerned {
            guard let party = parties[app] else { continue }
            let isOverdue = isOverdue(party.updates)
            let sources = wishes(of: party).reduce(into: Set<FixSource>()) { sources, settings in
                sources.formUnion(source(for: settings, isOverdue: isOverdue))
            }
            if sources.contains(.gps), hasSatellites { own.append(app) }
            wanted.formUnion(sources)
        }
        // The modem knows its cell anyway, and listening costs nothing: whoever may want it may have it.
        if parties.isEmpty { wanted.remove(.cell) } else { wanted.insert(.cell) }
        for source in FixSource.allCases where wanted.contains(source) != powered.contains(source) {
            emit(.own(.power(source, wanted.contains(source))))
        }
        if powered.contains(.gps), !wanted.contains(.gps) { rememberPlace() }
        // A receiver that has gone draws nothing.
        let receives = wanted.contains(.gps) && hasSatellites
        satellitesSince = receives ? satellitesSince ?? now : nil
        powered = wanted
        let isForLookers = own.isEmpty && receives
        let used = SatelliteUsers(own: own, lookers: isForLookers ? registrations.version : nil)
        if used != satelliteUsers {
            satelliteUsers = used
            emit(.own(.users(users)))
        }
        settleCompass()
    }

    /// For whom satellites are received.
    var users: [AppIdentifier] { satelliteUsers.lookers == nil ? satelliteUsers.own : lookers }

    /// The next process begins with it.
    private mutating func rememberPlace() {
        guard device.lastFix != lastFix?.fix else { return }
        device.lastFix = lastFix?.fix
        isDeviceChanged = true
    }

    private mutating func settleCompass() {
        let isWanted = concerned.contains { parties[$0].map { $0.wantsHeading && $0.standing.isRunning } ?? false }
        guard isWanted != isCompassOn else { return }
        isCompassOn = isWanted
        emit(.own(.compass(isWanted)))
    }
}
