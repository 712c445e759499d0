internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// The host's part of the memory policy: says what is available when it crosses a mark or is asked for, looks at what
/// apps have, and takes from them what the Core says.
///
/// With a budget of its own the system counts what its apps have; else what the machine has available. Apps that stand
/// still do not grow, so nothing is looked at while none runs: an idle system sleeps.
final class MemorySensor {
    private unowned let host: Host
    private var total: Int64
    /// The system's own budget; `nil`: it shares the machine.
    private let budget: Int64?
    private var samples: [AppIndex: (generation: Generation, sample: MemorySample)] = [:]
    /// What those have that stand still.
    private var resting = RestingMemory()
    /// Samples under way.
    private var looks = LooksUnderWay()
    /// What the Core was told last lies between these marks.
    private var toldLevel: Int?
    private var isPolling = false
    private var backOff: Int64 = 0
    /// Nanoseconds in which no mark can be crossed, as the last look found.
    private var leisure: Int64 = 0
    private(set) var lastAvailable: Int64?
    private var lastLook: (at: Int64, took: Int64, available: Int64) = (0, 0, 0)
    private var lookedAtRunning: Int64 = 0
    private var unseen = UnseenLoss()
    /// Tools that wait for the first look at an app.
    private var waiting: [() -> Void] = []
    /// When one of those that run was looked at for what no process shows, and which.
    private var lookedAround: (at: Int64, app: AppIndex)?
    private var trigger: PressureTrigger?
    private var triggerWatch: Loop.Watch?
    /// Bytes at which something changes, the largest first.
    private var marks: [Int64]
    /// The memory of the machine, or of the cgroups around the daemon. Used if the system has no own budget.
    private var machine: SharedMemory
    private(set) var kernelKills: KernelKills

    /// No machine fills memory faster than this: the next look comes before a mark can be crossed by much.
    private static let fastestGrowth: Int64 = 2 << 30
    private static let shortestPause: Int64 = 10_000_000
    private static let longestPause: Int64 = 1_000_000_000
    private static let longestLeisure: Int64 = 10_000_000_000
    private static let muchLeisure: Int64 = 3_000_000_000
    /// While nothing changes, looks come this much more rarely near a mark.
    private static let longestBackOff: Int64 = 40_000_000
    /// Where an app has a thousand processes, to look at them all takes its time; no more than a fifth of all time.
    private static let pausesPerLook: Int64 = 4
    private static let littleUnseen: Int64 = 1 << 20
    private let table: KillTable

    init?(_ host: Host, budget: Int64?) {
        guard let machine = SharedMemory() else { return nil }
        let total = budget ?? machine.total
        self.host = host
        self.budget = budget
        self.total = total
        self.machine = machine
        kernelKills = KernelKills(machine.bounds)
        table = KillTable(host)
        marks = host.system.memoryRules.marks(of: total)
        trigger = budget == nil ? try? PressureTrigger(stallMicroseconds: 100_000) : nil
        if let trigger {
            triggerWatch = try? host.loop.watch(trigger.descriptor.rawValue, .priority) { [unowned self] _ in look() }
        }
    }

    /// Limits of cgroups can change while the daemon runs.
    private func lookForLimits() {
        guard budget == nil, machine.refresh(), machine.total != total else { return }
        total = machine.total
        marks = host.system.memoryRules.marks(of: total)
        tellBudget()
    }

    func tellBudget() {
        host.post(.memoryConfigured(budget: total, source: budget == nil ? .machine : .budget))
        toldLevel = nil
    }

    // MARK: What is available

    /// Tells the Core now.
    func look() { tell(available) }

    /// Who has to go at once goes first, unless the Core is in the middle of something.
    private func tell(_ available: Int64) {
        // What lives is not known yet: who would go cannot be chosen.
        guard host.adoption == nil else { return }
        let ended = host.isDraining ? [] : table.end(available: available)
        toldLevel = level(available)
        host.post(
            ended.isEmpty ? .memorySensed(available: available) : .endedForMemory(ended, available: available))
    }

    private func level(_ available: Int64) -> Int { marks.reduce(0) { available < $1 ? $0 + 1 : $0 } }

    private var available: Int64 {
        guard budget != nil else { return machine.available ?? total }
        // Not what others at the processor made it wait: under load the next look must not come later.
        let began = Clock.threadTime()
        let available = total - used
        lastLook = (Clock.monotonic(), Clock.threadTime() - began, available)
        return available
    }

    /// For people and tools: of now, or of a moment ago where an app has so many processes that a look takes long.
    var lately: Int64 {
        guard Clock.monotonic() - lastLook.at < Self.pausesPerLook * lastLook.took else { return available }
        return lastLook.available
    }

    /// What all apps have.
    private var used: Int64 { host.awake.inOrder.compactMap(host.host).reduce(resting.bytes) { $0 + used($1) } }

    // MARK: What stands still

    /// It may run from here on, or is gone.
    func moved(_ index: AppIndex) { resting.remove(index) }

    /// Whether what it has is known, and stays as it is.
    func rests(_ index: AppIndex) -> Bool {
        guard let app = host.host(index), let process = app.process, let bytes = standing(app, process) else {
            return false
        }
        resting.set(index, bytes)
        return true
    }

    private func sample(of app: AppIndex, _ process: AppProcess) -> MemorySample? {
        samples[app].flatMap { $0.generation == process.generation ? $0.sample : nil }
    }

    /// `nil`: it runs, or nobody has looked at it. What the daemon before this one saw, the Core knows.
    private func standing(_ app: AppHost, _ process: AppProcess) -> Int64? {
        guard let state = host.system.app(app.index), state.state == .suspended else { return nil }
        if let known = sample(of: app.index, process) { return known.footprint.total }
        return state.memory.isKnown ? state.memory.footprint.total : nil
    }

    /// What an app has: as it was looked at last, and what it has grown since if it runs.
    private func used(_ app: AppHost) -> Int64 {
        guard let process = app.process, process.first != nil, !resting.contains(app.index) else { return 0 }
        if let bytes = standing(app, process) { return bytes }
        let known = sample(of: app.index, process)
        let pairs = process.processes.compactMap { pid in ProcessMemory.size(pid).map { (pid, $0) } }
        guard let known else {
            lookCloser(app.index, process)
            // What they share is not known: no less than the largest has.
            return pairs.map(\.1.anonymous).max() ?? 0
        }
        let (growth, mapped, isUncertain) = known.growth(Dictionary(pairs) { $1 })
        if crossesOwnLimit(app.index, from: known.footprint.dirty, to: known.footprint.dirty + growth) {
            lookCloser(app.index, process)
        } else if isUncertain
            || known.isOutdated(growth: growth, mapped: mapped, urgency)
        {
            lookCloser(app.index, process, known: wellKnown(of: known, mapped: mapped))
        }
        return max(0, known.footprint.total + growth)
    }

    private var urgency: MemorySample.Urgency {
        if host.system.memory.isReclaiming { return .short }
        return leisure > Self.muchLeisure ? .plenty : .ordinary
    }

    /// With little that no process shows, an app that grows is not searched for it each time, nor are mappings counted
    /// that cannot be too many yet: `lookAround` and `lookForUnseen` find what comes.
    private func wellKnown(of sample: MemorySample, mapped: Int64) -> MemoryLook.Known {
        let bound = sample.mappings.bound(mapped: mapped)
        return MemoryLook.Known(
            unseen: sample.unseen < Self.littleUnseen ? sample.unseen : nil, mappings: exceeds(bound) ? nil : bound)
    }

    private func exceeds(_ mappings: MappingCount) -> Bool {
        // Among so many there can be too many purgeable ones.
        mappings.exceeds(limits) || mappings.count > limits.purgeable
    }

    private var limits: MappingCount.Limits { MappingCount.Limits(host.system.memoryRules) }

    /// Processes write to what they shared, or have memory that is no process's own: nothing says of which app.
    private func lookForUnseen(apps: Int64) {
        guard let machine = machine.balance,
            unseen.note(machine: machine, apps: apps, at: Clock.monotonic(), rest: leisure / 2)
        else { return }
        for app in host.runningApps {
            if let process = app.process, process.first != nil, !looks.contains(app.index) {
                startSample(app.index, process, isThorough: true)
            }
        }
    }

    /// Or the mark before it.
    private func crossesOwnLimit(_ index: AppIndex, from known: Int64, to now: Int64) -> Bool {
        guard let limit = host.system.memoryLimit(of: index) else { return false }
        return [limit / 1000 * host.system.memoryRules.nearLimit, limit].contains { known <= $0 && $0 < now }
    }

    /// Before the loop waits: whether somebody runs that could take memory.
    func settle() {
        table.settle(leisure: leisure)
        guard !isPolling, !host.runningApps.isEmpty else { return }
        isPolling = true
        poll()
    }

    private func poll() {
        lookForLimits()
        kernelKills.note()
        let available = available
        if level(available) != toldLevel { tell(available) }
        guard !host.runningApps.isEmpty else {
            isPolling = false
            return
        }
        lookAtRunning(available)
        lookAround()
        let isSteady = lastAvailable.map { abs($0 - available) < 1 << 20 } ?? false
        lastAvailable = available
        backOff = isSteady ? min(max(Self.shortestPause, backOff * 2), Self.longestBackOff) : 0
        let room = marks.first { $0 < available }.map { available - $0 } ?? 0
        leisure = min(room * 1000 / (Self.fastestGrowth / 1_000_000), Self.longestLeisure)
        let soonest = max(leisure, Self.shortestPause, backOff, Self.pausesPerLook * lastLook.took)
        host.loop.after(nanoseconds: min(soonest, Self.longestPause)) { [weak self] in self?.poll() }
    }

    /// What the machine has available does not say who grows, and what apps show is not all that they have.
    private func lookAtRunning(_ available: Int64) {
        guard budget == nil else {
            return lookForUnseen(apps: total - available)
        }
        let now = Clock.monotonic()
        guard now - lookedAtRunning >= Self.longestPause else { return }
        lookedAtRunning = now
        lookForUnseen(apps: used)
    }

    /// One of those that run in a second, each in its turn.
    private func lookAround() {
        let now = Clock.monotonic()
        guard now - (lookedAround?.at ?? 0) >= Self.longestPause else { return }
        let running = host.runningApps.filter { $0.process?.first != nil }
        let next = running.first { app in lookedAround.map { app.index > $0.app } ?? true } ?? running.first
        guard let next, let process = next.process else { return }
        let (index, generation) = (next.index, process.generation)
        lookedAround = (now, index)
        guard let known = samples[index], known.generation == generation, !looks.contains(index) else { return }
        var look = look(process)
        look.descriptors = MemoryLook.many
        host.workers.run(.slow) { [look] in
            (unseen: look.unseen(), mappings: look.mappings())
        } then: { [unowned self] found in
            guard let process = host.process(index, generation) else { return }
            reportMappings(index, generation, found.mappings, before: known.sample.mappings)
            if samples[index]?.generation == generation { samples[index]?.sample.mappings = found.mappings }
            guard abs(found.unseen - known.sample.unseen) > 4 << 20 else { return }
            if !looks.contains(index) { startSample(index, process, isThorough: true) }
        }
    }

    // MARK: Looking at an app

    /// Calls back once every app that has a process was looked at, which most were before. Tools are shown what the
    /// Core knows: to show something newer would be to show what nothing is decided by.
    func learn(then: @escaping () -> Void) {
        for app in host.apps where isUnknown(app) { if let process = app.process { lookCloser(app.index, process) } }
        waiting.append(then)
        answerWaiting()
    }

    private func answerWaiting() {
        guard !waiting.isEmpty, !host.apps.contains(where: { isUnknown($0) && looks.contains($0.index) }) else {
            return
        }
        let ready = waiting
        waiting = []
        for answer in ready { answer() }
    }

    private func isUnknown(_ app: AppHost) -> Bool {
        app.process?.first != nil && host.system.app(app.index)?.memory.known == nil
    }

    func sample(_ index: AppIndex, _ generation: Generation) {
        guard let process = host.process(index, generation) else { return }
        // What it has it keeps: it may take a while to find it.
        startSample(index, process, isThorough: host.system.app(index)?.state == .suspended)
    }

    /// Unless somebody does: the next poll sees whether that was enough.
    private func lookCloser(_ index: AppIndex, _ process: AppProcess, known: MemoryLook.Known = MemoryLook.Known()) {
        if !looks.contains(index) { startSample(index, process, known: known) }
    }

    private func startSample(
        _ index: AppIndex, _ process: AppProcess, isThorough: Bool = false, known: MemoryLook.Known = MemoryLook.Known()
    ) {
        guard looks.begin(index) else { return }
        let generation = process.generation
        var look = look(process)
        if isThorough { look.descriptors = MemoryLook.many }
        look.known = known
        host.workers.run(.slow) { [look] in
            look.sample()
        } then: { [unowned self] sample in
            let isStale = looks.end(index)
            if host.process(index, generation) != nil {
                let before = samples[index].flatMap { $0.generation == generation ? $0.sample.mappings : nil }
                note(index, generation, sample)
                host.post(.footprintSampled(index, generation, sample.footprint))
                reportMappings(index, generation, sample.mappings, before: before)
            }
            // By now it may be another process of the app.
            if isStale, let process = host.host(index)?.process { startSample(index, process) }
            answerWaiting()
        }
    }

    private func look(_ process: AppProcess) -> MemoryLook {
        MemoryLook(process.processes, file: process.box.memoryFile, limits: limits)
    }

    /// What was too much when it was counted before was told then: a program may reserve what it likes.
    private func reportMappings(
        _ index: AppIndex, _ generation: Generation, _ found: MappingCount, before: MappingCount?
    ) {
        if found.newlyExceeds(limits, before: before) {
            host.post(.mappingsCounted(index, generation, found.count, largest: found.largest))
        }
        if found.newlyExceedsPurgeable(limits, before: before) {
            host.post(.purgeableCounted(index, generation, found.purgeable))
        }
    }

    private func note(_ index: AppIndex, _ generation: Generation, _ sample: MemorySample) {
        let known = samples[index].flatMap { $0.generation == generation ? $0.sample : nil }
        if let known { unseen.found(known.surprise(sample)) }
        samples[index] = (generation, sample)
        samples[index]?.sample.peak = max(known?.peak ?? 0, sample.footprint.dirty)
        if resting.contains(index) { resting.set(index, sample.footprint.total) }
    }

    /// As they were counted last in the app's present process.
    func mappings(of index: AppIndex) -> MappingCount? {
        guard let known = samples[index], host.process(index, known.generation) != nil else { return nil }
        return known.sample.mappings
    }

    /// The most dirty memory, in bytes, that was ever seen of the app's last process.
    func peak(of index: AppIndex) -> Int64? { samples[index]?.sample.peak }

    // MARK: Taking

    func reclaim(_ index: AppIndex, _ generation: Generation, isFrozen: Bool) {
        guard let process = host.process(index, generation) else { return }
        let pids = process.processes
        let look = look(process)
        let file = isFrozen ? process.box.reclaimFile : nil
        host.workers.run(.slow) {
            for pid in pids {
                if let process = try? PidFD(pid) { try? ProcessMemory.pageOut(process, files: isFrozen) }
            }
            // What several processes map is left by that. With swap this would take what is dirty as well.
            if let file, ProcessMemory.machine()?.swap == 0 {
                let bytes = pids.reduce(0) { $0 + (ProcessMemory.size($1)?.files ?? 0) }
                try? Cgroup.write(String(bytes), to: file)
            }
            return look.sample()
        } then: { [unowned self] sample in
            guard host.process(index, generation) != nil else { return }
            note(index, generation, sample)
            host.post(.reclaimed(index, generation, sample.footprint))
        }
    }

    var killPath: MemoryInfo.KillPath { table.info }

    /// All that the way to a kill needs is in memory from here on.
    func rehearse() {
        table.remake()
        _ = level(machine.available ?? total)
    }

    /// Its memory comes back at once, not when its threads have come to their end.
    func releaseAfterKill(_ index: AppIndex) -> (() -> Void)? {
        guard case .memory = host.system.app(index)?.ending?.reason, let process = host.host(index)?.process else {
            return nil
        }
        let processes = process.box.processes().compactMap { try? PidFD($0) }
        let workers = host.workers
        return { workers.run(.releases) { for process in processes { try? process.releaseMemory() } } }
    }
}
