package import LocationModel
package import Model
package import ServiceCore

/// Where the device is, and whom that concerns: a value that turns events into effects. It decides which source is
/// powered, which fix goes to whom, when a region was entered or left, and which app is woken for that.
package struct LocationSystem: ServicePolicy {
    /// Another one where the device has another profile.
    package var rules: LocationRules

    var now = Instant.zero
    package internal(set) var conditions = DeviceFacts()
    var hasSystem = false
    /// The clock on the wall minus ours, in seconds.
    private var wall = 0.0
    package internal(set) var parties: [AppIdentifier: Party] = [:]
    var connections: [ConnectionID: AppIdentifier] = [:]
    package internal(set) var records: [AppIdentifier: AppRecord] = [:]
    var device = DeviceRecord()
    var standings: [AppIdentifier: AppStanding] = [:]
    /// Apps by what they are registered for: of a thousand that sleep a fix concerns none.
    var registrations = Registrations()
    /// With whom something is under way; nobody else is looked at when nothing happened to it.
    private var busy: Set<AppIdentifier> = []
    private var toldRadio = false
    private var toldCompass = false

    // Sources.
    package internal(set) var sources: [FixSource: SourceState] = [:]
    package internal(set) var powered: Set<FixSource> = []
    /// Since when the satellites' receiver is on.
    package internal(set) var satellitesSince: Instant?
    var satelliteUsers = SatelliteUsers()
    package internal(set) var tower: CellTower?
    var hasCompass = false
    var isCompassOn = false
    /// The last one that was believed, and when it came.
    package internal(set) var lastFix: (fix: Fix, at: Instant)?
    /// The last of each source.
    var lastOf: [FixSource: (fix: Fix, at: Instant)] = [:]
    /// A jump that is not believed yet.
    var doubt: Doubt?

    // Regions, visits and changes of the cell.
    var index = RegionIndex()
    var traces: [RegionKey: RegionTrace] = [:]
    /// Crossings that may be under way, since when.
    var candidates: [RegionKey: Instant] = [:]
    /// What other services are being told.
    var crossingsTold: [AppIdentifier: ToldCrossing] = [:]
    /// There may be some of the process before.
    var hasStoredCandidates = false
    package internal(set) var look = Look()
    var stay: Stay?
    /// The cell is another one, and nobody knows yet where that is; since then.
    var searchesChangeSince: Instant?

    // Of the event being handled.
    var effects: [LocationEffect] = []
    var changed: Set<AppIdentifier> = []
    private var touched: Set<AppIdentifier> = []
    var isDeviceChanged = false

    /// - Parameter records: what a process before this one stored.
    package init(_ records: [LocationRecord] = [], rules: LocationRules = LocationRules()) {
        self.rules = rules
        for record in records {
            switch record {
            case .device(let device): self.device = device
            case .app(let app): resume(app)
            }
        }
    }

    package init(restoring records: [LocationRecord], _ start: ServiceStart) { self.init(records) }

    /// It goes on as the process of the service before this one left it.
    private mutating func resume(_ record: AppRecord) {
        records[record.app] = record
        registrations.note(record, for: record.app)
        touched.insert(record.app)
        for list in RegionList.allCases {
            for known in record[list] { watch(known.region, known.state, list, of: record.app) }
            hasStoredCandidates = hasStoredCandidates || record[list].contains { $0.candidate != nil }
        }
        var party = Party(record.app)
        if !record.holds.isEmpty {
            party.standing = AppStanding(.background, process: record.process, isVisible: false)
            for hold in record.holds { party.holds[hold] = .held }
            party.awaited = .system
        }
        guard record.isRegistered || !record.holds.isEmpty else { return }
        if record.news.contains(where: \.news.wakes) { party.waking = .wanted(at: .zero, tries: 0) }
        parties[record.app] = party
    }

    package mutating func handle(_ event: LocationEvent, at instant: Instant) -> [LocationEffect] {
        now = max(now, instant)
        route(event)
        settle()
        defer {
            effects.removeAll(keepingCapacity: true)
            changed = []
            touched = []
            isDeviceChanged = false
        }
        return stored() + effects
    }

    private mutating func route(_ event: LocationEvent) {
        switch event {
        case .timer: break
        case .conditions(let conditions): self.conditions = conditions
        case .clock(let offset):
            wall = offset.seconds
            resumeCandidates()
        case .profile(let name): rules = LocationRules(profile: name)
        case .systemAttached: systemAttached()
        case .systemDetached: systemDetached()
        case .appState(let app, let standing): standingChanged(app, standing)
        case .forgotten(let app): forget(app)
        case .held(let app, let hold, let answer): held(app, hold, answer)
        case .holdEnded(let app, let hold): holdEnded(app, hold)
        case .stop(let app, let hold, let order): stop(app, hold, order)
        case .woken(let app, let number, let answer): woken(app, number, answer)
        case .windowEnded(let app, _, _): windowEnded(app)
        case .programStarted, .closedByUser: break
        case .attached(let connection, let description): attached(connection, description)
        case .detached(let connection): detached(connection)
        case .app(let connection, let request, let asked): self.asked(connection, request, asked)
        case .answered(let connection, let number, _): answered(connection, number)
        case .asked(let request, let asker, .places(let app, let places)):
            setPlaces(asker, app, places, request)
        case .replied(let question, let answer): crossingTold(question.app, question.crossing.number, answer)
        case .tool(let request, .permit(let app, let authorization, let isReduced)):
            permit(app, authorization, isReduced, request)
        case .own(let event): route(event)
        }
    }

    private mutating func route(_ event: LocationWords.Event) {
        switch event {
        case .source(let source, let state): sourceChanged(source, state)
        case .fix(let fix): found(fix)
        case .tower(let tower): moved(to: tower)
        case .heading(let heading): turned(to: heading)
        case .compass(let isThere): hasCompass = isThere
        }
    }

    /// What follows from the facts as they are now.
    private mutating func settle() {
        if toldRadio != hasRadio || toldCompass != hasCompass {
            (toldRadio, toldCompass) = (hasRadio, hasCompass)
            touched.formUnion(connections.values)
        }
        var settled: Set<AppIdentifier> = []
        for app in concerned { settleAwaited(app) }
        for app in concerned { settleUpdates(app) }
        settleChange()
        settleLook()
        settlePower()
        // Whom that has touched as well.
        while true {
            let rest = concerned.filter { !settled.contains($0) }
            guard !rest.isEmpty else { break }
            for app in rest { settle(app) }
            settled.formUnion(rest)
        }
        settleCrossings()
    }

    private mutating func settle(_ app: AppIdentifier) {
        settleNews(app)
        settleHolds(app)
        settleIndicator(app)
        settleSurroundings(app)
        dropUseless(app)
        if parties[app]?.isBusy(records[app]) == true { busy.insert(app) } else { busy.remove(app) }
    }

    /// To whom something happened, or with whom something is under way, in their order.
    var concerned: [AppIdentifier] {
        let all = touched.isEmpty ? busy : busy.union(touched)
        return all.filter { parties[$0] != nil }.sorted { $0.rawValue < $1.rawValue }
    }

    private func stored() -> [LocationEffect] {
        var stored: [LocationEffect] = isDeviceChanged ? [.store(.device(device))] : []
        for app in changed.sorted(by: { $0.rawValue < $1.rawValue }) {
            stored.append(records[app].map { .store(.app($0)) } ?? .erase(.app(app)))
        }
        return stored
    }

    /// Nobody connected, nothing registered: nothing is kept of it but its record.
    private mutating func dropUseless(_ app: AppIdentifier) {
        guard let party = parties[app], party.connection == nil, party.awaited == nil, party.stops.isEmpty,
            party.holds.values.allSatisfy({ $0 == .none }), party.once.isEmpty, records[app]?.isRegistered != true
        else { return }
        parties[app] = nil
    }

    // MARK: What everything needs

    /// Seconds since 1970.
    var time: Double { now.seconds + wall }

    mutating func emit(_ effect: LocationEffect) { effects.append(effect) }

    /// Changes what is stored of an app.
    mutating func change(_ app: AppIdentifier, _ body: (inout AppRecord) -> Void) {
        let before = records[app]
        var record = before ?? AppRecord(app)
        body(&record)
        guard record != before, before != nil || record != AppRecord(app) else { return }
        records[app] = record
        changed.insert(app)
        touched.insert(app)
        registrations.note(record, for: app)
    }

    /// It is known no more.
    mutating func eraseRecord(_ app: AppIdentifier) {
        registrations.note(nil, for: app)
        busy.remove(app)
        if records.removeValue(forKey: app) != nil { changed.insert(app) }
    }

    /// Changes a party in its place, where it is known.
    mutating func with(_ app: AppIdentifier, _ body: (inout Party) -> Void) {
        guard parties[app] != nil else { return }
        touched.insert(app)
        body(&parties[app, default: Party(app)])
    }

    /// A modem that was not asked yet may be one.
    var hasRadio: Bool { tower != nil || sources[.cell]?.isPresent == true }

    func authorization(of app: AppIdentifier) -> LocationAuthorization {
        records[app]?.authorization ?? .notDetermined
    }

    /// When a `timer` is wanted at the latest.
    package var nextDeadline: Instant? {
        var next: Instant?
        func consider(_ instant: Instant?) {
            if let instant { next = next.map { min($0, instant) } ?? instant }
        }
        for app in busy { parties[app]?.deadlines(self).forEach(consider) }
        consider(changeDeadline)
        consider(crossingDeadline)
        consider(look.deadline(rules))
        return next
    }

    /// No app wants anything, now or when something happens.
    package var isIdle: Bool {
        connections.isEmpty && busy.isEmpty && registrations.all.isEmpty
    }
}
