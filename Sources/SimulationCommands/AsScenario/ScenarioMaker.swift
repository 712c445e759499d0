internal import Model
internal import PolicyCore
package import Recording
package import Simulation

/// Turns a recording into a scenario: what people, apps and death did becomes its timeline, what the apps took for it
/// their behaviour, and what they were in the end its expectations. A recording tells what reached the daemon, so what
/// happened within an app is guessed from that.
package struct ScenarioMaker {
    /// Of two steps at one moment, those of the lower rank come first.
    struct Draft {
        var at: Span
        var rank: Int
        var action: Scenario.Action
    }

    var apps: [ObservedApp] = []
    var services: [ServiceScript] = []
    /// The place in `apps` of each app that the present system knows, by its index.
    var places: [Int] = []
    var drafts: [Draft] = []
    /// Moments of what people did, ascending, as the scenario has them and as they were.
    var inputs: [Span] = []
    var exactInputs: [Span] = []
    /// The scenario's moment of the event that is looked at.
    var now = Span.zero
    /// The same on the recording's own clock.
    private var replayTime = Instant.zero
    /// When the system's own deeds at the start of a daemon began, and what was the last event before.
    private var plumbingSince: Span?
    private(set) var lastEvent = Span.zero
    private var wallOffset: Int64?
    /// What the machine said last, and what somebody pretends.
    var sensed: [SystemChange: Condition] = [:]
    /// Seconds by which a tool pretends that the clock was set.
    var pretendedClock: Int64 = 0
    private var base: Instant?
    private var shift = Span.zero
    private var isDown = false
    private(set) var profile: DeviceProfile
    /// How the recorded system was brought to where the recording begins.
    var beginning: Beginning?

    private init(_ profile: DeviceProfile) { self.profile = profile }

    /// Replays a recording, which has to be equal, and makes a scenario of it.
    package static func scenario(
        of files: RecordingFiles, named name: String
    ) throws(RecordingError) -> Scenario {
        var replay = try Replay(files)
        var maker = ScenarioMaker(replay.system.profile)
        maker.start(from: replay.system, at: replay.now)
        var systems = replay.counts.systems
        while let event = try replay.next() {
            if replay.counts.systems > systems {
                systems = replay.counts.systems
                maker.beginSystem(at: event.at)
            }
            maker.note(event, replay.system)
        }
        return maker.finish(replay.system, named: name)
    }

    // MARK: Time

    private mutating func start(from system: System, at moment: Instant) {
        base = moment
        guard !system.allApps.isEmpty else { return }
        for app in system.allApps { know(app.index, app.manifest) }
        know(system.broker?.services.filter(\.isDeclared).map(\.declaration) ?? [])
        let beginning = Beginning(of: system, names: { [self] in apps[places[Int($0.rawValue)]].name })
        self.beginning = beginning
        shift = beginning.duration
        now = shift
        lastEvent = shift
        for app in system.allApps { assume(app) }
    }

    /// What the first checkpoint says of an app.
    private mutating func assume(_ app: App) {
        let place = places[Int(app.index.rawValue)]
        apps[place].generation = app.generation
        apps[place].isConnected = app.isConnected
        apps[place].bornAt = app.process == .none ? nil : shift
        for behaved in [\ObservedApp.answeredAt, \.countedAt, \.frozenAt, \.launchedAt, \.tracedAt] {
            apps[place][keyPath: behaved] = shift
        }
    }

    /// Another system begins, perhaps after another boot: its clock has nothing to do with the one before.
    private mutating func beginSystem(at moment: Instant) {
        shift = lastEvent + .seconds(1)
        base = moment
        places = []
        wallOffset = nil
        now = shift
        add(isDown ? .boot : .reboot)
        isDown = false
    }

    private func scenarioTime(_ moment: Instant) -> Span {
        guard let base else { return shift }
        return shift + (moment - base)
    }

    // MARK: Steps

    /// People act in milliseconds; more digits would not be read.
    private static func rounded(_ span: Span) -> Span {
        Span(nanoseconds: span.nanoseconds / 1_000_000 * 1_000_000)
    }

    mutating func add(_ input: Input) {
        let at = Self.rounded(now)
        drafts.append(Draft(at: at, rank: 1, action: .input(input)))
        inputs.append(at)
        exactInputs.append(now)
    }

    mutating func add(_ fault: Fault, at moment: Span, rank: Int = 1) { add(.fault(fault), at: moment, rank: rank) }

    mutating func add(_ action: Scenario.Action, at moment: Span, rank: Int = 1) {
        drafts.append(Draft(at: Self.rounded(moment), rank: rank, action: action))
    }

    /// A fault that must be there when something happened, and not yet when the app still behaved: before what a person
    /// did last in between, or else at once.
    mutating func add(_ fault: Fault, after behaved: Span, before moment: Span) {
        add(.fault(fault), after: behaved, before: moment)
    }

    mutating func add(_ action: Scenario.Action, after behaved: Span, before moment: Span) {
        let first = Self.rounded(behaved) + .milliseconds(1)
        let input = inputs.last { $0 <= moment && $0 >= first }
        drafts.append(Draft(at: input ?? min(first, max(behaved, moment)), rank: 0, action: action))
    }

    // MARK: Apps

    @discardableResult
    mutating func know(_ index: AppIndex, _ manifest: AppManifest) -> Int {
        let place: Int
        if let found = apps.firstIndex(where: { $0.manifest.identifier == manifest.identifier }) {
            place = found
            apps[place].manifest = manifest
        } else {
            place = apps.count
            apps.append(ObservedApp(name: freshName(manifest.identifier.rawValue), manifest: manifest))
        }
        while places.count <= Int(index.rawValue) { places.append(place) }
        places[Int(index.rawValue)] = place
        return place
    }

    /// The last part of an identifier is what people call an app, as long as there is one of them.
    private func freshName(_ identifier: String) -> String {
        let short = identifier.split(separator: ".").last.map { $0.lowercased() } ?? identifier
        let isFree = !apps.contains { $0.name == short } && short.first?.isLetter == true
        return isFree ? short : identifier
    }

    /// A moment more than was recorded, in which what was under way comes to its end.
    var duration: Span { Self.rounded(max(now, lastEvent)) + .milliseconds(100) }

    func place(_ app: AppIndex) -> Int? { app.rawValue < places.count ? places[Int(app.rawValue)] : nil }

    private func name(_ app: AppIndex) -> String? { place(app).map { apps[$0].name } }

    /// The app's place, if its present process is meant.
    func present(_ app: AppIndex, _ generation: Generation) -> Int? {
        place(app).flatMap { apps[$0].generation == generation ? $0 : nil }
    }

    // MARK: Events

    private mutating func note(_ event: ReplayedEvent, _ system: System) {
        now = scenarioTime(event.at)
        replayTime = event.at
        switch event.event {
        case .clockChanged, .installed, .conditionSensed:
            if plumbingSince == nil { plumbingSince = now }
        case .adopted: noteRestart()
        default: plumbingSince = nil
        }
        note(event.event, system)
        for effect in event.effects { note(effect.action, system) }
        if plumbingSince == nil { lastEvent = now }
    }

    private mutating func note(_ event: Event, _ system: System) {
        switch event {
        case .clockChanged(let offset): noteClock(offset)
        case .installed(let manifest): noteInstallation(manifest, system)
        case .command(_, let command): note(command, system)
        case .request(let app, let id, let request):
            if let place = place(app) {
                apps[place].ask(id, apps[place].action(request, at: system.wall(replayTime)), at: now)
            }
        case .processStarted(let app, let generation, _):
            guard let place = present(app, generation) else { return }
            apps[place].bornAt = now
            apps[place].births += 1
            if apps[place].manifest.kind == .plain { apps[place].isLaunching = false }
        case .launchFailed(let app, let generation, _): noteLaunchFailure(app, generation)
        case .connected(let app, let generation, _): noteConnection(app, generation)
        case .disconnected(let app, let generation): noteDisconnection(app, generation)
        case .mainThreadAnswered(let app, let generation):
            if let place = present(app, generation) { apps[place].answeredAt = now }
        case .firstProcessEnded(let app, let generation, let status): noteEnd(app, generation, status)
        case .allProcessesEnded(let app, let generation): noteEndOfAll(app, generation)
        case .processesCounted(let app, let generation, let count):
            if let place = present(app, generation), count <= profile.processLimit { apps[place].countedAt = now }
        case .tracerChecked(let app, let generation, let isTraced): noteTracer(app, generation, isTraced)
        case .frozen(let app, let generation): noteFrozen(app, generation)
        case .timer: noteFailedFreezes(system)
        case .trafficSeen(let app, _, let sent, let received, _, _):
            // A service may have said any number.
            let (bytes, isTooMuch) = sent.addingReportingOverflow(received)
            if !isTooMuch { noteTraffic(app, bytes: bytes) }
        case .trafficCounted(let app, _, let count):
            let (bytes, isTooMuch) = count.sent.addingReportingOverflow(count.received)
            if !isTooMuch { noteTraffic(app, bytes: bytes) }
        case .booted, .adopted, .callbackReturned, .prepared, .verified, .memoryConfigured, .memorySensed,
            .footprintSampled, .reclaimed, .endedForMemory, .mappingsCounted, .purgeableCounted, .wishesRestored,
            .habitsRestored, .retired, .room:
            break
        case .service(let event): note(event, system)
        case .conditionSensed(let condition): noteCondition(condition)
        case .sessionEvents(let app, let session, let authentication):
            if let name = name(app) { add(.sessionEvents(name, session: session, authentication: authentication)) }
        case .mechanism(let incarnation, let event):
            guard let place = present(incarnation.app, incarnation.generation) else { return }
            note(event, place, system)
        }
    }

    private mutating func note(_ event: MechanismEvent, _ place: Int, _ system: System) {
        switch event {
        case .sockets(.found(let listeners, _)): noteListeners(place, listeners)
        case .sockets(.peerCame): notePeer(place)
        case .sockets(.refused(_, let count)): noteRefused(place, count)
        case .sockets(.seen(let use)): noteUse(place, use)
        case .sockets(.called(_, let isUnread)): noteCall(place, isUnread: isUnread)
        case .gpu(.used): add(.input(.app(apps[place].name, .useGPU)), at: lastEvent)
        case .locks(.found(let path, let blocksOthers)): if blocksOthers { noteInTheWay(place, path, system) }
        case .locks(.inputGrabbed): noteGrab(place)
        case .disk, .descriptors, .inversions: break
        }
    }

    private mutating func noteInstallation(_ manifest: AppManifest, _ system: System) {
        guard let index = system.index(of: manifest.identifier) else { return }
        let isBack = place(index).map { !apps[$0].isInstalled } ?? false
        let place = know(index, system.app(index)?.manifest ?? manifest)
        apps[place].isInstalled = true
        if isBack { add(.install(apps[place].name)) }
    }

    /// Each start of a daemon tells the time; what matters is that somebody set the clock.
    private mutating func noteClock(_ offset: Int64) {
        defer { wallOffset = offset }
        guard let before = wallOffset else { return }
        // As far as that can be counted.
        let change = (Span(nanoseconds: offset) - Span(nanoseconds: before)).nanoseconds
        guard change.magnitude > 50_000_000 else { return }
        add(.setClock(by: Span(nanoseconds: change / 1_000_000 * 1_000_000)))
    }

    /// When a daemon died, nobody wrote down. If an answer was due within milliseconds and did not come, then right
    /// after its last event; else shortly before the new one began.
    private mutating func noteRestart() {
        let back = plumbingSince ?? now
        plumbingSince = nil
        let gap = Span(nanoseconds: max(back.nanoseconds - lastEvent.nanoseconds, 2_000_000))
        let isUrgent = apps.contains(where: \.isBusy)
        let absence = isUrgent ? gap : min(gap, .milliseconds(100))
        add(.killDaemon(downFor: Self.rounded(absence)), at: Span(nanoseconds: back.nanoseconds - absence.nanoseconds))
        for place in apps.indices { apps[place].isConnected = false }
    }

    private mutating func note(_ command: Command, _ system: System) {
        if let input = input(command) { add(input) }
        noteSimulation(command)
        guard case .uninstall(let app) = command, let place = place(app) else { return }
        apps[place].isInstalled = system.app(app)?.isInstalled ?? false
    }

    private func input(_ command: Command) -> Input? {
        switch command {
        case .open(let app, let role, _): name(app).map { .open($0, role: role) }
        case .openScene(let app, let scene, let role, _): name(app).map { .openScene($0, scene, role: role) }
        case .closeScene(let app, let scene, _): name(app).map { .closeScene($0, scene) }
        case .openURL(let url, _): .openURL(url)
        case .home: .home
        case .lock: .lock
        case .unlock: .unlock
        case .switcher(let isOpen, _): .switcher(isOpen: isOpen)
        case .close(let app, _): name(app).map { .close($0) }
        case .restart(let app, _): name(app).map { .restart($0) }
        case .exempt(let app, let isExempt): name(app).map { .exempt($0, isExempt) }
        case .uninstall(let app): name(app).map { .uninstall($0) }
        case .interrupt(let kind, _): .interrupt(kind)
        case .dismiss(let kind, _): .dismiss(kind)
        case .accept(let kind, _): .accept(kind)
        case .endCall: .endCall
        case .sleep: .sleep
        case .wake: .wake
        case .reboot: .reboot
        case .shutDown: .shutDown
        case .warnMemory: .memoryWarning
        case .pressMemory(let level): .memoryPressure(level)
        case .simulate, .endSimulation: nil
        case .changeSetting(let app, let key, let value): name(app).map { .setting($0, key: key, value: value) }
        case .simulateFetch(let app, let launches, _): name(app).map { .fetch($0, launches: launches) }
        case .allowRefresh(let app, let isAllowed): name(app).map { .allowRefresh($0, isAllowed) }
        }
    }

    // MARK: Effects

    private mutating func note(_ action: Action, _ system: System) {
        switch action {
        case .log(let entry): note(entry)
        case .report(let facts): if let place = place(facts.app) { apps[place].reports.append(facts.code.code) }
        case .launch(let app, let generation, _):
            guard let place = place(app) else { return }
            // After the daemon's death it may be asked for again.
            if apps[place].generation != generation { begin(generation, place) }
        case .deliver(let app, let generation, let callbacks):
            if let place = present(app, generation) { apps[place].deliver(callbacks, at: now) }
        case .freeze(let app, let generation):
            if let place = present(app, generation), apps[place].freezeAskedAt == nil {
                apps[place].freezeAskedAt = now
            }
        case .askToEnd(let app, let generation), .kill(let app, let generation):
            guard let place = present(app, generation) else { return }
            apps[place].isEnding = true
            if apps[place].askedToEndAt == nil { apps[place].askedToEndAt = now }
        case .thaw(let app, let generation):
            if let place = present(app, generation), !apps[place].isUnfreezable { apps[place].freezeAskedAt = nil }
        case .check(let app, let generation, let pings):
            if pings, let place = present(app, generation) { apps[place].askedAt = now }
        case .halt: isDown = true
        case .checkTracer, .prepare, .verify, .expireTasks, .expireWindow, .reply, .answer, .sample,
            .reclaim, .senseMemory, .measureDisk, .emptyCaches, .tellConditions, .setPriority, .mechanism, .service:
            break
        }
    }

    private mutating func note(_ entry: LogEntry) {
        guard let place = entry.app.flatMap({ self.place($0) }) else { return }
        if let kind = CallbackKind(entry.event) {
            apps[place].returned(kind, took: entry.took, at: now)
        } else if entry.event == .resumed, entry.reason == .thawedFromOutside {
            // Before the new daemon looked.
            add(.thaw(apps[place].name), at: lastEvent)
        } else if entry.event == .suspended {
            noteOutOfTheWay(place)
            notePeerGone(place)
        } else if case .end(let reason, _, _) = entry.reason {
            noteTermination(reason, place)
        }
    }
}

extension CallbackKind {
    /// The delegate method that an entry of the log tells of.
    init?(_ event: LogEvent) {
        if SceneStep.allCases.contains(where: { $0 != .openURL && $0.event == event }) {
            self = .scene
            return
        }
        if event == .didReceiveRemoteNotification {
            self = .handleServiceEvents
            return
        }
        guard let kind = Self.allCases.first(where: { LogEvent($0) == event }) else { return nil }
        self = kind
    }
}
