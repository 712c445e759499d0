internal import Model

/// How a task gets from one phase to another, and what is counted of it.
extension TransferSystem {
    @discardableResult
    mutating func transition(_ id: TransferID, _ input: TaskInput) -> Bool {
        guard let task = tasks[id] else { return false }
        let before = task.record.phase
        if before == .running { stopsAlone(id) }
        do throws(IllegalTaskTransition) {
            let after = try before.after(input)
            tasks[id]?.record.phase = after
            count(task, before, by: -1)
            count(task, after, by: 1)
        } catch {
            illegalTransitions += 1
            return false
        }
        changes.tasks.insert(id)
        touched.insert(task.record.session)
        effects.append(.changed(id))
        return true
    }

    /// Everything that is counted by phase.
    mutating func count(_ task: ActiveTask, _ phase: TaskPhase, by step: Int) {
        let id = task.record.id
        let session = task.record.session
        switch phase {
        case .suspended: return
        case .ended:
            sessions[session]?.ended += step
            return
        case .waiting:
            tellsWaiting = true
            if step > 0 {
                waiting.insert(id)
                candidates.insert(id)
            } else {
                waiting.remove(id)
            }
        case .running:
            let app = sessions[session]?.record.app
            if let app { apps[app]?.running += Int32(step) }
            sessions[session]?.running[task.server, default: 0] += Int32(step)
            if sessions[session]?.running[task.server] == 0 { sessions[session]?.running[task.server] = nil }
            if step > 0 { running.insert(id) } else { running.remove(id) }
            yielding.isDue = true
            if step < 0, trial.alone?.id == id { trial.alone = nil }
        case .challenged: sessions[session]?.challenged += step
        case .placing: break
        }
        sessions[session]?.active += step
        if phase == .running, step < 0 { looksAtWaiting = true }
    }

    mutating func change(_ id: TransferID, _ body: (inout TaskRecord) -> Void) {
        guard tasks[id] != nil else { return }
        // In place: a copy of a record for each chunk would be felt.
        body(&tasks[id, default: ActiveTask.nobody].record)
        changes.tasks.insert(id)
    }

    mutating func change(session id: SessionID, _ body: (inout SessionRecord) -> Void) {
        guard sessions[id] != nil else { return }
        body(&sessions[id, default: Session.nobody].record)
        changes.sessions.insert(id)
    }

    mutating func change(app: AppIdentifier, _ body: (inout AppTransfers) -> Void) {
        body(&apps[app, default: AppEntry(AppTransfers(app))].record)
        changes.apps.insert(app)
    }

    // Phases.

    mutating func resume(_ id: TransferID) {
        guard let task = tasks[id], task.record.phase == .suspended else { return }
        let timeout = sessions[task.record.session]?.record.configuration.resourceTimeout ?? .zero
        let deadline = wall + timeout
        // Before the clock is known there is no moment to count from.
        if wallOffset != nil { change(id) { $0.deadline = $0.deadline ?? deadline } }
        transition(id, .resume)
        if task.record.hasQuestion { transition(id, .challenge) }
        arm(id)
        if let error = refusal(id) { end(id, error) }
    }

    /// Why no server is asked at all: the task ends with it.
    func refusal(_ id: TransferID) -> TransferError? {
        guard let task = tasks[id], let session = sessions[task.record.session] else { return nil }
        if !task.isFetchable { return TransferError(.unsupportedURL) }
        return CachePolicy(task.record.request, session.record.configuration).refusal
    }

    mutating func suspend(_ id: TransferID) {
        guard let task = tasks[id] else { return }
        switch task.record.phase {
        case .running: effects.append(.stop(task.attempt))
        case .waiting, .challenged: break
        case .suspended, .placing, .ended: return
        }
        transition(id, .suspend)
        arm(id)
    }

    /// Stops a task that runs; it waits for what it lacks.
    mutating func putOff(_ id: TransferID, until: WallTime?, _ problem: String?, isDisk: Bool = false) {
        guard let task = tasks[id], task.record.phase == .running else { return }
        effects.append(.stop(task.attempt))
        change(id) {
            $0.retryAt = until
            $0.waitsForDisk = isDisk
            if let problem { $0.lastProblem = problem }
        }
        transition(id, .putOff)
        arm(id)
    }

    /// After a failure that may pass.
    mutating func retry(_ id: TransferID, after: Span? = nil, _ problem: String) {
        guard let task = tasks[id] else { return }
        let failures = min(task.record.failures + 1, 1000)
        change(id) { $0.failures = failures }
        let wait = jitter.span(rules.shortestRetry, rules.longestWait(failures: failures))
        putOff(id, until: wall + max(wait, after ?? .zero), problem)
    }

    /// What is on the disk is of no use any more.
    mutating func forgetContent(_ id: TransferID) {
        change(id) {
            $0.durable = 0
            $0.validator = nil
            $0.expected = nil
            $0.isErrorBody = false
            $0.response = nil
        }
        tasks[id]?.received = 0
    }

    /// When the task is looked at next.
    mutating func arm(_ id: TransferID) {
        guard let task = tasks[id] else {
            due.set(.task(id), nil)
            return
        }
        let record = task.record
        var times: [Instant] = []
        if let deadline = record.deadline, record.phase != .ended { times.append(instant(deadline)) }
        switch record.phase {
        case .waiting: if let next = blocker(of: task)?.next { times.append(instant(next)) }
        case .running:
            times.append(task.lastActivity + requestTimeout(task))
            if let flush = progressFlush(task) { times.append(flush) }
            if let alone = trial.alone, alone.id == id { times.append(alone.until) }
        case .placing, .ended: if let again = task.moveAgainAt { times.append(instant(again)) }
        case .suspended, .challenged: break
        }
        due.set(.task(id), times.min())
    }

    func requestTimeout(_ task: ActiveTask) -> Span {
        let configuration = sessions[task.record.session]?.record.configuration
        return task.record.request.timeout ?? configuration?.requestTimeout ?? .seconds(60)
    }

    mutating func taskIsDue(_ id: TransferID) {
        guard let task = tasks[id] else { return }
        // A file that is on its way to its place arrives, whatever the clock says.
        if let deadline = task.record.deadline, task.record.phase != .ended, !task.isMoving, deadline <= wall {
            end(id, task.record.waitsForDisk ? .cannotWrite : .timedOut)
            return
        }
        if let alone = trial.alone, alone.id == id, alone.until <= now { survivedAlone(id) }
        switch task.record.phase {
        case .running where task.lastActivity + requestTimeout(task) <= now:
            if isHeldBack(id) { tasks[id]?.lastActivity = now } else { failed(task.attempt, .timedOut) }
        case .running: reportProgress(id)
        case .waiting: candidates.insert(id)
        case .placing:
            tasks[id]?.moveAgainAt = nil
            place(id)
        case .ended:
            tasks[id]?.moveAgainAt = nil
            touched.insert(task.record.session)
        case .suspended, .challenged: break
        }
        arm(id)
    }
}
