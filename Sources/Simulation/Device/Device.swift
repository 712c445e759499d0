package import Model
package import PolicyCore

/// A device in virtual time: the second host of the Core. It performs effects on simulated processes and tells the Core
/// what comes of them, as the real host does with the kernel's. Nothing here sleeps or looks at a clock: time goes from
/// event to event, and the same seed gives the same run.
///
/// It is not `Sendable`: who drives it, does so from one thread.
package final class Device {
    package struct Violation: Hashable, Sendable {
        package var at: Instant
        package var text: String
    }

    /// An app's step, or the daemon's return.
    enum Occurrence {
        case process(Int, Generation, ProcessStep)
        case command(CommandID, Command)
        case daemonReturns
        case memoryChanged
        case diskLook, diskMeasured
        case cachesEmptied(AppIndex, freed: Int64)
        case conditionsChanged
        case service(Int, life: UInt32?, ServiceStep)
    }

    package let profile: DeviceProfile
    package let seed: UInt64
    package let costs: Costs
    package internal(set) var system: System
    package internal(set) var now = Instant(nanoseconds: Device.bootTime)
    /// In the order in which they were described.
    package internal(set) var apps: [SimulatedApp] = []
    private var placesByName: [String: Int] = [:]
    /// The place in `apps` of each app that the present system knows, by its index.
    var places: [Int] = []
    var files = SharedFiles()
    package internal(set) var services: [SimulatedService] = []
    /// What their logics were told last.
    var modelNews = ModelNews()
    var queue = EventQueue<Occurrence>()
    var random: SplitMix64
    package var rates = FaultRates()

    /// What the Core is told and says, for whoever writes it down.
    package var observer: ((Event, [Effect]) -> Void)?
    package var checksInvariants = true
    var checkers: Checkers
    package internal(set) var violations: [Violation] = []
    package internal(set) var eventCount = 0

    package internal(set) var log: [LogEntry] = [] {
        didSet { while logTimes.count < log.count { logTimes.append(now) } }
    }
    /// When each entry of the log was written: its own time is the wall clock's, which somebody may set.
    package private(set) var logTimes: [Instant] = []
    package internal(set) var reports: [ReportFacts] = []
    package internal(set) var answers: [CommandID: (answer: Answer, at: Instant)] = [:]
    package internal(set) var unanswered: Set<CommandID> = []
    /// Commands that were not answered when the daemon died.
    var orphaned: Set<CommandID> = []
    package internal(set) var wallOffset = Device.epoch
    package internal(set) var isDiskFull = false
    /// What surrounds the apps, as it is now.
    package var world: World {
        catchUp()
        return surroundings
    }
    var surroundings: World
    /// Bytes for all apps together; `nil`: memory does not matter here.
    package let memoryBudget: Int64?
    var toldMemoryLevel = 0
    /// `nil`: the room on the disk does not matter here.
    package internal(set) var disk: SimulatedDisk?
    var isScreenLit = false
    /// What else of the device apps are told of.
    var conditions = Conditions()
    /// When the machine was started last.
    var bootedAt = Instant.zero

    package enum DaemonState: Equatable {
        case running
        /// Killed; the keeper will start it again.
        case down
        /// The system was shut down.
        case off
    }
    package internal(set) var daemon = DaemonState.running
    /// The daemon dies after so many effects of its next event.
    var effectsUntilDeath: (effects: Int, downFor: Span)?
    var journal = MemoryJournal()

    private var nextCommand: UInt64 = 1
    var nextRequest: UInt64 = 1
    private var nextPID: Int32 = 100

    /// Virtual time begins an hour after boot, at a round wall-clock time: 2024-01-01T00:00:00Z.
    package static let bootTime: Int64 = 3_600_000_000_000
    static let epoch: Int64 = 1_704_067_200_000_000_000 - bootTime

    package init(
        _ profile: DeviceProfile, seed: UInt64 = 1, costs: Costs = Costs(), memory: Int64? = nil, disk: Int64? = nil
    ) {
        memoryBudget = memory
        self.disk = disk.map(SimulatedDisk.init)
        surroundings = Device.surroundings(memory: memory, profile)
        self.profile = profile
        self.seed = seed
        self.costs = costs
        random = SplitMix64(seed: seed, for: 0)
        system = System(profile: profile)
        checkers = Checkers(profile: profile)
        journal.begin(system)
    }

    /// Tells the Core the time and that the device has booted; apps are installed before or after.
    package func boot() {
        send(.clockChanged(wallOffset: wallOffset))
        tellBudget()
        tellConditions()
        declareServices(isFresh: true)
        send(.booted)
    }

    /// Since virtual time began.
    package var elapsed: Span { now - Instant(nanoseconds: Device.bootTime) }

    func violate(_ text: String) {
        // The first one tells most; a broken run breaks everything after it.
        if violations.count < 20 { violations.append(Violation(at: now, text: text)) }
    }

    // MARK: Apps

    /// Installs an app, or anew one of that name; its place among `apps`.
    @discardableResult
    package func install(_ script: AppScript, program: (any Program)? = nil) -> Int {
        let place: Int
        if let known = placesByName[script.name] {
            place = known
        } else {
            place = apps.count
            placesByName[script.name] = place
            apps.append(SimulatedApp(script: script, manners: script.manners))
        }
        if let program { apps[place].program = program }
        install(place)
        return place
    }

    func install(_ place: Int) {
        guard daemon == .running else {
            waitingInstalls.append(place)
            return
        }
        let manifest = apps[place].script.manifest
        send(.installed(manifest))
        guard let index = system.index(of: manifest.identifier) else { return }
        apps[place].index = index
        while places.count <= Int(index.rawValue) { places.append(place) }
        places[Int(index.rawValue)] = place
    }

    package func place(named name: String) -> Int? { placesByName[name] }

    func place(of app: AppIndex) -> Int? {
        Int(app.rawValue) < places.count ? places[Int(app.rawValue)] : nil
    }

    package func name(of app: AppIndex) -> String {
        place(of: app).map { apps[$0].script.name } ?? "app \(app.rawValue)"
    }

    /// The app as the Core knows it.
    package func known(_ place: Int) -> App? {
        guard let app = apps[place].index else { return nil }
        return system.ask { $0.app(app) }
    }

    package func state(_ place: Int) -> LifecycleState {
        guard let app = apps[place].index else { return .notRunning }
        return system.ask { $0.state(of: app) } ?? .notRunning
    }

    /// `nil`: there is no process.
    func generationOfProcess(_ place: Int) -> Generation? { apps[place].process?.ask { $0.generation } }

    func isVisible(_ app: AppIndex) -> Bool { system.ask { $0.isVisible(app) } }

    func newPID() -> Int32 {
        nextPID += 1
        return nextPID
    }

    // MARK: Commands

    /// What a tool asks for, now. Its answer comes when it comes: `answers`.
    @discardableResult
    package func begin(_ command: Command) -> CommandID {
        let id = CommandID(nextCommand)
        nextCommand += 1
        guard daemon != .off else {
            answers[id] = (.refused(.shuttingDown), now)
            return id
        }
        hand(command, id)
        return id
    }

    /// A tool waits for a daemon that restarts, and gives up when the system is down.
    private func hand(_ command: Command, _ id: CommandID) {
        undelivered.remove(id)
        unanswered.insert(id)
        switch daemon {
        case .running: send(.command(id, command))
        case .down:
            undelivered.insert(id)
            waitingCommands.append((id, command))
        case .off:
            unanswered.remove(id)
            answers[id] = (.refused(.shuttingDown), now)
        }
    }

    /// What tools asked for while the daemon was away.
    var waitingCommands: [(CommandID, Command)] = []
    /// Those, and those that the daemon is about to get.
    var undelivered: Set<CommandID> = []
    var waitingInstalls: [Int] = []

    // MARK: Time

    /// When something happens next.
    package var nextMoment: Instant? {
        let deadline = daemon == .running ? system.nextDeadline() : nil
        switch (queue.next, deadline) {
        case (let a?, let b?): return min(a, b)
        case (let a, let b): return a ?? b
        }
    }

    /// Lets everything happen up to a moment, that moment included. Stops early once something is violated.
    package func advance(to target: Instant) {
        while let next = nextMoment, next <= target, violations.isEmpty { step(next) }
        now = max(now, target)
    }

    package func advance(by span: Span) { advance(to: now + span) }

    /// The next single thing, if it is due by then; false when none is, and nothing has changed. For those who have to
    /// do something in between.
    package func step(upTo target: Instant) -> Bool {
        guard let next = nextMoment, next <= target, violations.isEmpty else { return false }
        step(next)
        return true
    }

    /// Lets things happen until a condition holds; false if it does not within the time.
    @discardableResult
    package func advance(within span: Span, until condition: (Device) -> Bool) -> Bool {
        let target = now + span
        while !condition(self) {
            guard let next = nextMoment, next <= target, violations.isEmpty else {
                now = max(now, target)
                return condition(self)
            }
            step(next)
        }
        return true
    }

    /// One occurrence, or the Core's deadline. What falls on one moment comes before a deadline at it: an answer in
    /// time is in time.
    private func step(_ moment: Instant) {
        now = max(now, moment)
        guard let next = queue.next, next <= moment, let (_, occurrence) = queue.popFirst() else {
            send(.timer)
            return
        }
        switch occurrence {
        case .process(let place, let generation, let step):
            if generationOfProcess(place) == generation { take(step, place) }
        case .command(let id, let command): hand(command, id)
        case .daemonReturns: returnDaemon()
        case .memoryChanged: senseMemory()
        case .diskLook: lookAtDisk()
        case .diskMeasured: diskMeasured()
        case .cachesEmptied(let app, let freed): cachesEmptied(app, freed: freed)
        case .conditionsChanged: tellConditions()
        case .service(let service, let life, let step): take(step, service, life: life)
        }
        noteForModels()
    }
}
