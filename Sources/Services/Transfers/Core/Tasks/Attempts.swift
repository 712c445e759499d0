internal import Model

/// What the shell tells of a try.
extension TransferSystem {
    /// The task, if the try is the present one.
    private func present(_ attempt: AttemptID) -> ActiveTask? {
        guard let task = tasks[attempt.transfer], task.record.phase == .running, task.attempt == attempt else {
            return nil
        }
        return task
    }

    private mutating func showsLife(_ id: TransferID) { tasks[id]?.lastActivity = now }

    mutating func responseHead(_ attempt: AttemptID, _ head: ResponseHead, _ challenge: ChallengeSpace?) {
        guard let task = present(attempt), task.body == .undecided else { return }
        showsLife(attempt.transfer)
        var head = head
        head.response.headers = bounded(head.response.headers)
        let offered = task.record.challenges < rules.mostChallenges ? challenge : nil
        let acceptsRefusal = acceptsRefusal(of: task)
        if !HTTPStatus.isPassing(head.response.status) || acceptsRefusal, task.record.refusals != nil {
            change(attempt.transfer) { $0.refusals = nil }
        }
        switch task.record.kind {
        case .download:
            let asked = DownloadDecision.Asked(
                offset: task.record.durable, validator: task.record.validator, expected: task.record.expected,
                acceptsUnauthorized: task.record.acceptsUnauthorized, isHead: task.record.request.method == "HEAD",
                isPart: asksForPart(task.record), acceptsRefusal: acceptsRefusal)
            decide(attempt, head, DownloadDecision(asked, head, challenge: offered, now: wall, rules: rules))
        case .upload:
            decide(
                attempt, head,
                UploadDecision(
                    task.step, length: task.record.body?.length ?? 0, head, challenge: offered,
                    acceptsUnauthorized: task.record.acceptsUnauthorized, acceptsRefusal: acceptsRefusal, now: wall,
                    rules: rules))
        }
        arm(attempt.transfer)
    }

    /// An app has a delegate that can do something about an answer. The tool's transfers are tried until their time is
    /// over.
    private func acceptsRefusal(of task: ActiveTask) -> Bool {
        sessions[task.record.session]?.record.app != nil && (task.record.refusals ?? 0) + 1 >= rules.mostRefusals
    }

    /// The app has a `Range` of its own in the request, or in its session.
    func asksForPart(_ record: TaskRecord) -> Bool {
        let headers = record.request.headers + (sessions[record.session]?.record.configuration.headers ?? [])
        return headers.contains { $0.name.lowercased() == "range" }
    }

    /// A server's fields are kept as far as they are of a sane length.
    private func bounded(_ headers: [HeaderField]) -> [HeaderField] {
        var length = 0
        return Array(
            headers.prefix {
                length += $0.name.utf8.count + $0.value.utf8.count
                return length <= rules.longestResponseHeaders
            })
    }

    private mutating func decide(_ attempt: AttemptID, _ head: ResponseHead, _ decision: DownloadDecision) {
        let id = attempt.transfer
        switch decision {
        case .whole(let validator, let expected, let isError):
            if isError, tasks[id]?.record.target != nil {
                end(
                    id,
                    TransferError(code: -1011, "the server answered \(HTTPStatus.phrase(head.response.status))"))
                return
            }
            change(id) {
                $0.response = head.response
                $0.validator = validator
                $0.expected = expected
                $0.durable = 0
                $0.isErrorBody = isError
            }
            tasks[id]?.body = isError ? .answer : .content
            tasks[id]?.received = 0
            effects.append(.receiveBody(attempt, at: 0))
        case .rest(let expected):
            guard let record = tasks[id]?.record else { return }
            change(id) {
                $0.response = $0.response ?? head.response
                $0.expected = expected
            }
            tasks[id]?.body = .content
            tasks[id]?.received = record.durable
            if let offset = record.resumedAt {
                change(id) { $0.resumedAt = nil }
                enqueue(record.session, id, .resumedAt(offset: offset, expected: expected))
            }
            effects.append(.receiveBody(attempt, at: record.durable))
        case .alreadyWhole: complete(attempt)
        case .fromZero(let problem):
            forgetContent(id)
            retry(id, problem)
        case .retry(let after, let problem):
            change(id) { $0.refusals = ($0.refusals ?? 0) + 1 }
            retry(id, after: after, problem)
        case .challenge(let space): challenged(attempt, space)
        }
    }

    private mutating func decide(_ attempt: AttemptID, _ head: ResponseHead, _ decision: UploadDecision) {
        let id = attempt.transfer
        switch decision {
        case .result(let isError):
            if isError, sessions[tasks[id]?.record.session ?? SessionID(0)]?.record.app == nil {
                end(
                    id,
                    TransferError(code: -1011, "the server answered \(HTTPStatus.phrase(head.response.status))"))
                return
            }
            change(id) {
                $0.response = head.response
                $0.isErrorBody = isError
                $0.sent = $0.body?.length ?? 0
            }
            let length = tasks[id]?.record.sent ?? 0
            tasks[id]?.sent = length
            tasks[id]?.body = .answer
            effects.append(.receiveBody(attempt, at: 0))
        case .alreadyWhole:
            change(id) {
                $0.response = head.response
                $0.sent = $0.body?.length ?? 0
            }
            complete(attempt)
        case .append(let offset):
            guard let resource = tasks[id]?.record.uploadResource else {
                retry(id, "the server took a part of it")
                return
            }
            let isProgress = offset > (tasks[id]?.record.sent ?? 0)
            var hasAsked = false
            if case .ask = tasks[id]?.step { hasAsked = true }
            change(id) {
                $0.sent = offset
                if isProgress { $0.failures = 0 }
            }
            tasks[id]?.step = .append(resource: resource, offset: offset)
            tasks[id]?.sent = offset
            // The same place again and again is a server's fault, and not to be answered at its pace.
            if isProgress || hasAsked { putOff(id, until: nil, nil) } else { retry(id, "the upload did not get on") }
        case .ask(let problem):
            tasks[id]?.step = .whole
            retry(id, problem)
        case .fromZero(let problem):
            change(id) {
                $0.uploadResource = nil
                $0.sent = 0
            }
            tasks[id]?.step = .whole
            retry(id, problem)
        case .retry(let after, let problem):
            change(id) { $0.refusals = ($0.refusals ?? 0) + 1 }
            tasks[id]?.step = .whole
            retry(id, after: after, problem)
        case .challenge(let space): challenged(attempt, space)
        }
    }

    mutating func received(_ attempt: AttemptID, _ total: Int64) {
        guard let task = present(attempt), task.body != .undecided else { return }
        showsLife(attempt.transfer)
        tasks[attempt.transfer]?.received = total
        if task.record.kind == .download { reportProgress(attempt.transfer) }
    }

    mutating func durable(_ attempt: AttemptID, _ offset: Int64) {
        guard let task = present(attempt), task.body == .content, offset > task.record.durable else { return }
        let id = attempt.transfer
        showsLife(id)
        tasks[id]?.received = max(task.received, offset)
        tasks[id, default: .nobody].record.durable = offset
        tasks[id, default: .nobody].record.failures = 0
        tasks[id]?.storedOffset = offset
        changes.others.append(.store(.offset(id, offset)))
        reportProgress(id)
    }

    mutating func sent(_ attempt: AttemptID, _ total: Int64) {
        guard present(attempt) != nil else { return }
        showsLife(attempt.transfer)
        tasks[attempt.transfer]?.sent = total
        reportProgress(attempt.transfer)
    }

    mutating func uploadResumable(_ attempt: AttemptID, _ resource: String) {
        guard let task = present(attempt), task.record.kind == .upload, task.step == .whole, Address(resource) != nil,
            resource.utf8.count <= rules.longestURL
        else { return }
        showsLife(attempt.transfer)
        change(attempt.transfer) { $0.uploadResource = resource }
    }

    mutating func responseEnded(_ attempt: AttemptID, _ offset: Int64, _ digest: DigestVerdict) {
        guard let task = present(attempt), task.body != .undecided else { return }
        let id = attempt.transfer
        tasks[id]?.received = offset
        guard task.record.kind == .download else {
            change(id) { $0.durable = offset }
            complete(attempt)
            return
        }
        let isProgress = offset > task.record.durable
        change(id) {
            $0.durable = offset
            if isProgress { $0.failures = 0 }
        }
        if let expected = task.record.expected, offset != expected {
            if offset > expected || task.body == .answer { forgetContent(id) }
            retry(id, offset < expected ? "the connection was lost" : "more came than the server had said")
        } else if digest == .differs, task.body == .content {
            let failures = task.record.digestFailures + 1
            forgetContent(id)
            change(id) { $0.digestFailures = failures }
            if failures >= rules.mostDigestFailures {
                end(id, .wrongContent, keeps: false)
            } else {
                retry(id, TransferError.wrongContent.description)
            }
        } else {
            complete(attempt)
        }
    }

    private mutating func complete(_ attempt: AttemptID) {
        let id = attempt.transfer
        guard let task = tasks[id] else { return }
        effects.append(.stop(attempt))
        if task.record.kind == .download, task.record.target != nil {
            reportProgress(id, isLast: true)
            transition(id, .place)
            place(id)
            arm(id)
        } else {
            end(id, nil)
        }
    }

    mutating func failed(_ attempt: AttemptID, _ failure: NetworkFailure) {
        guard let task = present(attempt) else { return }
        let id = attempt.transfer
        tasks[id]?.step = .whole
        if failure == .answerTooLong, sessions[task.record.session]?.record.app == nil {
            // A tool has no use for the answer.
            complete(attempt)
            return
        }
        if task.body == .answer, task.record.kind == .download { forgetContent(id) }
        if failure == .proxyAuthenticationRequired {
            proxyRefused(attempt)
            return
        }
        if failure.isPassing { retry(id, failure.phrase) } else { end(id, TransferError(failure)) }
    }

    mutating func fileFailed(_ attempt: AttemptID, _ failure: FileFailure) {
        guard present(attempt) != nil else { return }
        putOff(attempt.transfer, until: wall + rules.diskRetry, failure.phrase, isDisk: true)
    }

    /// Somebody took bytes away that had been on the disk: none of the others is trusted.
    mutating func fileIsShort(_ attempt: AttemptID, _ length: Int64) {
        guard let task = present(attempt), length < task.record.durable else { return }
        forgetContent(attempt.transfer)
        retry(attempt.transfer, "the part of it that had been there is gone")
    }
}
