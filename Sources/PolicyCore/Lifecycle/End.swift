internal import Model

extension System {
    /// Decides that an app ends. How depends on its state (L6): suspended apps hear nothing, running ones `willTerminate`.
    mutating func end(_ i: Int, _ reason: EndReason) {
        guard apps[i].process != .none else { return }
        if let ending = apps[i].ending {
            // What was asked for earlier stays the reason, unless a rule cuts it short.
            if ending.phase != .killing, reason.code != nil {
                apps[i].ending?.reason = reason
                let state = apps[i].state
                apps[i].ending?.state = state
                kill(i)
            }
            return
        }
        let (cause, state) = (apps[i].cause, apps[i].state)
        apps[i].ending = Ending(reason: reason, phase: .leaving, cause: cause, state: state)
        switch reason {
        case .exceeded, .tooManyProcesses, .ended, .failedToLaunch, .stray: kill(i)
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend:
            touch(apps[i].index)
        }
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
        if apps[i].isPlain {
            askToEnd(i)
        } else if apps[i].state.isForeground {
            let exits = ending.reason == .exitsOnSuspend
            let last: CallbackKind = exits ? .willTerminate : .didEnterBackground
            call(i, apps[i].state == .active ? [.willResignActive, last] : [last])
        } else {
            call(i, [.willTerminate])
        }
    }

    private mutating func askToEnd(_ i: Int) {
        if apps[i].state == .active { transition(i, .resignedActive) }
        if apps[i].state == .inactive, apps[i].ending?.reason != .exitsOnSuspend { transition(i, .enteredBackground) }
        apps[i].ending?.phase = .asked
        disarm(i, .check)
        apps[i].check = .idle
        emit(.askToEnd(apps[i].index, apps[i].generation), cause: apps[i].cause)
        arm(i, .limit, after: profile.callbackLimits.willTerminate)
    }

    /// SIGKILL; asked for again until nothing is left.
    mutating func kill(_ i: Int) {
        guard apps[i].ending != nil else { return }
        apps[i].ending?.phase = .killing
        apps[i].outstanding = []
        apps[i].exceeded = nil
        apps[i].check = .idle
        disarm(i, .check)
        disarm(i, .suspension)
        emit(.kill(apps[i].index, apps[i].generation), cause: apps[i].cause)
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
        guard !apps[i].isPlain, !apps[i].isConnected, let status = apps[i].firstStatus, apps[i].process != .none
        else { return }
        if apps[i].ending == nil {
            end(i, .ended(status))
        } else if apps[i].ending?.phase != .killing {
            kill(i)
        }
    }

    mutating func allProcessesEnded(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation) else { return }
        if apps[i].ending == nil {
            let status = apps[i].firstStatus ?? .unknown
            apps[i].ending = Ending(reason: .ended(status), phase: .killing, cause: apps[i].cause, state: apps[i].state)
        }
        gone(i)
    }

    /// Nothing of the app is left: the log, the report, the screen, and perhaps a relaunch.
    mutating func gone(_ i: Int) {
        guard let ending = apps[i].ending else { return }
        var reason = ending.reason
        let wasLaunching = apps[i].process == .launching || apps[i].process == .connecting
        if case .ended(.exited(let status)) = reason, wasLaunching {
            reason = .failedToLaunch(Self.launchFailure(status))
        }
        let isVisible = presence(i) != .hidden
        let pid = apps[i].pid
        transition(i, .ended)
        log(i, .terminated, .end(reason, name: apps[i].manifest.name, state: ending.state))
        if let code = reason.code, let sequence = apps[i].cause {
            report(i, code, reason, ending, isVisible: isVisible, pid: pid, sequence: sequence)
        }
        clearProcess(i)
        if let role = apps[i].role, !ending.relaunches {
            screen.remove(role)
            apps[i].role = nil
        }
        if ending.reason == .uninstalled { apps[i].isInstalled = false }
        endWaiters(of: apps[i].index, reason)
        if isShuttingDown { continueShutdown() } else { touch(apps[i].index) }
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
        apps[i].launchReason = nil
        apps[i].launch = .none
        apps[i].pendingURL = nil
        apps[i].services = []
        apps[i].check = .idle
        apps[i].assertions.dropAll()
        for kind in DeadlineKind.allCases { disarm(i, kind) }
    }

    private static func launchFailure(_ status: Int32) -> LaunchFailure {
        LaunchFailure(
            stage: "launch", errorNumber: 0, message: "it ended with exit status \(status) before it had launched")
    }

    private mutating func report(
        _ i: Int, _ code: TerminationCode, _ reason: EndReason, _ ending: Ending, isVisible: Bool, pid: Int32?,
        sequence: LogSequence
    ) {
        var facts = ReportFacts(
            sequence: sequence, app: apps[i].index, pid: pid, at: wall(now), code: code,
            reason: reason.sentence(name: apps[i].manifest.name, state: ending.state), state: ending.state,
            isVisible: isVisible, launchedAt: apps[i].launchedAt, isTermination: true)
        if case .exceeded(let limit, let allowed) = reason {
            facts.limit = limit.name
            facts.allowed = allowed
            facts.elapsed = apps[i].lastElapsed ?? allowed
        }
        emit(.report(facts), cause: sequence)
    }
}
