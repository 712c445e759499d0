internal import Model
package import PolicyCore

// The app's side of task completion, as UIKit does it.
extension Device {
    func beginTask(_ name: String, _ place: Int) {
        // UIKit answers `.invalid` by itself.
        guard var process = apps[place].process, !process.isPlain, !process.isTimeOver, profile.hasMultitasking else {
            return
        }
        let id = TaskID(process.nextTask)
        process.nextTask += 1
        process.tasks.append(SimulatedProcess.HeldTask(id: id, name: name))
        apps[place].process = process
        request(.beginTask(id, name: name), place)
    }

    func endTask(named name: String, _ place: Int) {
        guard let task = apps[place].process?.tasks.first(where: { $0.name == name }) else { return }
        apps[place].process?.tasks.removeAll { $0.id == task.id }
        request(.endTask(task.id), place)
    }

    /// A program begins a task, or ends one.
    package func noteTask(_ request: AppRequest, _ place: Int) {
        switch request {
        case .beginTask(let id, let name):
            apps[place].process?.tasks.append(SimulatedProcess.HeldTask(id: id, name: name))
        case .endTask(let id): apps[place].process?.tasks.removeAll { $0.id == id }
        case .openURL, .canOpenURL, .backgroundTime, .mechanism, .complete,
            .setFetchInterval, .submitTask, .cancelTask, .pendingTasks, .scene, .keepScreenOn:
            break
        }
    }

    /// A task that is not granted expires at once.
    func answerTask(_ request: AppRequest, _ reply: AppReply, _ place: Int) {
        guard case .beginTask(let id, _) = request, let number = number(of: id, place) else { return }
        guard case .refused = reply else {
            apps[place].process?.tasks[number].isGranted = true
            return
        }
        apps[place].process?.isTimeOver = true
        // A program knows what to do with a refusal.
        if apps[place].program == nil {
            let expiration = Expiration(tasks: [id], round: .max, left: .zero)
            after(costs.message, place) { .expire(expiration, connection: $0.connection) }
        }
    }

    private func number(of id: TaskID, _ place: Int) -> Int? {
        apps[place].process?.tasks.firstIndex { $0.id == id }
    }

    /// The handlers run on the main thread or, on devices of 2010, beside it.
    func expire(_ expiration: Expiration, _ place: Int) {
        apps[place].process?.isTimeOver = true
        if profile.expirationThread == .mainThread || apps[place].program != nil {
            enqueue(.expiration(expiration), place)
        } else if apps[place].process?.canRun == true {
            runExpiration(expiration, place)
        } else {
            apps[place].process?.lateTimers.append(.expiration(expiration))
        }
    }

    /// Each handler is called once a round, however often the system says so.
    ///
    /// - Returns: for how long they keep their thread.
    @discardableResult
    func runExpiration(_ expiration: Expiration, _ place: Int) -> Span {
        var called: [SimulatedProcess.HeldTask] = []
        for id in expiration.tasks {
            guard let number = number(of: id, place), var task = apps[place].process?.tasks[number],
                task.round < expiration.round
            else { continue }
            task.round = expiration.round
            apps[place].process?.tasks[number] = task
            called.append(task)
        }
        guard !called.isEmpty else { return .zero }
        apps[place].expirations += called.map(\.name)
        if let program = apps[place].program {
            program.expired(expiration)
            return .zero
        }
        return runHandlers(place)
    }

    /// What the script says of expiration handlers.
    func runHandlers(_ place: Int) -> Span {
        var duration = Span.zero
        for action in apps[place].script.expirations {
            if case .block(let span) = action {
                duration = duration + span
            } else if duration == .zero {
                act(action, place)
            } else {
                // When the handler gets there.
                at(now + duration, place, .timer(.action(action)))
            }
            if apps[place].process?.status != nil { return .zero }
        }
        return duration
    }
}
