internal import Model

/// How tasks end, and what is left of them.
extension TransferSystem {
    /// - Parameter keeps: whether the client gets what a later task can go on with.
    mutating func end(_ id: TransferID, _ error: TransferError?, keeps: Bool = true) {
        guard let task = tasks[id], task.record.phase != .ended else { return }
        if task.record.phase == .running { effects.append(.stop(task.attempt)) }
        if error == nil { reportProgress(id, isLast: true) }
        let session = task.record.session
        let app = sessions[session]?.record.app
        let data = error != nil && keeps && app != nil ? task.resumeData : nil
        if let data { keep(data, of: app) }
        let isTold = error == nil && task.record.file != nil && app != nil && hasContent(task)
        if !isTold, data == nil, let file = task.record.file {
            effects.append(.remove(file))
        }
        if let body = task.record.body { effects.append(.remove(body.file)) }
        let outcome = TaskOutcome(error: error, resumeData: data, ended: wall)
        change(id) {
            $0.outcome = outcome
            if !isTold { $0.file = nil }
            $0.challenge = nil
            if $0.isAskedFirst { $0.delayedStart = .settled }
            $0.credential = nil
            $0.credentialSpace = nil
            $0.proxyCredential = nil
            $0.retryAt = nil
        }
        transition(id, .end)
        arm(id)
        dropQuestions(of: id, in: session)
        guard app != nil else {
            toolTaskEnded(id)
            return
        }
        if isTold { enqueue(session, id, .finished) }
        enqueue(session, id, .completed)
    }

    /// A download always has a file, be it empty; an upload has one if the server said something.
    private func hasContent(_ task: ActiveTask) -> Bool { task.record.kind == .download || task.received > 0 }

    /// Keeps the file behind resume data for a while.
    private mutating func keep(_ data: ResumeData, of app: AppIdentifier?) {
        let held = kept.values.filter { $0.app == app }.sorted {
            ($0.until, $0.resumeData.file.number) < ($1.until, $1.resumeData.file.number)
        }
        for one in held.prefix(max(0, held.count + 1 - rules.mostKeptFilesPerApp)) { dropKept(one.resumeData.file) }
        let record = KeptFile(app: app, resumeData: data, until: wall + rules.keepResumeData)
        kept[data.file] = record
        changes.others.append(.store(.kept(record)))
        due.set(.kept(data.file), instant(record.until))
    }

    mutating func dropKept(_ file: TransferFile) {
        guard kept.removeValue(forKey: file) != nil else { return }
        due.set(.kept(file), nil)
        changes.others.append(.erase(.kept(file)))
        effects.append(.remove(file))
    }

    mutating func keptFileIsDue(_ file: TransferFile) {
        guard let record = kept[file] else { return }
        if record.until <= wall { dropKept(file) } else { due.set(.kept(file), instant(record.until)) }
    }

    /// The file that an app's resume data stands for, if it is still there and is what the client says.
    mutating func takeKept(_ data: ResumeData, by app: AppIdentifier?) -> Bool {
        guard let record = kept[data.file], record.app == app, record.resumeData == data else { return false }
        kept[data.file] = nil
        due.set(.kept(data.file), nil)
        changes.others.append(.erase(.kept(data.file)))
        return true
    }

    /// Everything of it goes, told or not.
    mutating func erase(_ id: TransferID) {
        guard let task = tasks[id] else { return }
        if task.record.phase == .running { effects.append(.stop(task.attempt)) }
        if let file = task.record.file { effects.append(.remove(file)) }
        if task.record.phase != .ended, let body = task.record.body { effects.append(.remove(body.file)) }
        count(task, task.record.phase, by: -1)
        for waiter in task.waiters { effects.append(.refuse(waiter, .noSuchTask)) }
        tasks[id] = nil
        due.set(.task(id), nil)
        changes.tasks.remove(id)
        changes.others.append(.erase(.task(id)))
        if sessions[task.record.session]?.tasks[task.record.number] == id {
            sessions[task.record.session]?.tasks[task.record.number] = nil
        }
    }

    // The tool's own.

    /// Puts a complete download where the tool wants it.
    mutating func place(_ id: TransferID) {
        guard let task = tasks[id], task.record.phase == .placing, !task.isMoving, let file = task.record.file,
            let path = task.record.target
        else { return }
        tasks[id]?.isMoving = true
        effects.append(.moveToTarget(id, file, path: path))
    }

    private mutating func toolTaskEnded(_ id: TransferID) {
        guard let task = tasks[id] else { return }
        if let status = status(id, at: now) {
            for waiter in task.waiters { effects.append(.reply(waiter, .ended(status))) }
        }
        tasks[id]?.waiters = []
        endedToolTasks.append(id)
        while endedToolTasks.count > rules.mostEndedToolTasks { erase(endedToolTasks.removeFirst()) }
    }

    // Moves.

    mutating func fileMoved(_ id: TransferID, _ path: String) {
        guard let task = tasks[id], task.isMoving else { return }
        tasks[id]?.isMoving = false
        if task.record.phase == .placing {
            change(id) { $0.file = nil }
            // The record says now that the file has left, so its mark can go.
            if let file = task.record.file { effects.append(.remove(file)) }
            end(id, nil)
        } else {
            tasks[id]?.movedTo = path
            touched.insert(task.record.session)
        }
    }

    mutating func moveFailed(_ id: TransferID, _ failure: FileFailure) {
        guard let task = tasks[id], task.isMoving else { return }
        tasks[id]?.isMoving = false
        if task.record.phase == .ended, failure == .targetGone {
            // The app's own hand, or the loss of its container: a delegate has to be told something in the end.
            loseFile(id)
            return
        }
        change(id) {
            $0.waitsForDisk = true
            $0.lastProblem = failure.phrase
        }
        let again = wall + rules.diskRetry
        tasks[id]?.moveAgainAt = again
        arm(id)
    }

    private mutating func loseFile(_ id: TransferID) {
        guard let task = tasks[id], let outcome = task.record.outcome else { return }
        if let file = task.record.file { effects.append(.remove(file)) }
        change(id) {
            $0.file = nil
            $0.outcome = TaskOutcome(error: .fileGone, resumeData: nil, ended: outcome.ended)
        }
        removeEvents(in: task.record.session) { $0.task == id && $0.kind == .finished }
        touched.insert(task.record.session)
    }
}

extension TransferFile {
    var number: UInt64 {
        switch self {
        case .part(let number), .body(let number): number
        }
    }
}
