internal import Model

/// Who may begin: the more important first, among equals who came first.
extension TransferSystem {
    mutating func admit() {
        // Thousands may wait: who has just come is looked at alone, as long as that is not the last known moment.
        let isOver = nextOfWaiting.map { $0 <= wall } ?? false
        let isAll = looksAtWaiting || isOver || trial.goesOn
        let looked = isAll ? waiting : candidates
        looksAtWaiting = false
        tellsWaiting = false
        candidates = []
        guard wallOffset != nil else { return }
        var ready: [Candidate] = []
        var next = isAll ? nil : nextOfWaiting
        for id in looked {
            guard let task = tasks[id], task.record.phase == .waiting else { continue }
            let blocker = blocker(of: task)
            if let time = blocker?.next { next = min(next ?? time, time) }
            if let blocker {
                note(blocker, of: id)
            } else {
                ready.append(Candidate(standing: standing(task.record), priority: priority(of: task), id: id))
            }
        }
        nextOfWaiting = next
        giveWay(to: ready)
        for id in ready.sorted().map(\.id) {
            // One that began before may have taken the place.
            guard let task = tasks[id], blocker(of: task) == nil else { continue }
            if let error = refusal(id) {
                // The session was opened again with another configuration.
                end(id, error)
            } else if asksFirst(task) {
                askBeforeStart(id)
            } else {
                start(id)
            }
        }
        tellWaiting()
        tellsWaiting = false
    }

    /// Notes from when on nothing was missing but a warm radio, and when the task is looked at again.
    private mutating func note(_ blocker: Blocker, of id: TransferID) {
        guard let record = tasks[id]?.record else { return }
        let times = [record.deadline, blocker.next].compactMap { $0 }
        due.set(.task(id), times.min().map(instant))
        switch blocker {
        case .radio where record.radioSince == nil:
            let wall = wall
            change(id) { $0.radioSince = wall }
        case .radio, .held, .trial, .alone, .hostLimit, .appLimit, .totalLimit, .share: break
        case .noClock, .beginDate, .delay, .disk, .retry, .unknownConditions, .noNetwork, .cellularNotAllowed,
            .expensive, .constrained, .metered, .power, .lowPower:
            if record.radioSince != nil { change(id) { $0.radioSince = nil } }
        }
    }

    /// The system hears how many wait, when that changes.
    private mutating func tellWaiting() {
        guard hasSystem else { return }
        let effect = TransferEffect.waiting(count: waiting.count, until: waiting.isEmpty ? nil : nextOfWaiting)
        guard lastWaiting != effect else { return }
        lastWaiting = effect
        effects.append(effect)
    }

    private mutating func start(_ id: TransferID) {
        guard let task = tasks[id] else { return }
        if task.record.file == nil {
            let file = TransferFile.part(counters.nextPart)
            counters.nextPart += 1
            changes.counters = true
            change(id) { $0.file = file }
        }
        let isKnown = task.record.file != nil
        let isDirty = changes.tasks.contains(id)
        transition(id, .admit)
        // A beginning alone is nothing to remember: whoever reads the record finds a task that waits, and begins it.
        if isKnown, !isDirty { changes.tasks.remove(id) }
        tasks[id, default: .nobody].record.attempts += 1
        tasks[id, default: .nobody].record.retryAt = nil
        tasks[id, default: .nobody].record.waitsForDisk = false
        tasks[id, default: .nobody].record.radioSince = nil
        tasks[id, default: .nobody].body = .undecided
        tasks[id, default: .nobody].lastActivity = now
        startsAlone(id)
        switch task.record.kind {
        case .download: startDownload(id)
        case .upload: startUpload(id)
        }
        arm(id)
    }

    private mutating func startDownload(_ id: TransferID) {
        guard let task = tasks[id], let session = sessions[task.record.session], let file = task.record.file else {
            return
        }
        // Without a validator nobody could tell whether the rest belongs to it.
        let isLost = task.record.validator == nil || task.record.isErrorBody || asksForPart(task.record)
        if task.record.durable > 0, isLost { forgetContent(id) }
        guard let record = tasks[id]?.record else { return }
        effects.append(
            .startDownload(
                task.attempt,
                DownloadOrder(
                    request: record.request, configuration: session.record.configuration, app: session.record.app,
                    file: file, offset: record.durable, validator: record.durable > 0 ? record.validator : nil,
                    credential: record.credential, space: record.credentialSpace,
                    proxyCredential: record.proxyCredential, checksum: record.checksum)))
    }

    private mutating func startUpload(_ id: TransferID) {
        guard let task = tasks[id], let session = sessions[task.record.session], let file = task.record.file,
            let body = task.record.body
        else { return }
        var step = task.step
        switch (step, task.record.uploadResource) {
        case (.append, .some): break
        case (_, let resource?): step = .ask(resource: resource)
        case (_, nil): step = .whole
        }
        tasks[id]?.step = step
        effects.append(
            .startUpload(
                task.attempt,
                UploadOrder(
                    request: task.record.request, configuration: session.record.configuration,
                    app: session.record.app, body: body, step: step, file: file,
                    longestAnswer: rules.longestUploadAnswer, credential: task.record.credential,
                    space: task.record.credentialSpace, proxyCredential: task.record.proxyCredential)))
    }

    /// Those who run and may not go on stop; those who may now are looked at.
    mutating func conditionsChanged(_ new: TransferConditions) {
        let old = conditions
        conditions = new
        yielding.isDue = true
        // Apps come and go often, and nothing waits for that.
        if var former = old {
            former.isAppOnScreen = new.isAppOnScreen
            if former == new { return }
        }
        for id in running.sorted() {
            guard let task = tasks[id], let session = sessions[task.record.session] else { continue }
            if conditionBlocker(of: task, session, continues: true) != nil { putOff(id, until: nil, nil) }
        }
        // Another network is another chance for those whom the old one failed.
        if new.network != .none, old?.network != new.network {
            for id in waiting.sorted() {
                guard let record = tasks[id]?.record, !record.waitsForDisk, record.retryAt != nil,
                    record.isNetworkToBlame
                else { continue }
                change(id) { $0.retryAt = nil }
            }
        }
        looksAtWaiting = true
    }

    /// Relative times keep their distance when somebody sets the clock; dates do not.
    mutating func clockChanged(_ offset: Span) {
        let shift = wallOffset.map { offset - $0 }
        wallOffset = offset
        for id in tasks.keys.sorted() {
            if let shift, shift != .zero, tasks[id]?.record.phase != .ended {
                change(id) {
                    $0.retryAt = $0.retryAt.map { $0 + shift }
                    $0.delayedUntil = $0.delayedUntil.map { $0 + shift }
                    $0.deadline = $0.deadline.map { $0 + shift }
                    $0.radioSince = $0.radioSince.map { $0 + shift }
                }
            } else if shift == nil {
                clampTimes(id)
            }
            arm(id)
        }
        if let shift { shiftApps(by: shift) }
        for app in apps.keys.sorted(by: { $0.rawValue < $1.rawValue }) { armDelay(app) }
        for file in kept.values { due.set(.kept(file.resumeData.file), instant(file.until)) }
        looksAtWaiting = true
        touched.formUnion(sessions.keys)
    }

    /// After a restart under a clock that somebody set back, nothing waits longer than it ever may.
    private mutating func clampTimes(_ id: TransferID) {
        guard let record = tasks[id]?.record, record.phase != .ended else { return }
        let wall = wall
        let timeout = sessions[record.session]?.record.configuration.resourceTimeout ?? .zero
        let retry = record.retryAt.map { min($0, wall + max(rules.longestRetry, rules.longestRetryAfter)) }
        let delayed = record.delayedUntil.map { min($0, wall + rules.longestDelay) }
        let deadline = record.deadline.map { min($0, wall + timeout) } ?? (record.phase.isActive ? wall + timeout : nil)
        guard retry != record.retryAt || delayed != record.delayedUntil || deadline != record.deadline else { return }
        change(id) {
            $0.retryAt = retry
            $0.delayedUntil = delayed
            $0.deadline = deadline
        }
    }
}

extension TaskRecord {
    /// The last problem may have been the way to the server, not the server.
    var isNetworkToBlame: Bool {
        let phrases: [NetworkFailure] = [
            .cannotFindHost, .cannotConnect, .connectionLost, .timedOut, .notConnected, .proxyFailed,
        ]
        return phrases.contains { $0.phrase == lastProblem }
    }
}
