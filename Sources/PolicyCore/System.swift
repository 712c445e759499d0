package import Model

/// The policy of a whole device: told what happens, it says what to do. Pure: the same events give the same effects.
package struct System: Sendable, Codable {
    @Constant package private(set) var profile: DeviceProfile
    var apps: [App] = []
    var names = AppNames()
    var screen = Screen()
    var deadlines = Deadlines()
    var waiters: [Waiter] = []
    /// The next log entry's number.
    package private(set) var nextSequence: LogSequence
    var nextAssertion: UInt64 = 1
    /// Wall clock minus boot clock.
    var wallOffset: Int64 = 0
    package internal(set) var memory = MemoryState()
    package internal(set) var conditions = ConditionState()
    /// What was spent on the network; `nil`: nothing was seen.
    @Rare var energy: EnergyAccount? = nil
    /// What was counted at apps; `nil`: nothing.
    @Rare var moved: TrafficTally? = nil
    package internal(set) var fetch: FetchState
    /// Services that are programs of their own; `nil`: none is declared.
    package internal(set) var broker: Broker?
    /// `nil`: there is room on the disk.
    @Rare var diskShortage: DiskShortage? = nil
    /// What apps opened of late; `nil`: nothing.
    var openedURLs: RateCount?
    var isShuttingDown = false
    /// A reboot ends everything and then boots.
    var rebootsWhenDown = false

    // What one `handle` works with; empty between events.
    var now = Instant.zero
    var effects: [Effect] = []
    var answers: [Effect] = []
    var touched: [AppIndex] = []
    /// The entry of what the event did to the device as a whole.
    var root: LogSequence?
    /// Something ended while the system is being shut down; perhaps it was the last.
    var mayBeDown = false
    var halts = false

    package init(profile: DeviceProfile, firstSequence: LogSequence = LogSequence(1)) {
        _profile = Constant(wrappedValue: profile.withAllowances)
        fetch = FetchState(rules: FetchRules())
        nextSequence = firstSequence
    }

    private enum CodingKeys: String, CodingKey {
        case profile, apps, screen, diskShortage, deadlines, waiters, nextSequence, nextAssertion, wallOffset,
            isShuttingDown
        case rebootsWhenDown, memory, conditions, energy, moved, fetch, openedURLs, broker
    }

    /// Takes an event at a moment (never earlier than the one before) and says what to do.
    package mutating func handle(_ event: Event, at moment: Instant) -> [Effect] {
        now = max(now, moment)
        root = nil
        if !names.isComplete(for: apps) { names.learn(apps) }
        route(event)
        settle()
        if memory.mustJudge {
            relieveMemory()
            settle()
        }
        if fetch.mustLook {
            lookAtFetches()
            settle()
        }
        if screen.hasLoneSecondary { fillScreen() }
        if conditions.mayHoldScreen { settleScreen() }
        if mayBeDown { continueShutdown() }
        if !waiters.isEmpty { settleWaiters() }
        return takeEffects()
    }

    private mutating func takeEffects() -> [Effect] {
        var result: [Effect] = []
        swap(&result, &effects)
        if !answers.isEmpty {
            result.append(contentsOf: answers)
            if answers.capacity > Self.usualCapacity { answers = [] } else { answers.removeAll(keepingCapacity: true) }
        }
        if halts { result.append(Effect(.halt, cause: root)) }
        halts = false
        return result
    }

    /// When the host has to send `timer` at the latest.
    package mutating func nextDeadline() -> Instant? {
        // Asked for after every event: compared as numbers, without a list.
        var next = deadlines.next()?.nanoseconds ?? .max
        if let look = memory.nextLook { next = min(next, look.nanoseconds) }
        if let midnight = conditions.midnight { next = min(next, midnight.nanoseconds) }
        if let settles = conditions.networkSettles { next = min(next, settles.nanoseconds) }
        if let due = conditions.protectionDue { next = min(next, due.nanoseconds) }
        if let look = fetch.nextLook { next = min(next, look.nanoseconds) }
        if let look = broker?.nextLook { next = min(next, look.nanoseconds) }
        return next == .max ? nil : Instant(nanoseconds: next)
    }

    /// Made when something is seen first.
    mutating func withAccount(_ body: (inout EnergyAccount) -> Void) {
        if !$energy { energy = EnergyAccount(cellular: profile.cellularModel) }
        _energy.change(body)
    }

    /// Only while room on the disk is short.
    mutating func withShortage(_ body: (inout DiskShortage) -> Void) { _diskShortage.change(body) }

    mutating func withTally(_ body: (inout TrafficTally) -> Void) {
        if !$moved { moved = TrafficTally() }
        _moved.change(body)
    }

    private mutating func route(_ event: Event) {
        switch event {
        case .clockChanged(let offset):
            wallOffset = offset
            clockSet()
        case .conditionSensed(let condition): conditionSensed(condition)
        case .booted: boot()
        case .adopted(let found): adopt(found)
        case .installed(let manifest): install(manifest)
        case .command(let id, let command): perform(command, id)
        case .request(let app, let id, let request): perform(request, id, of: app)
        case .timer: passDeadlines()
        case .retired: break
        case .processStarted(let app, let generation, let pid): processStarted(app, generation, pid: pid)
        case .launchFailed(let app, let generation, let failure): launchFailed(app, generation, failure)
        case .connected(let app, let generation, let executed): connected(app, generation, executed: executed)
        case .disconnected(let app, let generation): disconnected(app, generation)
        case .callbackReturned(let app, let generation, let number): callbackReturned(app, generation, number)
        case .mainThreadAnswered(let app, let generation): mainThreadAnswered(app, generation)
        case .firstProcessEnded(let app, let generation, let status): firstProcessEnded(app, generation, status)
        case .allProcessesEnded(let app, let generation): allProcessesEnded(app, generation)
        case .processesCounted(let app, let generation, let count): processesCounted(app, generation, count)
        case .tracerChecked(let app, let generation, let isTraced):
            tracerChecked(app, generation, isTraced: isTraced)
        case .prepared(let app, let generation): prepared(app, generation)
        case .frozen(let app, let generation): frozen(app, generation)
        case .verified(let app, let generation): verified(app, generation)
        case .mechanism(let incarnation, let event): handle(event, of: incarnation)
        case .service(let event): handle(event)
        case .trafficSeen(let app, let purpose, let sent, let received, let from, let to):
            trafficSeen(app, purpose, sent: sent, received: received, from: from, to: to)
        case .trafficCounted(let app, let purpose, let count): trafficCounted(app, purpose, count)
        case .room(let event): handle(event)
        case .sessionEvents(let app, let session, let authentication):
            sessionEvents(app, session: session, authentication: authentication)
        case .wishesRestored(let app, let wishes): restoreWishes(app, wishes)
        case .habitsRestored(let memory): restoreHabits(memory)
        case .memoryConfigured(let budget, let source): memoryConfigured(budget: budget, source: source)
        case .memorySensed(let available): memorySensed(available: available)
        case .footprintSampled(let app, let generation, let footprint): footprintSampled(app, generation, footprint)
        case .reclaimed(let app, let generation, let footprint): reclaimed(app, generation, footprint)
        case .endedForMemory(let ended, let available): endedForMemory(ended, available: available)
        case .mappingsCounted(let app, let generation, let count, let largest):
            mappingsCounted(app, generation, count, largest: largest)
        case .purgeableCounted(let app, let generation, let count): purgeableCounted(app, generation, count)
        }
    }

    /// Reconciles the apps that the event touched, and those that reconciling them touches, each with the one rule.
    private mutating func settle() {
        var next = 0
        while next < touched.count {
            let i = Int(touched[next].rawValue)
            next += 1
            raisePriority(i)
            reconcile(i)
        }
        // By place: to walk through the list itself would keep it while it changes.
        for place in 0..<next {
            let i = Int(touched[place].rawValue)
            tellNearLimit(i)
            settlePriority(i)
        }
        if touched.capacity > Self.usualCapacity { touched = [] } else { touched.removeAll(keepingCapacity: true) }
    }

    /// What more room a burst took is given back.
    private static let usualCapacity = 4096

    mutating func touch(_ app: AppIndex) { touched.append(app) }

    // MARK: Looking in

    package var allApps: [App] { apps }
    package var installedApps: [App] { apps.filter(\.isInstalled) }
    package var frontApp: AppIndex? { screen.front }
    package var isLocked: Bool { screen.isLocked }
    package var isAsleep: Bool { screen.isAsleep }
    package var isSwitcherOpen: Bool { screen.isSwitcherOpen }
    package var interruptions: [InterruptionKind] { screen.interruptions }

    package func app(_ index: AppIndex) -> App? {
        index.rawValue < apps.count ? apps[Int(index.rawValue)] : nil
    }

    /// `nil` for an app that there is not.
    package func state(of app: AppIndex) -> LifecycleState? {
        app.rawValue < apps.count ? apps[Int(app.rawValue)].state : nil
    }

    /// Asks something of a system that is kept in a class. Called on that directly, what only reads is called on a copy
    /// of the whole.
    package mutating func ask<Answer>(_ question: (borrowing System) -> Answer) -> Answer { question(self) }

    /// On screen, and not hidden by a lock screen or a call.
    package func isVisible(_ app: AppIndex) -> Bool {
        app.rawValue < apps.count && presence(Int(app.rawValue)) != .hidden
    }

    /// `nil` for an app that there is not.
    package func generation(of app: AppIndex) -> Generation? {
        app.rawValue < apps.count ? apps[Int(app.rawValue)].generation : nil
    }

    /// The user sees an app, whichever it is.
    package var isAppOnScreen: Bool {
        screen.isOccupied && presence(inRole: .primary) != .hidden
    }

    package var call: CallState {
        if screen.hasCall { return .connected }
        return screen.interruptions.contains(.call) ? .ringing : .none
    }

    /// The wall-clock time of a moment.
    @inline(__always)
    package func wall(_ moment: Instant) -> WallTime { WallTime(nanoseconds: moment.nanoseconds &+ wallOffset) }

    /// The index of an app whose present process this is; `nil` for news of a process that is gone.
    @inline(__always)
    func current(_ app: AppIndex, _ generation: Generation) -> Int? {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].generation.rawValue == generation.rawValue, apps[i].process != .none else {
            return nil
        }
        return i
    }

    // MARK: Deciding

    mutating func emit(_ action: consuming Action, cause: LogSequence?) {
        // One allocation for what most events lead to.
        if effects.isEmpty { effects.reserveCapacity(8) }
        effects.append(Effect(action, cause: cause))
    }

    /// Writes an entry of an app; it becomes the cause of the app's next one.
    mutating func log(_ i: Int, _ event: LogEvent, _ reason: Reason) {
        log(i, event, reason, after: apps[i].cause)
    }

    /// Writes an entry of what an app does whenever it likes, as long as it does not fill the log with it.
    mutating func logAsked(_ i: Int, _ event: LogEvent, _ reason: Reason) {
        guard let rate = profile.allowances?.entries else { return log(i, event, reason) }
        var count = apps[i].asked ?? RateCount(at: now)
        let (verdict, exceeded) = count.add(at: now, rate)
        apps[i].asked = count
        if exceeded > 0 { log(i, .entriesOmitted, .omittedEntries(count: exceeded)) }
        switch verdict {
        case .isFine: log(i, event, reason)
        case .isFirstTooMany: log(i, .entriesOmitted, .omitsEntries(limit: rate.count, within: rate.within))
        case .isTooMany: break
        }
    }

    /// Writes an entry that continues a chain. Unless something has moved the app since, its next entry continues it.
    @discardableResult
    mutating func log(
        _ i: Int, _ event: LogEvent, _ reason: Reason, after cause: LogSequence?, took: Span? = nil
    ) -> LogSequence {
        let sequence = append(apps[i].index, event, reason, cause: cause, took: took)
        if apps[i].cause == cause { apps[i].cause = sequence }
        apps[i].lastEntry = sequence
        return sequence
    }

    /// Writes an entry about the device; it becomes the cause of what the event does.
    mutating func logRoot(_ event: LogEvent, _ reason: Reason, cause: LogSequence? = nil) {
        root = append(nil, event, reason, cause: cause, took: nil)
    }

    private mutating func append(
        _ app: AppIndex?, _ event: LogEvent, _ reason: Reason, cause: LogSequence?, took: Span?
    ) -> LogSequence {
        let sequence = nextSequence
        nextSequence = LogSequence(sequence.rawValue + 1)
        let entry = LogEntry(
            sequence: sequence, at: wall(now), app: app, event: event, reason: reason, cause: cause, took: took)
        emit(.log(entry), cause: cause)
        return sequence
    }

    /// Moves an app along the transition table. An illegal transition is a fault in the Core: the invariants find it.
    mutating func transition(_ i: Int, _ event: LifecycleEvent) {
        guard let next = try? apps[i].state.after(event) else {
            illegalTransitions += 1
            return
        }
        if let count = runningApps, apps[i].state.isRunning != next.isRunning {
            runningApps = next.isRunning ? count + 1 : count - 1
        }
        if apps[i].state.isForeground, !next.isForeground { fetch.planner.left(apps[i].index, at: planTime) }
        apps[i].state = next
        apps[i].since = wall(now)
        if case .enteredBackground = event, fetch.isInUse { fetch.mustLook = true }
        if case .becameActive = event, memory.budget > 0 { memory.history.used(apps[i].index) }
    }

    /// How many apps run; `nil` until somebody asks after a start.
    private var runningApps: Int?

    mutating func countRunningApps() -> Int {
        if let runningApps { return runningApps }
        var count = 0
        for i in apps.indices where apps[i].state.isRunning { count += 1 }
        runningApps = count
        return count
    }

    /// How many apps were woken for something that is not done; `nil` until somebody asks after a start.
    var wokenApps: Int?

    /// Transitions that the table refused; anything but zero is a fault (`brokenInvariants`).
    var illegalTransitions = 0
}
