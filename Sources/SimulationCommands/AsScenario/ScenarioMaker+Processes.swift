internal import Model
internal import PolicyCore
internal import Simulation

// What processes did, and what they suffered.
extension ScenarioMaker {
    mutating func begin(_ generation: Generation, _ place: Int) {
        let (faults, since) = apps[place].before
        apps[place].before = ([], .zero)
        for fault in faults {
            if now - since < .milliseconds(100) {
                // It is launched again at once: in between, and before it is told anything.
                add(fault, at: now + .milliseconds(50))
            } else {
                add(fault, after: since + .milliseconds(50), before: now)
            }
        }
        apps[place].begin(generation, at: now)
    }

    private mutating func hang(_ kind: CallbackKind, _ place: Int, before moment: Span) {
        add(.hang(apps[place].name, kind), after: apps[place].returnedAt[kind] ?? .zero, before: moment)
    }

    /// In virtual time the end comes a moment earlier or later than it was recorded, so what led to it is taken back
    /// when nobody can notice any more.
    private mutating func takeBack(_ fault: Fault, _ place: Int) {
        apps[place].before.next.append(fault)
        apps[place].before.since = now
    }

    /// Good manners come back all at once.
    private mutating func recover(_ place: Int) {
        takeBack(.recover(apps[place].name), place)
        if apps[place].isTraced { takeBack(.debugger(apps[place].name, true), place) }
    }

    /// A delegate method that took much longer than it did at other times is told as one that hangs, and returns.
    mutating func noteSlowReturns() {
        for app in apps {
            for call in app.slowReturns(app.durations(exactInputs)) {
                add(.hang(app.name, call.kind), after: call.behavedUntil, before: call.deliveredAt)
                add(.recover(app.name), at: call.at)
                if call.wasTraced { add(.debugger(app.name, true), at: call.at) }
            }
        }
    }

    mutating func noteConnection(_ app: AppIndex, _ generation: Generation) {
        guard let place = present(app, generation) else { return }
        if let born = apps[place].bornAt, apps[place].launchedAt < born || apps[place].launches.isEmpty {
            apps[place].launches.append(ObservedApp.Launch(born: born, hello: now))
            apps[place].launchedAt = now
        }
        if let moment = apps[place].disconnectedAt { add(.disconnect(apps[place].name), at: moment) }
        apps[place].disconnectedAt = nil
        apps[place].isConnected = true
    }

    mutating func noteDisconnection(_ app: AppIndex, _ generation: Generation) {
        guard let place = present(app, generation) else { return }
        apps[place].disconnectedAt = now
    }

    mutating func noteLaunchFailure(_ app: AppIndex, _ generation: Generation) {
        guard let place = present(app, generation) else { return }
        let name = apps[place].name
        add(.launchFails(name, true), after: apps[place].launchedAt, before: apps[place].launchAskedAt)
        takeBack(.launchFails(name, false), place)
        apps[place].launchedAt = now
        apps[place].end(at: now)
    }

    mutating func noteTracer(_ app: AppIndex, _ generation: Generation, _ isTraced: Bool) {
        guard let place = present(app, generation) else { return }
        if isTraced != apps[place].isTraced {
            add(.debugger(apps[place].name, isTraced), after: apps[place].tracedAt, before: now)
        }
        apps[place].isTraced = isTraced
        apps[place].tracedAt = now
    }

    // MARK: Freezing

    mutating func noteFrozen(_ app: AppIndex, _ generation: Generation) {
        guard let place = present(app, generation) else { return }
        if apps[place].isUnfreezable {
            let asked = apps[place].freezeAskedAt ?? now
            add(.unfreezable(apps[place].name, false), at: Span(nanoseconds: asked.nanoseconds - 1_000_000))
        }
        apps[place].isUnfreezable = false
        apps[place].freezeAskedAt = nil
        apps[place].frozenAt = now
    }

    /// A step of a suspension took too long: the kernel could not stop the app.
    mutating func noteFailedFreezes(_ system: System) {
        for app in system.allApps {
            guard case .waiting = app.suspension, let place = place(app.index), let asked = apps[place].freezeAskedAt
            else { continue }
            apps[place].freezeAskedAt = nil
            guard !apps[place].isUnfreezable else { continue }
            add(.unfreezable(apps[place].name, true), after: apps[place].frozenAt, before: asked)
            apps[place].isUnfreezable = true
        }
    }

    // MARK: Ends

    mutating func noteEnd(_ app: AppIndex, _ generation: Generation, _ status: ExitStatus) {
        guard let place = present(app, generation), !apps[place].isEnding else { return }
        apps[place].ended = (status, now)
    }

    mutating func noteEndOfAll(_ app: AppIndex, _ generation: Generation) {
        guard let place = present(app, generation), let ended = apps[place].ended else { return }
        // The kernel tells one after the other, within moments.
        let othersLived = now - ended.at > .milliseconds(200)
        endByItself(place, othersLive: othersLived)
        if othersLived, !apps[place].isEnding { add(.endOthers(apps[place].name), at: now) }
    }

    /// It crashed, or it went by itself.
    private mutating func endByItself(_ place: Int, othersLive: Bool) {
        guard let ended = apps[place].ended else { return }
        apps[place].ended = nil
        let name = apps[place].name
        var moment = ended.at
        if let call = apps[place].presentCall {
            // Within a delegate method, which has to be under way in virtual time too.
            hang(call.callback.kind, place, before: call.at)
            moment = moment + .milliseconds(30)
            recover(place)
        }
        if othersLive {
            add(.leaveOthers(name, true), at: moment)
            takeBack(.leaveOthers(name, false), place)
        }
        switch ended.status {
        case .signaled(let signal): add(.crash(name, signal: signal), at: moment)
        case .outOfMemory: add(.starve(name), at: moment)
        case .exited(let status): add(.exit(name, status: status), at: moment)
        case .unknown: add(.exit(name, status: 0), at: moment)
        }
    }

    /// Why the system ended it, once nothing of it is left.
    mutating func noteTermination(_ reason: EndReason, _ place: Int) {
        let name = apps[place].name
        let call = apps[place].presentCall
        switch reason {
        case .exceeded(.callback, _), .exceeded(.launch, _):
            // One that never said hello is told as such when all its launches are known.
            if let call {
                hang(call.callback.kind, place, before: call.at)
                recover(place)
            }
        case .exceeded(.mainThread, _):
            // As late as it can have been: all that happened before went well.
            let asked = apps[place].askedAt - .milliseconds(500)
            add(.freezeMainThread(name), at: max(apps[place].behavedUntil + .milliseconds(1), asked))
            recover(place)
        case .exceeded(.termination, _):
            let asked = apps[place].askedToEndAt ?? now
            add(.ignoreTermination(name, true), after: apps[place].launchedAt, before: asked)
            takeBack(.ignoreTermination(name, false), place)
        case .tooManyProcesses(let count, _):
            let counted = max(apps[place].countedAt, apps[place].launchedAt)
            add(.fork(name, count), at: counted + .milliseconds(1))
            takeBack(.fork(name, 1), place)
        // When it took the lock, a recording does not say: before it was sent away.
        case .heldLock(let path):
            add(
                .input(.app(name, .lock(path))), after: apps[place].bornAt ?? apps[place].launchedAt,
                before: apps[place].askedToEndAt ?? now)
        // A scenario made of a recording has no memory to run short of: what is left of it is the end.
        case .memory, .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects, .filledDisk:
            add(.crash(name, signal: 9), at: apps[place].askedToEndAt ?? now)
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend, .ended, .failedToLaunch,
            .stray, .usedGPU:
            break
        // A scenario's app ends no task that it was not seen to end.
        case .exceeded(.tasks, _), .tasksNotEnded, .exceeded(.window, _), .windowNotCompleted: break
        }
        noteOutOfTheWay(place)
        if let call { apps[place].called.append(call.callback.kind) }
        if apps[place].isUnfreezable { takeBack(.unfreezable(name, false), place) }
        apps[place].isUnfreezable = false
        apps[place].end(at: now)
    }

    /// What hangs, or is half ended, when the recording is over.
    mutating func noteEndOfRecording() {
        for place in apps.indices {
            endByItself(place, othersLive: true)
            guard let call = apps[place].presentCall, now - call.at >= .seconds(1) else { continue }
            hang(call.callback.kind, place, before: call.at)
            apps[place].called.append(call.callback.kind)
            apps[place].outstanding = []
        }
    }
}
