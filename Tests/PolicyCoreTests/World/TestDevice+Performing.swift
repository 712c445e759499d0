import Model
import PolicyCore

// The host's part: performing effects, and refusing those that no host could perform.
extension TestDevice {
    func perform(_ action: Action) {
        switch action {
        case .log, .report: break
        case .sample(let app, let generation): change(app, generation, "sample") { _ in sampled.append(app) }
        case .reclaim(let app, let generation, let isFrozen):
            change(app, generation, "reclaim") {
                if isFrozen, $0.freezer != .frozen { fault("what runs is reclaimed as if it were frozen") }
                reclaimed.append(app)
            }
        case .senseMemory: sensings += 1
        case .measureDisk: measurings += 1
        case .emptyCaches(let app): emptied.append(app)
        case .launch(let app, let generation, _): launch(app, generation)
        case .deliver(let app, let generation, let callbacks):
            change(app, generation, "deliver") { deliver(callbacks, to: &$0) }
        case .check(let app, let generation, let pings):
            change(app, generation, "check") {
                if $0.freezer == .frozen { fault("a frozen app is looked at") }
                if pings, !$0.isConnected { fault("an app without connection is pinged") }
                $0.mustAnswerPing = $0.mustAnswerPing || (pings && $0.status == nil)
                $0.mustCount = true
            }
        case .checkTracer(let app, let generation):
            change(app, generation, "checkTracer") { $0.mustCheckTracer = true }
        case .prepare, .freeze, .verify, .thaw: performSuspension(action)
        case .setPriority(let app, let generation, let priority):
            change(app, generation, "setPriority") { $0.priority = priority }
        case .askToEnd(let app, let generation):
            change(app, generation, "askToEnd") {
                if $0.freezer != .running { fault("a frozen program is asked to end: it cannot hear it") }
                if !$0.isPlain { fault("an app that speaks the protocol is sent SIGTERM") }
                $0.mustEnd = true
            }
        case .kill(let app, let generation):
            change(app, generation, "kill") {
                $0.mustDie = true
                // A host that kills has no use for what it was about to do.
                $0.mustPrepare = false
                $0.mustVerify = false
            }
        case .expireTasks(let app, let generation, let expiration):
            change(app, generation, "expireTasks") {
                if $0.freezer != .running { fault("a frozen app is told to end its tasks") }
                if !$0.isConnected { fault("an app without connection is told to end its tasks") }
                expirations.append((app, expiration))
            }
        case .expireWindow(let app, let generation, let window, let left): hurry(app, generation, window, left)
        case .tellConditions(let app, let generation, let conditions):
            change(app, generation, "tellConditions") {
                if $0.freezer != .running { fault("a frozen app is told of changes") }
                if !$0.isConnected { fault("an app without connection is told of changes") }
                told.append((app, conditions))
            }
        case .mechanism(let incarnation, let action):
            change(incarnation.app, incarnation.generation, "\(action)") { perform(action, of: incarnation.app, &$0) }
        case .service(let action): toldServices.append(action)
        case .reply(_, let id, let reply):
            if replies.updateValue(reply, forKey: id) != nil { fault("request \(id) is answered twice") }
        case .answer(let id, let answer):
            if unanswered.remove(id) == nil { fault("command \(id) is answered and was not waiting") }
            answers[id] = answer
        case .halt:
            hasHalted = true
            if processes.contains(where: { $0 != nil }) { fault("the system halts while something runs") }
            if !unanswered.isEmpty { fault("the system halts and leaves \(unanswered) unanswered") }
        }
    }

    private func perform(_ action: MechanismAction, of app: AppIndex, _ process: inout FakeProcess) {
        switch action {
        case .sockets(.guardListeners(let wakes)):
            if process.freezer != .frozen { fault("the listeners of an app that runs are guarded") }
            process.isGuarded = true
            process.isWoken = wakes
        case .sockets(.look): process.mustShowSockets = true
        case .sockets(.closeConnections):
            if process.freezer != .frozen { fault("the connections of an app that runs are closed") }
            process.connections = 0
        case .snapshots(.take):
            if process.freezer != .running { fault("a frozen app is asked for a snapshot") }
            if !process.isConnected { fault("an app without connection is asked for a snapshot") }
            snapshots.append(app)
        }
    }

    private func launch(_ app: AppIndex, _ generation: Generation) {
        let i = Int(app.rawValue)
        if let old = processes[i] { fault("\(app) is launched while generation \(old.generation) exists") }
        let isPlain = system.app(app)?.isPlain ?? false
        processes[i] = FakeProcess(generation: generation, pid: newPID(), isPlain: isPlain)
        launches += 1
    }

    private func performSuspension(_ action: Action) {
        switch action {
        case .prepare(let app, let generation):
            change(app, generation, "prepare") {
                checkMaySuspend(app, $0)
                $0.mustPrepare = true
            }
        case .freeze(let app, let generation):
            change(app, generation, "freeze") {
                checkMaySuspend(app, $0)
                if $0.mustPrepare { fault("\(app) is frozen before it is prepared") }
                // Also one that is frozen already is confirmed anew.
                $0.freezer = .freezing
            }
        case .verify(let app, let generation):
            change(app, generation, "verify") {
                checkMaySuspend(app, $0)
                if $0.freezer != .frozen { fault("\(app) is verified and not frozen") }
                $0.mustVerify = true
            }
        case .thaw(let app, let generation):
            thaws += 1
            change(app, generation, "thaw") {
                // A thaw takes back what was asked for before it; nothing of that is answered any more.
                $0.freezer = .running
                $0.mustPrepare = false
                $0.mustVerify = false
                $0.isGuarded = false
                $0.accept(behaviours[Int(app.rawValue)])
            }
        default: break
        }
    }

    private func hurry(_ app: AppIndex, _ generation: Generation, _ window: WindowID, _ left: Model.Span) {
        change(app, generation, "expireWindow") {
            if $0.freezer != .running { fault("a frozen app is told to hurry") }
            if !$0.isConnected { fault("an app without connection is told to hurry") }
            expiredWindows.append((app, window, left))
        }
    }

    private func checkMaySuspend(_ app: AppIndex, _ process: FakeProcess) {
        if system.isVisible(app) { fault("\(app) is suspended on screen") }
        if process.mustDie { fault("\(app) is suspended while it is being killed") }
        if process.isConnected, !process.queue.isEmpty { fault("\(app) is suspended inside a callback") }
    }

    private func change(_ app: AppIndex, _ generation: Generation, _ what: String, _ body: (inout FakeProcess) -> Void)
    {
        let i = Int(app.rawValue)
        guard i < processes.count, var process = processes[i] else {
            return fault("\(what) \(app): there is no process")
        }
        guard process.generation == generation else { return fault("\(what) \(app): generation \(generation) is gone") }
        body(&process)
        processes[i] = process
    }

    private func deliver(_ callbacks: [Callback], to process: inout FakeProcess) {
        if !process.isConnected { fault("a callback to an app without connection") }
        if process.freezer != .running { fault("a callback to an app that is frozen") }
        if process.mustDie { fault("a callback to an app that is being killed") }
        if callbacks.isEmpty { fault("an empty delivery") }
        guard process.status == nil else { return }
        for callback in callbacks {
            if callback.number <= process.received {
                // PROTOCOL 2.2: executed: answered again; still running: answered when it returns.
                if let executed = process.executed, callback.number <= executed {
                    process.repeatedAnswers.append(callback.number)
                }
                continue
            }
            if callback.number.rawValue != process.received.rawValue + 1 { fault("\(callback) leaves a number out") }
            process.received = callback.number
            process.queue.append(callback)
        }
    }
}
