internal import Model

/// What the gateway was told of silent pushes.
struct GatewayAdvice: Sendable {
    enum Hold: Hashable, Sendable {
        case never
        case until(WallTime)
    }

    var patience = Span.zero
    var holds: [AppIdentifier: Hold] = [:]
}

/// An alert or a keep-alive: what waited at the gateway comes behind it.
struct PushOpening: Sendable {
    var at: Instant
    var way: PushRelease
    /// Apps that have had one by it.
    var served: Set<AppIdentifier> = []
}

/// Where waking the radio costs much, what may wait does so at the gateway: waiting on the device would be too late.
extension NotificationSystem {
    private var patience: Span {
        guard conditions.isRadioDear, !conditions.isCharging else { return .zero }
        return conditions.isLowPower ? rules.longestPatience : rules.patience
    }

    /// The radio is awake at this moment, so what the gateway does not know yet costs next to nothing to say.
    mutating func adviseGateway() {
        guard link.isUp else { return }
        let patience = patience
        if patience != link.advice.patience {
            link.advice.patience = patience
            effects.append(.patience(patience))
        }
        guard patience > .zero || !link.advice.holds.isEmpty else { return }
        for app in registered.union(link.advice.holds.keys).inOrder { advise(of: app, wantedHold(app)) }
    }

    /// What the gateway keeps back for an app that the user has just opened or closed is wanted now.
    mutating func adviseGateway(of app: AppIdentifier) {
        guard link.isUp, link.advice.patience > .zero, registered.contains(app) else { return }
        advise(of: app, .never)
    }

    private mutating func advise(of app: AppIdentifier, _ hold: GatewayAdvice.Hold?) {
        let old = link.advice.holds[app]
        guard hold != old else { return }
        link.advice.holds[app] = hold
        switch hold {
        case .never: effects.append(.hold(topic: app.rawValue, .never))
        case .until(let until): effects.append(.hold(topic: app.rawValue, .lasts(until - wall)))
        // One that has run out is forgotten at the gateway too.
        case nil: if old == .never { effects.append(.hold(topic: app.rawValue, .ordinary)) }
        }
    }

    private func wantedHold(_ app: AppIdentifier) -> GatewayAdvice.Hold? {
        guard patience > .zero, let entry = entries[app], entry.record.isRegistered else { return nil }
        if entry.isOnScreen { return .never }
        let credit = credit(of: budgets[app])
        guard credit < rules.budgetInterval else { return nil }
        let until = wall + (rules.budgetInterval - credit)
        // The same moment, reckoned again.
        if case .until(let told) = link.advice.holds[app], told <= until, until - told < .seconds(1) {
            return .until(told)
        }
        return .until(until)
    }

    /// Until when the gateway keeps back what comes for an app, as far as it was told.
    func heldBack(_ app: AppIdentifier) -> WallTime? {
        guard link.isUp, case .until(let until) = link.advice.holds[app], until > wall else { return nil }
        return until
    }

    // MARK: What comes behind an alert or a keep-alive

    mutating func begin(_ way: PushRelease) {
        guard link.advice.patience > .zero else { return }
        link.opening = PushOpening(at: now, way: way)
    }

    /// By what a silent push goes that has just come over the link.
    func opening(for app: AppIdentifier) -> PushRelease {
        guard let opening = link.opening, now - opening.at <= rules.openingTime, !opening.served.contains(app) else {
            return .time
        }
        return opening.way
    }
}
