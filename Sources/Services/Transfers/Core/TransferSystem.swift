package import Model

/// The transfers of a machine: a value that turns events into effects.
package struct TransferSystem: Sendable {
    package let rules: TransferRules

    var now = Instant.zero
    /// Wall clock minus boot clock; nothing begins before it is known.
    var wallOffset: Span?
    /// `nil`: nobody has said yet, and nothing begins.
    var conditions: TransferConditions?
    var hasSystem = false
    var jitter: Jitter

    var counters = TransferCounters()
    var apps: [AppIdentifier: AppEntry] = [:]
    var sessions: [SessionID: Session] = [:]
    var names: [SessionKey: SessionID] = [:]
    var tasks: [TransferID: ActiveTask] = [:]
    var waiting: Set<TransferID> = []
    var running: Set<TransferID> = []
    var kept: [TransferFile: KeptFile] = [:]
    var connections: [ConnectionID: AppIdentifier] = [:]
    /// Of the tool's own, the oldest first.
    var endedToolTasks: [TransferID] = []
    var due = DueQueue()
    var trial = Trial()
    var yielding = Yielding()

    // Of the event being handled.
    var changes = Changes()
    var effects: [TransferEffect] = []
    var touched: Set<SessionID> = []
    /// All that wait are looked at: there is room, or the world is another.
    var looksAtWaiting = false
    /// What is looked at in any case: it waits since just now, or waited for a moment that has come.
    var candidates: Set<TransferID> = []
    var tellsWaiting = false
    var illegalTransitions = 0
    /// What the system was told of those that wait.
    var lastWaiting: TransferEffect?
    var nextOfWaiting: WallTime?

    /// - Parameter seed: of the jitter; another one for each process.
    package init(rules: TransferRules = TransferRules(), seed: UInt64) {
        self.rules = rules
        jitter = Jitter(seed: seed)
    }

    package mutating func handle(_ event: TransferEvent, at instant: Instant) -> [TransferEffect] {
        now = max(now, instant)
        route(event)
        lookAtDue()
        settle()
        return takeEffects()
    }

    /// When the shell has to send `timer` at the latest.
    package mutating func nextDeadline() -> Instant? { due.next() }

    private mutating func route(_ event: TransferEvent) {
        switch event {
        case .timer: break
        case .clockChanged(let offset): clockChanged(offset)
        case .conditions(let conditions): conditionsChanged(conditions)
        case .link(let sample): linkMoved(sample)
        case .died(let ids): died(ids)
        case .systemAttached: systemAttached()
        case .systemDetached: hasSystem = false
        case .appState(let app, let presence): presenceChanged(app, presence)
        case .userEnded(let app): userEnded(app)
        case .forgotten(let app, let request): forget(app, request)
        case .announced(let session, let number): announced(session, number)
        case .attached(let connection, let app): connections[connection] = app
        case .detached(let connection): detached(connection)
        case .client(let connection, let request, let asked): client(connection, request, asked)
        case .delivered(let connection, let session, let number): delivered(connection, session, number)
        case .decided(let connection, let session, let number, let decision):
            decided(connection, session, number, decision)
        case .tool(let request, let asked): tool(request, asked)
        case .responseHead(let attempt, let head, let challenge): responseHead(attempt, head, challenge)
        case .received(let attempt, let total): received(attempt, total)
        case .durable(let attempt, let offset): durable(attempt, offset)
        case .sent(let attempt, let total): sent(attempt, total)
        case .uploadResumable(let attempt, let resource): uploadResumable(attempt, resource)
        case .responseEnded(let attempt, let offset, let digest): responseEnded(attempt, offset, digest)
        case .failed(let attempt, let failure): failed(attempt, failure)
        case .fileFailed(let attempt, let failure): fileFailed(attempt, failure)
        case .fileIsShort(let attempt, let length): fileIsShort(attempt, length)
        case .fileMoved(let id, let path): fileMoved(id, path)
        case .moveFailed(let id, let failure): moveFailed(id, failure)
        }
    }

    private mutating func lookAtDue() {
        guard wallOffset != nil else { return }
        while let key = due.pop(at: now) {
            switch key {
            case .task(let id): taskIsDue(id)
            case .session(let id): touched.insert(id)
            case .app(let app): delayPassed(app)
            case .kept(let file): keptFileIsDue(file)
            }
        }
    }

    /// What follows from the event: who may begin, and who is told.
    private mutating func settle() {
        while true {
            if looksAtWaiting || !candidates.isEmpty || tellsWaiting {
                admit()
            } else if let id = touched.min() {
                touched.remove(id)
                tell(id)
            } else {
                if yielding.isDue { tellYielding() }
                return
            }
        }
    }

    private mutating func takeEffects() -> [TransferEffect] {
        var result = changes.isEmpty ? [] : takeChanges()
        result.append(contentsOf: effects)
        effects.removeAll(keepingCapacity: true)
        return result
    }

    private mutating func takeChanges() -> [TransferEffect] {
        var result: [TransferEffect] = []
        if changes.counters { result.append(.store(.counters(counters))) }
        for app in changes.apps.sorted(by: { $0.rawValue < $1.rawValue }) {
            if let entry = apps[app] { result.append(.store(.app(entry.record))) }
        }
        for id in changes.sessions.sorted() {
            if let session = sessions[id] { result.append(.store(.session(session.record))) }
        }
        for id in changes.tasks.sorted() {
            guard let task = tasks[id] else { continue }
            result.append(.store(.task(stored(task.record))))
            if task.storedOffset != task.record.durable {
                result.append(.store(.offset(id, task.record.durable)))
                tasks[id]?.storedOffset = task.record.durable
            }
        }
        result.append(contentsOf: changes.others)
        changes = Changes()
        return result
    }

    /// A task that runs will wait, when somebody reads this.
    private func stored(_ record: TaskRecord) -> TaskRecord {
        var record = record
        if record.phase == .running { record.phase = .waiting }
        return record
    }
}

extension TransferSystem {
    var wall: WallTime { WallTime(nanoseconds: now.nanoseconds &+ (wallOffset ?? .zero).nanoseconds) }

    /// The moment on the boot clock; what is too far away is never.
    func instant(_ time: WallTime) -> Instant {
        let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow((wallOffset ?? .zero).nanoseconds)
        return Instant(nanoseconds: overflow ? (time.nanoseconds < 0 ? .min : .max) : difference)
    }

    /// The files that a record names.
    package var filesInUse: Set<TransferFile> {
        var files = Set(kept.keys)
        for task in tasks.values {
            if let file = task.record.file { files.insert(file) }
            if task.record.phase != .ended, let body = task.record.body { files.insert(body.file) }
        }
        return files
    }

    /// Nothing runs, nobody is attached, and nothing will come to pass without an event.
    package var isIdle: Bool { connections.isEmpty && running.isEmpty && waiting.isEmpty && !isPlacing }

    private var isPlacing: Bool { tasks.values.contains { $0.record.phase == .placing } }

    /// All that there is, in the order in which it was made.
    package var transfers: [TransferID] { tasks.keys.sorted() }

    package func sessionID(_ app: AppIdentifier?, _ name: String) -> SessionID? {
        names[SessionKey(app: app, name: name)]
    }
}
