internal import Model

extension System {
    /// Decides that an app ends. How depends on its state (L6): suspended ones hear nothing, running ones
    /// `willTerminate`.
    mutating func end(_ i: Int, _ reason: EndReason) {
        guard apps[i].process != .none else { return }
        if apps[i].$ending {
            // What was asked for earlier stays the reason, unless a rule cuts it short.
            if reason.code != nil { cutShort(i, reason) }
            return
        }
        let (cause, state) = (apps[i].cause, apps[i].state)
        apps[i].ending = Ending(reason: reason, phase: .leaving, cause: cause, state: state, decidedAt: now)
        // Whoever is being ended is not asked to hurry.
        armAssertions(i)
        armWindows(i)
        switch reason {
        // Memory cannot wait for a callback.
        case .exceeded, .tooManyProcesses, .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects, .ended,
            .failedToLaunch, .stray, .memory,
            .heldLock, .tasksNotEnded, .usedGPU, .windowNotCompleted, .filledDisk:
            kill(i)
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend:
            touch(apps[i].index)
        }
    }

    private mutating func cutShort(_ i: Int, _ reason: EndReason) {
        guard let phase = apps[i].ending?.phase, phase != .killing else { return }
        let state = apps[i].state
        apps[i].ending?.reason = reason
        apps[i].ending?.state = state
        kill(i)
    }

    mutating func reconcileEnding(_ i: Int) {
        guard let ending = apps[i].ending, ending.phase == .leaving else { return }
        switch apps[i].process {
        case .none: return
        // It never finished launching, so there is nobody to tell.
        case .starting, .connecting, .launching:
            if apps[i].process != .starting { kill(i) }
            return
        case .alive: break
        }
        if apps[i].state == .suspended {
            kill(i)
            return
        }
        abandonSuspension(i, .endRequested)
        guard apps[i].outstanding.isEmpty else { return }
        if isPlain(i) {
            askToEnd(i)
        } else if apps[i].state.isForeground {
            let last: CallbackKind = endsOffScreen(i) ? .willTerminate : .didEnterBackground
            let plan = CallPlan.leaving(apps[i].state, last: last, scenes: apps[i].scenes)
            call(i, plan, after: ending.cause)
        } else {
            call(i, CallPlan([.willTerminate]), after: ending.cause)
        }
    }

    private mutating func askToEnd(_ i: Int) {
        if apps[i].state == .active { transition(i, .resignedActive) }
        if apps[i].state == .inactive, !endsOffScreen(i) { transition(i, .enteredBackground) }
        apps[i].ending?.phase = .asked
        disarm(i, .check)
        apps[i].check = .idle
        emit(.askToEnd(apps[i].index, apps[i].generation), cause: apps[i].ending?.cause)
        arm(i, .limit, after: profile.callbackLimits.willTerminate)
    }

    /// SIGKILL; asked for again until nothing is left.
    mutating func kill(_ i: Int) {
        guard apps[i].$ending else { return }
        apps[i].ending?.phase = .killing
        // Nobody waits for a step of the pipeline any more.
        if apps[i].state != .suspended { apps[i].suspension = .none }
        apps[i].outstanding = []
        apps[i].exceeded = nil
        apps[i].check = .idle
        disarm(i, .check)
        disarm(i, .suspension)
        emit(.kill(apps[i].index, apps[i].generation), cause: apps[i].ending?.cause)
        hurryEnd(i)
        arm(i, .limit, after: .seconds(2))
    }

    // MARK: News of ends

    mutating func firstProcessEnded(_ app: AppIndex, _ generation: Generation, _ status: ExitStatus) {
        guard let i = current(app, generation) else { return }
        apps[i].firstStatus = status
        endIfHeadless(i)
    }

    /// An app that speaks the protocol lives in the process that is connected: if both are gone, the rest is a remnant.
    mutating func endIfHeadless(_ i: Int) {
        guard !isPlain(i), !apps[i].isConnected, let status = apps[i].firstStatus, apps[i].process != .none
        else { return }
        if !apps[i].$ending {
            end(i, .ended(status))
        } else if apps[i].ending?.phase != .killing {
            noteCrash(i)
            kill(i)
        }
    }

    /// An app that crashes while it is being ended has crashed.
    private mutating func noteCrash(_ i: Int) {
        guard let ending = apps[i].ending, let status = apps[i].firstStatus else { return }
        let isAnswer: Bool
        switch status {
        case .signaled(let signal): isAnswer = ending.phase == .asked && signal == 15
        case .outOfMemory: isAnswer = false
        case .exited, .unknown: return
        }
        if ending.phase != .killing, !isAnswer { apps[i].ending?.reason = .ended(status) }
    }

    mutating func allProcessesEnded(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation) else { return }
        if !apps[i].$ending {
            let status = apps[i].firstStatus ?? .unknown
            apps[i].ending = Ending(reason: .ended(status), phase: .killing, cause: apps[i].cause, state: apps[i].state)
        } else {
            noteCrash(i)
        }
        gone(i)
    }

    /// Nothing of the app is left: the log, the report, the screen, and perhaps a relaunch.
    mutating func gone(_ i: Int) {
        guard let ending = apps[i].ending else { return }
        var reason = ending.reason
        let wasLaunching = apps[i].process != .alive
        if case .ended(.exited(let status)) = reason, wasLaunching {
            reason = .failedToLaunch(Self.launchFailure(status))
        }
        let isVisible = presence(i) != .hidden
        transition(i, .ended)
        let end = Reason.end(reason, name: apps[i].manifest.name, state: ending.state)
        let took = ending.decidedAt.map { now - $0 }
        let sequence = log(i, .terminated, end, after: ending.cause, took: took)
        if let code = reason.code { report(i, code, reason, ending, isVisible: isVisible, sequence: sequence) }
        memoryGone(i, reason)
        if !ending.relaunches { planRelaunch(i, reason) }
        clearProcess(i)
        disarmMidnightIfNobodyRuns()
        windowsGone(i)
        servicesGone(i)
        if ending.relaunches {
            apps[i].launch = LaunchOptions(notification: ending.notification)
        } else {
            forgetScreen(i)
        }
        endWaiters(of: apps[i].index, reason)
        mayBeDown = mayBeDown || isShuttingDown
        touch(apps[i].index)
    }

    /// The app has no place on the screen, and nothing to do there, any more.
    mutating func forgetScreen(_ i: Int) {
        if apps[i].$scenes {
            for session in apps[i].scenes?.sessions ?? [] { if let role = session.role { screen.remove(role) } }
            leaveScenes(i, nil)
            if !apps[i].isInstalled, apps[i].process == .none { apps[i].scenes = nil }
        } else {
            if let role = apps[i].role { screen.remove(role) }
            apps[i].role = nil
        }
        apps[i].pendingURLs = []
        apps[i].launchReason = nil
        apps[i].keptBy = nil
    }

    private mutating func clearProcess(_ i: Int) {
        apps[i].process = .none
        apps[i].pid = nil
        apps[i].isConnected = false
        apps[i].outstanding = []
        apps[i].suspension = .none
        apps[i].ending = nil
        apps[i].exceeded = nil
        apps[i].firstStatus = nil
        apps[i].launchedAt = nil
        apps[i].launchBegan = nil
        apps[i].launch = .none
        apps[i].tasks = BackgroundTasks()
        apps[i].clearMechanisms()
        apps[i].changeScenes { $0.processEnded() }
        apps[i].check = .idle
        apps[i].givenPriority = nil
        apps[i].assertions.dropAll()
        forgetTold(i)
        for kind in DeadlineKind.every { disarm(i, kind) }
    }

    private static func launchFailure(_ status: Int32) -> LaunchFailure {
        LaunchFailure(
            stage: "launch", errorNumber: 0, message: "it ended with exit status \(status) before it had launched")
    }

    private mutating func report(
        _ i: Int, _ code: TerminationCode, _ reason: EndReason, _ ending: Ending, isVisible: Bool, sequence: LogSequence
    ) {
        var facts = ReportFacts(
            sequence: sequence, app: apps[i].index, pid: apps[i].pid, at: wall(now), code: code,
            reason: reason.sentence(name: apps[i].manifest.name, state: ending.state), state: ending.state,
            isVisible: isVisible, launchedAt: apps[i].launchedAt, isTermination: true)
        if case .exceeded(let limit, let allowed) = reason {
            facts.limit = limit.name
            facts.allowed = allowed
            facts.elapsed = apps[i].lastElapsed ?? allowed
        }
        if case .memory(let end) = reason { facts.memory = end }
        if case .tasksNotEnded(let end) = reason {
            facts.limit = Limit.tasks.name
            facts.allowed = end.allowed
            facts.elapsed = apps[i].lastElapsed ?? end.allowed
        }
        if case .windowNotCompleted(let end) = reason {
            facts.limit = Limit.window(end.kind.service).name
            facts.allowed = end.allowed
            facts.elapsed = apps[i].lastElapsed ?? end.allowed
        }
        emit(.report(facts), cause: sequence)
    }
}
