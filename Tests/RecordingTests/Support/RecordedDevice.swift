import Foundation
import Host
import LinuxSystem
import Model
import PolicyCore
import Simulation

/// A device whose apps and kernel answer at once, and whose events and effects go through the daemon's own journal.
final class RecordedDevice {
    let folder: String
    private(set) var system: System
    private(set) var journal: Journal
    private(set) var events = 0
    private(set) var effects = 0
    /// How many bytes the journal's folder ever had.
    private(set) var largestSize = 0
    var now = Instant(nanoseconds: Clock.boot())
    /// Apps that hang in every callback.
    var hung: Set<AppIndex> = []
    /// What each app was called for last.
    private(set) var windows: [AppIndex: WindowID] = [:]
    /// The daemon dies after the next event was written down and before its effects are.
    var diesWithinNextEvent = false
    private var isDead = false

    private let limits: Journal.Limits
    private let lane: Lane
    private var queue: [Event] = []
    private var pid: Int32 = 100
    private var command: UInt64 = 0

    /// Where checkpoints are written.
    private final class Lane {
        var isHeldBack = false
        var work: [@Sendable () -> Void] = []

        func run() {
            for one in work { one() }
            work = []
        }
    }

    /// One to which nothing has happened.
    init(of profile: DeviceProfile, in folder: String, limits: Journal.Limits) throws {
        self.folder = folder
        self.limits = limits
        system = System(profile: profile)
        lane = Lane()
        journal = try Self.journal(folder, system, .fresh, limits, lane)
    }

    convenience init(
        _ folder: String, profile: DeviceProfile = .linux, limits: Journal.Limits = Journal.Limits()
    ) throws {
        try self.init(of: profile, in: folder, limits: limits)
        post(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
        post(.booted)
    }

    private static func journal(
        _ folder: String, _ system: System, _ start: SegmentHeader.Start, _ limits: Journal.Limits, _ lane: Lane,
        continuing: Instant? = nil
    ) throws -> Journal {
        try Journal(
            directory: folder, system: system, start: start, continuing: continuing, limits: limits
        ) { work in
            lane.work.append(work)
            if !lane.isHeldBack { lane.run() }
        }
    }

    /// Checkpoints wait until this is false again.
    var holdsCheckpointsBack: Bool {
        get { lane.isHeldBack }
        set {
            lane.isHeldBack = newValue
            if !newValue { lane.run() }
        }
    }

    // MARK: What happens

    /// Like the host: an event is written down, decided, its effects are written down, and then performed.
    func post(_ event: Event) {
        guard !isDead else { return }
        queue.append(event)
        var next = 0
        while next < queue.count {
            let event = queue[next]
            next += 1
            for effect in record(event, at: now + .milliseconds(1)) { reply(to: effect.action) }
            if isDead { break }
        }
        queue.removeAll(keepingCapacity: true)
    }

    /// Writes an event down, decides, and writes that down.
    func record(_ event: Event, at time: Instant) -> [Effect] {
        now = time
        journal.append(event, at: now, system: system)
        events += 1
        isDead = diesWithinNextEvent
        guard !isDead else { return [] }
        let decided = system.handle(event, at: now)
        journal.append(decided, system: system)
        effects += decided.count
        return decided
    }

    func perform(_ command: Command) {
        self.command += 1
        post(.command(CommandID(self.command), command))
    }

    func install(
        _ name: String, modes: BackgroundModes = [], kind: AppKind = .application,
        with change: (inout AppManifest) -> Void = { _ in }
    ) -> AppIndex {
        // The names are literals of the tests.
        guard let identifier = AppIdentifier("org.example." + name) else { preconditionFailure("\(name) names no app") }
        var manifest = AppManifest(identifier: identifier, name: name, kind: kind, backgroundModes: modes)
        change(&manifest)
        post(.installed(manifest))
        return AppIndex(UInt32(system.allApps.count - 1))
    }

    func generation(_ app: AppIndex) -> Generation { system.app(app)?.generation ?? Generation(0) }

    func crash(_ app: AppIndex) {
        guard system.app(app)?.process != ProcessPhase.none else { return }
        let generation = generation(app)
        post(.firstProcessEnded(app, generation, .signaled(11)))
        post(.allProcessesEnded(app, generation))
    }

    /// Lets time pass, and every deadline in it.
    func pass(_ span: Span) {
        let end = now + span
        while !isDead, let deadline = system.nextDeadline(), deadline <= end {
            now = max(now, deadline)
            post(.timer)
        }
        now = max(now, end)
    }

    private func reply(to action: Action) {
        switch action {
        case .launch(let app, let generation, _):
            pid += 1
            queue.append(.processStarted(app, generation, pid: pid))
            queue.append(.connected(app, generation, executed: nil))
        case .deliver(let app, let generation, let callbacks):
            guard !hung.contains(app) else { return }
            for window in callbacks.compactMap(\.window) { windows[app] = window.id }
            for callback in callbacks { queue.append(.callbackReturned(app, generation, callback.number)) }
        case .check(let app, let generation, let pings):
            queue.append(.processesCounted(app, generation, 3))
            if pings, !hung.contains(app) { queue.append(.mainThreadAnswered(app, generation)) }
        case .checkTracer(let app, let generation): queue.append(.tracerChecked(app, generation, isTraced: false))
        case .prepare(let app, let generation): queue.append(.prepared(app, generation))
        case .freeze(let app, let generation): queue.append(.frozen(app, generation))
        case .verify(let app, let generation): queue.append(.verified(app, generation))
        case .askToEnd(let app, let generation), .kill(let app, let generation):
            queue.append(.firstProcessEnded(app, generation, .signaled(9)))
            queue.append(.allProcessesEnded(app, generation))
        case .expireTasks(let app, _, let expiration):
            for task in expiration.tasks.dropFirst(hung.contains(app) ? 1 : 0) {
                queue.append(.request(app, RequestID(task.rawValue), .endTask(task)))
            }
        case .mechanism(let incarnation, .sockets(.look)):
            let use = SocketUse(connections: 0, waiting: 0, work: .zero)
            queue.append(.mechanism(incarnation, .sockets(.seen(use))))
        case .log, .report, .thaw, .reply, .answer, .halt, .sample, .reclaim, .senseMemory, .measureDisk, .emptyCaches,
            .tellConditions, .setPriority, .mechanism, .expireWindow, .service:
            break
        }
    }

    // MARK: The daemon's death

    /// The daemon dies where it is; another one replays and adopts.
    func restart() throws {
        try takeOver()
        let found = system.allApps.filter { $0.process != .none }.map {
            AdoptedApp(app: $0.index, pid: $0.pid, isFrozen: $0.state == .suspended, status: nil)
        }
        post(.adopted(found))
    }

    /// Another daemon replays what the one before has written.
    func takeOver() throws {
        diesWithinNextEvent = false
        isDead = false
        lane.work = []
        guard let restored = Journal.restore(from: folder) else { throw LostJournal() }
        system = restored.system
        journal = try Self.journal(folder, system, .restarted, limits, lane, continuing: restored.end)
    }

    /// Another system begins in the same folder.
    func beginSystem() throws {
        lane.work = []
        system = System(profile: system.profile, firstSequence: system.nextSequence)
        journal = try Self.journal(folder, system, .fresh, limits, lane)
    }

    /// The same, which boots.
    func beginAnew() throws {
        try beginSystem()
        post(.clockChanged(wallOffset: 1_700_000_000_000_000_000))
        post(.booted)
    }

    struct LostJournal: Error {}

    // MARK: Looking

    func measure() {
        let size = FileSystem.names(in: folder).reduce(0) { $0 + FileSystem.size(of: "\(folder)/\($1)") }
        largestSize = max(largestSize, size)
    }

    /// The Core's state as bytes.
    static func bytes(of system: System) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(system)
    }
}

/// What people do, drawn from a seed.
struct Person {
    let device: RecordedDevice
    let apps: [AppIndex]
    private var random: SplitMix64

    init(_ device: RecordedDevice, apps count: Int, seed: UInt64) {
        self.device = device
        random = SplitMix64(seed: seed)
        apps = (0..<count).map {
            device.install("app\($0)", modes: $0 % 4 == 0 ? "audio" : [], kind: $0 % 5 == 4 ? .plain : .application)
        }
    }

    mutating func act() {
        let app = apps[random.below(apps.count)]
        switch random.below(20) {
        case 0...6: device.perform(.open(app, role: .primary, wait: true))
        case 7...10: device.perform(.home(wait: true))
        case 11: device.perform(.lock(wait: true))
        case 12: device.perform(.unlock(wait: true))
        case 13: device.perform(.interrupt(.call, wait: true))
        case 14: device.perform(.dismiss(.call, wait: true))
        case 15: device.perform(.close(app, wait: true))
        case 16: device.crash(app)
        case 17:
            let request: AppRequest =
                random.oneIn(2) ? .backgroundTime : .beginTask(TaskID(UInt64(1 + random.below(3))), name: "é")
            device.post(.request(app, RequestID(random.next() >> 40), request))
        case 18: device.perform(.openURL("nobody:x", wait: false))
        default: device.pass(random.span(.milliseconds(10), .seconds(20)))
        }
    }
}

/// A folder of a test's own, removed at its end.
final class Folder {
    let path: String

    init() throws {
        let base = FileManager.default.temporaryDirectory.path
        path = "\(base)/greenroom-recording-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
