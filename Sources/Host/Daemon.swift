internal import LinuxSystem
package import Model
internal import PolicyCore
internal import Storage
internal import Wire

/// The daemon as a program: opens what survived, adopts what lives, serves until it is told to end.
package enum Daemon {
    package struct Configuration: Sendable {
        package var home: String
        package var profile: DeviceProfile
        /// Bytes for all apps together; `nil`: what the machine has.
        package var memory: Int64?
        package var programs: Programs
        /// Listening sockets that the keeper holds, so that nobody is refused while a daemon restarts.
        package var controlListener: CInt
        package var appListener: CInt
        /// The socket to the keeper.
        package var keeper: CInt
        /// The lock of the home, which keeper and daemon hold together (docs/PROTOCOL.md, section 5).
        package var lock: CInt

        package init(
            home: String, profile: DeviceProfile, memory: Int64?, programs: Programs, controlListener: CInt,
            appListener: CInt, keeper: CInt, lock: CInt
        ) {
            self.home = home
            self.profile = profile
            self.memory = memory
            self.programs = programs
            self.controlListener = controlListener
            self.appListener = appListener
            self.keeper = keeper
            self.lock = lock
        }
    }

    /// Returns when the system went down in order.
    package static func run(_ configuration: Configuration) throws {
        // Before any thread exists, so that all of them leave these signals to the loop.
        let signals = try SignalFD([2, 15])
        let handedOver = try closeOnExec(configuration)
        prepareProcess()
        let home = Home(configuration.home)
        let environment = HostEnvironment(home: home)
        DiskReserve.use(home.reserve)
        let loop = try Loop()
        let workers = try Workers(loop)
        try prepareGroups(home, environment)
        // With many apps each of these takes a while, and none needs another.
        let inventory = workers.beginning(.installs) { Result { try Inventory(home) } }
        let living = Handover<[String: LivingGroup]>()
        let inotify = loop.groupEvents?.inotify
        workers.run(.slow) {
            LivingGroup.all(environment, home, inotify)
        } then: {
            living.give($0)
        }
        let watch = RestoreGuard(path: home.restoring)
        defer { watch.finish() }
        let (restored, seen) = restore(home, watch)
        let known = try inventory().get()
        let wasEnded = FileSystem.exists(home.endedMarker)
        let lastSequence = max(known.lastSequence, restored.map { $0.system.nextSequence.rawValue - 1 } ?? 0)
        let kept = wasEnded ? nil : restored?.system
        let system = kept ?? System(profile: configuration.profile, firstSequence: LogSequence(lastSequence + 1))
        let host = Host(
            home: home, environment: environment, loop: loop, workers: workers, store: known.store, system: system,
            programs: configuration.programs)
        host.restoreApps((restored?.system ?? system).allApps, known.apps)
        for effect in restored?.effects ?? [] { host.repeatRecord(effect) }
        // Written before the next checkpoint makes the journal behind it superfluous.
        host.records.flush()
        let continuing = kept == nil ? nil : restored?.end
        let isLate = continuing != nil && system.allApps.count > Adoption.slice
        if !isLate { workers.finish(.storage) }
        if kept == nil { host.forgetApps() }
        host.begin(
            try Journal(
                directory: home.journal, system: system, start: kept == nil ? .fresh : .restarted,
                continuing: continuing, isLate: isLate
            ) { [unowned host] work in
                host.records.flush()
                workers.checkpoint(work)
            })
        host.timeline = TimelineKeeper(host, restored: seen, isFresh: kept == nil)
        FileSystem.remove(home.endedMarker)
        try host.watchClock()
        host.beginMemory(budget: configuration.memory)
        let watches = try host.listen(handedOver, configuration.programs)
        let signalWatch = try loop.watch(signals.descriptor.rawValue, .readable) { [unowned host] _ in
            if signals.next() != nil { _ = host.command(.shutDown) { _ in } }
        }
        host.resumeRemovals()
        let folders = [host.home.services, configuration.programs.services]
        host.start(known, living: kept == nil ? nil : living, services: folders) { [unowned host] in
            host.services.begin()
            host.listenToApps(handedOver.app)
            loop.after(nanoseconds: 0) { [unowned host] in hasStarted(host, watch) }
        }
        host.keeperLink?.tellServing()
        try loop.run { host.settle() }
        host.timeline?.flush()
        workers.finish(.storage)
        withExtendedLifetime((handedOver, watches, signalWatch)) {}
    }

    private static func prepareGroups(_ home: Home, _ environment: HostEnvironment) throws {
        if let cgroup = environment.cgroup {
            try FileSystem.makeDirectory(cgroup, mode: 0o755)
            for controller in ["memory", "cpu", "io", "pids"] { Cgroup.enable(controller, below: cgroup) }
        }
        try FileSystem.replace(home.cgroupFile, with: Array((environment.cgroup ?? "").utf8))
    }

    /// What only the start has needed goes, but not what ends apps when memory is short.
    private static func hasStarted(_ host: Host, _ watch: RestoreGuard) {
        watch.finish()
        CurrentProcess.forgetCode()
        host.memory?.rehearse()
    }

    /// What the last daemon of this boot left, and what the timeline saw of it. A journal of which daemons died is set
    /// aside.
    private static func restore(_ home: Home, _ watch: RestoreGuard) -> (Journal.Restored?, TimelineCollector?) {
        if watch.isFatal {
            let kept = Journal.setAside(home.journal)
            Diagnostics.write(
                "daemons died of what the journal holds, so this one begins without it and ends the apps; it is kept as "
                    + kept)
            watch.forgive()
        }
        var seen: TimelineCollector?
        let restored = Journal.restore(from: home.journal, passed: watch.passed) { sight in
            switch sight {
            case .checkpoint(let system): seen = TimelineCollector(system)
            case .event(let event, let effects, let system, let moment):
                seen?.note(event, effects, system, at: moment)
            }
        }
        watch.passedAll()
        return (restored, seen)
    }

    /// What the keeper handed over.
    fileprivate struct HandedOver {
        let control: Descriptor
        let app: Descriptor
        let keeper: Descriptor
        let lock: Descriptor
    }

    /// Before anything can go wrong: neither a child nor a crash's helper may hold a listening socket or the lock.
    private static func closeOnExec(_ configuration: Configuration) throws(SystemError) -> HandedOver {
        let handedOver = HandedOver(
            control: Descriptor(borrowing: configuration.controlListener),
            app: Descriptor(borrowing: configuration.appListener),
            // Open to the last: why a daemon could not start is told on it.
            keeper: Descriptor(borrowing: configuration.keeper), lock: Descriptor(borrowing: configuration.lock))
        for descriptor in [handedOver.control, handedOver.app, handedOver.keeper, handedOver.lock] {
            try descriptor.setNonblocking(true)
        }
        return handedOver
    }

    private static func prepareProcess() {
        CurrentProcess.setName("greenroomd")
        CurrentProcess.ignoreBrokenPipes()
        CurrentProcess.raiseDescriptorLimit()
        // Who decides under memory pressure must not wait for its own pages, nor be the kernel's first choice.
        if (try? CurrentProcess.lockMemoryOnFault()) == nil {
            Diagnostics.write("memory cannot be locked: under pressure the daemon may be slow (greenroom doctor)")
        }
        try? Cgroup.write("-900", to: "/proc/self/oom_score_adj")
    }
}

extension Host {
    /// Log and reports that the dead daemon may not have written; the database knows which it has.
    fileprivate func repeatRecord(_ effect: Effect) {
        switch effect.action {
        case .log(let entry): records.append(entry)
        case .report(let facts): report(facts)
        default: break
        }
    }

    /// The host's half of the apps that the restored Core knows, in its order.
    fileprivate func restoreApps(_ known: [App], _ installed: [Inventory.Entry]) {
        let places = Dictionary(installed.map { ($0.installation.identifier, $0.installation) }) { first, _ in first }
        for app in known {
            let name = app.manifest.identifier.rawValue
            records.name(app.index, name)
            apps.append(AppHost(index: app.index, installation: places[name] ?? Installation(lost: app.manifest)))
        }
    }

    /// After the log of the ended system is written, a new one begins.
    fileprivate func forgetApps() {
        records.flush()
        apps = []
    }

    /// `living`: what may live; `nil` for a new system. `services`: the folders of their declarations. `done` is called
    /// when the Core knows of all.
    fileprivate func start(
        _ known: Inventory, living: Handover<[String: LivingGroup]>?, services folders: [String],
        then done: @escaping () -> Void
    ) {
        post(.clockChanged(wallOffset: Clock.wall() - Clock.boot()))
        memory?.tellBudget()
        let isNew = living == nil
        schemes = SchemeChoices(chosen: known.schemes)
        for entry in known.apps {
            schemes.learn(entry.installation.identifier, claims: entry.installation.urlSchemes)
        }
        for entry in known.apps {
            // Most are as the Core has them: ten thousand events more would all have to be replayed one day.
            let manifest = manifest(of: entry.installation)
            if manifest.map({ !system.isInstalled($0) }) ?? true { install(entry.installation) }
            settle(entry, isNew: isNew)
        }
        if isNew {
            restoreWishes()
            restoreHabits()
        }
        savedWishes = system.fetch.changes
        guard let living else {
            conditions.tellAll()
            endStrays()
            services.declare(folders)
            post(.booted)
            return done()
        }
        // Few are taken over before anything is answered.
        if apps.count <= Adoption.slice { workers.collect(.slow) }
        adoptAll(living) { [unowned self] in
            conditions.tellAll()
            services.declare(folders)
            done()
        }
    }

    /// What the user said of an app: the Core of a new boot does not know it, and a restored one knows it better than
    /// the database, which a daemon that died had perhaps not told yet.
    private func settle(_ entry: Inventory.Entry, isNew: Bool) {
        let name = entry.installation.identifier
        guard let identifier = AppIdentifier(name), let index = system.index(of: identifier),
            let app = system.app(index)
        else { return }
        let (knownExempt, knownOff, store) = (app.isExempt, app.wake.isRefreshOff, store)
        if isNew {
            if knownExempt != entry.isExempt { _ = command(.exempt(index, entry.isExempt)) { _ in } }
            if knownOff != entry.isRefreshOff { _ = command(.allowRefresh(index, !entry.isRefreshOff)) { _ in } }
        } else if knownExempt != entry.isExempt || knownOff != entry.isRefreshOff {
            workers.run(.storage) {
                do {
                    try store.setExempt(name, knownExempt)
                    try store.set(Self.refreshKey(name), to: knownOff ? "off" : nil)
                } catch {
                    Diagnostics.write("what the user said of \(name) could not be noted: \(error)")
                }
            }
        }
    }

    fileprivate func watchClock() throws {
        let timer = try TimerFD(detectingClockChanges: ())
        clockWatch = try loop.watch(timer.descriptor.rawValue, .readable) { [unowned self] _ in
            timer.drain()
            try? timer.rearmClockChange()
            post(.clockChanged(wallOffset: Clock.wall() - Clock.boot()))
        }
    }

    fileprivate func listen(_ handedOver: Daemon.HandedOver, _ programs: Programs) throws -> [AnyObject] {
        let link = KeeperLink(handedOver, programs: programs, host: self)
        let keeperWatch = try loop.watch(handedOver.keeper.rawValue, .readable) { _ in link.ready() }
        keeperLink = link
        let control = try Acceptor(handedOver.control, loop) { [unowned self] in acceptControl($0) }
        return [control, keeperWatch]
    }
}

extension Host {
    /// Without its apps' socket a daemon could let no app in, and another one may be luckier.
    fileprivate func listenToApps(_ listener: Descriptor) {
        do throws(SystemError) {
            appAcceptor = try Acceptor(listener, loop) { [unowned self] in acceptApp($0) }
        } catch {
            Diagnostics.write("the apps' socket cannot be listened to: \(error)")
            loop.fail(error)
        }
    }
}

extension KeeperLink {
    fileprivate convenience init(_ handedOver: Daemon.HandedOver, programs: Programs, host: Host) {
        self.init(
            handedOver.keeper, handsOn: [handedOver.control, handedOver.app, handedOver.lock], programs: programs,
            host: host)
    }
}
