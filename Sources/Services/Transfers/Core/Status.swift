package import Model

/// What tools see.
extension TransferSystem {
    package func status(_ id: TransferID, at now: Instant) -> TransferStatus? {
        guard let task = tasks[id], let session = sessions[task.record.session] else { return nil }
        let explanation = why(id, at: now)
        return TransferStatus(
            record: task.record, app: session.record.app, session: session.record.name, state: state(task.record),
            received: task.received, sent: task.sent,
            expected: task.record.kind == .download ? task.record.expected : task.record.body?.length,
            waitingFor: explanation?.condition, next: explanation?.next)
    }

    private func state(_ record: TaskRecord) -> TransferStatus.State {
        switch record.phase {
        case .suspended: .suspended
        case .waiting, .challenged: .waiting
        case .running, .placing: .running
        case .ended:
            switch record.outcome?.error?.code {
            case nil: .done
            case TransferError.cancelled.code: .cancelled
            case .some: .failed
            }
        }
    }

    /// Why it does not run, in one sentence that names what is missing and when it is looked at next.
    package func why(_ id: TransferID, at instant: Instant) -> Explanation? {
        var system = self
        system.now = max(now, instant)
        guard let task = system.tasks[id] else { return nil }
        switch task.record.phase {
        case .suspended:
            return Explanation(
                sentence: "It was made or paused, and not resumed: it begins when it is resumed.",
                condition: .resume)
        case .running: return Explanation(sentence: system.explainRunning(id))
        case .challenged: return system.explainChallenge(task)
        case .placing: return system.explainPlacing(task)
        case .ended: return system.explainEnd(task)
        case .waiting:
            guard let blocker = system.blocker(of: task) else {
                return Explanation(sentence: "It may run, and begins at once.")
            }
            return system.explain(blocker, task)
        }
    }

    private func explainRunning(_ id: TransferID) -> String {
        guard isHeldBack(id), let limit = yielding.told else { return "It runs." }
        let others = yielding.ids.count - 1
        let together = others == 0 ? "it" : "it and \(others) other\(others == 1 ? "" : "s") together"
        return "It runs, and gives way to an app on screen that uses the network: "
            + "\(together) may move \(max(1, limit / 1000)) kB a second."
    }

    private func explainChallenge(_ task: ActiveTask) -> Explanation {
        if task.record.isAskedFirst {
            return Explanation(
                sentence: "Its date has come, and the app is asked whether the request still holds: "
                    + "it goes on once it has answered\(givenUp(task)).",
                condition: .delegate, next: task.record.deadline)
        }
        let space = task.record.challenge?.space
        let who = space.map { $0.isProxy ? "The proxy \($0.host)" : "The server \($0.host)" } ?? "The server"
        return Explanation(
            sentence: "\(who) wants to know who asks, and the app has not answered yet: "
                + "it goes on once it does\(givenUp(task)).",
            condition: .credential, next: task.record.deadline)
    }

    private func explainPlacing(_ task: ActiveTask) -> Explanation {
        guard let again = task.moveAgainAt else {
            return Explanation(sentence: "It is complete, and on its way to its place.")
        }
        return Explanation(
            sentence:
                "It is complete and cannot be put in its place, because \(task.record.lastProblem ?? "of the disk"): "
                + "that is tried again at \(again.sentence).",
            condition: .quota, next: again)
    }

    private func explainEnd(_ task: ActiveTask) -> Explanation {
        if let error = task.record.outcome?.error {
            return Explanation(sentence: "It has ended with an error: \(error.description) (\(error.code)).")
        }
        let session = sessions[task.record.session]
        guard session?.record.app != nil else { return Explanation(sentence: "It is done.") }
        return Explanation(
            sentence: session.map(isReachable) == true
                ? "It is done, and the app is being told." : "It is done, and the app is told once it runs again.")
    }

    private func givenUp(_ task: ActiveTask) -> String {
        task.record.deadline.map { ", and is given up at \($0.sentence)" } ?? ""
    }

    private func isOfTool(_ task: ActiveTask) -> Bool { sessions[task.record.session]?.record.app == nil }

    private func explain(_ blocker: Blocker, _ task: ActiveTask) -> Explanation {
        func until(_ text: String, _ time: WallTime) -> String { "\(text): it is looked at at \(time.sentence)." }
        func change(_ text: String, _ change: String) -> String {
            "\(text): it is looked at as soon as \(change)\(givenUp(task))."
        }
        let sentence =
            switch blocker {
            case .noClock: change("The service has just begun", "it knows the time")
            case .unknownConditions: change("The service has just begun", "it knows the network")
            case .beginDate(let time): until("It is not to begin before its date", time)
            case .delay(let time, let wakes):
                until(
                    "It was made in the background by an app that transfers have woken \(wakes == 1 ? "once" : "\(wakes) times")",
                    time)
            case .disk(let time, let problem): until("It could not be written, because \(problem)", time)
            case .retry(let time, let problem, let failures):
                until(
                    "It failed \(failures == 1 ? "once" : "\(failures) times in a row"), the last time because \(problem)",
                    time)
            case .noNetwork: change("There is no network", "there is one")
            case .cellularNotAllowed(true): change("Its request allows no cellular network", "there is another")
            case .cellularNotAllowed(false): change("Its session allows no cellular network", "there is another")
            case .expensive: change("Its session allows no network that costs money", "there is one that does not")
            case .constrained: change("The user saves data, and its session respects that", "that is over")
            case .metered(.cellular): change("It is discretionary, and the network is cellular", "there is another")
            case .metered: change("It is discretionary, and the network costs money", "there is one that does not")
            case .power(let battery):
                change(
                    "It is discretionary, and the battery is at \(battery / 10) % without external power",
                    "there is power, or \(rules.batteryToBegin / 10) %")
            case .lowPower:
                change("It is discretionary, and low-power mode is on", "that is over, or there is power")
            case .radio(let time):
                "It can wait, and the radio is cold: it begins as soon as other traffic warms it, "
                    + "at \(time.sentence) at the latest."
            case .held(let time, let count):
                until("The service ended by a fault during each of \(count) transfers of its app", time)
            case .trial: change("The service ended by a fault, and tries what had run one by one", "that is over")
            case .alone(let deaths):
                change(
                    "The service ended by a fault \(deaths == 1 ? "once" : "\(deaths) times") while it ran, so that "
                        + "it runs only alone", "nothing else does")
            case .hostLimit(let server, let limit):
                change("\(limit) of its session run with \(server), as many as may", "one of them ends")
            case .appLimit(let limit): change("\(limit) of its app run, as many as may", "one of them ends")
            case .totalLimit(let limit): change("\(limit) transfers run, as many as may", "one of them ends")
            case .share(let count):
                change(
                    "\(count) of \(isOfTool(task) ? "the user's tools" : "its app") run, and no more places are left than "
                        + "that, which are for others", "one of them ends")
            }
        return Explanation(
            sentence: sentence, condition: blocker.condition, next: blocker.next ?? task.record.deadline)
    }
}
