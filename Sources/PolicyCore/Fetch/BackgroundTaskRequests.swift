package import Model

// `BGTaskScheduler`: an app says what it wants to do, and under which conditions; it is done when they hold, with what
// is fetched anyway. A request is used up when its task is launched. It outlives its process.
extension System {
    mutating func submit(_ request: BackgroundTaskRequest, _ i: Int, _ id: RequestID) {
        if let refusal = refusal(request, i) {
            logAsked(i, .taskRequestRefused, .taskRequestRefused(refusal))
            reply(i, id, .refused(.backgroundTask(refusal)))
            return
        }
        // Until it is ended it may ask; who is uninstalled is woken no more.
        guard apps[i].isInstalled else { return reply(i, id, .noted) }
        // One of the same identifier is replaced.
        fetch.pending.removeAll { $0.app == apps[i].index && $0.request.identifier == request.identifier }
        fetch.pending.append(FetchState.Pending(app: apps[i].index, request: request))
        fetch.mustLook = true
        logAsked(i, .taskSubmitted, .taskSubmitted(request))
        reply(i, id, .noted)
    }

    func refusal(_ request: BackgroundTaskRequest, _ i: Int) -> BackgroundTaskRefusal? {
        let manifest = apps[i].manifest
        guard profile.hasMultitasking else { return .unavailable(profile: profile.name) }
        guard manifest.taskIdentifiers.contains(request.identifier) else {
            return .notPermitted(identifier: request.identifier)
        }
        let mode: BackgroundModes = request.kind == .refresh ? .fetch : .processing
        guard manifest.backgroundModes.contains(mode) else { return .missingMode(key: mode.keys.joined()) }
        if apps[i].wake.isRefreshOff { return .refreshIsOff }
        let limit = request.kind == .refresh ? windowRules.refreshRequests : windowRules.processingRequests
        let others = fetch.pending.count {
            $0.app == apps[i].index && $0.request.kind == request.kind && $0.request.identifier != request.identifier
        }
        return others >= limit ? .tooMany(request.kind, limit: limit) : nil
    }

    /// `nil`: all of the app's.
    mutating func cancelTask(_ identifier: String?, _ i: Int, _ id: RequestID) {
        let app = apps[i].index
        for pending in fetch.pending
        where pending.app == app && (identifier == nil || pending.request.identifier == identifier) {
            logAsked(i, .taskCancelled, .taskCancelled(pending.request.identifier))
        }
        fetch.pending.removeAll { $0.app == app && (identifier == nil || $0.request.identifier == identifier) }
        reply(i, id, .noted)
    }

    /// Requests of an app that wait, in the order in which they came.
    package func pendingTasks(_ app: AppIndex) -> [BackgroundTaskRequest] {
        fetch.pending.filter { $0.app == app }.map(\.request)
    }

    mutating func putBack(_ request: BackgroundTaskRequest, _ i: Int) {
        let app = apps[i].index
        guard apps[i].isInstalled,
            !fetch.pending.contains(where: { $0.app == app && $0.request.identifier == request.identifier })
        else { return }
        fetch.pending.append(FetchState.Pending(app: app, request: request))
        fetch.mustLook = true
    }

    mutating func forgetTasks(of app: AppIndex) { fetch.pending.removeAll { $0.app == app } }

    // MARK: Looking

    /// Launches the tasks whose time has come; whether some are left whose time has come, too.
    mutating func beginTasks() -> Bool {
        guard !fetch.pending.isEmpty else { return false }
        let wall = wall(now)
        var isLeft = false
        // What begins together is one launch.
        var launched: [(i: Int, kind: BackgroundTaskRequest.Kind)] = []
        for pending in fetch.pending where (pending.request.earliest ?? wall) <= wall {
            let (i, kind) = (Int(pending.app.rawValue), pending.request.kind)
            let goesAlong = launched.contains { $0 == (i, kind) }
            if let obstacle = taskObstacle(i, pending.request, at: wall, isAllowed: goesAlong) {
                isLeft = true
                if let until = obstacle.until { look(at: until) }
                continue
            }
            fetch.pending.removeAll { $0 == pending }
            if !goesAlong {
                countLaunch(i, kind)
                launched.append((i, kind))
            }
            wake(
                i, pending.request.window, because: "it asked for that, and what it needs is there", cause: nil,
                request: pending.request)
        }
        return isLeft
    }

    private mutating func countLaunch(_ i: Int, _ kind: BackgroundTaskRequest.Kind) {
        guard profile.allowances != nil else { return }
        if apps[i].wake[kind]?.add(at: now) == nil { apps[i].wake[kind] = LaunchCount(at: now) }
    }

    /// It was launched so often, or so short a time ago, that it has to wait: an app that asks again whenever it is
    /// launched would be launched without end.
    private func allowanceObstacle(_ i: Int, _ kind: BackgroundTaskRequest.Kind) -> WakeObstacle? {
        guard let rules = profile.allowances?.launches(kind), let next = apps[i].wake[kind]?.next(at: now, rules) else {
            return nil
        }
        let until = wall(next.at)
        return next.isDay ? .usedUp(until: until, daily: rules.daily) : .tooSoon(until: until, pause: rules.pause)
    }

    /// When the next one may begin. What conditions or people change is looked at when they do.
    mutating func armTasks(isLeft: Bool, at wall: WallTime) {
        let times = fetch.pending.compactMap(\.request.earliest).filter { $0 > wall && $0 < .never }
        if let next = times.min() { look(at: next) }
        if isLeft, fetch.pending.contains(where: { canWait($0, at: wall) }) {
            look(at: WallTime(nanoseconds: wall.nanoseconds &+ FetchState.longestPause.nanoseconds))
        }
    }

    /// What is in the way goes away by itself.
    private func canWait(_ pending: FetchState.Pending, at wall: WallTime) -> Bool {
        switch taskObstacle(Int(pending.app.rawValue), pending.request, at: wall) {
        case .beingEnded?, .onScreen?, .underWay?: true
        default: false
        }
    }

    /// `isAllowed`: it is launched anyway, for another task of the kind.
    func taskObstacle(
        _ i: Int, _ request: BackgroundTaskRequest, at wall: WallTime, isAllowed: Bool = false
    ) -> WakeObstacle? {
        if let obstacle = wakeObstacle(i, request.window) { return obstacle }
        if request.needsNetwork, network == .none { return .noNetwork }
        if case .battery(let battery)? = conditions.value(.battery), battery.state == .unplugged {
            if request.needsPower { return .noPower }
            if battery.percent < windowRules.leastBattery {
                return .batteryLow(percent: battery.percent, least: windowRules.leastBattery)
            }
        }
        if let obstacle = surroundingsObstacle { return obstacle }
        let allowance = isAllowed ? nil : allowanceObstacle(i, request.kind)
        if let earliest = request.earliest, earliest > max(wall, allowance?.until ?? wall) {
            let when = earliest == .never ? "before the end of time" : "before \(earliest.iso8601)"
            return .tooEarly(until: earliest == .never ? nil : earliest, because: "it asked to begin not \(when)")
        }
        return allowance
    }

    /// What keeps each request of an app waiting, and when that is looked at next.
    package func taskOutlooks(_ app: AppIndex) -> [(request: BackgroundTaskRequest, outlook: FetchOutlook)] {
        pendingTasks(app).map { request in
            let obstacle = taskObstacle(Int(app.rawValue), request, at: wall(now))
            var next = fetch.nextLook.map { wall($0) }
            if let obstacle, obstacle.changesWith == nil { next = obstacle.until }
            return (request, FetchOutlook(obstacle: obstacle, next: obstacle?.changesWith == nil ? next : nil))
        }
    }
}
