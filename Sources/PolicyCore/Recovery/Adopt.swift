internal import Model

extension System {
    /// The daemon died and is back: its journal restored what was decided, the host says what is. Whatever was asked of
    /// the host and may not have been done is asked again; every such action may be done twice without harm.
    mutating func adopt(_ found: [AdoptedApp]) {
        logRoot(.daemonRestarted, .daemonRestarted)
        waiters = []
        // The answers to the earlier daemon's effects are lost. This daemon senses the room itself.
        diskShortage = nil
        var reality: [AdoptedApp?] = apps.map { _ in nil }
        for one in found where one.app.rawValue < apps.count { reality[Int(one.app.rawValue)] = one }
        for i in apps.indices {
            let one = reality[i]
            if apps[i].process == .none {
                if let pid = one?.pid { endStray(i, pid: pid) }
                continue
            }
            apps[i].isConnected = false
            mayHaveMissedChanges(i)
            apps[i].check = .idle
            disarm(i, .check)
            let wasJudged = apps[i].exceeded?.limit == .tasks
            apps[i].exceeded = nil
            // Whoever looked for a debugger is dead.
            if wasJudged { restartExpiration(i) }
            restartWindows(i)
            disarm(i, .limit)
            if let pid = one?.pid {
                adoptLiving(i, pid: pid, isFrozen: one?.isFrozen ?? false, status: one?.status)
            } else {
                adoptMissing(i, status: one?.status)
            }
            touch(apps[i].index)
        }
        adoptServices()
        mayBeDown = true
        adoptMemory()
    }

    private mutating func endStray(_ i: Int, pid: Int32) {
        apps[i].generation = apps[i].generation.next
        apps[i].process = .alive
        apps[i].processKind = apps[i].manifest.kind
        apps[i].pid = pid
        apps[i].cause = root
        transition(i, .launchedIntoBackground)
        end(i, .stray)
    }

    private mutating func adoptMissing(_ i: Int, status: ExitStatus?) {
        if apps[i].process == .starting, !apps[i].$ending {
            // Decided, but never done; or done, and it died before anybody said a word to it. A status would prove
            // nothing: it may be that of the process before.
            emit(
                .launch(apps[i].index, apps[i].generation, isBackground: apps[i].isBackgroundLaunch),
                cause: apps[i].callCause)
            arm(i, .limit, after: profile.launchLimit)
            apps[i].launchBegan = now
            return
        }
        if apps[i].firstStatus == nil { apps[i].firstStatus = status }
        allProcessesEnded(apps[i].index, apps[i].generation)
    }

    private mutating func adoptLiving(_ i: Int, pid: Int32, isFrozen: Bool, status: ExitStatus?) {
        if apps[i].process == .starting { processStarted(apps[i].index, apps[i].generation, pid: pid) }
        apps[i].pid = pid
        if let status, apps[i].firstStatus == nil { apps[i].firstStatus = status }
        repeatPriority(i)
        endIfHeadless(i)
        if let ending = apps[i].ending {
            repeatEnding(i, ending)
            return
        }
        repeatSuspension(i, isFrozen: isFrozen)
        // While the daemon was away no app could answer.
        restartCalls(i)
    }

    private mutating func repeatEnding(_ i: Int, _ ending: Ending) {
        switch ending.phase {
        case .leaving:
            letRun(i)
            restartCalls(i)
        case .asked:
            letRun(i)
            emit(.askToEnd(apps[i].index, apps[i].generation), cause: ending.cause)
            arm(i, .limit, after: profile.callbackLimits.willTerminate)
        case .killing: kill(i)
        }
    }

    private mutating func repeatSuspension(_ i: Int, isFrozen: Bool) {
        switch apps[i].suspension {
        case .none, .waiting: letRun(i)
        case .preparing:
            letRun(i)
            arm(i, .suspension, after: profile.freezeLimit)
            emit(.prepare(apps[i].index, apps[i].generation), cause: apps[i].cause)
        case .freezing:
            arm(i, .suspension, after: profile.freezeLimit)
            emit(.freeze(apps[i].index, apps[i].generation), cause: apps[i].cause)
        case .verifying(let attempt):
            apps[i].suspension = .freezing(attempt: attempt)
            arm(i, .suspension, after: profile.freezeLimit)
            emit(.freeze(apps[i].index, apps[i].generation), cause: apps[i].cause)
        case .confirmed:
            guard !isFrozen else { return }
            apps[i].suspension = .none
            memoryThawed(i)
            pass(.thawed, i)
            transition(i, .thawed)
            apps[i].cause = root
            log(i, .resumed, .thawedFromOutside)
        }
    }

    /// The thaw that was decided may not have been done, also where the app runs: the kernel may be about to freeze it.
    private mutating func letRun(_ i: Int) { emit(.thaw(apps[i].index, apps[i].generation), cause: apps[i].cause) }
}
