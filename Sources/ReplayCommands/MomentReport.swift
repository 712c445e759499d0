internal import Commands
internal import Model
internal import PolicyCore
internal import Recording
internal import Wire

/// What a system was at a moment of its recording, and why.
struct MomentReport {
    private let session: ReplaySession
    private let context: CommandContext
    private var system: System { session.replay.system }

    /// Entries of the log that are shown with the apps.
    private static let shown = 10

    init(_ session: ReplaySession, _ context: CommandContext) {
        self.session = session
        self.context = context
    }

    /// Says "5 s ago" as whoever had asked at that moment would have heard it.
    private var clock: Moment.Clock {
        let moment = session.moment
        return Moment.Clock(now: { moment }, offset: context.clock.offset)
    }

    private var heading: String {
        var text = "\(clock.text(session.moment)), after event \(session.replay.counts.events)"
        if let entry = session.lastSequence { text += " and entry \(entry.rawValue) of the log" }
        return text + "\n"
    }

    // MARK: All apps

    func show(asJSON: Bool) {
        let apps = system.installedApps.map(info)
        let entries = session.entries.suffix(Self.shown).map { record($0).json }
        guard !asJSON else { return context.print(json: json(apps, entries)) }
        context.write(heading)
        if !surface.isEmpty { context.print(surface) }
        context.print("")
        if apps.isEmpty {
            context.print("no apps were installed")
        } else {
            context.write(AppsTable(clock: clock).rendered(apps, context.style))
        }
        guard !entries.isEmpty else { return }
        context.print("")
        var then = context
        then.clock = clock
        LogPrinter(context: then, asJSON: false).print(entries)
    }

    /// What lay over the apps.
    private var surface: String {
        var parts: [String] = []
        if system.isAsleep { parts.append("the device was asleep") }
        if system.isLocked { parts.append("the device was locked") }
        if system.isSwitcherOpen { parts.append("the switcher was open") }
        parts += system.interruptions.map { "\($0.phrase) lay over the screen" }
        return parts.joined(separator: ", ")
    }

    private func json(_ apps: [AppInfo], _ entries: [JSONValue]) -> JSONValue {
        [
            "at": .string(session.moment.iso8601), "event": .int(Int64(session.replay.counts.events)),
            "entry": JSONValue(session.lastSequence.map { Int(clamping: $0.rawValue) }),
            "locked": .bool(system.isLocked), "asleep": .bool(system.isAsleep),
            "switcher": .bool(system.isSwitcherOpen),
            "interruptions": .array(system.interruptions.map { .string($0.name) }),
            "front": JSONValue(system.frontApp.map(system.name)), "apps": AppInfo.json(of: apps),
            "log": .array(entries),
        ]
    }

    private func info(_ app: App) -> AppInfo {
        var info = AppInfo(
            app: app.manifest.identifier.rawValue, name: app.manifest.name, state: app.state.name,
            kind: app.manifest.kind == .plain ? "plain" : "application")
        info.pid = app.pid.map { Int($0) }
        info.pids = info.pid.map { [$0] } ?? []
        info.since = app.since.iso8601
        info.visible = system.isVisible(app.index)
        info.role = app.role?.name
        info.exempt = app.isExempt
        info.front = system.frontApp == app.index
        info.assertions = app.heldAssertions.map {
            AppInfo.Assertion(
                id: Int(clamping: $0.id.rawValue), kind: $0.kind.name, name: $0.name, reason: $0.reason,
                since: system.wall($0.since).iso8601, expires: $0.expires.map { system.wall($0).iso8601 })
        }
        return info
    }

    private func record(_ entry: Model.LogEntry) -> Wire.LogEntry {
        Wire.LogEntry(
            seq: Int(clamping: entry.sequence.rawValue), at: entry.at.iso8601, app: entry.app.map(system.name),
            event: entry.event.name, reason: entry.reason.sentence,
            cause: entry.cause.map { Int(clamping: $0.rawValue) },
            took: entry.took.map { Double($0.nanoseconds / 1000) / 1e6 })
    }

    // MARK: One app

    func explain(_ text: String, asJSON: Bool) throws(CommandFailure) {
        let apps = system.installedApps.map(info)
        let advice = "greenroom replay PATH --until SEQ lists those that there were"
        let name = try AppNames(apps, advice: advice).identifier(for: text)
        guard let app = system.installedApps.last(where: { $0.manifest.identifier.rawValue == name }) else { return }
        let chain = chain(from: app.lastEntry)
        let steps = chain.entries.map(record).map {
            WhyAnswer.Step(seq: $0.seq, at: $0.at, event: $0.event, reason: $0.reason)
        }
        let why = WhyAnswer(app: name, state: app.state.name, because: steps)
        guard !asJSON else { return context.print(json: json(why, chain.older)) }
        context.write(heading)
        context.write(Explanation(why: why, name: app.manifest.name, clock: clock).text)
        if let older = chain.older {
            let first = session.replay.firstSequence.rawValue
            context.print(
                "What led there, entry \(older.rawValue), is older than the recording, which begins with \(first).")
        }
    }

    private func json(_ why: WhyAnswer, _ older: LogSequence?) -> JSONValue {
        guard case .object(var object) = why.json else { return why.json }
        object["at"] = .string(session.moment.iso8601)
        object["event"] = .int(Int64(session.replay.counts.events))
        object["older"] = JSONValue(older.map { Int(clamping: $0.rawValue) })
        return .object(object)
    }

    /// The causes from an entry back to the first, and the one that the recording does not have any more.
    private func chain(from last: LogSequence?) -> (entries: [Model.LogEntry], older: LogSequence?) {
        var entries: [Model.LogEntry] = []
        var next = last
        while let sequence = next {
            guard let entry = entry(sequence) else { return (entries, sequence) }
            entries.append(entry)
            // A cause is older than its effect; anything else would be a circle.
            next = entry.cause.flatMap { $0 < sequence ? $0 : nil }
        }
        return (entries, nil)
    }

    private func entry(_ sequence: LogSequence) -> Model.LogEntry? {
        var range = session.entries.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = session.entries[middle]
            if found.sequence == sequence { return found }
            range = found.sequence < sequence ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}
