internal import Model

// Background services as far as this layer knows them: what needs a key of UIBackgroundModes (L11), and what stands by
// itself (exemptions, graphical programs).
extension System {
    /// Assertions that follow from what the app is, not from what it does.
    mutating func takeStandingAssertions(_ i: Int) {
        let wantsExemption = apps[i].isExempt
        let wantsGraphical = !apps[i].manifest.isFreezable
        // Most apps neither should have one nor have any.
        guard wantsExemption || wantsGraphical || !apps[i].assertions.others.isEmpty else { return }
        if wantsExemption, !apps[i].assertions.holds(.exemption) { take(i, .exemption, name: "exempt") }
        if wantsGraphical, !apps[i].assertions.holds(.graphical) { take(i, .graphical, name: "graphical program") }
        if !wantsExemption { drop(i, .exemption) }
        if !wantsGraphical { drop(i, .graphical) }
    }

    mutating func drop(_ i: Int, _ kind: AssertionKind) {
        if apps[i].assertions.holds(kind) {
            apps[i].assertions.drop(kind)
            settleTasks(i)
        }
    }

    @discardableResult
    mutating func take(_ i: Int, _ kind: AssertionKind, name: String, lasting: Span? = nil) -> AssertionID {
        take(i, kind, name: name, lasting: lasting, claim: nil)
    }

    mutating func take(
        _ i: Int, _ kind: AssertionKind, name: String, lasting: Span?, claim: ServiceClaim?
    ) -> AssertionID {
        let id = AssertionID(nextAssertion)
        nextAssertion += 1
        apps[i].assertions.take(
            Assertion(
                id: id, kind: kind, name: name, since: now, expires: lasting.map { now + $0 }, claim: claim))
        settleTasks(i)
        return id
    }

    mutating func armAssertions(_ i: Int) {
        let slot = DeadlineSlot(app: apps[i].index, kind: .assertion)
        guard !apps[i].tasks.isEmpty || !apps[i].assertions.others.isEmpty else {
            apps[i].assertions.setTaskEnd(nil)
            deadlines.disarm(slot)
            return
        }
        apps[i].assertions.setTaskEnd(taskTime(i).map { now + $0 })
        var next = apps[i].assertions.nextExpiry
        if !apps[i].$ending, let step = nextTaskStep(i) { next = next.map { min($0, step) } ?? step }
        if let next {
            // Never now; and while another limit is judged, not before that is likely to be over.
            let pause: Span = !apps[i].$exceeded ? .milliseconds(1) : .seconds(1)
            deadlines.arm(slot, at: next > now ? next : now + pause)
        } else {
            deadlines.disarm(slot)
        }
    }

    mutating func assertionDeadline(_ i: Int) {
        apps[i].assertions.dropExpired(at: now)
        settleHolds(i)
        stepTasks(i)
        settleTasks(i)
        touch(apps[i].index)
    }

    /// L11: without its key a service ends when the app has entered the background.
    mutating func endUndeclaredServices(_ i: Int) {
        for service in apps[i].services where !apps[i].manifest.backgroundModes.contains(service.mode) {
            emit(.stopService(apps[i].index, service), cause: apps[i].cause)
            logAsked(i, .serviceStopped, .serviceUndeclared(key: service.mode.keys.joined()))
        }
        let modes = apps[i].manifest.backgroundModes
        apps[i].services.removeAll { !modes.contains($0.mode) }
    }

    mutating func perform(_ request: AppRequest, _ id: RequestID, of app: AppIndex) {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].process != .none else { return }
        switch request {
        case .openURL(let url): openURL(url, id, from: i)
        case .canOpenURL(let url):
            reply(i, id, .canOpen(handler(ofAppsURL: url) != nil))
        case .beginService(let service): begin(service, i, id)
        case .beginTask(let task, let name): beginTask(task, name: name, i, id)
        case .endTask(let task): endTask(task, i, id)
        case .backgroundTime: reply(i, id, .remaining(taskTime(i)))
        case .mechanism(let request): handle(request, i, id)
        case .complete(let window, let result): complete(window, result, i, id)
        case .setFetchInterval(let interval): setFetchInterval(interval, i, id)
        case .submitTask(let request): submit(request, i, id)
        case .cancelTask(let identifier): cancelTask(identifier, i, id)
        case .pendingTasks: reply(i, id, .pendingTasks(pendingTasks(app)))
        case .scene(let request): handle(request, i, id)
        case .keepScreenOn(let keeps): keepScreenOn(keeps, i, id)
        case .endService(let service):
            guard let place = apps[i].services.firstIndex(of: service) else {
                reply(i, id, .refused(.serviceNotRunning))
                return
            }
            apps[i].services.remove(at: place)
            if let kind = service.assertion { drop(i, kind) }
            reply(i, id, .done)
            touch(app)
        }
    }

    private mutating func begin(_ service: ServiceKind, _ i: Int, _ id: RequestID) {
        let isDeclared = apps[i].manifest.backgroundModes.contains(service.mode)
        guard isDeclared || (service.hasForegroundUse && apps[i].state.isForeground) else {
            reply(i, id, .refused(.missingBackgroundMode(service.mode.keys.joined())))
            return
        }
        if !apps[i].services.contains(service) {
            apps[i].services.append(service)
            if isDeclared, let kind = service.assertion { take(i, kind, name: kind.name) }
        }
        reply(i, id, .done)
        touch(apps[i].index)
    }

    mutating func reply(_ i: Int, _ id: RequestID, _ reply: AppReply) {
        emit(.reply(apps[i].index, id, reply), cause: apps[i].cause)
    }
}
