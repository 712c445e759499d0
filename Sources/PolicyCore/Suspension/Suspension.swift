package import Model

// Suspension is a pipeline: prepare (steps that services own) → freeze → verify → confirmed. Every step has the time
// of `freezeLimit`; when it is over, or a step shows that the app must run, the app is thawed; a thaw takes back every
// step asked for before it, and the host answers none of them any more. Failed attempts are repeated
// with growing pauses, reported once, and then tried every minute.
extension System {
    mutating func suspend(_ i: Int) {
        guard case .none = apps[i].suspension else { return }
        beginSuspension(i, attempt: 1)
    }

    private mutating func beginSuspension(_ i: Int, attempt: UInt8) {
        apps[i].suspension = .preparing(attempt: attempt)
        // Nothing counts from here on, not even what was about to be judged.
        apps[i].check = .idle
        apps[i].exceeded = nil
        disarm(i, .check)
        arm(i, .suspension, after: profile.freezeLimit)
        emit(.prepare(apps[i].index, apps[i].generation), cause: apps[i].cause)
    }

    mutating func prepared(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation), case .preparing(let attempt) = apps[i].suspension else { return }
        apps[i].suspension = .freezing(attempt: attempt)
        arm(i, .suspension, after: profile.freezeLimit)
        emit(.freeze(app, generation), cause: apps[i].cause)
    }

    mutating func frozen(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation), case .freezing(let attempt) = apps[i].suspension else { return }
        apps[i].suspension = .verifying(attempt: attempt)
        arm(i, .suspension, after: profile.freezeLimit)
        emit(.verify(app, generation), cause: apps[i].cause)
    }

    mutating func verified(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation), case .verifying = apps[i].suspension else { return }
        apps[i].suspension = .confirmed
        disarm(i, .suspension)
        transition(i, .froze)
        log(i, .suspended, .nothingEntitles)
        sampleMemory(i)
        disarmMidnightIfNobodyRuns()
        pass(.suspended, i)
        touch(app)
    }

    /// The step took too long, or a pause is over.
    mutating func suspensionDeadline(_ i: Int) {
        switch apps[i].suspension {
        case .none, .confirmed: return
        case .waiting(let attempt):
            apps[i].suspension = .none
            guard presence(i) == .hidden, apps[i].assertions.isEmpty, isSettled(i) else {
                touch(apps[i].index)
                return
            }
            beginSuspension(i, attempt: attempt)
        case .preparing(let attempt), .freezing(let attempt), .verifying(let attempt):
            emit(.thaw(apps[i].index, apps[i].generation), cause: apps[i].cause)
            if attempt == freezeAttempts { reportUnfreezable(i, attempts: attempt) }
            tryAgain(i, after: attempt)
            touch(apps[i].index)
        }
    }

    /// The pauses grow, up to a minute.
    mutating func tryAgain(_ i: Int, after attempt: UInt8) {
        let isOver = attempt >= freezeAttempts
        apps[i].suspension = .waiting(attempt: isOver ? freezeAttempts + 1 : attempt + 1)
        arm(i, .suspension, after: isOver ? .seconds(60) : profile.freezeLimit * Int64(attempt))
    }

    /// A profile is data: whatever it says, one attempt is made and the count of attempts has an end.
    var freezeAttempts: UInt8 { min(max(profile.freezeAttempts, 1), 254) }

    /// How many attempts to freeze the app have failed, one after another; `nil`: none, or it is not to be suspended.
    package func failedFreezes(_ app: AppIndex) -> UInt8? {
        let attempt: UInt8? =
            switch self.app(app)?.suspension {
            case .preparing(let attempt)?, .freezing(let attempt)?, .verifying(let attempt)?, .waiting(let attempt)?:
                attempt
            case .some(.none), .confirmed?, nil: nil
            }
        return attempt.flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    private mutating func reportUnfreezable(_ i: Int, attempts: UInt8) {
        log(i, .suspensionFailed, .cannotFreeze(attempts: attempts))
        reportFault(i, .cannotFreeze, .cannotFreeze(attempts: attempts))
    }

    /// Reports what the app's last log entry tells of, and what the app survives.
    mutating func reportFault(_ i: Int, _ code: TerminationCode, _ reason: Reason) {
        guard let sequence = apps[i].cause else { return }
        let facts = ReportFacts(
            sequence: sequence, app: apps[i].index, pid: apps[i].pid, at: wall(now), code: code,
            reason: "\(apps[i].manifest.name): \(reason.sentence)",
            state: apps[i].state, isVisible: false, launchedAt: apps[i].launchedAt, isTermination: false)
        emit(.report(facts), cause: sequence)
    }

    /// Lets a suspended app, or one on the way there, run again.
    mutating func resume(_ i: Int, _ reason: Reason) {
        guard isSuspended(i) else {
            abandonSuspension(i, reason)
            return
        }
        apps[i].suspension = .none
        emit(.thaw(apps[i].index, apps[i].generation), cause: apps[i].cause)
        memoryThawed(i)
        pass(.thawed, i)
        transition(i, .thawed)
        log(i, .resumed, reason)
    }

    /// Also tells it what has changed meanwhile, before anything else.
    mutating func resumeAndTell(_ i: Int, _ reason: Reason) {
        let wasSuspended = isSuspended(i)
        resume(i, reason)
        tellChanges(i, wasSuspended: wasSuspended)
    }

    mutating func abandonSuspension(_ i: Int, _ reason: Reason) {
        guard apps[i].suspension != .none, !isSuspended(i) else { return }
        if apps[i].suspension.isUnderWay {
            emit(.thaw(apps[i].index, apps[i].generation), cause: apps[i].cause)
        }
        apps[i].suspension = .none
        disarm(i, .suspension)
    }
}
