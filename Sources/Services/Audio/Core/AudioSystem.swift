internal import AudioModel
package import Model
package import ServiceCore

/// The sound of a machine: a value that turns events into effects. It decides who may sound and how loud, who is told
/// what, for whom the system is asked to let an app run, and who gets what a headset's button asks for.
package struct AudioSystem: ServicePolicy {
    /// Another one where the device has another profile.
    package var rules: AudioRules

    var now = Instant.zero
    package internal(set) var conditions = DeviceFacts()
    var hasSystem = false
    var hasGraph = false
    package internal(set) var parties: [PartyID: Party] = [:]
    var connections: [ConnectionID: PartyID] = [:]
    /// Whose each node is.
    var nodes: [NodeID: (party: PartyID, stream: StreamKey)] = [:]
    var players: [PlayerID: PartyID] = [:]
    package internal(set) var records: [AppIdentifier: AppRecord] = [:]
    package internal(set) var device = DeviceRecord()
    var ports: [DevicePort] = []
    package internal(set) var volume = 1.0
    /// Somebody interrupts everything.
    package internal(set) var isInterrupted = false
    var presses: Presses?
    /// The player that heard that a seek button went down, until that button goes up.
    var seeker: PartyID?
    /// Commands that go to players of programs, which have to run for them.
    var controls: [OrderID: Control] = [:]
    /// Until then the sound server tells of what was there before, and nobody begins by that.
    var graphIsNewUntil: Instant?
    /// Why a route may be another one after this event.
    var routeReason = AudioRouteReason.configurationChange
    /// Where a person sends everything, while it is there.
    var chosen: DevicePort?
    /// What of that the sound server was told.
    var askedDefault: UInt64?
    var published: [AppIdentifier: PublishedPlayer] = [:]
    /// How apps are that have not connected to this process of the service.
    var standings: [AppIdentifier: AppStanding] = [:]

    /// In place of the profile's.
    private var silence: Span?
    private var nextOrder: UInt64 = 1
    private var nextNews: NewsNumber

    // Of the event being handled.
    var effects: [AudioEffect] = []
    var changed: Set<AudioRecordKey> = []

    /// - Parameters:
    ///   - records: what a process before this one stored.
    ///   - firstNews: greater than every number that a process before this one gave since the machine was started.
    package init(_ records: [AudioRecord] = [], rules: AudioRules = AudioRules(), firstNews: Int64 = 1) {
        self.rules = rules
        nextNews = firstNews
        for record in records {
            switch record {
            case .device(let device): self.device = device
            case .app(let app):
                self.records[app.app] = app
                resume(app)
            case .permission: break
            }
        }
        for case .permission(let app, let permission) in records {
            self.records[app, default: AppRecord(app)].permission = permission
        }
    }

    /// Numbers of news begin with the microseconds since the machine was started: no process before has come so far.
    package init(restoring records: [AudioRecord], _ start: ServiceStart) {
        self.init(records, firstNews: start.now.nanoseconds / 1000)
    }

    /// It goes on as the process of the service before this one left it.
    private mutating func resume(_ record: AppRecord) {
        guard !record.holds.isEmpty else { return }
        let id = PartyID.app(record.app)
        var party = Party(id, record.isProgram ? .program : .app, name: record.name)
        party.hasKey = record.hasKey
        party.lastPlay = record.lastPlay
        party.standing = AppStanding(.background, process: record.process, isVisible: false)
        for hold in record.holds { party.holds[hold] = .held }
        // It has begun already.
        party.wasSounding = record.holds.contains(.playing)
        party.awaited = .system
        parties[id] = party
    }

    package mutating func handle(_ event: AudioEvent, at instant: Instant) -> [AudioEffect] {
        now = max(now, instant)
        route(event)
        settle()
        defer {
            effects.removeAll(keepingCapacity: true)
            changed = []
            routeReason = .configurationChange
        }
        return stored() + effects
    }

    private mutating func route(_ event: AudioEvent) {
        switch event {
        case .timer: break
        case .conditions(let conditions): conditionsChanged(conditions)
        case .systemAttached: systemAttached()
        case .systemDetached: systemDetached()
        case .appState(let app, let standing): standingChanged(app, standing)
        case .clock, .asked, .replied: break
        case .profile(let name): useProfile(name)
        case .closedByUser(let app, _): closedByUser(app)
        case .forgotten(let app): forget(app)
        case .programStarted(let description): programStarted(description)
        case .held(let app, let hold, let answer): held(app, hold, answer)
        case .holdEnded(let app, let hold): holdEnded(app, hold)
        case .stop(let app, let hold, let order): stop(app, hold, order)
        case .woken(let app, let number, let answer): woken(app, number, answer)
        case .windowEnded(let app, _, _): windowEnded(app)
        case .attached(let connection, let description): attached(connection, description)
        case .detached(let connection): detached(connection)
        case .app(let connection, let request, let asked): self.asked(connection, request, asked)
        case .answered(let connection, let number, let status): answered(connection, number, status)
        case .tool(let request, let order): tool(request, order)
        case .own(let event): route(event)
        }
    }

    private mutating func useProfile(_ name: String) {
        rules = AudioRules(profile: name)
        if let silence { rules.silence = silence }
    }

    private mutating func route(_ event: AudioWords.Event) {
        switch event {
        case .silence(let span):
            silence = span
            rules.silence = span
        case .graphAttached: graphAttached()
        case .graphDetached: graphDetached()
        case .nodeAppeared(let node, let description): nodeAppeared(node, description)
        case .nodeRuns(let node, let runs): nodeRuns(node, runs)
        case .nodeGone(let node): nodeGone(node)
        case .permitted(let node, let order): permitted(node, order)
        case .level(let node, let peak): level(node, peak)
        case .ports(let ports): portsChanged(ports)
        case .volume(let volume): self.volume = volume
        case .playerAppeared(let player, let description): playerAppeared(player, description)
        case .playerChanged(let player, let playing, let commands): playerChanged(player, playing, commands)
        case .playerGone(let player): playerGone(player)
        case .controlled(let player, let order, let status): controlled(player, order, status)
        case .command(let app, let command, let request): commandFromBus(command, app, request)
        }
    }

    /// What follows from the facts as they are now, until nothing more does.
    private mutating func settle() {
        passTime()
        let ids = parties.keys.sorted()
        for id in ids { settleAwaited(id) }
        // Who goes on may interrupt others, and whose interruption is over may be somebody's who did.
        repeat {
            for id in ids { settleSession(id) }
        } while releaseIdleCauses()
        for id in ids { settleStreams(id) }
        for id in ids { settleGains(id) }
        for id in ids {
            noteBegin(id)
            settleRoute(id)
            settleNews(id)
            settleHolds(id)
            settleSurroundings(id)
        }
        settlePublished()
        dropUseless()
    }

    private func stored() -> [AudioEffect] {
        changed.sorted { $0.order < $1.order }.map { key in
            switch key {
            case .device: .store(.device(device))
            case .app(let app): records[app].map { .store(.app($0)) } ?? .erase(key)
            case .permission(let app): records[app].map { .store(.permission(app, $0.permission)) } ?? .erase(key)
            }
        }
    }

    // MARK: What everything needs

    mutating func order() -> OrderID {
        defer { nextOrder += 1 }
        return OrderID(nextOrder)
    }

    mutating func newsNumber() -> NewsNumber {
        defer { nextNews += 1 }
        return nextNews
    }

    mutating func emit(_ effect: AudioEffect) { effects.append(effect) }

    /// Changes what is stored of an app.
    mutating func change(_ app: AppIdentifier, _ body: (inout AppRecord) -> Void) {
        let before = records[app]
        var record = before ?? AppRecord(app)
        body(&record)
        guard record != before, before != nil || record != AppRecord(app) else { return }
        records[app] = record
        changed.insert(.app(app))
        if record.permission != before?.permission ?? .undetermined { changed.insert(.permission(app)) }
    }

    mutating func changeDevice(_ body: (inout DeviceRecord) -> Void) {
        let before = device
        body(&device)
        if before != device { changed.insert(.device) }
    }

    /// Knows somebody from now on, as the records and the system know it.
    mutating func introduce(_ id: PartyID, _ kind: Party.Kind, name: String) {
        guard parties[id] == nil else { return }
        var party = Party(id, kind, name: name)
        if let app = id.app {
            party.standing = standings[app] ?? .gone
            if let record = records[app] { (party.hasKey, party.lastPlay) = (record.hasKey, record.lastPlay) }
        }
        parties[id] = party
    }

    /// Changes a party in its place, where it is known.
    mutating func with(_ id: PartyID, _ body: (inout Party) -> Void) {
        if parties[id] != nil { body(&parties[id, default: Party(id, .outsider, name: "")]) }
    }

    mutating func with(_ id: PartyID, _ key: StreamKey, _ body: (inout Stream) -> Void) {
        with(id) { party in
            guard var stream = party.streams[key] else { return }
            body(&stream)
            party.streams[key] = stream
        }
    }
}

extension AudioRecordKey {
    fileprivate var order: String {
        switch self {
        case .device: ""
        case .app(let app): app.rawValue
        case .permission(let app): "\(app.rawValue)/"
        }
    }
}
