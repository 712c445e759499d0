internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

/// The only place where Core and operating system meet: takes what happens to the Core, and does what it says.
final class Host {
    let home: Home
    let environment: HostEnvironment
    let loop: Loop
    let workers: Workers
    let store: Store
    let records: RecordKeeper
    let launcher: Launcher
    let installer: Installer
    let installOrder = InstallOrder()
    var system: System
    private var journal: Journal?
    var apps: [AppHost] = []
    var schemes = SchemeChoices()
    var awake = AwakeApps()
    /// The first processes, by pid: who may reconnect.
    var appOfProcess: [CInt: AppIndex] = [:]
    private var queue: [Event] = []
    private(set) var isDraining = false
    /// Events that the Core was told.
    private(set) var eventCount: UInt64 = 0
    /// Tools' commands that are not answered yet.
    var pending: [CommandID: (Answer) -> Void] = [:]
    private var nextCommand: UInt64 = 1
    private var nextRequest: UInt64 = 1
    /// The tools.
    var sessions: [ObjectIdentifier: (Connection, ControlSession)] = [:]
    var toolMessages: UInt64 = 0
    let toolTurns: FairTurns<Connection>
    /// What tools want to know and takes a while.
    private(set) lazy var toolReads = PacedWork(clock: Clock.monotonic) { [weak loop] in
        _ = loop?.after(nanoseconds: $0, $1)
    }
    private(set) lazy var appList = list { [weak self] in self?.listApps(after: nil, $0) }
    private(set) lazy var memoryList = list { [weak self] in self?.tellMemory(after: nil, $0) }
    /// Processor time of apps whose last process is gone, for the report that follows.
    var endedUsage: [AppIndex: Int64] = [:]
    /// Whose first process is dead, by its pid, while nobody has said how it ended.
    var awaitedStatuses: [CInt: AppIndex] = [:]
    /// What the keeper said of processes that were not our children.
    var orphanStatuses: [CInt: ExitStatus] = [:]
    var keeperLink: KeeperLink?
    var clockWatch: Loop.Watch?
    var memory: MemorySensor?
    var timeline: TimelineKeeper?
    private(set) lazy var conditions = ConditionWatch(self)
    /// Made when it is first needed: it knows the host.
    private(set) lazy var mechanisms = HostMechanisms(self)
    private(set) lazy var services = ServiceBroker(self)
    /// When the system ends, all apps are killed at once: tools want to hear meanwhile that the daemon is there.
    private lazy var kills = PerTurn<Killed>(
        atMost: 32, soon: { [unowned loop] in loop.soon($0) },
        perform: { [unowned self] in kill($0.app, $0.generation) })
    private(set) lazy var traffic = TrafficKeeper(self)
    private(set) lazy var strays = StrayWatch(self)
    /// What of the apps' wishes is in the database, or on its way.
    var savedWishes: UInt64 = 0
    var gpuDevices = GPUDevices()
    var isSavingWishes = false
    private let memoryReturn = MemoryReturn()
    /// When what the planner learned went to the database last.
    var habitsSaved = Instant(nanoseconds: Clock.boot())
    private(set) var isHalting = false
    /// While what lives is taken over.
    private(set) var adoption: Adoption?
    /// Connections of apps are let in when what lives is known.
    var appAcceptor: Acceptor?

    init(
        home: Home, environment: HostEnvironment, loop: Loop, workers: Workers, store: Store, system: System,
        programs: Programs
    ) {
        self.home = home
        self.environment = environment
        self.loop = loop
        self.workers = workers
        self.store = store
        self.system = system
        toolTurns = FairTurns(
            clock: Clock.monotonic, worked: Clock.threadTime, soon: { [unowned loop] in loop.soon($0) },
            later: { [unowned loop] in loop.after(nanoseconds: $0, $1) })
        records = RecordKeeper(store, workers)
        launcher = Launcher(home: home, environment: environment, keeper: programs.keeper)
        installer = Installer(
            home: home, helper: BundleHelper(program: programs.bundle), store: store, environment: environment)
    }

    func begin(_ journal: Journal) { self.journal = journal }

    /// Takes over what lives of the apps, and calls back when the Core knows of all.
    func adoptAll(_ living: Handover<[String: LivingGroup]>, then done: @escaping () -> Void) {
        let adoption = Adoption(self, then: done)
        self.adoption = adoption
        living.whenGiven { [weak adoption] in adoption?.begin($0) }
    }

    func endAdoption() { adoption = nil }

    /// A list that is made once for all tools that ask for it at the same time.
    private func list(_ work: @escaping (@escaping ([UInt8]) -> Void) -> Void) -> SharedWork<[UInt8]> {
        SharedWork(
            clock: Clock.monotonic, soon: { [weak loop] in loop?.soon($0) },
            later: { [weak loop] in _ = loop?.after(nanoseconds: $0, $1) }, work: work)
    }

    var now: Instant { Instant(nanoseconds: Clock.boot()) }

    // MARK: Events in, effects out

    /// Tells the Core, and does what it says, before this returns; called from within, the event waits its turn.
    func post(_ event: Event) {
        if let adoption, !adoption.takes(event) { return }
        queue.append(event)
        guard !isDraining else { return }
        isDraining = true
        var next = 0
        while next < queue.count {
            let event = queue[next]
            next += 1
            eventCount += 1
            let now = now
            journal?.append(event, at: now, system: system)
            let effects = system.handle(event, at: now)
            journal?.append(effects, system: system)
            // Before an app hears of it: what it moves at once is for what it does next.
            traffic.note(effects)
            for effect in effects { perform(effect) }
            timeline?.note(event, effects, at: now)
            services.note(effects)
        }
        queue.clear()
        isDraining = false
    }

    /// Before the loop waits: the log goes on its way, and the Core's next deadline to the timer.
    func settle() -> Int64? {
        guard adoption == nil else {
            // All clocks start again when it is over.
            records.settle(loop)
            return nil
        }
        while let deadline = system.nextDeadline(), deadline <= now { post(.timer) }
        settleAwake()
        records.settle(loop)
        saveWishes()
        saveHabits()
        memory?.settle()
        mechanisms.settle()
        timeline?.settle()
        memoryReturn.settle(self)
        return system.nextDeadline()?.nanoseconds
    }

    /// A tool's command; `answered` is called on the loop.
    func command(_ command: Command, _ answered: @escaping (Answer) -> Void) -> CommandID {
        let id = CommandID(nextCommand)
        nextCommand += 1
        pending[id] = answered
        post(.command(id, command))
        return id
    }

    func request(_ index: AppIndex, _ request: AppRequest, id: RPCID) {
        guard let process = host(index)?.process else { return }
        let number = nextRequest
        nextRequest += 1
        process.requests[number] = id
        post(.request(index, RequestID(number), request))
    }

    func host(_ index: AppIndex) -> AppHost? {
        index.rawValue < apps.count ? apps[Int(index.rawValue)] : nil
    }

    /// The app's process, if it is still that of this generation.
    func process(_ index: AppIndex, _ generation: Generation) -> AppProcess? {
        guard let process = host(index)?.process, process.generation == generation else { return nil }
        return process
    }

    private func perform(_ effect: Effect) {
        switch effect.action {
        case .log(let entry):
            records.append(entry)
            if entry.event == .didEnterBackground, let app = entry.app, let process = host(app)?.process {
                mechanisms.inBackground(app, process)
            }
        case .report(let facts): report(facts)
        case .launch(let app, let generation, let isBackground): launch(app, generation, isBackground: isBackground)
        case .deliver(let app, let generation, let callbacks): deliver(app, generation, callbacks)
        case .check(let app, let generation, let pings): check(app, generation, pings: pings)
        case .checkTracer(let app, let generation): checkTracer(app, generation)
        case .prepare(let app, let generation): prepare(app, generation)
        case .freeze(let app, let generation): freeze(app, generation)
        case .verify(let app, let generation): verify(app, generation)
        case .thaw(let app, let generation): thaw(app, generation)
        case .setPriority(let app, let generation, let priority): setPriority(app, generation, priority)
        case .mechanism(let incarnation, let action): mechanisms.perform(action, incarnation)
        case .service(let action): services.perform(action)
        case .askToEnd(let app, let generation): askToEnd(app, generation)
        case .kill(let app, let generation): kills.add(Killed(app: app, generation: generation))
        case .sample(let app, let generation): memory?.sample(app, generation)
        case .reclaim(let app, let generation, let isFrozen): memory?.reclaim(app, generation, isFrozen: isFrozen)
        // When the Core is done with this: who has to go can go at once.
        case .senseMemory: loop.soon { [weak self] in self?.memory?.look() }
        case .measureDisk: mechanisms.measureDisk()
        case .emptyCaches(let app): mechanisms.emptyCaches(of: app)
        case .expireTasks(let app, let generation, let expiration): expireTasks(app, generation, expiration)
        case .expireWindow(let app, let generation, let window, let left):
            expireWindow(app, generation, window, left: left)
        case .tellConditions(let app, let generation, let conditions): tell(app, generation, conditions)
        case .reply(let app, let id, let reply): answerApp(app, id, reply)
        case .answer(let id, let answer): pending.removeValue(forKey: id)?(answer)
        case .halt: halt()
        }
    }

    /// Everything is down: what was written reaches the disk, the sockets go, the loop ends.
    private func halt() {
        guard !isHalting else { return }
        isHalting = true
        services.end()
        records.flush()
        saveWishes(isEnd: true)
        saveHabits(isEnd: true)
        workers.finish(.storage)
        Journal.remove(home.journal)
        if let cgroup = environment.cgroup { try? Cgroup.remove(at: cgroup) }
        if let group = environment.legacyPids { try? Cgroup.remove(at: group) }
        LegacyShares.removeAll(environment)
        services.waitForEnd()
        loop.stop()
    }
}

private struct Killed: Hashable {
    let app: AppIndex
    let generation: Generation
}

/// The programs that belong to the daemon, all in one directory.
package struct Programs: Sendable {
    package let keeper: String
    package let bundle: String
    /// Declarations that came with them.
    package let services: String

    package init(directory: String) {
        services = directory + "/services"
        keeper = directory + "/greenroom-keeper"
        bundle = directory + "/greenroom-bundle"
    }
}
