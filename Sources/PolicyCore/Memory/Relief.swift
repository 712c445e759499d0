internal import Model

// When memory is short, in this order and each only as far as needed (R2): purgeable and clean memory of suspended apps
// without asking; warnings to apps that run; the end of background apps, suspended ones first; a visible app only when
// nothing else is left.
extension System {
    mutating func memoryConfigured(budget: Int64, source: MemorySource) {
        let budget = Self.sane(budget)
        // A new daemon says the same again: what was known holds until the host has looked.
        if budget != memory.budget { memory.available = budget }
        memory.budget = budget
        memory.source = source
        memory.isEstimated = true
        memory.mustJudge = true
    }

    mutating func memorySensed(available: Int64) {
        guard memory.budget > 0 else { return }
        let isSteady = available == memory.available
        memory.lookPause = isSteady ? min(memory.lookPause * 2, MemoryState.longestPause) : MemoryState.shortestPause
        note(available: available)
        memory.mustJudge = true
    }

    mutating func note(available: Int64) {
        memory.available = max(-MemoryState.mostBytes, min(available, MemoryState.mostBytes))
        memory.isEstimated = false
    }

    mutating func footprintSampled(_ app: AppIndex, _ generation: Generation, _ footprint: Footprint) {
        guard let i = current(app, generation), !isDying(i) else { return }
        note(i, footprint)
        enforceOwnLimit(i)
        memory.mustJudge = true
    }

    /// What it still has says nothing: what it had is on its way back.
    private func isDying(_ i: Int) -> Bool { apps[i].ending?.phase == .killing }

    /// Whatever the host says, sums of it have room.
    private static func sane(_ bytes: Int64) -> Int64 { min(max(0, bytes), MemoryState.mostBytes) }

    private static func sane(_ footprint: Footprint) -> Footprint {
        Footprint(
            dirty: sane(footprint.dirty), purgeable: sane(footprint.purgeable), clean: sane(footprint.clean))
    }

    private mutating func note(_ i: Int, _ given: Footprint) {
        let footprint = Self.sane(given)
        apps[i].memory.isKnown = true
        apps[i].memory.growth = footprint.dirty - apps[i].memory.footprint.dirty
        // An app that runs may have made new what was taken.
        if apps[i].memory.reclaim == .done, apps[i].state != .suspended { apps[i].memory.reclaim = .none }
        apps[i].memory.footprint = footprint
    }

    mutating func reclaimed(_ app: AppIndex, _ generation: Generation, _ given: Footprint) {
        guard let i = current(app, generation), !isDying(i), case .asked = apps[i].memory.reclaim else { return }
        let footprint = Self.sane(given)
        let freed = apps[i].memory.footprint.total - footprint.total
        apps[i].memory.footprint = footprint
        apps[i].memory.reclaim = .done
        if memory.source == .machine {
            // It counted as available before.
            memory.taken = (memory.taken ?? 0) + max(0, freed)
            memory.mustJudge = true
        } else {
            expectBack(max(0, freed))
        }
        if freed > 0 { log(i, .reclaimed, .memoryReclaimed(bytes: freed), after: memory.cause) }
    }

    /// Nothing of the app is left.
    mutating func memoryGone(_ i: Int, _ reason: EndReason) {
        expectBack(returns(apps[i].memory.footprint))
        if case .memory = reason { apps[i].memory.endedAt = now }
        let endedAt = apps[i].memory.endedAt
        apps[i].memory = AppMemory()
        apps[i].memory.endedAt = endedAt
    }

    /// How much more is available when an app with so much is gone.
    @inline(__always)
    func returns(_ footprint: Footprint) -> Int64 { memory.source == .machine ? footprint.dirty : footprint.total }

    /// So much should be available again. The host may have seen it already, so it is asked.
    private mutating func expectBack(_ bytes: Int64) {
        memory.available = min(memory.budget, memory.available + bytes)
        memory.isEstimated = true
        memory.mustJudge = true
    }

    /// The app runs again: what was taken comes back by and by.
    mutating func memoryThawed(_ i: Int) { apps[i].memory.reclaim = .none }

    mutating func memoryLaunched(_ i: Int) {
        guard let ended = apps[i].memory.endedAt else { return }
        let window = memoryRules.relaunchWindow
        apps[i].memory.endedAt = nil
        if now - ended < window { apps[i].memory.sparedUntil = now + window * 3 }
    }

    /// A daemon that died asked for what may not have been done.
    mutating func adoptMemory() {
        for i in apps.indices {
            if case .asked = apps[i].memory.reclaim { apps[i].memory.reclaim = .none }
        }
        memory.mustJudge = true
    }

    /// The host is to look at an app, as far as anybody cares.
    mutating func sampleMemory(_ i: Int) {
        guard memory.budget > 0, apps[i].process == .alive else { return }
        emit(.sample(apps[i].index, apps[i].generation), cause: apps[i].cause)
    }

    // MARK: Judging

    /// After every event that may have changed something.
    mutating func relieveMemory() {
        memory.mustJudge = false
        guard memory.budget > 0, !isShuttingDown else {
            memory.nextLook = nil
            return
        }
        judgeMemory()
        if memory.isReclaiming { reclaimMore() }
        if memory.level > .normal { warnNext() }
        if memory.isTerminating { terminateMore() }
        scheduleLook()
    }

    /// Level and latches from what is available.
    mutating func judgeMemory() {
        let rules = memoryRules
        func isShort(_ mark: MemoryRules.Mark, _ was: Bool) -> Bool {
            memory.available < memory.share(was ? mark.until : mark.below)
        }
        memory.isTerminating = isShort(rules.terminate, memory.isTerminating)
        let isWarning = isShort(rules.warn, memory.level > .normal) || memory.isTerminating
        let real: MemoryLevel = memory.isTerminating ? .critical : isWarning ? .warning : .normal
        let level = max(real, memory.simulated ?? .normal)
        let wasReclaiming = memory.isReclaiming
        memory.isReclaiming = isShort(rules.reclaim, memory.isReclaiming) || level > .normal
        if !memory.isReclaiming { memory.taken = nil }
        if memory.isReclaiming, !wasReclaiming, level == memory.level {
            logRoot(.memoryShort, .memoryTight(available: memory.available, budget: memory.budget))
            memory.cause = root
        }
        guard level != memory.level else { return }
        // Who may be asked for some has to be known.
        if level > memory.level {
            for i in apps.indices where apps[i].state.isRunning { sampleMemory(i) }
        }
        let isShorter = level > memory.level
        memory.level = level
        let reason: Reason =
            memory.simulated != nil && level > real
            ? .memorySimulated(level)
            : .memoryLevel(level, available: memory.available, budget: memory.budget)
        logRoot(level == .normal ? .memoryRecovered : .memoryShort, reason)
        memory.cause = root
        if isShorter { disconnectScenesForMemory() }
        if level == .normal { memoryRecovered() }
    }

    private mutating func scheduleLook() {
        // An estimate may be wrong either way: what has gone may have been seen already.
        guard memory.isReclaiming || memory.level > .normal || memory.isTerminating || memory.isEstimated else {
            memory.nextLook = nil
            memory.lookPause = MemoryState.shortestPause
            return
        }
        if memory.nextLook == nil { memory.nextLook = now + memory.lookPause }
    }

    /// The host is to say what is available now.
    mutating func memoryLookDue() {
        memory.nextLook = nil
        emit(.senseMemory, cause: memory.cause)
        // Who runs has changed since, and nobody can be chosen of whom nothing is known.
        if memory.level > .normal {
            for i in apps.indices where apps[i].state.isRunning { sampleMemory(i) }
        }
        memory.mustJudge = true
    }

    /// What is on its way back: asked for and not yet seen.
    var comingMemory: Int64 {
        var bytes: Int64 = 0
        // By index: to walk through the apps themselves copies each.
        for i in apps.indices where apps[i].process != .none {
            if apps[i].ending?.phase == .killing {
                bytes += returns(apps[i].memory.footprint)
            } else if case .asked(let expected) = apps[i].memory.reclaim, memory.source != .machine {
                bytes += expected
            }
        }
        return bytes
    }

    // MARK: Without asking

    private mutating func reclaimMore() {
        var free = memory.available + comingMemory + takenMemory
        let target = memory.simulated == nil ? memory.share(memoryRules.reclaim.until) : .max
        guard free < target else { return }
        // The order of all is worth making where one of them has something.
        if apps.indices.contains(where: { mayReclaim($0, apps[$0].memory.footprint.reclaimable) }) {
            let victims = memoryVictims().map { Int($0.rawValue) }
            for i in victims where apps[i].suspension == .confirmed {
                guard free < target else { return }
                free += reclaim(i, apps[i].memory.footprint.reclaimable)
            }
        }
        // What is clean in an app that runs would be read again at once.
        guard memory.level > .normal else { return }
        let others = apps.indices.filter {
            apps[$0].memory.footprint.purgeable > 0 && apps[$0].process == .alive && !apps[$0].suspension.isUnderWay
        }
        for i in others.sorted(by: { apps[$0].memory.footprint.purgeable > apps[$1].memory.footprint.purgeable }) {
            guard free < target else { return }
            free += reclaim(i, apps[i].memory.footprint.purgeable)
        }
    }

    /// What the first rung has brought or will bring that what the machine has available does not show.
    private var takenMemory: Int64 {
        guard memory.source == .machine else { return 0 }
        return apps.indices.reduce(memory.taken ?? 0) { sum, i in
            if case .asked(let bytes) = apps[i].memory.reclaim { sum + bytes } else { sum }
        }
    }

    @inline(__always)
    private func mayReclaim(_ i: Int, _ bytes: Int64) -> Bool {
        bytes >= 1 << 20 && !apps[i].$ending && apps[i].memory.reclaim == AppMemory.Reclaim.none
    }

    /// What is expected of it.
    private mutating func reclaim(_ i: Int, _ bytes: Int64) -> Int64 {
        guard mayReclaim(i, bytes) else { return 0 }
        apps[i].memory.reclaim = .asked(bytes)
        let isFrozen = apps[i].suspension == .confirmed
        emit(.reclaim(apps[i].index, apps[i].generation, isFrozen: isFrozen), cause: memory.cause)
        return bytes
    }

    // MARK: Warnings

    /// One app at a time: the least important and largest that runs and was not warned so yet.
    private mutating func warnNext() {
        let rules = memoryRules
        if let last = memory.lastWarning, now < last + rules.warningPause { return }
        guard memory.simulated != nil || memory.available + comingMemory < memory.share(rules.warn.until) else {
            return
        }
        var best: (i: Int, isVisible: Bool, dirty: Int64)?
        for i in apps.indices where canWarn(i) {
            let (isVisible, dirty) = (presence(i) != .hidden, apps[i].memory.footprint.dirty)
            guard dirty >= rules.smallestWarned || memory.simulated != nil else { continue }
            if let best, (best.isVisible ? 1 : 0, -best.dirty) <= (isVisible ? 1 : 0, -dirty) { continue }
            best = (i, isVisible, dirty)
        }
        guard let best else { return }
        memory.lastWarning = now
        warn(best.i)
    }

    /// It can hear, and has not heard as much in this shortage.
    @inline(__always)
    private func canWarn(_ i: Int) -> Bool {
        isSettled(i) && !isPlain(i) && apps[i].isConnected && apps[i].state.isRunning
            && !apps[i].suspension.isUnderWay && apps[i].memory.warned < memory.level
    }

    private mutating func warn(_ i: Int) {
        apps[i].memory.warned = max(memory.level, .warning)
        call(i, CallPlan([.didReceiveMemoryWarning]), after: memory.cause ?? apps[i].cause)
    }

    /// An app that is about to be frozen could not answer later.
    mutating func warnBeforeSuspension(_ i: Int) -> Bool {
        guard memory.level > .normal, canWarn(i), apps[i].memory.footprint.dirty >= memoryRules.smallestWarned else {
            return false
        }
        warn(i)
        return true
    }

    mutating func pressMemory(_ level: MemoryLevel) {
        memory.simulated = level == .normal ? nil : level
        memory.mustJudge = true
    }

    /// Somebody pretends (T3).
    mutating func warnEverybody(_ level: MemoryLevel) {
        logRoot(.memoryShort, .memorySimulated(level))
        for i in apps.indices
        where isSettled(i) && !isPlain(i) && apps[i].isConnected && apps[i].state.isRunning
            && !apps[i].suspension.isUnderWay
        {
            call(i, CallPlan([.didReceiveMemoryWarning]), after: root)
        }
    }
}
