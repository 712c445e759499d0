internal import Model

/// Tasks whose beginning their app has put off: when the time has come, it may think better of the request.
extension TransferSystem {
    /// The delegate has to be asked before it begins.
    func asksFirst(_ task: ActiveTask) -> Bool {
        guard task.record.delayedStart == nil, let time = task.record.earliestBegin, time > task.record.created,
            let session = sessions[task.record.session], session.record.app != nil
        else { return false }
        return session.record.configuration.asksBeforeDelayedRequests
    }

    /// Nothing else is missing: the delegate is asked, and no server until it has answered.
    mutating func askBeforeStart(_ id: TransferID) {
        guard let session = tasks[id]?.record.session, let number = sessions[session]?.record.nextEvent else { return }
        change(id) { $0.delayedStart = .asked(number) }
        transition(id, .challenge)
        enqueue(session, id, .delayedRequest)
        arm(id)
    }

    /// A delegate has returned, and says what becomes of the request.
    mutating func decided(
        _ connection: ConnectionID, _ id: SessionID, _ number: EventNumber, _ decision: DelayedDecision
    ) {
        guard let session = sessions[id], session.connection == connection, session.isDelivering,
            let event = session.events.first, event.number == number
        else { return }
        if let task = event.task, event.kind == .delayedRequest { decide(task, number, decision) }
        delivered(connection, id, number)
    }

    /// An answer to another question than the open one is none.
    mutating func decide(_ id: TransferID, _ number: EventNumber, _ decision: DelayedDecision) {
        guard tasks[id]?.record.delayedStart == .asked(number) else { return }
        change(id) { $0.delayedStart = .settled }
        switch decision {
        case .continueLoading: break
        case .cancel: return end(id, .cancelled, keeps: false)
        case .useNewRequest(let request):
            do throws(TransferRefusal) {
                try check(request)
                replace(id, with: request)
            } catch {
                return end(id, TransferError(.unsupportedURL))
            }
            if let error = refusal(id) { return end(id, error) }
        }
        if tasks[id]?.record.phase == .challenged { transition(id, .answer) }
        arm(id)
    }

    /// What there was of the answer to another request is of no use to this one.
    private mutating func replace(_ id: TransferID, with request: TransferRequest) {
        forgetContent(id)
        change(id) {
            $0.request = request
            $0.resumedAt = nil
            $0.uploadResource = nil
            $0.sent = 0
            $0.credential = nil
            $0.credentialSpace = nil
        }
        tasks[id]?.sent = 0
        tasks[id]?.step = .whole
        tasks[id]?.readAddress()
    }

    /// The session was opened again by a delegate that does not want to be asked.
    mutating func stopAsking(_ session: SessionID) {
        for id in sessions[session]?.tasks.values.sorted() ?? [] {
            guard case .asked(let number)? = tasks[id]?.record.delayedStart else { continue }
            decide(id, number, .continueLoading)
            dropQuestions(of: id, in: session)
        }
    }
}
