internal import Model

extension System {
    mutating func launchIfOnScreen(_ i: Int) {
        guard apps[i].role != nil, apps[i].isInstalled, !isShuttingDown else { return }
        let isHidden = presence(i) == .hidden
        // What ends when it leaves the screen is not launched where nobody sees it.
        guard !isHidden || !endsOffScreen(i) else { return }
        start(i, isBackground: isHidden, isWoken: false)
    }

    /// It opts out of multitasking, or the device has none (L10).
    @inline(__always)
    func endsOffScreen(_ i: Int) -> Bool { apps[i].manifest.exitsOnSuspend || !profile.hasMultitasking }

    /// Starts the process; `apps[i].cause` must be set to what led here.
    mutating func start(_ i: Int, isBackground: Bool, isWoken: Bool) {
        apps[i].generation = apps[i].generation.next
        apps[i].process = .starting
        apps[i].processKind = apps[i].manifest.kind
        apps[i].callCause = apps[i].cause
        apps[i].pid = nil
        apps[i].isConnected = false
        apps[i].firstStatus = nil
        apps[i].lastCallback = CallbackNumber(0)
        prepareScenes(i)
        apps[i].isBackgroundLaunch = isBackground
        apps[i].launchedAt = wall(now)
        apps[i].launchBegan = now
        if var url = apps[i].pendingURLs.first {
            url.service = apps[i].launch.service
            url.notification = apps[i].launch.notification
            apps[i].launch = url
        }
        memoryLaunched(i)
        transition(i, isBackground ? .launchedIntoBackground : .launchedIntoForeground)
        emit(.launch(apps[i].index, apps[i].generation, isBackground: isBackground), cause: apps[i].cause)
        arm(i, .limit, after: profile.launchLimit)
        if isBackground {
            startTaskClock(i, limit: isWoken && !isLaunchedForAnyApp(i) ? taskRules.windowLimit : taskRules.limit)
        }
    }

    private func isLaunchedForAnyApp(_ i: Int) -> Bool {
        guard case .woken(let kind, _)? = apps[i].launchReason else { return false }
        return isForAnyApp(kind)
    }

    mutating func processStarted(_ app: AppIndex, _ generation: Generation, pid: Int32) {
        guard let i = current(app, generation), apps[i].process == .starting else { return }
        apps[i].pid = pid
        let reason = apps[i].launchReason ?? .userOpened(apps[i].manifest.name)
        let event: LogEvent = apps[i].isBackgroundLaunch ? .launchedInBackground : .launched
        logCall(i, event, reason, took: nil)
        apps[i].launchReason = nil
        // What the machine takes to start it is not the app's time.
        if case .running(_, let limit) = apps[i].tasks.clock { startTaskClock(i, limit: limit) }
        if isPlain(i) {
            apps[i].process = .alive
            apps[i].launch = .none
            apps[i].exceeded = nil
            disarm(i, .limit)
        } else {
            apps[i].process = .connecting
        }
        if apps[i].ending?.phase == .killing { kill(i) } else if apps[i].isConnected { beginCallbacks(i) }
        touch(app)
    }

    mutating func launchFailed(_ app: AppIndex, _ generation: Generation, _ failure: LaunchFailure) {
        guard let i = current(app, generation), apps[i].process == .starting else { return }
        apps[i].ending = Ending(
            reason: .failedToLaunch(failure), phase: .killing, cause: apps[i].callCause, state: apps[i].state)
        gone(i)
    }

    mutating func connected(_ app: AppIndex, _ generation: Generation, executed: CallbackNumber?) {
        guard let i = current(app, generation), !isPlain(i) else { return }
        apps[i].isConnected = true
        if apps[i].process == .connecting {
            beginCallbacks(i)
            return
        }
        if let executed {
            while let first = apps[i].outstanding.first, first.callback.number <= executed { finishFirstCallback(i) }
        }
        tellChanges(i)
        restartUnheardWindows(i)
        if !apps[i].outstanding.isEmpty {
            emit(.deliver(app, generation, apps[i].outstanding.map(\.callback)), cause: apps[i].callCause)
            // Perhaps only now it hears that it leaves the screen: its time begins with that.
            let leaves = apps[i].outstanding.contains { $0.callback.kind == .didEnterBackground }
            if leaves, case .running(_, let limit) = apps[i].tasks.clock { startTaskClock(i, limit: limit) }
        }
        repeatExpiration(i)
        repeatWindowExpirations(i)
        touch(app)
    }

    /// The launch callbacks are sent together with where they lead: nothing is decided in between.
    private mutating func beginCallbacks(_ i: Int) {
        guard !apps[i].$ending else { return }
        apps[i].process = .launching
        tellChanges(i)
        let plan = CallPlan.launching(
            presence(i), urls: apps[i].pendingURLs.count, isBackground: apps[i].isBackgroundLaunch,
            scenes: apps[i].scenes)
        call(i, plan, after: apps[i].callCause)
    }

    mutating func disconnected(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation) else { return }
        apps[i].isConnected = false
        mayHaveMissedChanges(i)
        if apps[i].check.isWaiting {
            apps[i].check = .idle
            disarm(i, .check)
        }
        endIfHeadless(i)
        touch(app)
    }

    // MARK: Boot and inventory

    /// Boot frees the screen and launches what must be launched at boot (L13). A system going down goes down first.
    mutating func boot() {
        guard !isShuttingDown || apps.allSatisfy({ $0.process == .none }) else { return }
        isShuttingDown = false
        rebootsWhenDown = false
        logRoot(.booted, .deviceBooted)
        memory.history.wentDown()
        for app in screen.clear() { leave(app) }
        screen = Screen()
        protectData()
        launchAtBoot()
        forgetClosings()
    }

    mutating func install(_ given: AppManifest) {
        let manifest = Self.inOneCase(given)
        if let index = known(manifest.identifier).map({ Int($0.rawValue) }) {
            apps[index].manifest = manifest
            apps[index].isInstalled = true
            if apps[index].wake.fetchInterval != nil { tellPlanner(index) }
            touch(apps[index].index)
            return
        }
        let index = AppIndex(UInt32(apps.count))
        apps.append(App(index: index, manifest: manifest, since: wall(now)))
        names.learn(apps)
        deadlines.addApp()
    }
}

extension CheckPhase {
    var isWaiting: Bool {
        switch self {
        case .waiting: true
        case .idle, .scheduled: false
        }
    }
}
