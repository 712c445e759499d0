internal import Model

// Deadlines of running apps. Before anything is enforced the host looks for a debugger (L9). An app that is suspended
// or on its way there has no deadline but those of the pipeline.
extension System {
    mutating func arm(_ i: Int, _ kind: DeadlineKind, after span: Span) {
        // Never now: a profile with a limit of nothing would keep the system busy for ever.
        deadlines.arm(DeadlineSlot(app: apps[i].index, kind: kind), at: now + max(span, .milliseconds(1)))
    }

    mutating func disarm(_ i: Int, _ kind: DeadlineKind) {
        deadlines.disarm(DeadlineSlot(app: apps[i].index, kind: kind))
    }

    mutating func passDeadlines() {
        if let look = memory.nextLook, look <= now { memoryLookDue() }
        conditionsDue()
        passServiceGraces()
        if let look = fetch.nextLook, look <= now { fetch.mustLook = true }
        while let (slot, due) = deadlines.popDue(at: now) {
            let i = Int(slot.app.rawValue)
            // The machine slept, or the daemon stood still: in that time no app could answer either.
            if now - due > .seconds(2), restartClock(i, slot.kind) { continue }
            switch slot.kind {
            case .limit: limitPassed(i)
            case .check: checkDue(i)
            case .suspension: suspensionDeadline(i)
            case .assertion: assertionDeadline(i)
            case .sockets: pass(.deadline, i)
            case .window: windowDeadline(i)
            }
        }
    }

    /// Gives what waits for an answer its whole time again; false where nothing does.
    private mutating func restartClock(_ i: Int, _ kind: DeadlineKind) -> Bool {
        switch kind {
        case .limit:
            if let ending = apps[i].ending, ending.phase != .leaving {
                guard ending.phase == .asked else { return false }
                arm(i, .limit, after: profile.callbackLimits.willTerminate)
                return true
            }
            restartCalls(i)
            return true
        case .check:
            guard apps[i].check.isWaiting else { return false }
            awaitMainThread(i)
            return true
        case .suspension:
            guard apps[i].suspension.isUnderWay else { return false }
            arm(i, .suspension, after: profile.freezeLimit)
            return true
        case .assertion:
            guard case .expiring = apps[i].tasks.clock, nextTaskStep(i) != nil else { return false }
            restartExpiration(i)
            return true
        case .sockets: return false
        case .window:
            restartWindows(i)
            return true
        }
    }

    /// The clocks of the launch and of the callback under way start again.
    mutating func restartCalls(_ i: Int) {
        if !apps[i].outstanding.isEmpty { apps[i].outstanding[0].began = now }
        if apps[i].process != .alive { apps[i].launchBegan = now }
        armLimit(i)
    }

    /// Arms the limit that ends first: the launch's or that of the oldest unanswered callback.
    mutating func armLimit(_ i: Int) {
        guard !isJudged(i), let (limit, began) = currentLimit(i) else {
            disarm(i, .limit)
            return
        }
        deadlines.arm(DeadlineSlot(app: apps[i].index, kind: .limit), at: began + allowance(limit))
    }

    // These three are inlined, as all that is asked at every step: a call would hand the whole system on.

    /// A limit of the launch or a callback is over, and the host looks for a debugger.
    @inline(__always)
    private func isJudged(_ i: Int) -> Bool {
        guard let exceeded = apps[i].exceeded else { return false }
        return exceeded.limit != .mainThread && exceeded.limit != .tasks && !exceeded.isWindow
    }

    @inline(__always)
    private func allowance(_ limit: Limit) -> Span {
        switch limit {
        case .launch: profile.launchLimit
        case .callback(let kind): profile.callbackLimits.limit(for: kind)
        case .termination: profile.callbackLimits.willTerminate
        case .mainThread: profile.mainThreadLimit
        case .tasks: taskRules.limit
        case .window(let service): windowRules.limit(service)
        }
    }

    @inline(__always)
    private func currentLimit(_ i: Int) -> (Limit, Instant)? {
        let launchBegan = apps[i].launchBegan
        var callback: (Limit, Instant)?
        if !apps[i].outstanding.isEmpty {
            var kind = apps[i].outstanding[0].callback.kind
            if case .scene = kind { kind = apps[i].outstanding[0].callback.timed }
            callback = (.callback(kind), apps[i].outstanding[0].began)
        }
        switch apps[i].process {
        case .none: return nil
        case .starting, .connecting: return launchBegan.map { (.launch, $0) }
        case .launching:
            guard let launchBegan else { return callback }
            guard let callback else { return (.launch, launchBegan) }
            let callbackEnds = callback.1 + allowance(callback.0)
            return callbackEnds < launchBegan + profile.launchLimit ? callback : (.launch, launchBegan)
        case .alive: return callback
        }
    }

    private mutating func limitPassed(_ i: Int) {
        guard apps[i].process != .none else { return }
        if let ending = apps[i].ending, ending.phase == .killing {
            kill(i)
            return
        }
        if apps[i].ending?.phase == .asked {
            exceed(i, .termination, since: nil)
            return
        }
        guard let (limit, began) = currentLimit(i) else { return }
        exceed(i, limit, since: began)
    }

    /// False if another limit is being judged: one verdict at a time, and this one is looked at again after it.
    @discardableResult
    mutating func exceed(_ i: Int, _ limit: Limit, since: Instant?) -> Bool {
        guard !apps[i].$exceeded else {
            arm(i, limit.deadline, after: .seconds(1))
            return false
        }
        let allowed = allowance(limit)
        apps[i].exceeded = ExceededLimit(limit: limit, allowed: allowed, elapsed: since.map { now - $0 } ?? allowed)
        emit(.checkTracer(apps[i].index, apps[i].generation), cause: apps[i].cause)
        return true
    }

    /// What was exceeded has been done after all, before the host knew whether a debugger is attached.
    mutating func forget(_ i: Int, _ kind: CallbackKind) {
        guard let exceeded = apps[i].exceeded else { return }
        switch exceeded.limit {
        case .callback: apps[i].exceeded = nil
        case .launch: if kind == .didFinishLaunching { apps[i].exceeded = nil }
        // The main thread has just called the delegate.
        case .mainThread:
            apps[i].exceeded = nil
            awaitMainThread(i)
        case .termination, .tasks, .window: break
        }
    }

    mutating func tracerChecked(_ app: AppIndex, _ generation: Generation, isTraced: Bool) {
        guard let i = current(app, generation), let exceeded = apps[i].exceeded else { return }
        apps[i].exceeded = nil
        guard !isTraced else {
            forgive(i, exceeded.limit)
            return
        }
        apps[i].lastElapsed = exceeded.elapsed
        switch exceeded.limit {
        case .tasks: endForTasks(i)
        case .window: endForWindow(i)
        case .launch, .callback, .termination, .mainThread:
            end(i, .exceeded(exceeded.limit, allowed: exceeded.allowed))
        }
    }

    /// Under a debugger every clock starts again.
    private mutating func forgive(_ i: Int, _ limit: Limit) {
        // What it was woken for may be what the debugger looks at.
        if !apps[i].windows.isEmpty { restartWindows(i) }
        switch limit {
        case .launch, .callback: restartCalls(i)
        case .termination: arm(i, .limit, after: profile.callbackLimits.willTerminate)
        case .mainThread:
            awaitMainThread(i)
            // It may be in a callback by now.
            restartCalls(i)
        case .tasks: restartExpiration(i)
        case .window: return
        }
    }

    /// Its clock starts again, if it is still asked.
    private mutating func awaitMainThread(_ i: Int) {
        guard apps[i].check.isWaiting else { return }
        apps[i].check = .waiting(since: now)
        arm(i, .check, after: profile.mainThreadLimit)
    }

    // MARK: Looking at running apps

    /// An app that runs is looked at now and then; one that does not run, never.
    mutating func scheduleCheck(_ i: Int) {
        guard apps[i].process == .alive, !apps[i].$ending, apps[i].state.isRunning,
            !apps[i].suspension.isUnderWay
        else {
            if apps[i].check != .idle {
                apps[i].check = .idle
                disarm(i, .check)
            }
            return
        }
        guard apps[i].check == .idle else { return }
        apps[i].check = .scheduled
        arm(i, .check, after: profile.checkInterval)
    }

    private mutating func checkDue(_ i: Int) {
        switch apps[i].check {
        case .idle: return
        case .waiting(let since): exceed(i, .mainThread, since: since)
        case .scheduled:
            // A callback under way has a limit of its own.
            let pings = !isPlain(i) && apps[i].isConnected && apps[i].outstanding.isEmpty
            emit(.check(apps[i].index, apps[i].generation, pingsMainThread: pings), cause: apps[i].cause)
            apps[i].check = pings ? .waiting(since: now) : .scheduled
            arm(i, .check, after: pings ? profile.mainThreadLimit : profile.checkInterval)
        }
    }

    mutating func mainThreadAnswered(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation), apps[i].check.isWaiting else { return }
        if apps[i].exceeded?.limit == .mainThread { apps[i].exceeded = nil }
        apps[i].check = .scheduled
        arm(i, .check, after: profile.checkInterval)
    }

    mutating func processesCounted(_ app: AppIndex, _ generation: Generation, _ count: Int32) {
        guard let i = current(app, generation), count > profile.processLimit else { return }
        end(i, .tooManyProcesses(count: count, limit: profile.processLimit))
    }
}

extension Limit {
    /// What looks at it again.
    fileprivate var deadline: DeadlineKind {
        switch self {
        case .mainThread: .check
        case .tasks: .assertion
        case .window: .window
        case .launch, .callback, .termination: .limit
        }
    }
}
