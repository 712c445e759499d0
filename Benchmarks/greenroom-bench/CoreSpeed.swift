internal import LinuxSystem
internal import Model
internal import PolicyCore

/// The Core alone: apps open and leave, and whatever it asks for is answered at once.
struct CoreSpeed {
    private var system = System(profile: .linux)
    private var now: Int64 = 1_000_000_000
    private var queue: [Event] = []
    private var command: UInt64 = 0
    private var pid: Int32 = 100
    private(set) var events = 0
    private var failures = 0

    init(apps: Int) throws {
        handle(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
        handle(.booted)
        for number in 0..<apps {
            guard let identifier = AppIdentifier(RunningSystem.identifier(number)) else { continue }
            handle(.installed(AppManifest(identifier: identifier, name: "Bench \(number)")))
            cycle(AppIndex(UInt32(number)))
        }
        guard failures == 0, system.allApps.allSatisfy({ $0.state == .suspended }) else {
            throw BenchError("the Core did not suspend its apps")
        }
    }

    /// As it is, with the time.
    var resting: (system: System, now: Int64) { (system, now) }

    /// Opens an app and goes Home.
    mutating func cycle(_ app: AppIndex) {
        command += 2
        handle(.command(CommandID(command), .open(app, role: .primary, wait: true)))
        handle(.command(CommandID(command + 1), .home(wait: true)))
    }

    /// Events a second over so many cycles.
    mutating func measure(cycles: Int) -> Double {
        let apps = UInt32(system.allApps.count)
        let before = events
        let start = Clock.monotonic()
        for cycle in 0..<cycles { self.cycle(AppIndex(UInt32(cycle) % apps)) }
        return Double(events - before) / Double(Clock.monotonic() - start) * 1e9
    }

    private mutating func handle(_ event: Event) {
        queue.append(event)
        var next = 0
        while next < queue.count {
            let event = queue[next]
            next += 1
            events += 1
            now += 10_000
            for effect in system.handle(event, at: Instant(nanoseconds: now)) { reply(to: effect.action) }
            // As the host does before it waits.
            _ = system.nextDeadline()
        }
        queue.removeAll(keepingCapacity: true)
    }

    private mutating func reply(to action: Action) {
        switch action {
        case .launch(let app, let generation, _):
            pid += 1
            queue.append(.processStarted(app, generation, pid: pid))
            queue.append(.connected(app, generation, executed: nil))
        case .deliver(let app, let generation, let callbacks):
            for callback in callbacks { queue.append(.callbackReturned(app, generation, callback.number)) }
        case .prepare(let app, let generation): queue.append(.prepared(app, generation))
        case .freeze(let app, let generation): queue.append(.frozen(app, generation))
        case .verify(let app, let generation): queue.append(.verified(app, generation))
        case .answer(_, .refused), .answer(_, .overtaken): failures += 1
        case .answer, .log, .report, .check, .checkTracer, .thaw, .askToEnd, .kill, .stopService, .reply, .halt,
            .sample, .reclaim, .senseMemory, .expireTasks, .tellConditions, .setPriority, .mechanism, .expireWindow,
            .service:
            break
        }
    }
}
