internal import Model

/// After the service itself has ended by a fault: who is tried alone.
struct Trial: Sendable {
    struct Alone: Sendable {
        var id: TransferID
        var since: Instant
        var until: Instant
    }

    /// What runs, and nothing may run beside it.
    var alone: Alone?
    /// Suspects of a first fault come before all others.
    var goesOn = false
    /// So long each of them.
    var each = Span.zero
}

/// What may begin: the first of these first.
struct Candidate: Comparable {
    /// Suspects of a first fault are quickly cleared; those of several wait until there is nothing else to do.
    enum Standing: Int8, Comparable {
        case onTrial, free, onProbation

        static func < (a: Standing, b: Standing) -> Bool { a.rawValue < b.rawValue }
    }

    var standing: Standing
    var priority: Int32
    var id: TransferID

    static func < (a: Candidate, b: Candidate) -> Bool {
        (a.standing, b.priority, a.id) < (b.standing, a.priority, b.id)
    }
}

/// Tasks during which the service ended by a fault. One of them may end it every time, and take the others with it;
/// which one it is shows when they run alone. Only then does one end for it.
extension TransferSystem {
    mutating func died(_ ids: [TransferID]) {
        let present = ids.filter { tasks[$0].map { $0.record.phase != .ended } ?? false }
        for id in present {
            change(id) { $0.suspicion = Suspicion(deaths: min(($0.suspicion?.deaths ?? 0) + 1, 1000)) }
        }
        if ids.count == 1, let id = present.first, (tasks[id]?.record.suspicion?.deaths ?? 0) >= rules.mostDeaths {
            setAside(id)
        }
        let suspects = tasks.values.filter { $0.record.phase != .ended && $0.record.isFirstSuspect }
        trial.goesOn = !suspects.isEmpty
        trial.each = min(
            rules.probation, Span(nanoseconds: rules.longestTrial.nanoseconds / Int64(max(suspects.count, 1))))
        looksAtWaiting = true
    }

    /// It was alone each time: it is to blame, and whoever has run alone since is not.
    private mutating func setAside(_ id: TransferID) {
        guard let session = tasks[id]?.record.session else { return }
        if let app = sessions[session]?.record.app {
            let (wall, span) = (wall, rules.forgetSetAside)
            change(app: app) {
                let isRecent = $0.lastSetAside.map { wall < $0 + span } ?? false
                $0.setAside = isRecent ? min(($0.setAside ?? 0) + 1, 1000) : 1
                $0.lastSetAside = wall
            }
        }
        end(id, .setAside)
        for other in transfers {
            guard let suspicion = tasks[other]?.record.suspicion, suspicion.served >= probation(suspicion) else {
                continue
            }
            change(other) { $0.suspicion = nil }
        }
    }

    private func probation(_ suspicion: Suspicion) -> Span {
        let doublings = Int64(3 * min(max(suspicion.deaths - 1, 0), 10))
        return min(rules.longestProbation, rules.probation * (1 << doublings))
    }

    func standing(_ record: TaskRecord) -> Candidate.Standing {
        guard let suspicion = record.suspicion, suspicion.served < probation(suspicion) else { return .free }
        if record.isFirstSuspect { return trial.goesOn ? .onTrial : .free }
        return .onProbation
    }

    func suspicionBlocker(of task: ActiveTask, _ session: Session) -> Blocker? {
        let standing = standing(task.record)
        if let app = session.record.app, let record = apps[app]?.record, let last = record.lastSetAside,
            let count = record.setAside
        {
            let until = last + rules.delay(wakes: count - rules.mostSetAside)
            if until > wall { return .held(until, setAside: count) }
        }
        if standing != .free {
            return running.isEmpty ? nil : .alone(deaths: task.record.suspicion?.deaths ?? 1)
        }
        guard let alone = trial.alone, let other = tasks[alone.id] else { return nil }
        // One that is on probation gives way.
        return self.standing(other.record) == .onTrial ? .trial : nil
    }

    /// Before any of them begins: whoever is on probation makes room for what is free, and the trial is over when none
    /// of its suspects can begin; those that wait for something else are not waited for.
    mutating func giveWay(to ready: [Candidate]) {
        if let alone = trial.alone {
            if ready.contains(where: { $0.standing == .free }) { putOff(alone.id, until: nil, nil) }
        } else if trial.goesOn, conditions != nil, !ready.contains(where: { $0.standing == .onTrial }) {
            trial.goesOn = false
        }
    }

    /// It has just begun.
    mutating func startsAlone(_ id: TransferID) {
        guard let record = tasks[id]?.record, let suspicion = record.suspicion else { return }
        switch standing(record) {
        case .free: return
        case .onTrial: trial.alone = Trial.Alone(id: id, since: now, until: now + trial.each)
        case .onProbation:
            let left = probation(suspicion) - suspicion.served
            trial.alone = Trial.Alone(id: id, since: now, until: now + left)
        }
    }

    /// It stops, in order: of a first suspect that is all that is asked for.
    mutating func stopsAlone(_ id: TransferID) {
        guard let alone = trial.alone, alone.id == id, let record = tasks[id]?.record else { return }
        if record.isFirstSuspect { return endProbation(id) }
        trial.alone = nil
        let (now, since) = (now, alone.since)
        change(id) { $0.suspicion?.served.nanoseconds += (now - since).nanoseconds }
    }

    /// It ran alone for as long as it had to, and makes room for the next suspect if there is one.
    mutating func survivedAlone(_ id: TransferID) {
        endProbation(id)
        guard trial.goesOn, waiting.contains(where: { tasks[$0]?.record.isFirstSuspect ?? false }) else { return }
        putOff(id, until: nil, nil)
    }

    /// It is one of the others again.
    private mutating func endProbation(_ id: TransferID) {
        trial.alone = nil
        guard let suspicion = tasks[id]?.record.suspicion else { return }
        let served = probation(suspicion)
        change(id) { $0.suspicion?.served = served }
        looksAtWaiting = true
    }
}

extension TaskRecord {
    /// The service ended once while it ran, and it has not run alone since.
    var isFirstSuspect: Bool { suspicion.map { $0.deaths == 1 && $0.served == .zero } ?? false }
}
