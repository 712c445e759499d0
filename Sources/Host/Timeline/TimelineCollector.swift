package import Model
package import PolicyCore
package import Timeline

/// What the timeline tells of an event: compares what the Core says of its apps before and after.
///
/// It sees each event with its effects, live or replayed from the journal, so that a killed daemon's last moments are
/// told by the next one. Nothing is formatted here: the way to the screen leads through it.
package struct TimelineCollector {
    package enum Note: Sendable {
        case record(TimelineRecord)
        case entry(LogEntry, app: String?, at: Instant)

        package var record: TimelineRecord {
            switch self {
            case .record(let record): record
            case .entry(let entry, let app, let at): TimelineRecord(at, .entry(TimelineEntry(entry, app: app)))
            }
        }
    }

    /// What was told of an app last.
    private struct Known {
        var identifier: String
        var state = LifecycleState.notRunning
        var tasks: [AssertionID] = []
        var others: [AssertionID] = []
        var priority = AppPriority.foreground
        var footprint = Footprint.zero
    }

    private var apps: [Known?] = []
    /// Wall clock minus boot clock, as it was told last.
    package var offset: Int64
    private var available: Int64?
    private var budget: Int64 = 0
    private var notes: [Note] = []
    /// Apps that are neither suspended nor gone, in order.
    package private(set) var running: [AppIndex] = []
    /// What became of apps since the last `takeChanges`.
    private var changes: [Change] = []

    /// How many assertions were compared so far, for who measures that.
    package private(set) var comparisons: UInt64 = 0

    package struct Change: Hashable, Sendable {
        package var app: AppIndex
        package var from: LifecycleState
        package var to: LifecycleState
    }

    /// Smaller changes of what is available are not told.
    private static let grain: Int64 = 1 << 20

    /// Begins with what a system is, of which nothing is told.
    package init(_ system: System) {
        offset = system.wall(.zero).nanoseconds
        for app in system.allApps {
            var known = Known(identifier: app.manifest.identifier.rawValue)
            known.state = app.state
            known.tasks = app.assertions.tasks.map(\.id)
            known.others = app.assertions.others.map(\.id)
            known.priority = app.priority
            known.footprint = app.memory.footprint
            apps.append(known)
            if app.state.isRunning { running.append(app.index) }
        }
        budget = system.memory.budget
    }

    package var hasNotes: Bool { !notes.isEmpty }

    package mutating func takeNotes() -> [Note] {
        defer { notes.clear() }
        return notes
    }

    package mutating func takeChanges() -> [Change] {
        guard !changes.isEmpty else { return [] }
        defer { changes.clear() }
        return changes
    }

    package mutating func add(_ what: Happening, at now: Instant) { notes.append(.record(TimelineRecord(now, what))) }

    package func identifier(of app: AppIndex) -> String? { known(app)?.identifier }

    // MARK: An event

    package mutating func note(_ event: Event, _ effects: [Effect], _ system: System, at now: Instant) {
        let offset = system.wall(.zero).nanoseconds
        if offset != self.offset {
            self.offset = offset
            add(.clockSet(offset: offset), at: now)
        }
        // Whatever the event was about, it may have moved who runs. Who does not is moved by a launch or a thaw.
        for app in running { look(at: app, in: system, now) }
        if case .adopted = event { for app in system.allApps { look(at: app.index, in: system, now) } }
        for effect in effects {
            switch effect.action {
            case .launch(let app, _, _), .thaw(let app, _): look(at: app, in: system, now)
            case .log(let entry):
                if let app = entry.app { look(at: app, in: system, now) }
                notes.append(.entry(entry, app: entry.app.flatMap { known($0)?.identifier }, at: now))
            case .report(let facts): note(facts, now)
            // The others change no state, or have an entry.
            default: break
            }
        }
        measure(event, now)
    }

    private mutating func look(at index: AppIndex, in system: System, _ now: Instant) {
        guard let app = system.app(index) else { return }
        var before = known(index) ?? Known(identifier: app.manifest.identifier.rawValue)
        let (tasks, others) = (app.assertions.tasks, app.assertions.others)
        let hasOthers = isOther(before.tasks, tasks) || isOther(before.others, others)
        guard hasOthers || before.state != app.state || before.priority != app.priority || known(index) == nil else {
            return
        }
        if hasOthers { tellEnds(&before, tasks, others, now) }
        if before.state != app.state {
            if before.state == .notRunning { add(.named(app: before.identifier, name: app.manifest.name), at: now) }
            add(.state(app: before.identifier, app.state), at: now)
            changes.append(Change(app: index, from: before.state, to: app.state))
        }
        if hasOthers { tellBegins(&before, tasks, others, now) }
        if before.priority != app.priority, app.state != .notRunning {
            add(.priority(app: before.identifier, app.priority), at: now)
        }
        before.state = app.state
        before.priority = app.priority
        if app.state == .notRunning { before.footprint = .zero }
        remember(before, index)
    }

    // MARK: Assertions

    // They stand in the order of their numbers, and no number is given twice. So as many with the same last one are the
    // same ones, and what is new stands behind all that was told: an app with a thousand tasks costs what it changes.

    private func isOther(_ before: [AssertionID], _ held: [Assertion]) -> Bool {
        before.count != held.count || before.last != held.last?.id
    }

    private mutating func tellEnds(
        _ known: inout Known, _ tasks: [Assertion], _ others: [Assertion], _ now: Instant
    ) {
        let ended = dropEnded(&known.others, others) + dropEnded(&known.tasks, tasks)
        for id in ended.sorted() { add(.assertionEnded(app: known.identifier, id: id.rawValue), at: now) }
    }

    /// Takes out what is not held any more.
    private mutating func dropEnded(_ known: inout [AssertionID], _ held: [Assertion]) -> [AssertionID] {
        guard let last = known.last else { return [] }
        let kept = firstPlace(in: 0..<held.count) { held[$0].id > last }
        guard kept > 0 else {
            defer { known = [] }
            return known
        }
        var ended: [AssertionID] = []
        var place = 0
        while known.count > kept {
            place = firstPlace(in: place..<kept) { known[$0] != held[$0].id }
            ended.append(known.remove(at: place))
        }
        return ended
    }

    /// The first place from which on it is so.
    private mutating func firstPlace(in places: Range<Int>, where isBehind: (Int) -> Bool) -> Int {
        var (low, high) = (places.lowerBound, places.upperBound)
        while low < high {
            comparisons &+= 1
            let middle = low + (high - low) / 2
            if isBehind(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private mutating func tellBegins(
        _ known: inout Known, _ tasks: [Assertion], _ others: [Assertion], _ now: Instant
    ) {
        // What is new has greater numbers than all that was told.
        let begun = tasks[Self.firstNew(known.tasks, tasks)...] + others[Self.firstNew(known.others, others)...]
        for assertion in begun.sorted(by: { $0.id < $1.id }) {
            add(.assertionBegan(app: known.identifier, HeldAssertion(assertion)), at: now)
        }
        known.tasks.append(contentsOf: tasks[known.tasks.count...].map(\.id))
        known.others.append(contentsOf: others[known.others.count...].map(\.id))
    }

    private static func firstNew(_ known: [AssertionID], _ held: [Assertion]) -> Int { min(known.count, held.count) }

    private mutating func note(_ facts: ReportFacts, _ now: Instant) {
        guard let app = known(facts.app)?.identifier else { return }
        let report = TimelineReport(
            id: "\(app)-\(facts.sequence.rawValue)", namespace: facts.code.namespace, code: Int64(facts.code.code),
            reason: facts.reason)
        add(.report(app: app, report), at: now)
    }

    private mutating func measure(_ event: Event, _ now: Instant) {
        switch event {
        case .footprintSampled(let app, _, let footprint), .reclaimed(let app, _, let footprint):
            guard var known = known(app), known.state != .notRunning, known.footprint != footprint else { return }
            known.footprint = footprint
            remember(known, app)
            add(.memory(app: known.identifier, footprint), at: now)
        case .memoryConfigured(let budget, _): self.budget = budget
        case .memorySensed(let available), .endedForMemory(_, let available): sensed(available, at: now)
        case .trafficCounted(let app, _, let count):
            guard let known = known(app), count.sent > 0 || count.received > 0 else { return }
            let use = Happening.networkUsed(
                app: known.identifier, sent: count.sent, received: count.received,
                over: max(Span(nanoseconds: 1), count.to - count.from))
            add(use, at: now)
        // Nothing else is measured.
        default: break
        }
    }

    package mutating func sensed(_ available: Int64, at now: Instant) {
        if let told = self.available, abs(told - available) < max(Self.grain, budget / 256) { return }
        self.available = available
        add(.available(bytes: available, budget: budget), at: now)
    }

    // MARK: What was told

    private func known(_ app: AppIndex) -> Known? { app.rawValue < apps.count ? apps[Int(app.rawValue)] : nil }

    private mutating func remember(_ known: Known, _ app: AppIndex) {
        while apps.count <= Int(app.rawValue) { apps.append(nil) }
        apps[Int(app.rawValue)] = known
        let place = running.firstIndex { $0 >= app } ?? running.endIndex
        let isThere = place < running.count && running[place] == app
        if known.state.isRunning, !isThere { running.insert(app, at: place) }
        if !known.state.isRunning, isThere { running.remove(at: place) }
    }
}

extension TimelineEntry {
    fileprivate init(_ entry: LogEntry, app: String?) {
        self.init(
            app: app, sequence: entry.sequence.rawValue, event: entry.event.name, reason: entry.reason.sentence,
            cause: entry.cause?.rawValue, took: entry.took)
    }
}

extension HeldAssertion {
    fileprivate init(_ assertion: Assertion) {
        self.init(
            id: assertion.id.rawValue, kind: assertion.kind.name, name: assertion.claim?.sentence ?? assertion.name,
            expires: assertion.expires)
    }
}
