package import Model

// Background fetch (S9): the planner says who is due, from when the user opens what; here is what stands in the way,
// and that those who are due go together. Nothing is looked at by the clock while nobody wants anything.
extension System {
    // MARK: What apps say

    mutating func setFetchInterval(_ interval: Span?, _ i: Int, _ id: RequestID) {
        guard apps[i].manifest.backgroundModes.contains(.fetch) else {
            reply(i, id, .refused(.missingBackgroundMode("fetch")))
            return
        }
        guard apps[i].isInstalled else { return reply(i, id, .noted) }
        let interval = interval.map(Self.bounded)
        if apps[i].wake.fetchInterval != interval {
            apps[i].wake.fetchInterval = interval
            fetch.changes &+= 1
            tellPlanner(i)
        }
        reply(i, id, .noted)
    }

    /// What an app wants, to be kept where the device's restart does not reach.
    package func wishes(of app: AppIndex) -> WakeWishes {
        let sessions = self.app(app)?.scenes?.sessions ?? []
        return WakeWishes(
            interval: self.app(app)?.wake.fetchInterval, tasks: pendingTasks(app),
            scenes: sessions.filter { !$0.isDiscarded }.map(\.number),
            closedScenes: sessions.filter(\.isDiscarded).map(\.number))
    }

    /// The device was restarted, and the app has said nothing yet.
    mutating func restoreWishes(_ app: AppIndex, _ wishes: WakeWishes) {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].isInstalled, self.wishes(of: app).isEmpty else { return }
        apps[i].wake.fetchInterval = wishes.interval.map(Self.bounded)
        restoreScenes(wishes, i)
        for request in wishes.tasks.prefix(Self.mostRequests) where refusal(request, i) == nil { putBack(request, i) }
        fetch.changes &+= 1
        tellPlanner(i)
    }

    /// Of apps that are installed still.
    mutating func restoreHabits(_ memory: FetchMemory) {
        fetch.planner.remember(memory.renumbered { app in self.app(app)?.isInstalled == true ? app : nil })
        fetch.mustLook = true
    }

    /// What is longer is never.
    private static func bounded(_ interval: Span) -> Span { min(max(.zero, interval), .seconds(315_576_000)) }

    /// The wall clock, as far as anybody can plan by it: it may have been set to anything.
    @inline(__always)
    var planTime: WallTime { WallTime(nanoseconds: min(max(wall(now).nanoseconds, 0), Self.lastTime)) }
    private static let lastTime: Int64 = 8_000_000_000_000_000_000

    /// More than an app may have.
    private static let mostRequests = 16

    /// The planner knows of those only whom nothing lasting keeps from being fetched.
    mutating func tellPlanner(_ i: Int) {
        let wake = apps[i].wake
        let isKept = wake.isClosedByUser || wake.isRefreshOff || !apps[i].isInstalled
        let isAble =
            !isPlain(i) && profile.hasMultitasking && apps[i].manifest.backgroundModes.contains(.fetch)
            && !tasksReplaceFetch(i)
        let interval = isAble && !isKept ? wake.fetchInterval : nil
        if wake.isPlanned != (interval != nil) {
            apps[i].wake.isPlanned = interval != nil
            fetch.users += interval != nil ? 1 : -1
        }
        fetch.planner.setMinimumInterval(apps[i].index, interval)
        fetch.mustLook = true
    }

    mutating func fetchEnded(_ i: Int, _ result: WindowResult?) {
        let outcome: FetchResult =
            switch result {
            case .newData?, .done?: .newData
            case .noData?: .noData
            case .failed?, nil: .failed
            }
        fetch.lastTraffic = now
        // What it moved is counted a moment later (`trafficCounted`).
        fetch.planner.ended(apps[i].index, at: planTime, result: outcome, cost: nil)
    }

    // MARK: What people do

    /// The user turns to the app.
    mutating func openedByUser(_ i: Int) {
        fetch.planner.opened(apps[i].index, at: planTime, utcOffset: utcOffset)
        if apps[i].wake.isClosedByUser {
            apps[i].wake.isClosedByUser = false
            tellPlanner(i)
        }
        fetch.planner.userIsPresent(true, at: planTime)
        if fetch.isInUse { fetch.mustLook = true }
    }

    mutating func closedByUser(_ i: Int) {
        apps[i].wake.afterEnd = nil
        guard !apps[i].wake.isClosedByUser else { return }
        apps[i].wake.isClosedByUser = true
        tellPlanner(i)
    }

    /// After a restart nobody is closed.
    mutating func forgetClosings() {
        for i in apps.indices where apps[i].wake.isClosedByUser {
            apps[i].wake.isClosedByUser = false
            tellPlanner(i)
        }
        fetch.mustLook = true
    }

    mutating func allowRefresh(_ app: AppIndex, _ isAllowed: Bool, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        if apps[i].wake.isRefreshOff == isAllowed {
            apps[i].wake.isRefreshOff = !isAllowed
            logRoot(.refreshAllowed, .refreshAllowed(apps[i].manifest.name, isAllowed))
            tellPlanner(i)
            conditions.version += 1
            if apps[i].state.isRunning { touch(app) }
        }
        answer(id, .done(app: app))
    }

    /// A person wants to see it now; `launches`: in a new process.
    mutating func simulateFetch(
        _ app: AppIndex, launches: Bool, wait: Bool, _ id: CommandID
    ) throws(Refusal) {
        let i = try installed(app)
        guard !isPlain(i) else { throw .takesNoFetch(apps[i].manifest.name) }
        guard apps[i].manifest.backgroundModes.contains(.fetch) else { throw .missingBackgroundMode("fetch") }
        if let obstacle = wakeObstacle(i, .fetch) { throw .notWoken(apps[i].manifest.name, obstacle) }
        if launches, apps[i].process != .none {
            logRoot(.restartRequested, .userRestarted(apps[i].manifest.name))
            apps[i].wake.afterEnd = .fetch
            apps[i].cause = root
            end(i, .restartedByUser)
        } else {
            wake(i, .fetch, because: Self.simulated, cause: root)
        }
        answer(id, when: .fetched(app), waits: wait)
    }

    /// Its process is gone, and another one was wanted.
    mutating func wakeAfterEnd(_ i: Int) {
        guard let kind = apps[i].wake.afterEnd else { return }
        apps[i].wake.afterEnd = nil
        guard apps[i].isInstalled, wakeObstacle(i, kind) == nil else { return }
        wake(i, kind, because: Self.simulated, cause: apps[i].cause)
    }

    /// The other process is one for the screen.
    mutating func openedBeforeWake(_ i: Int) {
        guard apps[i].wake.afterEnd != nil else { return }
        apps[i].wake.afterEnd = nil
        overtakeFetch(of: apps[i].index, .notWoken(apps[i].manifest.name, .onScreen))
    }

    private static let simulated = "somebody wanted to see that now"

    // MARK: Looking

    @inline(__always)
    private var utcOffset: Int32 { min(max(conditions.time?.utcOffset ?? conditions.zone.offset, -86_400), 86_400) }

    var network: NetworkKind {
        if case .network(let network)? = conditions.value(.network) { network } else { .none }
    }

    /// What is known of the radio: by the traffic that was seen, else it lingers after what was fetched last.
    var radio: RadioState {
        guard network != .none else { return .noNetwork }
        if let energy { return radio(in: energy.withoutLedger(at: now)) }
        let model: RadioModel = network == .cellular ? profile.cellularModel : .wifi
        if isFetchingNow { return RadioState(model, .high, warmFor: model.tailLength) }
        guard let last = fetch.lastTraffic else { return RadioState(model) }
        var (left, number) = (now - last, 0)
        while number < model.tails.count, left >= model.tails[number].lasts {
            left = left - model.tails[number].lasts
            number += 1
        }
        guard number < model.tails.count else { return RadioState(model) }
        return RadioState(model, .tail(number), warmFor: model.tailLength - (now - last))
    }

    private var isFetchingNow: Bool {
        if let wokenApps { return wokenApps > 0 }
        for i in apps.indices where !apps[i].windows.isEmpty { return true }
        return false
    }

    /// From now on their number is kept.
    private mutating func countWokenApps() {
        guard wokenApps == nil else { return }
        var count = 0
        for i in apps.indices where !apps[i].windows.isEmpty { count += 1 }
        wokenApps = count
    }

    /// What keeps everybody from being fetched.
    var deviceObstacle: WakeObstacle? {
        if network == .none { return .noNetwork }
        if case .battery(let battery)? = conditions.value(.battery), battery.state == .unplugged,
            battery.percent < windowRules.leastBattery
        {
            return .batteryLow(percent: battery.percent, least: windowRules.leastBattery)
        }
        return surroundingsObstacle
    }

    /// Low-power mode and warmth keep everything waiting that can wait.
    var surroundingsObstacle: WakeObstacle? {
        if conditions.isLowPower { return .lowPower }
        return conditions.thermalState >= .serious ? .tooWarm(conditions.thermalState) : nil
    }

    /// Begins what is due, and says when to look again.
    mutating func lookAtFetches() {
        fetch.mustLook = false
        fetch.nextLook = nil
        guard profile.hasMultitasking, !isShuttingDown, fetch.isInUse else { return }
        countWokenApps()
        let (wall, isTaskLeft) = (planTime, beginTasks())
        guard deviceObstacle == nil else { return armTasks(isLeft: isTaskLeft, at: wall) }
        var isLeft = false
        for app in fetch.planner.due(at: wall, radio: radio) {
            let i = Int(app.rawValue)
            guard i < apps.count, wakeObstacle(i, .fetch) == nil, isIntervalOver(i) else {
                isLeft = true
                continue
            }
            wake(i, .fetch, because: fetch.planner.plan(app, at: wall, radio: radio).reason.sentence, cause: nil)
        }
        armTasks(isLeft: isTaskLeft, at: wall)
        guard let next = fetch.planner.nextLook(at: wall, radio: radio) else { return }
        let least = isLeft ? FetchState.longestPause : FetchState.shortestPause
        look(at: max(next, WallTime(nanoseconds: wall.nanoseconds &+ least.nanoseconds)))
    }

    /// At that time of the wall clock, or before.
    mutating func look(at moment: WallTime) {
        let (boot, isTooLate) = moment.nanoseconds.subtractingReportingOverflow(wallOffset)
        guard !isTooLate else { return }
        let at = max(now + .milliseconds(1), Instant(nanoseconds: boot))
        fetch.nextLook = min(at, fetch.nextLook ?? at)
    }

    /// Also when somebody has set the wall clock, by which the plan was made.
    private func isIntervalOver(_ i: Int) -> Bool {
        guard let last = apps[i].wake.lastFetch, let interval = apps[i].wake.fetchInterval else { return true }
        return now - last >= interval
    }

    // MARK: Telling

    /// Whether an app will be fetched, what is missing, and when that is looked at next.
    package func fetchOutlook(_ app: AppIndex) -> FetchOutlook {
        let i = Int(app.rawValue)
        let looks = fetch.nextLook.map { wall($0) }
        if !apps[i].manifest.backgroundModes.contains(.fetch) {
            return FetchOutlook(obstacle: .missingMode(key: "fetch"))
        }
        if let obstacle = wakeObstacle(i, .fetch) { return FetchOutlook(obstacle: obstacle) }
        guard apps[i].wake.fetchInterval != nil else { return FetchOutlook(obstacle: .neverAsked) }
        let plan = fetch.planner.plan(app, at: planTime, radio: radio)
        if let obstacle = deviceObstacle { return FetchOutlook(obstacle: obstacle, plan: plan) }
        if plan.isDue { return FetchOutlook(next: looks, plan: plan) }
        return FetchOutlook(
            obstacle: .tooEarly(until: plan.wanted, because: plan.reason.sentence), next: looks, plan: plan)
    }
}
