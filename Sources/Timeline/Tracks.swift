package import Model

/// Records as what a person looks at: for each app how long it was in which state, ran which callback, held which
/// assertion, and what it used.
///
/// All times lie on one line that only goes forward. Within a boot of the machine it is the boot clock, put where the
/// wall clock was last set to, so that setting the clock neither stretches a span nor turns it round.
package struct Tracks: Sendable {
    /// Something that lasts.
    package struct Stretch<Value: Sendable>: Sendable {
        package var value: Value
        package var begin: WallTime
        package var end: WallTime
        /// It goes on: it ends where the timeline does.
        package var isOpen = false
    }

    /// Something that happens.
    package struct Point<Value: Sendable>: Sendable {
        package var at: WallTime
        package var value: Value
    }

    /// Bytes a second: in and out of the machine's memory, from and to the network or disks.
    package struct Rates: Hashable, Sendable {
        package var coming: Double
        package var going: Double
    }

    package struct App: Sendable {
        package let id: String
        package var name: String
        package var states: [Stretch<LifecycleState>] = []
        package var callbacks: [Stretch<TimelineEntry>] = []
        package var assertions: [Stretch<HeldAssertion>] = []
        /// When it had less of the machine than others.
        package var priorities: [Stretch<AppPriority>] = []
        /// Shares of one processor.
        package var processor: [Stretch<Double>] = []
        package var memory: [Point<Footprint>] = []
        package var network: [Stretch<Rates>] = []
        package var disk: [Stretch<Rates>] = []
        /// What the log tells besides callbacks.
        package var entries: [Point<TimelineEntry>] = []
        package var reports: [Point<TimelineReport>] = []

        init(_ id: String) {
            self.id = id
            name = id
        }
    }

    package private(set) var begin = WallTime(nanoseconds: 0)
    package private(set) var end = WallTime(nanoseconds: 0)
    /// In the order in which they turned up.
    package private(set) var apps: [App] = []
    package private(set) var device: [Point<TimelineEntry>] = []
    /// The daemon's share of one processor.
    package private(set) var daemon: [Stretch<Double>] = []
    package private(set) var available: [Point<(bytes: Int64, budget: Int64)>] = []
    private var places: [String: Int] = [:]

    package var isEmpty: Bool { apps.isEmpty && device.isEmpty }

    /// Of records in the order of the ring; `now` is the daemon's clock when it told them. What began before `since` is
    /// there as a whole, what ended before it is not.
    package init(_ records: [TimelineRecord], now: Instant?, since: WallTime? = nil) {
        let boots = Self.boots(records)
        var (clock, boot, next) = (Clock(), String?.none, 0)
        var latest = WallTime(nanoseconds: .min)
        for record in records {
            switch record.what {
            case .began(let beginning):
                let isNewBoot = beginning.boot != boot
                if boot != nil, isNewBoot || beginning.kind == .fresh { breakOff(at: latest) }
                if isNewBoot, next < boots.count {
                    (clock, boot) = (boots[next], beginning.boot)
                    next += 1
                }
                clock.offset = beginning.offset
            case .clockSet(let offset): clock.offset = offset
            default: break
            }
            let at = clock.time(record.at)
            note(record.what, at)
            // A file that begins tells again what is older.
            latest = max(latest, at)
        }
        end = records.isEmpty ? end : max(latest, now.map { clock.time($0) } ?? latest)
        finish(since)
    }

    /// Where the boot clock lies on the line.
    private struct Clock {
        /// Wall clock minus boot clock: now, and when it was set last in this boot.
        var offset: Int64 = 0
        var final: Int64 = 0
        /// So far does a boot lie behind what its clock says: it must not begin before the last one ended.
        var push: Int64 = 0

        /// Each daemon reads the two clocks anew, a moment apart. That is not setting them, and times stay as logged.
        private static let set: UInt64 = 100_000_000

        func time(_ moment: Instant) -> WallTime {
            let difference = final &- offset
            let correction = difference.magnitude < Self.set ? 0 : difference
            return WallTime(nanoseconds: moment.nanoseconds &+ offset &+ correction &+ push)
        }
    }

    /// The clock of each boot of the machine.
    private static func boots(_ records: [TimelineRecord]) -> [Clock] {
        var boots: [(boot: String, clock: Clock, first: Int64, last: Int64)] = []
        for record in records {
            let at = record.at.nanoseconds
            switch record.what {
            case .began(let beginning):
                if boots.last?.boot != beginning.boot { boots.append((beginning.boot, Clock(), at, at)) }
                boots[boots.count - 1].clock.final = beginning.offset
            case .clockSet(let offset):
                if !boots.isEmpty { boots[boots.count - 1].clock.final = offset }
            default: break
            }
            if !boots.isEmpty { boots[boots.count - 1].last = max(boots[boots.count - 1].last, at) }
        }
        var end = Int64.min
        return boots.map { boot in
            var clock = boot.clock
            if end != .min { clock.push = max(0, end &- (boot.first &+ clock.final)) }
            end = boot.last &+ clock.final &+ clock.push
            return clock
        }
    }

    // MARK: Record by record

    private mutating func note(_ what: Happening, _ at: WallTime) {
        switch what {
        case .began, .clockSet: break
        case .named(let app, let name): change(app) { $0.name = name }
        case .state(let app, let state): change(app) { $0.enter(state, at) }
        case .entry(let entry): note(entry, at)
        case .assertionBegan(let app, let held): change(app) { $0.take(held, at) }
        case .assertionEnded(let app, let id): change(app) { $0.drop(id, at) }
        case .priority(let app, let priority): change(app) { $0.give(priority, at) }
        case .processorUsed(let app, let used, let over):
            guard over.nanoseconds > 0 else { return }
            let begin = WallTime(nanoseconds: at.nanoseconds &- over.nanoseconds)
            let share = Stretch(
                value: max(0, Double(used.nanoseconds) / Double(over.nanoseconds)), begin: begin, end: at)
            if let app { change(app) { $0.processor.append(share) } } else { daemon.append(share) }
        case .memory(let app, let footprint):
            change(app) { app in
                if app.memory.last?.at != at || app.memory.last?.value != footprint {
                    app.memory.append(Point(at: at, value: footprint))
                }
            }
        case .networkUsed(let app, let sent, let received, let over):
            change(app) { $0.network += Self.rates(coming: received, going: sent, over, at) }
        case .diskUsed(let app, let read, let written, let over):
            change(app) { $0.disk += Self.rates(coming: read, going: written, over, at) }
        case .available(let bytes, let budget): available.append(Point(at: at, value: (bytes, budget)))
        case .report(let app, let report): change(app) { $0.reports.append(Point(at: at, value: report)) }
        }
    }

    private static func rates(coming: Int64, going: Int64, _ over: Span, _ at: WallTime) -> [Stretch<Rates>] {
        guard over.nanoseconds > 0 else { return [] }
        func rate(_ bytes: Int64) -> Double { max(0, Double(bytes)) / over.seconds }
        let begin = WallTime(nanoseconds: at.nanoseconds &- over.nanoseconds)
        return [Stretch(value: Rates(coming: rate(coming), going: rate(going)), begin: begin, end: at)]
    }

    private mutating func note(_ entry: TimelineEntry, _ at: WallTime) {
        guard let app = entry.app else {
            device.append(Point(at: at, value: entry))
            return
        }
        change(app) { app in
            guard let took = entry.took, Self.callbacks.contains(entry.event) else {
                app.entries.append(Point(at: at, value: entry))
                return
            }
            let begin = WallTime(nanoseconds: at.nanoseconds &- took.nanoseconds)
            app.callbacks.append(Stretch(value: entry, begin: begin, end: at))
        }
    }

    private static let callbacks = Set(
        CallbackKind.allCases.map { LogEvent($0).name } + SceneStep.allCases.map(\.event.name))

    private mutating func change(_ id: String, _ body: (inout App) -> Void) {
        let place: Int
        if let known = places[id] {
            place = known
        } else {
            place = apps.count
            places[id] = place
            apps.append(App(id))
        }
        body(&apps[place])
    }

    /// Nobody knows when it really ended: the last that was heard is as far as it goes.
    private mutating func breakOff(at moment: WallTime) {
        for i in apps.indices { apps[i].breakOff(at: moment) }
    }

    /// When the first of what is told began.
    package var earliest: WallTime? {
        var moments = device.map(\.at) + daemon.map(\.begin)
        for app in apps {
            moments += app.states.map(\.begin)
            moments += app.callbacks.map(\.begin)
            moments += app.entries.map(\.at)
        }
        return moments.min()
    }

    private mutating func finish(_ since: WallTime?) {
        begin = since ?? earliest ?? end
        for i in apps.indices { apps[i].finish(at: end, since: begin) }
        apps.removeAll { $0.isEmpty }
        device.removeAll { $0.at < begin }
        daemon.removeAll { $0.end < begin }
        if let last = available.lastIndex(where: { $0.at < begin }) { available.removeFirst(last) }
    }
}

extension Tracks.App {
    fileprivate var isEmpty: Bool {
        states.isEmpty && callbacks.isEmpty && entries.isEmpty && reports.isEmpty && processor.isEmpty
    }

    fileprivate mutating func enter(_ state: LifecycleState, _ at: WallTime) {
        if let last = states.last, last.isOpen {
            // A file that begins tells again what stands.
            if last.value == state { return }
            states[states.count - 1].end = at
            states[states.count - 1].isOpen = false
        }
        if state == .notRunning {
            breakOff(at: at)
        } else {
            states.append(Tracks.Stretch(value: state, begin: at, end: at, isOpen: true))
        }
    }

    fileprivate mutating func take(_ held: HeldAssertion, _ at: WallTime) {
        guard !assertions.contains(where: { $0.isOpen && $0.value.id == held.id }) else { return }
        assertions.append(Tracks.Stretch(value: held, begin: at, end: at, isOpen: true))
    }

    fileprivate mutating func drop(_ id: UInt64, _ at: WallTime) {
        guard let place = assertions.lastIndex(where: { $0.isOpen && $0.value.id == id }) else { return }
        assertions[place].end = at
        assertions[place].isOpen = false
    }

    fileprivate mutating func give(_ priority: AppPriority, _ at: WallTime) {
        if let last = priorities.last, last.isOpen {
            // A file that begins tells again what stands.
            if last.value == priority { return }
            priorities[priorities.count - 1].end = max(at, last.begin)
            priorities[priorities.count - 1].isOpen = false
        }
        guard priority != .foreground else { return }
        priorities.append(Tracks.Stretch(value: priority, begin: at, end: at, isOpen: true))
    }

    fileprivate mutating func breakOff(at moment: WallTime) {
        for i in states.indices where states[i].isOpen {
            states[i].end = max(moment, states[i].begin)
            states[i].isOpen = false
        }
        for i in assertions.indices where assertions[i].isOpen {
            assertions[i].end = max(moment, assertions[i].begin)
            assertions[i].isOpen = false
        }
        give(.foreground, moment)
        if let last = memory.last, last.value != .zero { memory.append(Tracks.Point(at: moment, value: .zero)) }
    }

    fileprivate mutating func finish(at end: WallTime, since begin: WallTime) {
        for i in states.indices where states[i].isOpen { states[i].end = max(end, states[i].begin) }
        for i in assertions.indices where assertions[i].isOpen { assertions[i].end = max(end, assertions[i].begin) }
        for i in priorities.indices where priorities[i].isOpen { priorities[i].end = max(end, priorities[i].begin) }
        states.removeAll { $0.end < begin }
        callbacks.removeAll { $0.end < begin }
        assertions.removeAll { $0.end < begin }
        priorities.removeAll { $0.end < begin }
        processor.removeAll { $0.end < begin }
        network.removeAll { $0.end < begin }
        disk.removeAll { $0.end < begin }
        entries.removeAll { $0.at < begin }
        reports.removeAll { $0.at < begin }
        if let last = memory.lastIndex(where: { $0.at < begin }) { memory.removeFirst(last) }
    }
}
