internal import LocationModel
internal import Model
internal import ServiceCore

// Apps and their connections come and go, and ask for something.
extension LocationSystem {
    // MARK: They come and go

    /// Knows it from now on.
    mutating func introduce(_ app: AppIdentifier) {
        guard parties[app] == nil else { return }
        parties[app] = Party(app)
        with(app) { [standings] in $0.standing = standings[app] ?? .gone }
    }

    mutating func attached(_ connection: ConnectionID, _ description: AppDescription) {
        let app = description.app
        introduce(app)
        if let process = parties[app]?.standing.process, process != 0, process != description.process {
            // A new process that comes before the system's word of it.
            processEnded(app)
        }
        // Of several only the newest counts.
        if let before = parties[app]?.connection { connections[before] = nil }
        connections[connection] = app
        with(app) { party in
            party.connection = connection
            party.isGreeted = false
            party.surroundings = nil
            party.sent = []
            guard party.standing.process != description.process else { return }
            party.standing = AppStanding(
                .background, process: description.process, isVisible: party.standing.isVisible)
        }
        change(app) { ($0.name, $0.hasKey) = (description.name, description.hasKey) }
    }

    mutating func detached(_ connection: ConnectionID) {
        guard let app = connections.removeValue(forKey: connection), parties[app]?.connection == connection else {
            return
        }
        refuseOnce(app, .unknown("the connection has ended"))
        with(app) { party in
            party.connection = nil
            party.isGreeted = false
            party.surroundings = nil
            party.sent = []
        }
        // That of a suspended app stays; another one has ended, or makes a new one.
        expectAgain(app)
    }

    mutating func expectAgain(_ app: AppIdentifier) {
        with(app) { [now, rules] in $0.awaited = .until(now + rules.reconnectTime) }
    }

    /// It did not come again in time.
    mutating func settleAwaited(_ app: AppIdentifier) {
        guard case .until(let until)? = parties[app]?.awaited, until <= now else { return }
        with(app) {
            $0.awaited = nil
            $0.updates = nil
            $0.wantsHeading = false
        }
    }

    mutating func standingChanged(_ app: AppIdentifier, _ state: AppStanding) {
        var standing = state
        standing.awaitsCall = false
        standings[app] = standing.state == .none ? nil : standing
        guard let before = parties[app]?.standing, before != standing else { return }
        if before.process != standing.process || standing.state == .none { processEnded(app) }
        with(app) { [now] party in
            party.standing = standing
            party.isRefused = false
            // Whoever opens it wants it to go on.
            guard standing.isVisible, !before.isVisible, let updates = party.updates else { return }
            if updates.isPaused { party.updates = Party.Updates(updates.settings, at: now) }
        }
    }

    mutating func processEnded(_ app: AppIdentifier) {
        refuseOnce(app, .unknown("the app has ended"))
        let stops = parties[app]?.stops ?? [:]
        for (_, order) in stops.sorted(by: { $0.key < $1.key }) { emit(.stopped(order)) }
        if records[app] != nil { change(app) { $0.holds = [] } }
        with(app) { [now] party in
            party.updates = nil
            party.wantsHeading = false
            party.holds = [:]
            party.stops = [:]
            party.isRefused = false
            party.sent = []
            party.surroundings = nil
            party.awaited = nil
            // What it was told and did not come to is for its next process.
            if case .allowed(let tries) = party.waking { party.waking = .wanted(at: now, tries: tries + 1) }
        }
    }

    mutating func forget(_ app: AppIdentifier) {
        processEnded(app)
        for list in RegionList.allCases {
            for known in records[app]?[list] ?? [] {
                unwatch(RegionKey(app: app, identifier: known.region.identifier, list: list))
            }
        }
        crossingsTold[app] = nil
        connections = connections.filter { $0.value != app }
        parties[app] = nil
        standings[app] = nil
        eraseRecord(app)
    }

    mutating func systemAttached() {
        hasSystem = true
        // Its account may be a new one.
        if !satelliteUsers.isEmpty { emit(.own(.users(users))) }
        for app in parties.keys where parties[app]?.awaited == .system { expectAgain(app) }
    }

    mutating func systemDetached() {
        hasSystem = false
        forgetCrossingsTold()
        for app in parties.keys {
            with(app) { [now] party in
                // What is held is stated to the next one.
                for (hold, holding) in party.holds where holding == .asked { party.holds[hold] = Party.Holding.none }
                if case .asked(let tries) = party.waking { party.waking = .wanted(at: now, tries: tries) }
                if case .allowed(let tries) = party.waking { party.waking = .wanted(at: now, tries: tries) }
                party.stops = [:]
            }
        }
    }

    // MARK: They ask

    mutating func asked(_ connection: ConnectionID, _ request: RequestID, _ asked: LocationRequest) {
        guard let app = connections[connection], let party = parties[app], party.connection == connection else {
            return emit(.refuse(request, .notGreeted))
        }
        do throws(LocationRefusal) {
            if case .hello(let updates, let heading, _) = asked {
                greeted(app, updates, heading)
                let surroundings = surroundings(of: app)
                with(app) { $0.surroundings = surroundings }
                return emit(.reply(request, .hello(surroundings)))
            }
            guard party.isGreeted else { throw .notGreeted }
            if let reply = try perform(asked, app, request) { emit(.reply(request, reply)) }
        } catch {
            emit(.refuse(request, error))
        }
    }

    private mutating func greeted(_ app: AppIdentifier, _ updates: UpdateSettings?, _ heading: Bool) {
        with(app) { [now] party in
            party.isGreeted = true
            party.awaited = nil
            party.wantsHeading = heading
            guard let updates else {
                party.updates = nil
                return
            }
            if party.updates == nil { party.updates = Party.Updates(updates, at: now) }
            party.updates?.settings = updates
        }
    }

    /// - Returns: `nil` where it is answered later.
    private mutating func perform(
        _ asked: LocationRequest, _ app: AppIdentifier, _ request: RequestID
    ) throws(LocationRefusal) -> LocationReply? {
        switch asked {
        case .hello: break
        case .update(let settings):
            try require(.whenInUse, app)
            with(app) { [now] party in
                let isPaused = party.updates?.isPaused == true
                if party.updates == nil || isPaused { party.updates = Party.Updates(settings, at: now) }
                party.updates?.settings = settings
                party.isRefused = false
            }
            if isKnownByCell(settings), let cell = cellFix { deliver(cell, to: app) }
        case .stopUpdates: with(app) { $0.updates = nil }
        case .once(let settings):
            try require(.whenInUse, app)
            guard parties[app].map({ $0.once.count < rules.mostRequests }) ?? false else { throw .tooMany }
            if let fix = goodEnough(for: settings) { return .fix(fix.seen(reduced: isReduced(app))) }
            with(app) { [now] in $0.once.append(Party.Once(request: request, settings: settings, since: now)) }
            return nil
        case .significantChanges(let isOn): try setSignificant(app, isOn)
        case .visits(let isOn):
            if isOn { try require(.always, app) }
            change(app) { $0.visits = isOn ? $0.visits ?? AppRecord.Visits() : nil }
        case .heading(let isOn):
            guard hasCompass || !isOn else { throw .noCompass }
            with(app) { $0.wantsHeading = isOn }
        case .monitor(let region): try monitor(region, app)
        case .unmonitor(let identifier): unmonitor(identifier, app)
        case .state(let identifier): return .state(try state(of: identifier, app))
        case .authorize(let level): return authorize(app, level)
        }
        return .done
    }

    // MARK: The user's leave

    func isReduced(_ app: AppIdentifier) -> Bool { records[app]?.isReduced ?? false }

    mutating func require(_ level: LocationAuthorization, _ app: AppIdentifier) throws(LocationRefusal) {
        if authorization(of: app) == .notDetermined, rules.asksByItself { _ = authorize(app, .always) }
        let known = authorization(of: app)
        guard known.allows else { throw .denied }
        if level == .always, known != .always { throw .needsAlways }
    }

    private mutating func authorize(_ app: AppIdentifier, _ level: LocationRequest.Authorize) -> LocationReply {
        let known = authorization(of: app)
        // There is nobody to ask yet: whoever owns the device takes it back by its tool.
        switch (level, known) {
        case (.whenInUse, .notDetermined): change(app) { $0.authorization = .whenInUse }
        case (.always, .notDetermined), (.always, .whenInUse): change(app) { $0.authorization = .always }
        case (.whenInUse, _), (.always, _), (.fullAccuracy, _): break
        }
        return .authorization(authorization(of: app), isReduced: isReduced(app))
    }

    mutating func permit(
        _ app: AppIdentifier, _ authorization: LocationAuthorization, _ isReduced: Bool, _ request: RequestID
    ) {
        guard records[app] != nil || parties[app] != nil else { return emit(.refuse(request, .noSuchApp)) }
        change(app) { ($0.authorization, $0.isReduced) = (authorization, isReduced) }
        if !authorization.allows {
            refuseOnce(app, .denied)
            if let connection = parties[app]?.connection, parties[app]?.updates != nil {
                emit(.notify(connection, .failed(.denied, LocationRefusal.denied.sentence)))
            }
            with(app) { $0.updates = nil }
        }
        emit(.reply(request, .done))
    }

    /// What surrounds it now.
    func surroundings(of app: AppIdentifier) -> LocationSurroundings {
        let record = records[app]
        let allowed = authorization(of: app).allows
        return LocationSurroundings(
            authorization: authorization(of: app), isReduced: isReduced(app),
            lastFix: allowed ? (lastFix?.fix ?? device.lastFix)?.seen(reduced: isReduced(app)) : nil,
            hasSignificantChanges: hasRadio, hasRegions: rules.hasRegions, hasHeading: hasCompass,
            regions: record?.regions.map(\.region) ?? [])
    }

    mutating func settleSurroundings(_ app: AppIdentifier) {
        guard let party = parties[app], party.isGreeted, let connection = party.connection,
            let known = party.surroundings
        else { return }
        var new = surroundings(of: app)
        // Fixes are told by themselves: this is the one that was there before.
        new.lastFix = known.lastFix
        guard new != known else { return }
        with(app) { $0.surroundings = new }
        emit(.notify(connection, .surroundings(new)))
    }
}

extension Fix {
    /// As exact as an app may know it that is to know only roughly where the device is.
    func seen(reduced isReduced: Bool) -> Fix {
        guard isReduced else { return self }
        let step = 0.05
        let place = Coordinate(
            (coordinate.latitude / step).rounded() * step, (coordinate.longitude / step).rounded() * step)
        return Fix(place, accuracy: max(accuracy, 5000), time: time, source: source)
    }
}
