package import Model

/// The notifications of a machine: a value that turns events into effects.
package struct NotificationSystem: Sendable {
    package let rules: NotificationRules
    /// What `init(restoring:)` could not use.
    package internal(set) var damaged: [DamagedRecord] = []

    var now = Instant.zero
    /// Wall clock minus boot clock; nothing is shown before it is known.
    var wallOffset: Span?
    /// `nil`: nobody has said yet.
    var machineZone: ZoneRules?
    var conditions = NotificationConditions()
    var hasSystem = false
    let boot: String

    var counters = NotificationCounters()
    var entries: [AppIdentifier: AppEntry] = [:]
    var connections: [ConnectionID: AppIdentifier] = [:]
    var shown: [NotificationID: DeliveredRecord] = [:]
    var mutations: [MutationID: MutationRecord] = [:]
    var seen = SeenPushes()
    var link = Link()
    /// The silent push of an app that waits, and what it may still get.
    var held: [AppIdentifier: HeldPush] = [:]
    var budgets: [AppIdentifier: BudgetRecord] = [:]
    /// Apps with requests that wait, and those that have registered for remote notifications.
    var waiting: Set<AppIdentifier> = []
    var registered: Set<AppIdentifier> = []
    /// Apps for which another service may watch places.
    var placed: Set<AppIdentifier> = []
    /// Apps that are to be told something.
    var telling: Set<AppIdentifier> = []
    /// What is due by the boot clock, and what by the wall clock: setting that moves all of it at once.
    var due = DueQueue<DueKey, Instant>()
    var dueByWall = DueQueue<AppIdentifier, WallTime>()

    // Of the event being handled.
    var changes = Changes()
    var effects: [NotificationEffect] = []
    var touched: Set<AppIdentifier> = []

    /// - Parameter boot: names the start of the machine that instants count from (`/proc/sys/kernel/random/boot_id`).
    package init(rules: NotificationRules = NotificationRules(), boot: String) {
        self.rules = rules
        self.boot = boot
    }

    package mutating func handle(_ event: NotificationEvent, at instant: Instant) -> [NotificationEffect] {
        now = max(now, instant)
        route(event)
        lookAtDue()
        while !touched.isEmpty {
            let apps = touched.inOrder
            touched = []
            for app in apps {
                settle(app)
                settlePlaces(app)
            }
        }
        return takeEffects()
    }

    /// When the shell has to send `timer` at the latest.
    package mutating func nextDeadline() -> Instant? {
        guard let wallOffset else { return nil }
        let byWall = dueByWall.next().map { Instant(nanoseconds: $0.nanoseconds) + (Span.zero - wallOffset) }
        guard let next = due.next() else { return byWall }
        return byWall.map { min($0, next) } ?? next
    }

    private mutating func route(_ event: NotificationEvent) {
        switch event {
        case .timer: break
        case .clockChanged(let offset): clockChanged(offset)
        case .zoneChanged(let rules): zoneChanged(rules)
        case .conditions(let conditions): conditionsChanged(conditions)
        case .systemAttached: systemAttached()
        case .systemDetached: systemDetached()
        case .appState(let app, let presence): presenceChanged(app, presence)
        case .appModes(let app, let receivesPushes): modesChanged(app, receivesPushes)
        case .closedByUser(let app): closedByUser(app)
        case .forgotten(let app, let request): forget(app, request)
        case .woken(let id, let answer): woken(id, answer)
        case .windowEnded(let app, let window, let result): windowEnded(app, window, result)
        case .attached(let connection, let app): attached(connection, app)
        case .detached(let connection): detached(connection)
        case .app(let connection, let request, let asked): self.app(connection, request, asked)
        case .answered(let connection, let number, let answer): answered(connection, number, answer)
        case .tool(let request, let asked): tool(request, asked)
        case .acted(let id, let action): _ = acted(id, action)
        case .expired(let id): expired(id)
        case .regionCrossed(let app, let region, let isEntry): _ = regionCrossed(app, region, isEntry)
        case .placeCrossed(let request, let app, let place, let isEntry, let number):
            if entries[app] == nil {
                effects.append(.refuse(request, .noSuchApp))
            } else {
                reply(request, .crossed(notifications: placeCrossed(app, place, isEntry, number)))
            }
        case .watched(let app, let answer): watched(app, answer)
        case .pushArrived(let message, let sequence): pushArrived(message, sequence)
        case .mutated(let id, let content): mutated(id, content)
        case .link(let news): linkNews(news)
        }
    }

    private mutating func lookAtDue() {
        guard let offset = wallOffset else { return }
        let wall = WallTime(nanoseconds: now.nanoseconds) + offset
        while let app = dueByWall.pop(at: wall) { requestsAreDue(app) }
        while let key = due.pop(at: now) {
            switch key {
            case .interval(let app): requestsAreDue(app)
            case .budget(let app): release(app)
            case .tellings(let app): tellingsAreDue(app)
            case .mutation(let id): mutated(id, nil)
            case .keepAlive: keepAliveIsDue()
            case .places(let app): touched.insert(app)
            }
        }
    }

    private mutating func takeEffects() -> [NotificationEffect] {
        var result: [NotificationEffect] = []
        if !changes.isEmpty {
            if changes.counters { result.append(.store(.counters(counters))) }
            for app in changes.apps.inOrder {
                if let entry = entries[app] { result.append(.store(.app(entry.record))) }
            }
            for app in changes.budgets.inOrder {
                if let budget = budgets[app] { result.append(.store(.budget(budget))) }
            }
            result.append(contentsOf: changes.others)
            changes = Changes()
        }
        result.append(contentsOf: effects)
        effects.removeAll(keepingCapacity: true)
        return result
    }
}

extension NotificationSystem {
    var zone: ZoneRules { machineZone ?? .utc }

    /// Before the clock is known, what the boot clock says.
    var wall: WallTime { WallTime(nanoseconds: now.nanoseconds) + (wallOffset ?? .zero) }

    mutating func store(_ record: NotificationStored) { changes.others.append(.store(record)) }
    mutating func erase(_ key: NotificationStoredKey) { changes.others.append(.erase(key)) }
    mutating func report(_ report: NotificationReport) { effects.append(.report(report)) }

    /// Changes what is stored of an app beside its lists.
    mutating func change(_ app: AppIdentifier, _ body: (inout AppRecord) -> Void) {
        guard let before = entries[app]?.record else { return }
        body(&entries[app, default: AppEntry(before)].record)
        guard let after = entries[app]?.record, after != before else { return }
        changes.apps.insert(app)
        if after.isRegistered { registered.insert(app) } else { registered.remove(app) }
        if after.hasPlaces == true { placed.insert(app) } else { placed.remove(app) }
    }

    /// Knows the app from now on.
    mutating func know(_ app: AppIdentifier) {
        if entries[app] == nil { entries[app] = AppEntry(AppRecord(app)) }
    }

    // MARK: The machine

    private mutating func clockChanged(_ offset: Span) {
        let old = wallOffset
        wallOffset = offset
        guard let old else { return begin(offset) }
        guard old != offset else { return }
        changes.counters = true
        counters.offset = offset
        if offset < old - .seconds(86_400) { forgetTheFuture() }
    }

    private mutating func conditionsChanged(_ new: NotificationConditions) {
        let old = conditions
        conditions = new
        if new.isRadioWarm != old.isRadioWarm {
            scheduleKeepAlive()
            if new.isRadioWarm { adviseGateway() }
        }
        if new.savesPower != old.savesPower {
            for app in held.keys.inOrder { release(app) }
        }
    }

    private mutating func systemAttached() {
        hasSystem = true
        touched.formUnion(telling)
        touched.formUnion(placed)
    }

    private mutating func systemDetached() {
        hasSystem = false
        for app in telling.inOrder { forgetWakes(app) }
        forgetWatching()
    }
}

extension NotificationConditions {
    /// No silent push is let through by time alone.
    var savesPower: Bool { isLowPower && !isCharging }
}

extension Collection<AppIdentifier> {
    /// The same in every process, as what sets and dictionaries say is not.
    var inOrder: [AppIdentifier] { sorted { $0.rawValue < $1.rawValue } }
}
