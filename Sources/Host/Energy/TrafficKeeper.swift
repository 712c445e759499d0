internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Counts what apps move over the network by themselves, and tells the Core, each piece with what the app was doing: as
/// the Core says, when an app begins to do something else, freezes or ends, and once a second with the timeline's look
/// at the processor. While all apps stand still it does nothing.
///
/// A program in the kernel counts for each app's cgroup. Where it may not be loaded, the kernel is asked for the
/// connections that the app's processes have open, more rarely.
final class TrafficKeeper {
    private struct Watched {
        let generation: Generation
        /// `nil`: its connections are looked at.
        let counter: TrafficCounter?
        var connections: CountsSeen<UInt64, TrafficCount>
        /// `nil`: it stands still.
        var activity: Purpose?
        /// What was told so far, and until when it was looked at.
        var told = TrafficCount.zero
        var since: Int64
        /// The processor time of its processes at the last report, or when its fetch began.
        var processor: Int64 = 0
    }

    /// What was moved in a stretch of time, before it is known.
    private struct Stretch: Sendable {
        let app: AppIndex
        let generation: Generation
        let activity: Purpose
        let from: Int64
        let to: Int64
        /// It is told even if it is nothing.
        var endsFetch = false
    }

    private unowned let host: Host
    private var watched: [AppIndex: Watched] = [:]
    /// Those that run.
    private var active: [AppIndex] = []
    private var ticks: UInt64 = 0

    /// What came while an app stood still came at some time: no radio was awake for all of it.
    private static let longestStretch: Int64 = 1_000_000_000
    /// Connections are looked at every so many seconds: for that all descriptors of the app are.
    private static let connectionTicks: UInt64 = 5
    /// Stretches of apps whose connections are looked at next.
    private var waiting: [Stretch] = []
    /// The kernel goes through its table of connections for each look, which takes milliseconds even if the table is
    /// empty. So looks take a tenth of the time at most, and a look serves all apps that wait for one.
    private lazy var looks = SharedWork<Void>(
        clock: Clock.monotonic, soon: { [weak host] in host?.loop.soon($0) },
        later: { [weak host] in host?.loop.after(nanoseconds: $0, $1) }, rest: 9,
        work: { [weak self] in self?.look(then: $0) })

    /// `nil`: the kernel allows none, or it is not wanted.
    let program: TrafficProgram?

    init(_ host: Host) {
        self.host = host
        let isWanted = CurrentProcess.environment("GREENROOM_TRAFFIC") != "connections"
        program = isWanted ? host.environment.cgroup.flatMap { try? TrafficProgram(within: $0) } : nil
    }

    /// `kernel` or `connections`; `nil`: nothing is watched.
    var mechanism: String? {
        guard !watched.isEmpty else { return nil }
        return watched.values.contains { $0.counter != nil } ? "kernel" : "connections"
    }

    // MARK: Apps

    /// An app has a process. `isNew`: it has moved nothing yet.
    func begin(_ app: AppIndex, _ generation: Generation, _ counter: TrafficCounter?, isNew: Bool) {
        if let counter, host.process(app, generation)?.isInBackground == true { setGivesWay(true, counter) }
        let activity = host.system.activity(of: app)
        watched[app] = Watched(
            generation: generation, counter: counter,
            connections: CountsSeen<UInt64, TrafficCount>(isNew: isNew),
            activity: activity,
            since: Clock.boot())
        active.removeAll { $0 == app }
        if activity != nil { active.append(app) }
        if activity == .fetch { _ = takeProcessorTime(app) }
    }

    /// Puts the packets of an app in the background after those of other apps, if the kernel can do that.
    func setGivesWay(_ givesWay: Bool, _ app: AppIndex, _ generation: Generation) {
        guard let known = watched[app], known.generation == generation, let counter = known.counter else { return }
        setGivesWay(givesWay, counter)
    }

    private func setGivesWay(_ givesWay: Bool, _ counter: TrafficCounter) {
        do throws(SystemError) {
            try counter.setGivesWay(givesWay)
        } catch {
            Diagnostics.write("the priority of an app's packets could not be set: \(error)")
        }
    }

    /// Nothing of it is left. Of connections, what was not seen before is lost.
    func end(_ app: AppIndex, _ generation: Generation) {
        guard let known = watched[app], known.generation == generation else { return }
        let stretch = stretch(app, for: known.activity, endsFetch: known.activity == .fetch)
        if let stretch { tell(stretch, (try? known.counter?.read()) ?? known.told) }
        watched[app] = nil
        active.removeAll { $0 == app }
    }

    /// An event was decided, and nothing done so far: apps may be about to do something else.
    func note(_ effects: [Effect]) {
        guard !effects.isEmpty else { return }
        for effect in effects {
            if case .thaw(let app, _) = effect.action { look(at: app) }
        }
        for app in active { look(at: app) }
    }

    private func look(at app: AppIndex) {
        guard let known = watched[app] else { return }
        let activity = host.system.activity(of: app)
        guard activity != known.activity else { return }
        let stretch = stretch(app, for: known.activity, endsFetch: known.activity == .fetch)
        watched[app]?.activity = activity
        if activity == .fetch { _ = takeProcessorTime(app) }
        if activity == nil { active.removeAll { $0 == app } }
        if known.activity == nil { active.append(app) }
        if let stretch { count([stretch]) }
    }

    // MARK: Counting

    /// Once a second while something runs.
    func tick() {
        ticks &+= 1
        let isTimeForAll = ticks % Self.connectionTicks == 0
        count(
            active.compactMap { app in
                guard let known = watched[app], known.counter != nil || isTimeForAll else { return nil }
                return stretch(app, for: known.activity)
            })
    }

    /// Somebody wants to know; connections are as they were seen last.
    func countNow() {
        count(
            active.compactMap { app in watched[app]?.counter == nil ? nil : stretch(app, for: watched[app]?.activity) })
    }

    /// What has passed since the app was looked at last.
    private func stretch(_ app: AppIndex, for activity: Purpose?, endsFetch: Bool = false) -> Stretch? {
        guard let known = watched[app] else { return nil }
        let now = Clock.boot()
        watched[app]?.since = now
        let from = activity == nil ? max(known.since, now - Self.longestStretch) : known.since
        return Stretch(
            app: app, generation: known.generation, activity: activity ?? .use, from: from, to: now,
            endsFetch: endsFetch)
    }

    private func count(_ stretches: [Stretch]) {
        var others: [Stretch] = []
        for stretch in stretches {
            guard let counter = watched[stretch.app]?.counter else {
                others.append(stretch)
                continue
            }
            if let total = try? counter.read() { tell(stretch, total) }
        }
        if !others.isEmpty { lookAtConnections(others) }
    }

    private func lookAtConnections(_ stretches: [Stretch]) {
        waiting += stretches
        looks.ask {}
    }

    private func look(then done: @escaping (()) -> Void) {
        let stretches = waiting
        waiting = []
        let censuses = stretches.map { host.process($0.app, $0.generation)?.box.census }
        host.workers.run(.slow) { () -> [[UInt64: TrafficCount]?] in
            guard let all = try? TCPConnections.all() else { return stretches.map { _ in nil } }
            let procFS = ProcFS()
            var known: [AppIndex: [UInt64: TrafficCount]] = [:]
            return zip(stretches, censuses).map { stretch, census in
                // Nothing leaves the machine: whose sockets they are need not be asked.
                guard let census else { return nil }
                if all.isEmpty { return [:] }
                if let known = known[stretch.app] { return known }
                let own = procFS.socketInodes(of: census())
                let found = all.filter { own.contains($0.key) }
                known[stretch.app] = found
                return found
            }
        } then: { [weak self] found in
            for (stretch, connections) in zip(stretches, found) { self?.note(stretch, connections) }
            done(())
        }
    }

    private func note(_ stretch: Stretch, _ connections: [UInt64: TrafficCount]?) {
        guard watched[stretch.app]?.generation == stretch.generation else { return }
        if let connections { watched[stretch.app]?.connections.note(connections) }
        guard let total = watched[stretch.app]?.connections.total else { return }
        tell(stretch, total)
    }

    /// Returns the processor time that the app's processes have used since the last call. A fetch is charged for it.
    private func takeProcessorTime(_ app: AppIndex) -> Span {
        guard let known = watched[app], let time = host.process(app, known.generation)?.box.processorTime else {
            return .zero
        }
        watched[app]?.processor = time
        return Span(nanoseconds: max(0, time - known.processor))
    }

    private func tell(_ stretch: Stretch, _ total: TrafficCount) {
        guard let known = watched[stretch.app], known.generation == stretch.generation else { return }
        let moved = total - known.told
        watched[stretch.app]?.told = total
        guard moved.sent > 0 || moved.received > 0 || stretch.endsFetch else { return }
        let count = CountedTraffic(
            sent: moved.sent, received: moved.received, from: Instant(nanoseconds: stretch.from),
            to: Instant(nanoseconds: stretch.to),
            processor: stretch.activity == .fetch ? takeProcessorTime(stretch.app) : .zero)
        host.post(.trafficCounted(stretch.app, stretch.activity, count))
    }
}
