internal import Model

/// The tool's own transfers: one session that belongs to no app, whose tasks tell nobody and are listed for a while.
extension TransferSystem {
    mutating func tool(_ request: RequestID, _ asked: ToolRequest) {
        do throws(TransferRefusal) {
            if let reply = try perform(asked, request) { effects.append(.reply(request, reply)) }
        } catch {
            if case .add(let creation, _) = asked, let body = creation.body { effects.append(.remove(body.file)) }
            effects.append(.refuse(request, error))
        }
    }

    /// `nil`: it is answered later.
    private mutating func perform(
        _ asked: ToolRequest, _ request: RequestID
    ) throws(TransferRefusal) -> TransferReply? {
        switch asked {
        case .add(let creation, let isDiscretionary): return .added(try add(creation, isDiscretionary))
        case .pause(let id): try suspend(existing(id))
        case .resume(let id): try resume(existing(id))
        case .cancel(let id):
            let id = try existing(id)
            // What is on its way to its place arrives.
            if tasks[id]?.record.phase != .placing { end(id, .cancelled) }
        case .why(let id):
            guard let explanation = why(id, at: now) else { throw .noSuchTask }
            return .explanation(explanation)
        case .wait(let id):
            guard let status = status(id, at: now) else { throw .noSuchTask }
            if status.record.phase == .ended { return .ended(status) }
            tasks[id]?.waiters.append(request)
            return nil
        }
        return .done
    }

    private func existing(_ id: TransferID) throws(TransferRefusal) -> TransferID {
        guard let task = tasks[id] else { throw .noSuchTask }
        if task.record.phase == .ended { throw .taskHasEnded }
        return id
    }

    private mutating func add(
        _ creation: TransferCreation, _ isDiscretionary: Bool
    ) throws(TransferRefusal) -> TransferID {
        let key = SessionKey(app: nil, name: "")
        let session = names[key] ?? makeSession(key, TransferConfiguration())
        var creation = creation
        creation.number = sessions[session]?.record.nextTask ?? 1
        creation.resumes = nil
        try check(creation)
        guard creation.kind == .upload || creation.target != nil else {
            throw .invalid(parameter: "path", "a download needs a place to go to")
        }
        guard (sessions[session]?.tasks.count ?? 0) < rules.mostToolTasks else { throw .tooMuch("transfers") }
        let id = makeTask(creation, in: session, isDiscretionary: isDiscretionary)
        resume(id)
        return id
    }
}
