package import Model
package import PolicyCore

// An app's main thread: one thing after another, as far as the app runs.
extension Device {
    /// Callbacks come in; those that were executed before are answered again (PROTOCOL, 2.2).
    func arrive(_ callbacks: [Callback], _ place: Int) {
        guard var process = apps[place].process, process.status == nil else { return }
        for callback in callbacks {
            if callback.number <= process.received {
                if let executed = process.executed, callback.number <= executed {
                    apps[place].process = process
                    after(costs.message, place) { .reply(callback.number, connection: $0.connection) }
                    process = apps[place].process ?? process
                }
                continue
            }
            if callback.number.rawValue != process.received.rawValue + 1 {
                violate("\(apps[place].script.name): callback \(callback.number.rawValue) leaves a number out")
            }
            process.received = callback.number
            process.main.append(.callback(callback))
        }
        apps[place].process = process
        proceed(place)
    }

    func enqueue(_ item: SimulatedProcess.MainItem, _ place: Int) {
        apps[place].process?.main.append(item)
        proceed(place)
    }

    /// Begins what is next, if the thread is free and may run.
    func proceed(_ place: Int) {
        while let (item, generation) = apps[place].process?.nextItem() {
            guard let duration = begin(item, place) else {
                // It hangs.
                apps[place].process?.work = SimulatedProcess.Work(ends: nil)
                return
            }
            // What it did may have ended it.
            guard generationOfProcess(place) == generation, apps[place].process?.ask({ $0.status == nil }) == true
            else { return }
            if duration == .zero, !item.isCallback {
                finish(place)
                continue
            }
            beginWork(place, ends: now + duration)
            return
        }
    }

    private func beginWork(_ place: Int, ends: Instant) {
        guard var process = apps[place].process else { return }
        process.workNumber += 1
        process.work = SimulatedProcess.Work(ends: ends)
        let number = process.workNumber
        apps[place].process = process
        at(ends, place, .workEnds(number))
    }

    /// How long the item takes; `nil`: it never returns by itself.
    private func begin(_ item: SimulatedProcess.MainItem, _ place: Int) -> Span? {
        switch item {
        case .callback(let callback): return begin(callback, place)
        case .block(let span): return span
        case .ping, .reply: return .zero
        case .action(let action):
            if case .block(let span) = action { return span }
            act(action, place)
            return .zero
        case .timer(let number):
            apps[place].program?.timerFired(number)
            return .zero
        case .expiration(let expiration): return runExpiration(expiration, place)
        case .conditions(let conditions):
            hear(conditions, place)
            return .zero
        case .snapshot:
            draw(place)
            return .zero
        case .windowExpiration(let window): return runExpiration(window, place)
        case .service(let message):
            hear(message, place)
            return .zero
        }
    }

    private func begin(_ callback: Callback, _ place: Int) -> Span? {
        guard var process = apps[place].process else { return nil }
        let script = apps[place].script
        apps[place].calls.append(SimulatedApp.Call(kind: callback.kind, at: now, callback: callback))
        checkers.called(callback, place, on: self)
        if process.manners.hangsIn.contains(callback.kind) { return nil }
        if process.random.chance(perMille: rates.hang) { return nil }
        if process.random.chance(perMille: rates.crash) {
            end(place, .signaled(11), others: process.manners.leavesOthers)
            return .zero
        }
        var duration: Span
        if let program = apps[place].program {
            if let window = callback.window { process.windows.append(window) }
            apps[place].process = process
            switch program.call(callback) {
            case .hangs: return nil
            case .returned(let span): return span
            }
        } else if let given = script.callbackTimes[callback.kind] {
            duration = given
        } else {
            duration = process.random.draw(costs.callback)
        }
        apps[place].process = process
        compute(duration, place)
        if let window = callback.window { apps[place].process?.windows.append(window) }
        if callback.kind == .willEnterForeground { apps[place].process?.isTimeOver = false }
        if callback.kind == .didReceiveMemoryWarning { release(place) }
        for action in script.reactions[callback.kind] ?? [] {
            if case .block(let span) = action { duration = duration + span } else { act(action, place) }
            if apps[place].process?.status != nil { return .zero }
        }
        return duration
    }

    func endWork(_ place: Int) {
        guard apps[place].process?.work != nil, apps[place].process?.freezer != .frozen else { return }
        apps[place].process?.work = nil
        finish(place)
        proceed(place)
    }

    /// The first item of the main thread is done.
    private func finish(_ place: Int) {
        guard let (item, isConnected) = apps[place].process?.takeItem() else { return }
        switch item {
        case .callback(let callback):
            apps[place].process?.executed = callback.number
            reply(callback.number, place)
        case .reply(let number):
            if isConnected { after(costs.message, place) { .reply(number, connection: $0.connection) } }
        case .ping:
            if isConnected { after(costs.message, place) { .pong(connection: $0.connection) } }
        case .block, .action, .timer, .expiration, .conditions, .snapshot, .windowExpiration, .service: break
        }
    }

    private func reply(_ number: CallbackNumber, _ place: Int) {
        guard var process = apps[place].process, process.isConnected else { return }
        let isLost = process.losesNextReply || process.random.chance(perMille: rates.lostReply)
        var delay = process.manners.replyDelay
        if process.random.chance(perMille: rates.lateReply) {
            delay = delay + process.random.span(.milliseconds(100), .seconds(8))
        }
        process.losesNextReply = false
        delay = delay + process.random.draw(costs.message)
        let isRepeated = process.random.chance(perMille: rates.repeatedReply)
        let later = isRepeated ? process.random.span(.milliseconds(1), .seconds(2)) : .zero
        apps[place].process = process
        guard !isLost else { return disconnect(place) }
        at(now + delay, place, .reply(number, connection: process.connection))
        if isRepeated { at(now + delay + later, place, .timer(.reply(number))) }
    }

    // MARK: Frozen and thawed

    func stopWork(_ place: Int) {
        guard var process = apps[place].process else { return }
        process.freezer = .frozen
        if let ends = process.work?.ends { process.work?.left = ends - now }
        process.workNumber += 1
        apps[place].process = process
        noteFreezer(place, isFrozen: true)
    }

    /// It runs again: it goes on with what it was at, timers that are overdue fire at once, and a connection that broke
    /// meanwhile is noticed.
    func wake(_ place: Int) {
        guard var process = apps[place].process else { return }
        let (late, left) = (process.lateTimers, process.work?.left)
        process.lateTimers = []
        process.main += late
        apps[place].process = process
        noteFreezer(place, isFrozen: false)
        retryLocks(place)
        releaseListeners(place)
        refill(place)
        if process.mustConnect { after(costs.reconnect, place) { _ in .connect } }
        if let left { beginWork(place, ends: now + left) } else { proceed(place) }
    }

    /// A timer is due; in a frozen app, once it runs again.
    func fire(_ item: SimulatedProcess.MainItem, _ place: Int) {
        guard let process = apps[place].process, process.status == nil else { return }
        if process.isFrozen {
            apps[place].process?.lateTimers.append(item)
        } else {
            enqueue(item, place)
        }
    }

    // MARK: What apps do by themselves

    func act(_ action: AppAction, _ place: Int) {
        guard let process = apps[place].process, process.status == nil, !process.isStarting else { return }
        switch action {
        case .beginTask(let name): beginTask(name, place)
        case .endTask(let name): endTask(named: name, place)
        case .endInvalidTask: request(.endTask(.invalid), place)
        case .askBackgroundTime: request(.backgroundTime, place)
        case .openURL(let url): request(.openURL(url), place)
        case .canOpenURL(let url): request(.canOpenURL(url), place)
        case .activateScene(let scene): request(.scene(.activate(scene, wish: 0)), place)
        case .destroyScene(let scene): request(.scene(.destroy(scene)), place)
        case .exit(let status): end(place, .exited(status), others: process.manners.leavesOthers)
        case .crash(let signal): end(place, .signaled(signal), others: process.manners.leavesOthers)
        case .block(let span): enqueue(.block(span), place)
        case .fork(let count): apps[place].process?.manners.processCount = count
        case .work(let span): compute(span, place)
        case .transfer(let bytes): transfer(bytes, place)
        case .allocate(let bytes): allocate(bytes, place)
        case .write(let bytes, let isCache): write(bytes, isCache: isCache, place)
        case .lock(let file): lock(file, place)
        case .unlock(let file): unlock(file, place)
        case .listen(let name):
            if !process.sockets.listeners.contains(name) { apps[place].process?.sockets.listeners.append(name) }
        case .grabInput(let grabs): apps[place].process?.sockets.grabsInput = grabs
        case .provideSnapshots(let provides): request(.mechanism(.snapshots(.provide(provides))), place)
        case .refreshSnapshot: request(.mechanism(.snapshots(.refresh)), place)
        case .useGPU: useGPU(place)
        case .complete(let service, let result): complete(service, result, place)
        case .setFetchInterval(let interval): request(.setFetchInterval(interval), place)
        case .submitTask(let kind, let identifier, let span, let need):
            submit(kind, identifier, after: span, needs: need, place)
        case .cancelTask(let identifier): request(.cancelTask(identifier), place)
        case .use(let part): use(part, place)
        case .leave(let part): leave(part, place)
        case .ask(let service, let words): ask(service, words, place)
        case .after(let span, let action): at(now + span, place, .timer(.action(action)))
        }
    }

    /// Sends a request to the system as the app. `Program.answered` receives the reply.
    @discardableResult
    package func request(_ request: AppRequest, _ place: Int) -> RequestID? {
        // A plain program has nobody to ask.
        guard let process = apps[place].process, !process.isPlain, process.status == nil else { return nil }
        let id = RequestID(nextRequest)
        nextRequest += 1
        apps[place].process?.requests.append((id, request))
        if process.isConnected { after(costs.message, place) { .ask(id, request, connection: $0.connection) } }
        return id
    }

    /// The answer to a question that changes nothing, at once: for a main thread that waits for it.
    package func answer(_ question: AppRequest, _ place: Int) -> AppReply? {
        guard let app = apps[place].index, daemon == .running else { return nil }
        let id = RequestID(nextRequest)
        // A copy of the Core is asked, so that nothing that happens is interrupted.
        var copy = system
        // What it said before is heard before.
        for (asked, request) in apps[place].process?.requests ?? [] {
            _ = copy.handle(.request(app, asked, request), at: now)
        }
        for effect in copy.handle(.request(app, id, question), at: now) {
            if case .reply(app, id, let reply) = effect.action { return reply }
        }
        return nil
    }

    /// What an app's thread may do at this moment.
    package enum Readiness { case ready, busy, frozen, gone }

    /// Whether the app's main thread would deal with something now.
    package func readiness(_ place: Int) -> Readiness {
        guard let process = apps[place].process, process.status == nil else { return .gone }
        return process.isFrozen ? .frozen : process.work == nil ? .ready : .busy
    }

    /// Calls `Program.timerFired` of the app's present process at a moment.
    package func addTimer(_ number: UInt64, at moment: Instant, _ place: Int) {
        at(moment, place, .timer(.timer(number)))
    }
}

extension SimulatedProcess.MainItem {
    var isCallback: Bool {
        if case .callback = self { true } else { false }
    }
}
