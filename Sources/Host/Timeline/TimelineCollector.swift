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
        var assertions: [Assertion] = []
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
            known.assertions = app.heldAssertions
            known.priority = app.priority
            known.footprint = app.memory.footprint
            apps.append(known)
            if app.state.isRunning { running.append(app.index) }
        }
        budget = system.memory.budget
    }

    package var hasNotes: Bool { !notes.isEmpty }

    package mutating func takeNotes() -> [Note] {
        defer { notes.removeAll(keepingCapacity: true) }
        return notes
    }

    package mutating func takeChanges() -> [Change] {
        guard !changes.isEmpty else { return [] }
        defer { changes.removeAll(keepingCapacity: true) }
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
        let held = app.heldAssertions
        guard
            before.state != app.state || before.assertions != held || before.priority != app.priority
                || known(index) == nil
        else { return }
        for assertion in before.assertions where !held.contains(where: { $0.id == assertion.id }) {
            add(.assertionEnded(app: before.identifier, id: assertion.id.rawValue), at: now)
        }
        if before.state != app.state {
            if before.state == .notRunning { add(.named(app: before.identifier, name: app.manifest.name), at: now) }
            add(.state(app: before.identifier, app.state), at: now)
            changes.append(Change(app: index, from: before.state, to: app.state))
        }
        for assertion in held where !before.assertions.contains(where: { $0.id == assertion.id }) {
            add(.assertionBegan(app: before.identifier, HeldAssertion(assertion)), at: now)
        }
        if before.priority != app.priority, app.state != .notRunning {
            add(.priority(app: before.identifier, app.priority), at: now)
        }
        before.state = app.state
        before.priority = app.priority
        before.assertions = held
        if app.state == .notRunning { before.footprint = .zero }
        remember(before, index)
    }

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
        // Nothing else tells of memory.
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
            id: assertion.id.rawValue, kind: assertion.kind.name, name: assertion.name, expires: assertion.expires)
    }
}
