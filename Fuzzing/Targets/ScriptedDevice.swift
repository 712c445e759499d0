internal import Model
internal import PolicyCore

/// A Core whose apps and kernel answer at once, so that it has something to lose.
struct ScriptedDevice: Sendable {
    private(set) var system = System(profile: .linux)
    private(set) var now = Instant(nanoseconds: 3_600_000_000_000)

    init() {}

    /// Goes on with a Core that was read from a file.
    init(goingOnWith system: System, at now: Instant) {
        self.system = system
        self.now = now
    }

    /// What a target begins with: one app in the background that has asked for everything, another one on the screen.
    static let busy: ScriptedDevice = {
        var device = ScriptedDevice()
        device.send(.clockChanged(wallOffset: 1_795_348_800_000_000_000))
        device.send(.booted)
        device.send(.memoryConfigured(budget: 512 << 20))
        for name in ["org.example.first", "org.example.second"] {
            guard let identifier = AppIdentifier(name) else { continue }
            let manifest = AppManifest(
                identifier: identifier, name: name, backgroundModes: ["audio", .fetch, .processing],
                urlSchemes: ["first", "second"], taskIdentifiers: ["refresh", "process"])
            device.send(.installed(manifest))
        }
        for app in 0..<2 {
            device.send(.command(CommandID(UInt64(app)), .open(AppIndex(UInt32(app)), role: .primary, wait: false)))
            device.send(.request(AppIndex(UInt32(app)), RequestID(1), .beginTask(TaskID(1), name: "upload")))
        }
        return device
    }()

    /// The Core decides, and everything that it asks for is done.
    mutating func send(_ event: Event) {
        var queue = [event]
        var next = 0
        while next < queue.count, next < 200 {
            now = now + .milliseconds(1)
            for effect in system.handle(queue[next], at: now) { queue += Self.answers(to: effect.action) }
            next += 1
        }
    }

    /// Time passes, with so many of the deadlines in it.
    mutating func pass(_ span: Span, most: Int = 50) {
        let end = now + span
        for _ in 0..<most {
            guard let deadline = system.nextDeadline(), deadline <= end else { break }
            now = max(now, deadline)
            send(.timer)
        }
        now = max(now, end)
    }

    private static func answers(to action: Action) -> [Event] {
        switch action {
        case .launch(let app, let generation, _):
            [.processStarted(app, generation, pid: 100), .connected(app, generation, executed: nil)]
        case .deliver(let app, let generation, let callbacks):
            callbacks.map { .callbackReturned(app, generation, $0.number) }
        case .check(let app, let generation, let pings):
            [.processesCounted(app, generation, 3)] + (pings ? [.mainThreadAnswered(app, generation)] : [])
        case .checkTracer(let app, let generation): [.tracerChecked(app, generation, isTraced: false)]
        case .prepare(let app, let generation): [.prepared(app, generation)]
        case .freeze(let app, let generation): [.frozen(app, generation)]
        case .verify(let app, let generation): [.verified(app, generation)]
        case .askToEnd(let app, let generation), .kill(let app, let generation):
            [.firstProcessEnded(app, generation, .signaled(9)), .allProcessesEnded(app, generation)]
        default: []
        }
    }
}
