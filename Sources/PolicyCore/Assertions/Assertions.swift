internal import Model

// Assertions: taking and dropping them, standing assertions (exemptions, graphical programs), and requests by apps.
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

    mutating func perform(_ request: AppRequest, _ id: RequestID, of app: AppIndex) {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].process != .none else { return }
        switch request {
        case .openURL(let url): openURL(url, id, from: i)
        case .canOpenURL(let url):
            reply(i, id, .canOpen(handler(ofAppsURL: url) != nil))
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
        }
    }

    mutating func reply(_ i: Int, _ id: RequestID, _ reply: AppReply) {
        emit(.reply(apps[i].index, id, reply), cause: apps[i].cause)
    }
}
