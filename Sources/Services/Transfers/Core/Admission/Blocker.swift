internal import Model

/// What keeps a task from running.
enum Blocker: Hashable {
    case noClock
    case beginDate(WallTime)
    case delay(WallTime, wakes: Int32)
    case disk(WallTime, String)
    case retry(WallTime, String, failures: Int32)
    case unknownConditions
    case noNetwork
    case cellularNotAllowed(byRequest: Bool)
    case expensive, constrained
    /// A discretionary task on what costs money.
    case metered(NetworkKind)
    case power(battery: Int32)
    case lowPower
    case radio(until: WallTime)
    /// Tasks of its app brought the service down.
    case held(WallTime, setAside: Int32)
    /// Something else is tried alone.
    case trial
    /// It may only run alone, and something else runs.
    case alone(deaths: Int32)
    case hostLimit(String, Int32)
    case appLimit(Int32)
    case totalLimit(Int32)
    /// As many of its app run as there are places left, which are for others.
    case share(Int32)

    /// When it may be over without any event.
    var next: WallTime? {
        switch self {
        case .beginDate(let time), .delay(let time, _), .disk(let time, _), .retry(let time, _, _),
            .radio(until: let time), .held(let time, _):
            time
        case .trial, .alone, .noClock, .unknownConditions, .noNetwork, .cellularNotAllowed, .expensive, .constrained,
            .metered, .power, .lowPower,
            .hostLimit, .appLimit, .totalLimit, .share:
            nil
        }
    }

    var condition: WaitCondition {
        switch self {
        case .noClock, .unknownConditions, .noNetwork, .cellularNotAllowed: .network
        case .beginDate: .beginDate
        case .delay: .delay
        case .disk: .quota
        case .retry: .retry
        case .expensive, .constrained, .metered: .unmetered
        case .power, .lowPower: .power
        case .radio: .radio
        case .held, .trial, .alone: .alone
        case .hostLimit: .hostLimit
        case .appLimit, .share: .appLimit
        case .totalLimit: .totalLimit
        }
    }
}

extension TransferSystem {
    /// The first condition that is missing, limits last: what a task lacks of its own is said rather than that others
    /// are before it. The radio counts from when nothing else was missing.
    func blocker(of task: ActiveTask) -> Blocker? {
        guard wallOffset != nil else { return .noClock }
        if let blocker = timeBlocker(of: task.record) { return blocker }
        guard let session = sessions[task.record.session] else { return nil }
        if let blocker = conditionBlocker(of: task, session, continues: false) { return blocker }
        if let blocker = radioBlocker(of: task) { return blocker }
        if let blocker = suspicionBlocker(of: task, session) { return blocker }
        return limitBlocker(of: task, session)
    }

    private func timeBlocker(of record: TaskRecord) -> Blocker? {
        let wall = wall
        if let time = record.earliestBegin, time > wall { return .beginDate(time) }
        if let time = record.delayedUntil, time > wall {
            let app = sessions[record.session]?.record.app
            return .delay(time, wakes: app.flatMap { apps[$0]?.record.wakes } ?? 0)
        }
        if let time = record.retryAt, time > wall {
            let problem = record.lastProblem ?? "it failed"
            return record.waitsForDisk ? .disk(time, problem) : .retry(time, problem, failures: record.failures)
        }
        return nil
    }

    /// - Parameter continues: it runs already, and some of what is needed to begin is not needed to go on.
    func conditionBlocker(of task: ActiveTask, _ session: Session, continues: Bool) -> Blocker? {
        guard let conditions else { return .unknownConditions }
        let configuration = session.record.configuration
        if !task.isLoopback {
            if conditions.network == .none { return .noNetwork }
            if conditions.network == .cellular {
                if !task.record.request.allowsCellular { return .cellularNotAllowed(byRequest: true) }
                if !configuration.allowsCellular { return .cellularNotAllowed(byRequest: false) }
            }
            if conditions.isMetered, !configuration.allowsExpensive { return .expensive }
            if conditions.isConstrained, !configuration.allowsConstrained { return .constrained }
        }
        guard task.record.isDiscretionary else { return nil }
        if conditions.isMetered { return .metered(conditions.network) }
        if conditions.isLowPower, !conditions.hasExternalPower { return .lowPower }
        guard !conditions.hasExternalPower, let battery = conditions.battery else { return nil }
        let enough = continues ? rules.batteryToContinue : rules.batteryToBegin
        return battery < enough ? .power(battery: battery) : nil
    }

    private func radioBlocker(of task: ActiveTask) -> Blocker? {
        guard needsWarmRadio(task) else { return nil }
        let until = (task.record.radioSince ?? wall) + rules.longestRadioWait
        return until > wall ? .radio(until: until) : nil
    }

    /// To wake a cellular radio costs more than most transfers; what can wait does so until somebody else has.
    func needsWarmRadio(_ task: ActiveTask) -> Bool {
        guard let conditions, conditions.network == .cellular, !conditions.isRadioWarm, !task.isLoopback else {
            return false
        }
        return task.record.isDiscretionary || priority(of: task) <= rules.lowPriority
    }

    func serviceType(of task: ActiveTask) -> NetworkServiceType? {
        task.record.request.serviceType ?? sessions[task.record.session]?.record.configuration.serviceType
    }

    /// No user waits for background traffic, so its priority is low at most.
    func priority(of task: ActiveTask) -> Int32 {
        serviceType(of: task) == .background ? min(task.record.priority, rules.lowPriority) : task.record.priority
    }

    private func limitBlocker(of task: ActiveTask, _ session: Session) -> Blocker? {
        let wanted = session.record.configuration.connectionsPerHost
        let perHost = min(max(wanted, 1), rules.mostConnectionsPerHost)
        if session.running[task.server, default: 0] >= perHost { return .hostLimit(task.server, perHost) }
        if let app = session.record.app, let entry = apps[app], entry.running >= rules.mostRunningPerApp {
            return .appLimit(rules.mostRunningPerApp)
        }
        let free = rules.mostRunning - Int32(clamping: running.count)
        guard free > 0 else { return .totalLimit(rules.mostRunning) }
        let own = runningOfOwner(session)
        return own >= free ? .share(own) : nil
    }

    /// All that run for the session's app, or for the user's tools.
    private func runningOfOwner(_ session: Session) -> Int32 {
        guard let app = session.record.app else { return session.running.values.reduce(0, +) }
        return apps[app]?.running ?? 0
    }
}
