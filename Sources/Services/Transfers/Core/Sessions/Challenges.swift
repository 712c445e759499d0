internal import Model

/// Servers that want to know who asks.
extension TransferSystem {
    mutating func challenged(_ attempt: AttemptID, _ space: ChallengeSpace) {
        let id = attempt.transfer
        guard let task = tasks[id], let session = sessions[task.record.session] else { return }
        effects.append(.stop(attempt))
        tasks[id]?.step = .whole
        guard session.record.app != nil else {
            end(id, TransferError(code: -1013, "the server wants to know who asks"))
            return
        }
        let challenge = PendingChallenge(
            number: session.record.nextEvent, space: space,
            previousFailures: task.record.credential(in: space) == nil ? 0 : task.record.challenges)
        change(id) {
            $0.challenge = challenge
            $0.challenges += 1
            $0.use(nil, in: space)
        }
        transition(id, .challenge)
        enqueue(task.record.session, id, .challenge(challenge))
        arm(id)
    }

    mutating func answer(_ id: TransferID, _ number: EventNumber, _ answer: ChallengeAnswer) {
        guard let task = tasks[id], let challenge = task.record.challenge, challenge.number == number else { return }
        change(id) { $0.challenge = nil }
        dropQuestions(of: id, in: task.record.session)
        switch answer {
        case .useCredential(let credential): change(id) { $0.use(credential, in: challenge.space) }
        case .performDefaultHandling, .rejectProtectionSpace: change(id) { $0.acceptsUnauthorized = true }
        case .cancelAuthenticationChallenge:
            end(id, .cancelled)
            return
        }
        if task.record.phase == .challenged { transition(id, .answer) }
        arm(id)
    }

    /// A question that nobody has to answer any more is not asked, unless it is on its way already.
    mutating func dropQuestions(of id: TransferID, in session: SessionID) {
        guard let record = tasks[id]?.record, record.challenges > 0 || record.delayedStart != nil else { return }
        let first = sessions[session]?.isDelivering == true ? sessions[session]?.events.first?.number : nil
        removeEvents(in: session) { $0.isQuestion && $0.task == id && $0.number != first }
    }

    /// The proxy lets nobody through to whom it has not been said who asks.
    mutating func proxyRefused(_ attempt: AttemptID) {
        guard let task = tasks[attempt.transfer], let session = sessions[task.record.session] else { return }
        let failure = TransferError(.proxyAuthenticationRequired)
        guard let proxy = session.record.configuration.proxy, !task.record.acceptsUnauthorized,
            task.record.challenges < rules.mostChallenges
        else { return end(attempt.transfer, failure) }
        challenged(
            attempt,
            ChallengeSpace(
                host: proxy.host, port: proxy.port, scheme: "https", realm: nil, method: "basic", isProxy: true))
    }
}

extension TaskRecord {
    fileprivate func credential(in space: ChallengeSpace) -> TransferCredential? {
        space.isProxy ? proxyCredential : credential
    }

    fileprivate mutating func use(_ new: TransferCredential?, in space: ChallengeSpace) {
        if space.isProxy {
            proxyCredential = new
        } else {
            credential = new
            credentialSpace = new == nil ? nil : space
        }
    }
}
