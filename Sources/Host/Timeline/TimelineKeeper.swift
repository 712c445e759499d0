internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Timeline
internal import Wire

/// Keeps the timeline: what the Core decided, and, while an app runs, once a second what apps and daemon use of the
/// processor, and what apps move over the network and from and to disks. While all apps stand still it does nothing.
final class TimelineKeeper {
    /// How an app's use of the processor is read.
    private struct Use {
        var generation: Generation
        var meter: ProcessorMeter?
        /// As it was read last, at `since`, on the boot clock; `nil`: whatever it used so far is not of this watch.
        var used: Int64?
        var since: Int64
    }

    private struct Reading: Sendable {
        var app: AppIndex
        var used: Int64?
        var at: Int64
    }

    private unowned let host: Host
    private let ring: TimelineRing
    private var collector: TimelineCollector
    private var uses: [AppIndex: Use] = [:]
    private var daemon: (used: Int64, since: Int64) = (0, 0)
    private var isTicking = false
    private var isFlushPlanned = false
    private let disks: DiskUseWatch

    /// The journal has everything but measurements, so the disk can wait until an app has come to the screen.
    private static let delay: Int64 = 100_000_000
    private static let pause: Int64 = 1_000_000_000
    /// Nanoseconds of the processor that are worth a record; smaller ones are added up.
    private static let grain: Int64 = 500_000

    /// `restored` saw what the last daemon decided, of which a part may not be on disk.
    init(_ host: Host, restored: TimelineCollector?, isFresh: Bool) {
        self.host = host
        disks = DiskUseWatch(host)
        var restored = restored
        let lost = restored?.takeNotes() ?? []
        if !isFresh, var restored {
            _ = restored.takeChanges()
            collector = restored
        } else {
            collector = TimelineCollector(host.system)
            // A new system knows no wall clock yet.
            collector.offset = Clock.wall() - Clock.boot()
        }
        let ring = TimelineRing(directory: host.home.timeline)
        self.ring = ring
        // Not read anew: until the Core is told another one, the log's times are made with this.
        let (boot, offset, now) = (CurrentProcess.bootID, collector.offset, host.now)
        host.workers.run(.storage) {
            ring.begin(
                isFresh ? .fresh : .restarted, boot: boot, offset: offset, at: now, restored: lost.map(\.record))
        }
        for app in collector.running { watch(app, isNew: false, since: now.nanoseconds) }
    }

    /// What an event did, when its effects are under way.
    func note(_ event: Event, _ effects: [Effect], at now: Instant) {
        collector.note(event, effects, host.system, at: now)
        for change in collector.takeChanges() {
            switch (change.from.isRunning, change.to.isRunning) {
            case (false, true): watch(change.app, isNew: change.from == .notRunning, since: now.nanoseconds)
            case (true, false), (false, false): leave(change.app, isGone: change.to == .notRunning, now)
            case (true, true): break
            }
        }
    }

    /// Before the loop waits.
    func settle() {
        if !isTicking, !collector.running.isEmpty {
            isTicking = true
            daemon = (Clock.processor(), Clock.boot())
            tickLater()
        }
        guard collector.hasNotes, !isFlushPlanned else { return }
        isFlushPlanned = true
        host.loop.after(nanoseconds: Self.delay) { [weak self] in
            self?.isFlushPlanned = false
            self?.flush()
        }
    }

    func flush() {
        guard collector.hasNotes else { return }
        let (ring, notes) = (ring, collector.takeNotes())
        host.workers.run(.storage) { ring.append(notes.map(\.record)) }
    }

    /// An answer to `timeline`; for the storage lane.
    func answer(after position: Int?, since: WallTime?, app: String?) -> @Sendable () -> JSONValue {
        flush()
        let (ring, now) = (ring, host.now)
        return {
            let page = ring.page(after: position, since: since, app: app)
            return [
                "records": .array(page.items.map { $0.record.json(offset: $0.offset) }),
                "next": JSONValue(page.next), "clock": .int(now.nanoseconds),
            ]
        }
    }

    // MARK: The processor

    private func watch(_ index: AppIndex, isNew: Bool, since: Int64) {
        guard let app = host.system.app(index) else { return }
        let known = uses[index].flatMap { $0.generation == app.generation ? $0.used : nil }
        uses[index] = Use(generation: app.generation, meter: nil, used: isNew ? 0 : known, since: since)
        disks.begin(index, app.generation, isNew: isNew, since: since)
    }

    private func leave(_ index: AppIndex, isGone: Bool, _ now: Instant) {
        disks.leave(index, isGone: isGone) { [weak self] in self?.noteDisk($0, $1, over: $2) }
        guard let use = uses[index] else { return }
        if isGone {
            // Its last moments: what the group had counted when nothing was left in it.
            note(Reading(app: index, used: host.endedUsage[index], at: now.nanoseconds), use.generation)
            uses[index] = nil
        } else if let meter = use.meter ?? openMeter(index) {
            // It stands still: what is read a moment later is what it had used when it was frozen.
            host.workers.run(.slow) {
                meter.read()
            } then: { [weak self] used in
                self?.note(Reading(app: index, used: used, at: now.nanoseconds), use.generation)
                self?.uses[index]?.meter = nil
            }
        }
    }

    private func openMeter(_ index: AppIndex) -> ProcessorMeter? {
        guard let app = host.host(index), let process = app.process else { return nil }
        if let group = host.environment.cgroupPath(app.installation.identifier) {
            return try? ProcessorMeter(group: group)
        }
        // Without groups the app's first process stands for it: to find the others, all of the machine's are read.
        return process.first.flatMap { try? ProcessorMeter(process: $0.pid) }
    }

    private func tickLater() { host.loop.after(nanoseconds: Self.pause) { [weak self] in self?.tick() } }

    private func tick() {
        host.traffic.tick()
        disks.tick(collector.running) { [weak self] in self?.noteDisk($0, $1, over: $2) }
        var meters: [(app: AppIndex, meter: ProcessorMeter)] = []
        for index in collector.running {
            guard let use = uses[index], let meter = use.meter ?? openMeter(index) else { continue }
            uses[index]?.meter = meter
            meters.append((index, meter))
        }
        let generations = meters.map { uses[$0.app]?.generation }
        host.workers.run(.slow) { [meters] in
            meters.map { Reading(app: $0.app, used: $0.meter.read(), at: Clock.boot()) }
        } then: { [weak self] readings in
            guard let self else { return }
            for (reading, generation) in zip(readings, generations) {
                if let generation { note(reading, generation) }
            }
            noteDaemon()
            // Now that the processor is awake for it.
            flush()
            guard !collector.running.isEmpty else {
                isTicking = false
                return
            }
            tickLater()
        }
    }

    private func note(_ reading: Reading, _ generation: Generation) {
        guard var use = uses[reading.app], use.generation == generation, let used = reading.used,
            reading.at > use.since
        else { return }
        defer { uses[reading.app] = use }
        if let before = use.used {
            if used - before >= Self.grain, let name = collector.identifier(of: reading.app) {
                let share = Happening.processorUsed(
                    app: name, used: Span(nanoseconds: used - before),
                    over: Span(nanoseconds: reading.at - use.since))
                collector.add(share, at: Instant(nanoseconds: reading.at))
                use.used = used
            } else if used < before {
                use.used = used
            }
        } else {
            use.used = used
        }
        use.since = reading.at
    }

    private func noteDisk(_ index: AppIndex, _ count: DiskCount, over: Span) {
        guard let name = collector.identifier(of: index) else { return }
        let use = Happening.diskUsed(app: name, read: count.read, written: count.written, over: over)
        collector.add(use, at: host.now)
    }

    private func noteDaemon() {
        let (used, now) = (Clock.processor(), Clock.boot())
        if used - daemon.used >= Self.grain {
            let share = Happening.processorUsed(
                app: nil, used: Span(nanoseconds: used - daemon.used), over: Span(nanoseconds: now - daemon.since))
            collector.add(share, at: Instant(nanoseconds: now))
            daemon.used = used
        }
        daemon.since = now
        if let available = host.memory?.lastAvailable { collector.sensed(available, at: host.now) }
    }
}
