internal import Model

/// A tool's command that is answered when something is true.
struct Waiter: Hashable, Codable {
    enum Condition: Hashable, Codable {
        /// Active.
        case active(AppIndex)
        /// Active, and has been handed its URLs.
        case handedOver(AppIndex)
        /// All are off the screen, `didEnterBackground` returned.
        case left([AppIndex])
        /// All are where the screen wants them.
        case screenSettled([AppIndex])
        case gone(AppIndex)
        case shutDown
        /// The fetch that it was woken for is over.
        case fetched(AppIndex)
    }
    var id: CommandID
    var condition: Condition
}

extension System {
    mutating func answer(_ id: CommandID, _ answer: Answer) { answers.append(Effect(.answer(id, answer), cause: root)) }

    /// Answers when the condition holds, or at once if the tool does not wait.
    mutating func answer(_ id: CommandID, when condition: Waiter.Condition, waits: Bool) {
        if waits {
            waiters.append(Waiter(id: id, condition: condition))
        } else {
            answer(id, .done(app: nil))
        }
    }

    mutating func settleWaiters() {
        var next = 0
        while next < waiters.count {
            let waiter = waiters[next]
            if let outcome = outcome(waiter.condition) {
                waiters.remove(at: next)
                answer(waiter.id, outcome)
            } else {
                next += 1
            }
        }
    }

    /// What there is to answer; `nil` while it has to wait.
    @inline(__always)
    private func outcome(_ condition: Waiter.Condition) -> Answer? {
        switch condition {
        case .active(let app): return shown(app) { !$0.callback.kind.leadsToState }
        case .handedOver(let app): return shown(app) { _ in false }
        case .left(let left):
            for app in left where !isOffScreen(Int(app.rawValue)) { return nil }
            return .done(app: nil)
        case .screenSettled(let shown):
            for app in shown where !isWhereTheScreenWants(Int(app.rawValue)) { return nil }
            return .done(app: nil)
        case .gone(let app):
            return apps[Int(app.rawValue)].process == .none ? .done(app: app) : nil
        case .shutDown: return nil
        case .fetched(let app): return fetched(Int(app.rawValue))
        }
    }

    /// Who is opened meanwhile may take as long as it likes.
    private func fetched(_ i: Int) -> Answer? {
        guard apps[i].windows.holds(.fetch) || apps[i].wake.afterEnd != nil else { return .done(app: apps[i].index) }
        guard presence(i) != .hidden, apps[i].windows.holds(.fetch) else { return nil }
        return .overtaken(.notWoken(apps[i].manifest.name, .onScreen))
    }

    /// `isIrrelevant`: what may be under way all the same.
    @inline(__always)
    private func shown(_ app: AppIndex, _ isIrrelevant: (OutstandingCallback) -> Bool) -> Answer? {
        let i = Int(app.rawValue)
        if apps[i].$ending, apps[i].ending?.relaunches == true { return nil }
        guard presence(i) == .active else {
            return .overtaken(.leftTheScreen(apps[i].manifest.name))
        }
        let isThere = apps[i].state == .active && apps[i].process == .alive && !apps[i].$ending
        guard isThere else { return nil }
        return apps[i].outstanding.isEmpty || apps[i].outstanding.allSatisfy(isIrrelevant) ? .done(app: app) : nil
    }

    @inline(__always)
    private func isOffScreen(_ i: Int) -> Bool {
        // Somebody brought it back: it will not be off the screen any more.
        apps[i].role != nil || !apps[i].state.isForeground
    }

    @inline(__always)
    private func isWhereTheScreenWants(_ i: Int) -> Bool {
        if apps[i].process == .none { return true }
        // An app that is being ended has to be off a screen that hides it, and nothing else.
        if apps[i].$ending { return presence(i) != .hidden || !apps[i].state.isForeground }
        guard apps[i].process == .alive, apps[i].outstanding.isEmpty else { return false }
        switch presence(i) {
        case .active: return apps[i].state == .active
        case .inactive: return apps[i].state == .inactive
        case .hidden: return !apps[i].state.isForeground
        }
    }

    /// No fetch comes any more: who waited for it learns why.
    mutating func overtakeFetch(of app: AppIndex, _ why: Refusal) {
        for waiter in waiters where waiter.condition == .fetched(app) { answer(waiter.id, .overtaken(why)) }
        waiters.removeAll { $0.condition == .fetched(app) }
    }

    /// The app ended: who waited for that has it, and who waited for it to be on screen learns why it will not be.
    mutating func endWaiters(of app: AppIndex, _ reason: EndReason) {
        guard !waiters.isEmpty else { return }
        let i = Int(app.rawValue)
        // Now, not when the event is settled: then it may have been launched again.
        for waiter in waiters where waiter.condition == .gone(app) { answer(waiter.id, .done(app: app)) }
        waiters.removeAll { $0.condition == .gone(app) }
        guard apps[i].role == nil else { return }
        let sentence = reason.sentence(name: apps[i].manifest.name, state: apps[i].state)
        let conditions: [Waiter.Condition] = [.active(app), .handedOver(app)]
        for waiter in waiters where conditions.contains(waiter.condition) {
            answer(waiter.id, .overtaken(.ended(sentence)))
        }
        waiters.removeAll { conditions.contains($0.condition) }
    }

    // MARK: Down

    mutating func shutDown(_ id: CommandID, reboots: Bool) {
        answer(id, when: .shutDown, waits: true)
        mayBeDown = true
        guard !isShuttingDown else { return }
        logRoot(.shutDown, .systemShutDown)
        isShuttingDown = true
        rebootsWhenDown = reboots
        for i in apps.indices {
            forgetScreen(i)
            guard apps[i].process != .none else { continue }
            apps[i].cause = root
            apps[i].ending?.relaunches = false
            end(i, .systemShutdown)
        }
    }

    /// Goes on to the halt, or the next boot, once everything is down.
    mutating func continueShutdown() {
        mayBeDown = false
        guard isShuttingDown, apps.allSatisfy({ $0.process == .none }) else { return }
        for waiter in waiters where waiter.condition == .shutDown { answer(waiter.id, .done(app: nil)) }
        waiters.removeAll { $0.condition == .shutDown }
        if rebootsWhenDown { boot() } else { halts = true }
    }
}
