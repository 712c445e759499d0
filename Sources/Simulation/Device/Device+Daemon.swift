package import Model
internal import PolicyCore

/// The recording from which a killed daemon decides again what it had decided, as the real one does: a checkpoint of
/// the Core, and the bytes of every event since.
struct MemoryJournal {
    private static let interval = 2048
    private var checkpoint: System?
    private var events = ByteWriter()
    private var count = 0

    mutating func begin(_ system: System) {
        checkpoint = system
        events.removeAll()
        count = 0
    }

    mutating func append(_ event: Event, at now: Instant, before system: @autoclosure () -> System) {
        if count == Self.interval { begin(system()) }
        events.write(now.nanoseconds)
        event.encode(into: &events)
        count += 1
    }

    /// The Core as the recording gives it back.
    func restore() throws(MalformedBytes) -> System? {
        guard var system = checkpoint else { return nil }
        var reader = ByteReader(events.bytes[...])
        while !reader.isAtEnd {
            let at = Instant(nanoseconds: try reader.signed())
            _ = system.handle(try Event(from: &reader), at: at)
        }
        return system
    }
}

// The daemon's death and return.
extension Device {
    /// Everything that only the daemon knew is lost; the kernel's and the apps' state stays.
    package func killDaemon(downFor span: Span) {
        guard daemon == .running else { return }
        daemon = .down
        // Tools see their connection end, and say so.
        orphaned = unanswered
        unanswered = []
        servicesLoseDaemon()
        forgetGuards()
        for place in apps.indices {
            guard var process = apps[place].process else { continue }
            process.isConnected = false
            process.connection += 1
            process.suspension += 1
            (process.mustDraw, process.holdsFreeze) = (false, false)
            process.gpuVisit = nil
            process.mustConnect = process.status == nil && !process.isPlain && !process.isStarting
            // A launch was under way on a thread of the daemon: the child was born, or it never will be.
            if process.isStarting {
                let failure = isDiskFull || process.manners.launchFailure != nil
                if failure || random.oneIn(2) {
                    apps[place].process = nil
                    continue
                }
                process.isStarting = false
                apps[place].launches += 1
                noteBirth(place)
                process.mustConnect = !process.isPlain
            }
            apps[place].process = process
        }
        queue.insert(.daemonReturns, at: now + max(span, .milliseconds(1)))
    }

    /// A new daemon replays the journal and looks at what is there.
    func returnDaemon() {
        guard daemon == .down else { return }
        do {
            guard let restored = try journal.restore() else { return violate("the journal has no checkpoint") }
            if restored.nextSequence != system.nextSequence { violate("the journal replays to another log") }
            system = restored
        } catch {
            return violate("the journal cannot be read: \(error)")
        }
        journal.begin(system)
        daemon = .running
        // What the one before was told, it may have had no time for.
        conditions.isTold = false
        checkers.daemonReturned(on: self)
        send(.clockChanged(wallOffset: wallOffset))
        tellBudget()
        defer { forgetDisk() }
        for place in apps.indices where known(place)?.isInstalled == true || waitingInstalls.contains(place) {
            install(place)
        }
        waitingInstalls = []
        adoptAll()
        orphaned = []
        if daemon == .running { declareServices(isFresh: false) }
        tellConditions()
        if memoryBudget != nil { senseMemory() }
        for place in apps.indices where isInTheWay(place) { awaitLook(place) }
        for place in apps.indices where [.background, .suspended].contains(state(place)) { beginGPUVisit(place) }
        for place in apps.indices where apps[place].process?.isFrozen == true {
            after(costs.verify, place) { .mechanism(.sockets(.tell($0.suspension))) }
        }
        for place in apps.indices where apps[place].process?.mustConnect == true {
            after(costs.reconnect, place) { _ in .connect }
        }
        for (id, command) in waitingCommands { queue.insert(.command(id, command), at: now) }
        waitingCommands = []
    }

    /// A daemon that dies before it comes to this leaves everything to be found by the next one.
    private func adoptAll() {
        guard daemon == .running else { return }
        var found: [AdoptedApp] = []
        for place in apps.indices {
            guard let process = apps[place].process, let index = apps[place].index else { continue }
            found.append(
                AdoptedApp(
                    app: index, pid: process.isGone ? nil : process.pid, isFrozen: process.isFrozen,
                    status: process.status))
            apps[place].process?.hasToldFirst = process.status != nil
            if process.isGone { apps[place].process = nil }
        }
        send(.adopted(found.sorted { $0.app < $1.app }))
    }

    /// Starts the system again after it was shut down: a new Core, with the apps that are installed.
    package func startAgain() {
        guard daemon == .off else { return }
        let exempt = system.installedApps.filter(\.isExempt).map(\.manifest.identifier)
        let installed = apps.indices.filter { known($0)?.isInstalled == true }
        // What the real daemon finds in its database.
        let wishes = installed.map { known($0).map { (system.wishes(of: $0.index), $0.wake.isRefreshOff) } }
        let memory = system.fetch.planner.memory
        let earlier = Dictionary(
            installed.compactMap { place in apps[place].index.map { ($0, place) } }, uniquingKeysWith: { $1 })
        system = System(profile: profile, firstSequence: system.nextSequence)
        journal.begin(system)
        daemon = .running
        bootedAt = now
        places = []
        // The new Core counts launches anew, so what was known of processes would be taken for news of these.
        checkers = Checkers(profile: profile)
        send(.clockChanged(wallOffset: wallOffset))
        tellBudget()
        conditions.isTold = false
        conditions.settings = [:]
        tellConditions()
        for place in apps.indices { apps[place].index = nil }
        for (place, wish) in zip(installed, wishes) {
            install(place)
            if let wish, let index = apps[place].index {
                if !wish.0.isEmpty { send(.wishesRestored(index, wish.0)) }
                if wish.1 { begin(.allowRefresh(index, false)) }
            }
            guard let index = apps[place].index, exempt.contains(apps[place].script.manifest.identifier) else {
                continue
            }
            begin(.exempt(index, true))
        }
        declareServices(isFresh: true)
        if !memory.apps.isEmpty {
            send(.habitsRestored(memory.renumbered { app in earlier[app].flatMap { apps[$0].index } }))
        }
        send(.booted)
    }

    /// Somebody sets the clock.
    /// Until the next day begins where the device is.
    var timeToMidnight: Span {
        let day: Int64 = 86_400_000_000_000
        let local = now.nanoseconds &+ wallOffset &+ Int64(conditions.timeZone.offset) * 1_000_000_000
        let since = local % day
        return Span(nanoseconds: day - (since < 0 ? since + day : since))
    }

    package func setClock(by span: Span) {
        wallOffset &+= span.nanoseconds
        for s in services.indices { tellLogic(s, .clock(offset: Span(nanoseconds: wallOffset))) }
        conditions.toldAt = now
        send(.clockChanged(wallOffset: wallOffset))
    }
}
