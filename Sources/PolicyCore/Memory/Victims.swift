package import Model

// Who goes, and in what order. The table is ready before it is needed: nothing is read from the machine here.
extension System {
    /// What is not on screen, who goes first first.
    package func memoryVictims() -> [AppIndex] {
        var candidates: [TerminationCandidate] = []
        candidates.reserveCapacity(apps.count)
        for i in apps.indices where canTerminate(i) {
            candidates.append(
                TerminationCandidate(
                    app: apps[i].index, dirtyBytes: max(1, apps[i].memory.footprint.dirty),
                    isSuspended: memoryRank(i) == 0))
        }
        let scores = ExpectedUsePolicy().scores(of: candidates, knowing: memory.history)
        // Each class by itself, and in it those that are spared last; else as the policy says.
        var ranked: [(app: UInt32, place: Int, score: Double)] = []
        ranked.reserveCapacity(candidates.count)
        for (number, candidate) in candidates.enumerated() {
            ranked.append((candidate.app.rawValue, place(candidate.app), scores[number]))
        }
        ranked.sort { a, b in
            if a.place != b.place { return a.place < b.place }
            return a.score == b.score ? a.app < b.app : a.score > b.score
        }
        return ranked.map { AppIndex($0.app) }
    }

    // Inlined, as all that is asked of each app in turn: a call would hand the whole system on.

    @inline(__always)
    private func place(_ app: AppIndex) -> Int {
        let i = Int(app.rawValue)
        let isSpared = apps[i].memory.sparedUntil.map { now < $0 } ?? false
        return memoryRank(i) * 2 + (isSpared ? 1 : 0)
    }

    @inline(__always)
    private func canTerminate(_ i: Int) -> Bool {
        switch apps[i].process {
        case .none, .starting: false
        case .connecting, .launching, .alive: !apps[i].$ending && presence(i) == .hidden
        }
    }

    /// Suspended before background running (R2); whoever is still on the way from or to the screen comes last.
    @inline(__always)
    private func memoryRank(_ i: Int) -> Int {
        if apps[i].state == .suspended || apps[i].suspension.isUnderWay { return 0 }
        return apps[i].process == .alive && !apps[i].state.isForeground ? 1 : 2
    }

    // MARK: Standing orders

    /// What the host would have to end now, in bytes, if so much is available; zero while nobody has to go.
    package func memoryNeed(available: Int64) -> Int64 {
        guard memory.budget > 0, !isShuttingDown else { return 0 }
        let mark = memoryRules.terminate
        guard available < memory.share(memory.isTerminating ? mark.until : mark.below) else { return 0 }
        return max(0, memory.share(mark.until) - available - comingMemory)
    }

    /// An app that the host may end by itself when there is no time to ask, one of many from which it chooses as the
    /// Core does. `none` where it may not. Allocates nothing.
    package func standingOrder(_ one: Incarnation) -> StandingOrder {
        guard let i = current(one.app, one.generation), canTerminate(i) else { return .none }
        let bytes = returns(apps[i].memory.footprint)
        return bytes > 0 ? StandingOrder(place: place(one.app), bytes: bytes) : .none
    }

    mutating func endedForMemory(_ ended: [Incarnation], available: Int64) {
        guard memory.budget > 0 else { return }
        note(available: available)
        judgeMemory()
        memory.mustJudge = true
        guard memory.isTerminating else { return }
        for one in ended {
            guard let i = current(one.app, one.generation), canTerminate(i) else { continue }
            endForMemory(i, .pageShortage)
        }
    }

    // MARK: Ending

    /// No more apps than the need requires.
    mutating func terminateMore() {
        let rules = memoryRules
        let target = memory.share(rules.terminate.until)
        let free = memory.available + comingMemory
        guard free < target else { return }
        let order = memoryVictims()
        var orders: [StandingOrder] = []
        orders.reserveCapacity(order.count)
        for app in order {
            orders.append(StandingOrder(place: place(app), bytes: returns(apps[Int(app.rawValue)].memory.footprint)))
        }
        var isChosen = [Bool](repeating: false, count: orders.count)
        orders.choose(toFree: target - free, into: &isChosen)
        for (app, isChosen) in zip(order, isChosen) where isChosen { endForMemory(Int(app.rawValue), .pageShortage) }
        guard memory.available + comingMemory < target else { return }
        let isDying = apps.indices.contains { apps[$0].ending?.phase == .killing }
        guard memory.available < memory.share(rules.lastResort), comingMemory == 0, !isDying else { return }
        // What nobody has looked at yet may have something, and nobody sees it.
        if let hidden = memoryVictims().first(where: { !apps[Int($0.rawValue)].memory.isKnown }) {
            endForMemory(Int(hidden.rawValue), .pageShortage)
        } else if !memory.isEstimated {
            endVisible()
        }
    }

    /// The one whose growth caused it, else the largest.
    private mutating func endVisible() {
        var worst: (i: Int, growth: Int64, dirty: Int64)?
        for i in apps.indices
        where apps[i].process != .none && !apps[i].$ending && apps[i].memory.footprint.total > 0 {
            let one = (i: i, growth: max(0, apps[i].memory.growth), dirty: apps[i].memory.footprint.dirty)
            if let worst, (worst.growth, worst.dirty) >= (one.growth, one.dirty) { continue }
            worst = one
        }
        if let worst { endForMemory(worst.i, .nothingElse) }
    }

    private mutating func endForMemory(_ i: Int, _ kind: MemoryEnd.Kind, limit: Int64? = nil) {
        if let cause = memory.cause { apps[i].cause = cause }
        end(
            i,
            .memory(
                MemoryEnd(
                    kind: kind, footprint: apps[i].memory.footprint, limit: limit, available: memory.available,
                    budget: memory.budget)))
    }

    // MARK: Limits of one app

    /// Many tiny mappings fragment the address space and cost the kernel memory that counts as nobody's (R5).
    mutating func mappingsCounted(_ app: AppIndex, _ generation: Generation, _ count: Int32, largest: Int64) {
        guard let i = current(app, generation), !apps[i].$ending else { return }
        let rules = memoryRules
        if count > rules.mappingLimit {
            end(i, .tooManyMappings(count: count, limit: rules.mappingLimit))
        } else if largest > rules.largestMapping, !isPlain(i) {
            end(i, .mappingTooLarge(bytes: largest, limit: rules.largestMapping))
        }
    }

    /// Each is a mapping of its own that the system has to walk through whenever it takes memory (R5).
    mutating func purgeableCounted(_ app: AppIndex, _ generation: Generation, _ count: Int32) {
        guard let i = current(app, generation), apps[i].ending == nil, count > memoryRules.purgeableLimit else {
            return
        }
        end(i, .tooManyPurgeableObjects(count: count, limit: memoryRules.purgeableLimit))
    }

    private func ownLimit(_ i: Int) -> (bytes: Int64, kind: MemoryEnd.Kind)? {
        let rules = memoryRules
        guard memory.budget > 0, apps[i].process == .alive, apps[i].state != .suspended else { return nil }
        if apps[i].state == .background, presence(i) == .hidden {
            // It runs on; what is about to be frozen has no limit as what is frozen has none.
            return apps[i].suspension.isUnderWay ? nil : (memory.share(rules.backgroundLimit), .backgroundLimit)
        }
        if apps[i].role == .pip { return (memory.share(rules.pictureInPictureLimit), .pictureLimit) }
        return (memory.share(rules.foregroundLimit), .foregroundLimit)
    }

    /// Dirty bytes that the app may have where it is; `nil` where nothing is enforced.
    package func memoryLimit(of app: AppIndex) -> Int64? {
        app.rawValue < apps.count ? ownLimit(Int(app.rawValue))?.bytes : nil
    }

    mutating func enforceOwnLimit(_ i: Int) {
        guard let limit = ownLimit(i), !apps[i].$ending else { return }
        let dirty = apps[i].memory.footprint.dirty
        if dirty > limit.bytes {
            logRoot(.memoryLimitExceeded, .memoryLimit(name: apps[i].manifest.name, dirty: dirty, limit: limit.bytes))
            apps[i].cause = root
            end(
                i,
                .memory(
                    MemoryEnd(
                        kind: limit.kind, footprint: apps[i].memory.footprint, limit: limit.bytes,
                        available: memory.available, budget: memory.budget)))
            return
        }
        // A latch: who wavers about the mark hears of it once.
        let isNear = dirty > nearLimit(limit.bytes, wasNear: apps[i].memory.isNearLimit)
        if isNear != apps[i].memory.isNearLimit {
            apps[i].memory.isNearLimit = isNear
            apps[i].memory.owesLimitWarning = isNear ? true : nil
        }
        tellNearLimit(i)
    }

    private func nearLimit(_ limit: Int64, wasNear: Bool) -> Int64 {
        limit / 1000 * (memoryRules.nearLimit - (wasNear ? 100 : 0))
    }

    /// Who was in a callback when it came near its limit hears of it after that.
    mutating func tellNearLimit(_ i: Int) {
        guard apps[i].memory.owesLimitWarning == true, isSettled(i), !isPlain(i), apps[i].isConnected,
            !apps[i].suspension.isUnderWay, let limit = ownLimit(i)
        else { return }
        apps[i].memory.owesLimitWarning = nil
        let dirty = apps[i].memory.footprint.dirty
        // What it may have has changed since.
        guard dirty > nearLimit(limit.bytes, wasNear: true) else { return }
        let before = root
        defer { root = before }
        logRoot(.memoryShort, .memoryNearLimit(name: apps[i].manifest.name, dirty: dirty, limit: limit.bytes))
        call(i, CallPlan([.didReceiveMemoryWarning]), after: root)
    }
}
