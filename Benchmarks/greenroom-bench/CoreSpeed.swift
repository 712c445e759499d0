internal import LinuxSystem
internal import Model
internal import PolicyCore

/// The Core alone: apps open and leave, and whatever it asks for is answered at once.
struct CoreSpeed {
    /// What the apps use, beside being opened.
    enum Use: String, CaseIterable {
        case nothing = "nothing else"
        case memory = "memory policy"
        case conditions = "conditions"
        case fetch = "background fetch"
        case tasks = "background tasks"
        case sockets = "listening sockets"
        case snapshots = "snapshots"
        case traffic = "traffic"
    }

    private let use: Use
    private var system = System(profile: .linux)
    private var now: Int64 = 1_000_000_000
    private var queue: [Event] = []
    private var command: UInt64 = 0
    private var request: UInt64 = 0
    private var pid: Int32 = 100
    private(set) var events = 0
    private var failures = 0

    private static let budget: Int64 = 64 << 30

    init(apps: Int, use: Use = .nothing) throws {
        self.use = use
        handle(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
        handle(.booted)
        begin()
        for number in 0..<apps {
            guard let identifier = AppIdentifier(RunningSystem.identifier(number)) else { continue }
            let modes: BackgroundModes = use == .fetch ? .fetch : []
            handle(
                .installed(AppManifest(identifier: identifier, name: "Bench \(number)", backgroundModes: modes)))
            let app = AppIndex(UInt32(number))
            cycle(app)
            ask(app)
        }
        guard failures == 0, system.allApps.allSatisfy({ $0.state == .suspended }) else {
            throw BenchError("the Core did not suspend its apps")
        }
    }

    /// As it is, with the time.
    var resting: (system: System, now: Int64) { (system, now) }

    /// What the device has to know of it.
    private mutating func begin() {
        switch use {
        case .memory:
            handle(.memoryConfigured(budget: Self.budget))
            handle(.memorySensed(available: Self.budget))
        case .conditions:
            handle(.conditionSensed(.locale("en_US.UTF-8")))
            handle(.conditionSensed(.network(.wifi)))
            handle(.conditionSensed(.battery(BatteryReading(.unplugged, percent: 80))))
        case .fetch: handle(.conditionSensed(.network(.wifi)))
        case .nothing, .tasks, .sockets, .snapshots, .traffic: break
        }
    }

    /// What an app says once.
    private mutating func ask(_ app: AppIndex) {
        switch use {
        case .fetch: ask(app, .setFetchInterval(.zero))
        case .snapshots: ask(app, .mechanism(.snapshots(.provide(true))))
        case .nothing, .memory, .conditions, .tasks, .sockets, .traffic: break
        }
    }

    private mutating func ask(_ app: AppIndex, _ what: AppRequest) {
        request += 1
        handle(.request(app, RequestID(request), what))
    }

    /// Opens an app and goes Home.
    mutating func cycle(_ app: AppIndex) {
        command += 2
        handle(.command(CommandID(command), .open(app, role: .primary, wait: true)))
        switch use {
        case .tasks: ask(app, .beginTask(TaskID(command), name: "upload"))
        case .traffic:
            let (from, to) = (Instant(nanoseconds: now - 5_000), Instant(nanoseconds: now))
            handle(.trafficSeen(app, .use, sent: 1_000, received: 10_000, from: from, to: to))
        case .nothing, .memory, .conditions, .fetch, .sockets, .snapshots: break
        }
        handle(.command(CommandID(command + 1), .home(wait: true)))
        if use == .tasks { ask(app, .endTask(TaskID(command))) }
    }

    /// Nanoseconds for each of so many cycles.
    mutating func cycleTime(cycles: Int) -> Int64 {
        let apps = UInt32(system.allApps.count)
        let start = Clock.monotonic()
        for cycle in 0..<cycles { self.cycle(AppIndex(UInt32(cycle) % apps)) }
        return (Clock.monotonic() - start) / Int64(cycles)
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
            for callback in callbacks {
                queue.append(.callbackReturned(app, generation, callback.number))
                guard let window = callback.window else { continue }
                request += 1
                queue.append(.request(app, RequestID(request), .complete(window.id, .newData)))
            }
        case .prepare(let app, let generation): queue.append(.prepared(app, generation))
        case .freeze(let app, let generation): queue.append(.frozen(app, generation))
        case .verify(let app, let generation):
            if use == .sockets {
                let listener = Listener(name: "0.0.0.0:8080", peers: 0)
                queue.append(.mechanism(Incarnation(app, generation), .sockets(.found([listener], connections: 1))))
            }
            queue.append(.verified(app, generation))
        case .sample(let app, let generation):
            queue.append(.footprintSampled(app, generation, Model.Footprint(dirty: 20 << 20)))
        case .senseMemory: queue.append(.memorySensed(available: Self.budget / 10 * 9))
        case .answer(_, .refused), .answer(_, .overtaken), .reply(_, _, .refused): failures += 1
        case .answer, .log, .report, .check, .checkTracer, .thaw, .askToEnd, .kill, .reply, .halt,
            .reclaim, .measureDisk, .emptyCaches, .expireTasks, .tellConditions, .setPriority, .mechanism,
            .expireWindow,
            .service:
            break
        }
    }
}
