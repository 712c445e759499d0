internal import Model

extension System {
    /// Brings one app a step nearer to where the one rule wants it: on screen, entitled to run, or suspended.
    mutating func reconcile(_ i: Int) {
        if apps[i].$ending {
            reconcileEnding(i)
            return
        }
        switch apps[i].process {
        case .none:
            launchIfOnScreen(i)
            if apps[i].process == .none { wakeAfterEnd(i) } else { openedBeforeWake(i) }
        case .starting, .connecting: return
        case .launching: return
        case .alive: reconcileAlive(i)
        }
    }

    private mutating func reconcileAlive(_ i: Int) {
        takeStandingAssertions(i)
        guard apps[i].outstanding.isEmpty else { return }
        switch presence(i) {
        case .active, .inactive:
            apps[i].keptBy = nil
            pass(.onScreen, i)
            stopWindows(i)
            bringToScreen(i)
        case .hidden:
            if apps[i].state.isForeground {
                leaveScreen(i)
            } else if endScenes(i) {
                break
            } else if apps[i].assertions.isEmpty {
                apps[i].keptBy = nil
                if !warnBeforeSuspension(i) { suspend(i) }
            } else {
                keepRunning(i)
                openWindows(i)
            }
        }
        scheduleCheck(i)
    }

    // MARK: To the screen

    private mutating func bringToScreen(_ i: Int) {
        let wantsActive = presence(i) == .active
        stopTaskClock(i)
        resumeAndTell(i, .onScreenAgain)
        if isPlain(i) {
            if apps[i].state == .background { transition(i, .enteredForeground) }
            if wantsActive, apps[i].state == .inactive { transition(i, .becameActive) }
            if !wantsActive, apps[i].state == .active { transition(i, .resignedActive) }
            apps[i].pendingURLs = []
            return
        }
        if apps[i].$scenes { return bringScenesToScreen(i, isActive: wantsActive) }
        var plan = CallPlan()
        if apps[i].state == .background { plan.add(.willEnterForeground) }
        for _ in apps[i].pendingURLs { plan.add(.openURL) }
        if wantsActive {
            if apps[i].state != .active { plan.add(.didBecomeActive) }
        } else if apps[i].state == .active {
            plan.add(.willResignActive)
        }
        let cause = apps[i].cause
        call(i, plan, after: cause)
    }

    // MARK: Off the screen

    /// Both callbacks go out in one write: nothing is decided between them.
    private mutating func leaveScreen(_ i: Int) {
        tellChanges(i)
        if endsOffScreen(i) {
            end(i, .exitsOnSuspend)
            return
        }
        startTaskClock(i, limit: taskRules.limit)
        if isPlain(i) {
            if apps[i].state == .active { transition(i, .resignedActive) }
            transition(i, .enteredBackground)
            touch(apps[i].index)
            return
        }
        let plan = CallPlan.leaving(apps[i].state, last: .didEnterBackground, scenes: apps[i].scenes)
        call(i, plan, after: apps[i].cause)
    }

    private mutating func keepRunning(_ i: Int) {
        guard let assertion = apps[i].assertions.first else { return }
        let kind = assertion.kind
        let reason: Reason =
            switch kind.source {
            case .task: .finishesTask(assertion.name, limit: apps[i].tasks.limit ?? taskRules.limit)
            case .peers: Sockets.reason(i, in: self)
            case .window: windowReason(i, assertion)
            case .itself: .assertion(kind)
            case .service: serviceReason(i, assertion)
            }
        resumeAndTell(i, reason)
        guard apps[i].keptBy != kind else { return }
        apps[i].keptBy = kind
        log(i, .keptRunning, reason)
    }

    // MARK: Calling

    /// Sends callbacks in one write. Their clocks run one after another, and so do their log entries.
    mutating func call(_ i: Int, _ plan: CallPlan, after cause: LogSequence?) {
        let kinds = plan.kinds
        guard !kinds.isEmpty else { return }
        var scenes = plan.scenes.makeIterator()
        apps[i].callCause = cause
        var callbacks: [Callback] = []
        callbacks.reserveCapacity(kinds.count)
        for kind in kinds {
            let number = CallbackNumber(apps[i].lastCallback.rawValue + 1)
            apps[i].lastCallback = number
            var (options, level) = (LaunchOptions.none, MemoryLevel.normal)
            var scene: SceneCall?
            switch kind {
            case .willFinishLaunching, .didFinishLaunching: options = apps[i].launch
            case .openURL:
                if !apps[i].pendingURLs.isEmpty { options = apps[i].pendingURLs.removeFirst() }
                scene = scenes.next()
            case .scene: scene = scenes.next()
            case .didReceiveMemoryWarning: level = max(memory.level, .warning)
            case .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground, .willTerminate,
                .performFetch, .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents:
                break
            }
            let callback = Callback(
                number: number, kind: kind, options: options, isBackground: apps[i].isBackgroundLaunch,
                memoryLevel: level, window: nextWindow(i, kind), scene: scene)
            callbacks.append(callback)
            apps[i].outstanding.append(OutstandingCallback(callback: callback, began: now))
        }
        raisePriority(i)
        if apps[i].isConnected {
            emit(.deliver(apps[i].index, apps[i].generation, callbacks), cause: cause)
        }
        armLimit(i)
    }

    mutating func callbackReturned(_ app: AppIndex, _ generation: Generation, _ number: CallbackNumber) {
        guard let i = current(app, generation), !apps[i].outstanding.isEmpty,
            apps[i].outstanding[0].callback.number.rawValue == number.rawValue
        else { return }
        finishFirstCallback(i)
        touch(app)
    }

    /// The oldest callback has returned.
    mutating func finishFirstCallback(_ i: Int) {
        let (callback, began) = (apps[i].outstanding[0].callback, apps[i].outstanding[0].began)
        let kind = callback.kind
        var scene: SceneCall?
        if case .scene = kind { scene = callback.scene }
        apps[i].outstanding.removeFirst()
        if !apps[i].outstanding.isEmpty { apps[i].outstanding[0].began = now }
        forget(i, kind)
        switch kind {
        case .willFinishLaunching, .openURL, .willTerminate, .performFetch, .handleEventsForBackgroundURLSession,
            .launchBackgroundTask, .handleServiceEvents:
            break
        case .didFinishLaunching:
            apps[i].process = .alive
            apps[i].launch = .none
        case .didBecomeActive: transition(i, .becameActive)
        case .willResignActive: transition(i, .resignedActive)
        case .didEnterBackground:
            // A launch into the background is there already.
            if apps[i].state != .background { transition(i, .enteredBackground) }
        case .willEnterForeground: transition(i, .enteredForeground)
        case .didReceiveMemoryWarning: sampleMemory(i)
        case .scene: if let scene { finish(scene, i) }
        }
        let (event, reason) = logged(callback, apps[i].state)
        logCall(i, event, reason, took: now - began)
        if case .willTerminate = kind {
            kill(i)
            return
        }
        armLimit(i)
        if case .didEnterBackground = kind {
            pass(.leftScreen, i)
            endServicesWithoutKey(i)
        }
    }

    /// Writes an entry of the launch or the callbacks under way.
    mutating func logCall(_ i: Int, _ event: LogEvent, _ reason: Reason, took: Span?) {
        let before = apps[i].callCause
        let sequence = log(i, event, reason, after: before, took: took)
        apps[i].callCause = sequence
        if apps[i].$ending, apps[i].ending?.cause == before { apps[i].ending?.cause = sequence }
    }
}
