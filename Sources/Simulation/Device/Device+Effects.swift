internal import Model
internal import PolicyCore

// The host's part: telling the Core, and doing what it says.
extension Device {
    func send(_ event: Event) {
        guard daemon == .running else { return }
        eventCount += 1
        if rates.daemonCrash > 0, effectsUntilDeath == nil, random.chance(perMille: rates.daemonCrash) {
            effectsUntilDeath = (random.below(4), random.span(.milliseconds(20), .seconds(3)))
        }
        journal.append(event, at: now, before: system)
        let effects = system.handle(event, at: now)
        observer?(event, effects)
        note(effects)
        if checksInvariants {
            // With very many apps the run would take a time that grows with the square of their number.
            let looksAtAll = eventCount % max(1, apps.count / 256) == 0
            if looksAtAll { for broken in system.ask({ $0.brokenInvariants() }) { violate(broken) } }
            checkers.check(event, effects, on: self, looksAtAll: looksAtAll)
        }
        let death = effectsUntilDeath
        effectsUntilDeath = nil
        for (number, effect) in effects.enumerated() {
            if let death, number >= death.effects { break }
            perform(effect.action)
        }
        if !effects.isEmpty { noteScreen() }
        if let death { return killDaemon(downFor: death.downFor) }
        if !effects.isEmpty { noteActivities() }
    }

    /// Log and reports are what the Core decided, whether or not the daemon lived to do the rest: a new one writes them
    /// again.
    private func note(_ effects: [Effect]) {
        for effect in effects {
            switch effect.action {
            case .log(let entry): log.append(entry)
            case .report(let facts): reports.append(facts)
            case .service(.ended(let service, let incarnation, let hold)): noteOver(service, incarnation, hold)
            default: continue
            }
        }
    }

    private func perform(_ action: Action) {
        switch action {
        case .report: break
        case .log(let entry):
            noteForServices(entry)
            noteForMechanisms(entry)
            noteForDisk(entry)
        case .launch(let app, let generation, let isBackground): launch(app, generation, isBackground: isBackground)
        case .deliver(let app, let generation, let callbacks):
            change(app, generation, "deliver") { place in deliver(callbacks, place) }
        case .check(let app, let generation, let pings):
            change(app, generation, "check") { place in
                if apps[place].process?.isFrozen == true { violate("a frozen app is looked at") }
                if pings { after(costs.message, place) { .ping(connection: $0.connection) } }
                after(costs.tracer, place) { _ in .count }
            }
        case .checkTracer(let app, let generation):
            change(app, generation, "checkTracer") { after(costs.tracer, $0) { _ in .tracer } }
        case .prepare(let app, let generation): prepare(app, generation)
        case .freeze(let app, let generation): freeze(app, generation)
        case .verify(let app, let generation): verify(app, generation)
        case .thaw(let app, let generation): change(app, generation, "thaw") { thaw($0, byDaemon: true) }
        case .setPriority(let app, let generation, let priority):
            change(app, generation, "setPriority") { apps[$0].process?.priority = priority }
        case .mechanism(let incarnation, let action):
            change(incarnation.app, incarnation.generation, "\(action)") { perform(action, $0) }
        case .askToEnd(let app, let generation):
            change(app, generation, "askToEnd") { after(costs.kill, $0) { _ in .terminate } }
        case .kill(let app, let generation):
            change(app, generation, "kill") { place in
                checkChoice(place)
                apps[place].process?.isDying = true
                after(costs.kill, place) { _ in .die }
            }
        case .sample(let app, let generation):
            change(app, generation, "sample") { after(costs.sample, $0) { _ in .sample } }
        case .reclaim(let app, let generation, let isFrozen):
            change(app, generation, "reclaim") { place in
                let process = apps[place].process
                if isFrozen, process?.isFrozen != true, process?.isThawedFromOutside != true {
                    violate("\(apps[place].script.name) runs and is reclaimed")
                }
                after(costs.reclaim, place) { _ in .reclaim }
            }
        case .senseMemory: queue.insert(.memoryChanged, at: now + random.draw(costs.news))
        case .measureDisk, .emptyCaches: performOnDisk(action)
        case .expireTasks(let app, let generation, let expiration):
            change(app, generation, "expireTasks") { place in
                if apps[place].process?.freezer != .running { violate("a frozen app is told to end its tasks") }
                after(costs.message, place) { .expire(expiration, connection: $0.connection) }
            }
        case .expireWindow(let app, let generation, let window, _):
            change(app, generation, "expireWindow") { hurry(window, $0) }
        case .tellConditions(let app, let generation, let conditions):
            change(app, generation, "tellConditions") { tell(conditions, $0) }
        case .service(let action): perform(action)
        case .reply(let app, let id, let reply): answer(app, id, reply)
        case .answer(let id, let answer):
            // Until it has adopted, a new daemon may answer tools of the dead one, whose connections are gone.
            if orphaned.contains(id) { return }
            if unanswered.remove(id) == nil { violate("command \(id.rawValue) is answered and was not waiting") }
            answers[id] = (answer, now)
            if checksInvariants { checkers.answered(id, answer, on: self) }
        case .halt: halt()
        }
    }

    /// Schedules a step of an app's process after a time that is drawn.
    func after(_ cost: Costs.Range, _ place: Int, _ step: (SimulatedProcess) -> ProcessStep) {
        guard let (delay, next) = apps[place].process?.draw(cost, step) else { return }
        at(now + delay, place, next)
    }

    func at(_ moment: Instant, _ place: Int, _ step: ProcessStep) {
        guard let (generation, due) = apps[place].process?.schedule(step.way, max(moment, now)) else { return }
        queue.insert(.process(place, generation, step), at: due)
    }

    /// What the Core asks for must concern a process that is; anything else no host could do.
    private func change(
        _ app: AppIndex, _ generation: Generation, _ what: @autoclosure () -> String, _ body: (Int) -> Void
    ) {
        guard let place = place(of: app), let present = generationOfProcess(place) else {
            return violate("\(what()) for \(name(of: app)), which has no process")
        }
        guard present == generation else {
            return violate("\(what()) for generation \(generation.rawValue) of \(name(of: app)), which is gone")
        }
        body(place)
    }

    private func launch(_ app: AppIndex, _ generation: Generation, isBackground: Bool) {
        guard let place = place(of: app) else { return violate("launch of an app that is not installed") }
        if apps[place].process != nil { violate("\(apps[place].script.name) is launched while it runs") }
        let number = UInt64(apps[place].attempts)
        apps[place].attempts += 1
        var process = SimulatedProcess(
            generation: generation, pid: newPID(), isPlain: system.app(app)?.isPlain ?? false,
            manners: apps[place].manners,
            random: SplitMix64(seed: seed, for: Stable.hash(apps[place].script.name), number))
        if process.manners.launchFailure == nil, process.random.chance(perMille: rates.launchFailure) {
            process.manners.launchFailure = LaunchFailure(
                stage: "execve", errorNumber: 12, message: "Cannot allocate memory")
        }
        apps[place].process = process
        if isBackground { beginGPUVisit(place, isBirth: true) }
        after(costs.spawn, place) { _ in .start }
    }

    // MARK: Suspension

    private func prepare(_ app: AppIndex, _ generation: Generation) {
        change(app, generation, "prepare") { place in
            checkMaySuspend(place)
            if apps[place].process?.mustDraw == true {
                apps[place].process?.holdsFreeze = true
            } else {
                after(costs.prepare, place) { .prepared($0.suspension) }
            }
        }
    }

    private func suspend(
        _ app: AppIndex, _ generation: Generation, _ cost: Costs.Range,
        _ step: (SimulatedProcess) -> ProcessStep
    ) {
        change(app, generation, "suspension") { place in
            checkMaySuspend(place)
            after(cost, place, step)
        }
    }

    private func freeze(_ app: AppIndex, _ generation: Generation) {
        change(app, generation, "freeze") { place in
            checkMaySuspend(place)
            // Also one that is frozen already is confirmed anew.
            if apps[place].process?.isFrozen == false { apps[place].process?.freezer = .freezing }
            if apps[place].process?.manners.canFreeze == true { after(costs.freeze, place) { .frozen($0.suspension) } }
        }
    }

    /// What the app sent before it froze is read first.
    private func verify(_ app: AppIndex, _ generation: Generation) {
        change(app, generation, "verify") { place in
            checkMaySuspend(place)
            guard var process = apps[place].process else { return }
            let done = now + process.random.draw(costs.verify)
            apps[place].process = process
            // A message that takes longer is not in the socket yet.
            let last = min(process.lastFromApp, now + .milliseconds(100))
            apps[place].process?.isLateToSpeak = last < process.lastFromApp
            at(max(done, last), place, .verified(process.suspension))
        }
    }

    private func checkMaySuspend(_ place: Int) {
        guard let process = apps[place].process, let index = apps[place].index else { return }
        let name = apps[place].script.name
        if system.isVisible(index) { violate("\(name) is suspended while it is on screen") }
        if process.isDying { violate("\(name) is suspended while it is being killed") }
        if process.isConnected, process.status == nil, !process.pendingCallbacks.isEmpty {
            violate("\(name) is suspended inside a callback")
        }
    }

    /// Lets the app run again; whatever of a suspension was asked for before is taken back.
    func thaw(_ place: Int, byDaemon: Bool) {
        guard var process = apps[place].process else { return }
        let wasFrozen = process.isFrozen
        process.freezer = .running
        if byDaemon {
            process.suspension += 1
            process.holdsFreeze = false
        }
        process.isThawedFromOutside = !byDaemon && (wasFrozen || process.isThawedFromOutside)
        apps[place].process = process
        if wasFrozen {
            wake(place)
            speakAfterThaw(place)
        }
    }

    // MARK: Messages to apps

    private func deliver(_ callbacks: [Callback], _ place: Int) {
        guard let process = apps[place].process else { return }
        let name = apps[place].script.name
        if callbacks.isEmpty { violate("an empty delivery to \(name)") }
        if process.freezer != .running { violate("a callback to \(name), which is frozen") }
        if process.isDying { violate("a callback to \(name), which is being killed") }
        if callbacks.contains(where: { $0.kind == .willEnterForeground }) { forgetGPU(place) }
        // A connection that broke a moment ago: the message is lost with it.
        after(costs.message, place) { .arrive(callbacks, connection: $0.connection) }
    }

    private func answer(_ app: AppIndex, _ id: RequestID, _ reply: AppReply) {
        guard let place = place(of: app) else { return }
        if case .refused(let refusal) = reply {
            apps[place].refusal = refusal.sentence
        } else {
            apps[place].refusal = nil
        }
        (apps[place].hasReply, apps[place].lastReply) = (true, reply)
        guard let number = apps[place].process?.requests.firstIndex(where: { $0.id == id }),
            let request = apps[place].process?.requests.remove(at: number).request
        else { return }
        answerTask(request, reply, place)
        apps[place].program?.answered(id, reply)
    }

    private func halt() {
        for app in apps where app.process != nil { violate("the system halts while \(app.script.name) runs") }
        if !unanswered.isSubset(of: undelivered) { violate("the system halts and leaves commands unanswered") }
        daemon = .off
        endServices()
    }
}

/// Hashes that are the same in every process and build.
package enum Stable {
    /// FNV-1a.
    package static func hash(_ text: String) -> UInt64 { hash(text.utf8) }

    package static func hash(_ bytes: some Sequence<UInt8>, from start: UInt64 = 0xcbf2_9ce4_8422_2325) -> UInt64 {
        var hash = start
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
