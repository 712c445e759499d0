internal import Model
internal import PolicyCore

// Why apps end, and what it must look like; and that what should end, does.
extension Checkers {
    func checkEnd(
        _ place: Int, _ reason: EndReason, _ state: LifecycleState, _ entry: LogEntry, _ effects: [Effect],
        _ device: Device
    ) {
        let name = device.apps[place].script.name
        let reports = effects.compactMap { effect in
            if case .report(let facts) = effect.action, facts.sequence == entry.sequence { facts } else { nil }
        }
        let wantsReport = Self.isAbnormal(reason)
        if wantsReport != (reports.count == 1) {
            device.violate("\(name) ended (\(entry.reason.sentence)) with \(reports.count) reports")
        }
        for report in reports where report.code != code(of: reason) {
            device.violate("\(name) ended (\(entry.reason.sentence)) with code \(report.code)")
        }
        // Every process of this world tells how it ended.
        if case .ended(.unknown) = reason { device.violate("\(name) is said to have ended, and nothing did") }
        let heard = watch(place).heardTermination
        // L6: nothing is told to what is suspended.
        if state == .suspended, heard { device.violate("\(name) was suspended, and heard willTerminate") }
        let isOrdered: Bool =
            switch reason {
            case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend: true
            case .exceeded, .tooManyProcesses, .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects, .ended,
                .failedToLaunch, .stray,
                .memory, .heldLock, .tasksNotEnded, .usedGPU, .windowNotCompleted, .filledDisk:
                false
            }
        let isApp = device.apps[place].script.manifest.kind == .application
        // One that ended by itself meanwhile, or was not there yet, has nothing to hear.
        let wasKilled = [.signaled(9), .outOfMemory].contains(device.apps[place].lastStatus)
        if isOrdered, isApp, wasKilled, state != .suspended, !heard, watch(place).hasLaunched {
            device.violate("\(name) was \(state.name) when its end was decided, and heard no willTerminate")
        }
        checkLimit(place, reason, device)
        checkLockEnd(place, reason, device)
        checkGPUEnd(place, reason, device)
        checkTaskEnd(place, reason, device)
        checkWindowEnd(place, reason, device)
    }

    /// The app that was opened for a URL has been given it.
    func checkOpened(_ url: String, _ answer: Answer, since: Instant, _ device: Device) {
        guard case .done(let app?) = answer, let place = device.place(of: app),
            device.apps[place].process?.isPlain == false
        else { return }
        let isGiven = device.apps[place].calls.reversed().prefix { $0.at >= since }.contains { call in
            call.kind == .openURL && call.callback.options.url == url
        }
        if !isGiven {
            device.violate("\(device.apps[place].script.name) is said to have \(url) open, and was not given it")
        }
    }

    /// Nothing that the app said before it froze may be unheard.
    func checkSuspended(_ place: Int, _ device: Device) {
        checkSuspendedLocks(place, device)
        checkGrabbedInput(place, device)
        checkSuspendedServer(place, device)
        guard let process = device.apps[place].process, process.isConnected, process.lastFromApp <= device.now else {
            return
        }
        let isWaiting = process.requests.contains { request in
            if case .beginTask = request.request { true } else { false }
        }
        if isWaiting {
            device.violate("\(device.apps[place].script.name) is suspended, and asked for time before")
        }
    }

    /// Nobody is ended before its time is over.
    private func checkLimit(_ place: Int, _ reason: EndReason, _ device: Device) {
        guard case .exceeded(.callback(let kind), let allowed) = reason, let killed = watch(place).killed else {
            return
        }
        let name = device.apps[place].script.name
        if allowed != profile.limit(for: kind) { device.violate("\(name) was allowed \(allowed.twoDigits) s") }
        guard let awaited = killed.awaited, !watch(place).hasReconnected else { return }
        if awaited.kind != kind { device.violate("\(name) is ended for \(kind.name) and was in \(awaited.kind.name)") }
        if killed.at - awaited.since < allowed {
            device.violate("\(name) is ended \((killed.at - awaited.since).twoDigits) s after \(kind.name) began")
        }
    }

    // MARK: What should have happened

    /// Beyond a limit: a debugger is looked for, the kernel kills, another verdict comes first.
    private static let slack = Span.seconds(6)
    private static let longestCommand = Span.seconds(300)

    mutating func checkClocks(_ device: Device) {
        // Limits are seconds: twice a second is often enough.
        guard device.daemon == .running, device.now - lastLook >= .milliseconds(500) else { return }
        lastLook = device.now
        var hasDebugger = false
        for place in watches.indices {
            guard let process = device.apps[place].process else { continue }
            if process.manners.isTraced { hasDebugger = true }
            guard process.status == nil, !process.isDying else { continue }
            if !process.manners.isTraced { checkLimits(place, process, device) }
            checkIdle(place, process, device)
            checkInTheWay(place, process, device)
            checkKnowledge(place, device)
            checkPriority(place, process, device)
            checkWaitingPeers(place, process, device)
            checkGPU(place, process, device)
            if !process.manners.isTraced { checkTasks(place, process, device) }
            if !process.manners.isTraced { checkWindows(place, device) }
        }
        checkRelief(device)
        // Who waits for an app under a debugger waits as long as that takes.
        if hasDebugger || hadDebugger { for number in commands.indices { commands[number].since = device.now } }
        hadDebugger = hasDebugger
        guard let oldest = commands.first, device.now - oldest.since > Self.longestCommand else { return }
        commands.removeFirst()
        device.violate("the command \(oldest.command) waits for ever")
    }

    /// Where something could go, memory does not stay short.
    private mutating func checkRelief(_ device: Device) {
        guard device.isShortOfMemory else {
            shortSince = nil
            return
        }
        let since = shortSince ?? device.now
        shortSince = since
        if device.now - since > .seconds(10) {
            shortSince = nil
            device.violate("memory is very short, and nobody relieves it")
        }
    }

    private func checkLimits(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        var name: String { device.apps[place].script.name }
        func isOver(_ since: Instant?, _ limit: Span) -> Bool {
            since.map { device.now - $0 > limit + Self.slack } ?? false
        }
        // Field by field: what is known of an app is large, and this is asked of each at nearly every event.
        if let first = watches[place].awaited.first,
            isOver(first.since, profile.callbackLimits.limit(for: first.kind))
        {
            device.violate("\(name) does not return from \(first.kind.name), and nobody ends it")
        }
        if isOver(watches[place].launchedAt, profile.launchLimit) {
            device.violate("\(name) does not launch, and nobody ends it")
        }
        if isOver(watches[place].pingedAt, profile.mainThreadLimit) {
            device.violate("the main thread of \(name) is blocked, and nobody ends it")
        }
        if isOver(watches[place].askedAt, profile.callbackLimits.willTerminate) {
            device.violate("\(name) ignores SIGTERM, and nobody ends it")
        }
        let isWatched =
            process.freezer == .running && watches[place].awaited.isEmpty && watches[place].pingedAt == nil
        if isWatched, isOver(watches[place].unseenSince, profile.checkInterval) {
            device.violate("\(name) runs and nobody looks at it")
        }
    }

    /// What nothing entitles to run is suspended, soon.
    private mutating func checkIdle(_ place: Int, _ process: SimulatedProcess, _ device: Device) {
        guard isIdle(place, process, device) else {
            watches[place].idleSince = nil
            return
        }
        let since = watches[place].idleSince ?? device.now
        watches[place].idleSince = since
        // An app that could not be frozen is tried again once a minute.
        if device.now - since > .seconds(75) {
            device.violate("\(device.apps[place].script.name) runs on, and nothing entitles it to")
        }
    }

    private func isIdle(_ place: Int, _ process: SimulatedProcess, _ device: Device) -> Bool {
        guard process.freezer == .running, !process.isStarting, process.manners.canFreeze, profile.hasMultitasking,
            !process.isThawedFromOutside, watches[place].awaited.isEmpty, watches[place].askedAt == nil,
            !watches[place].isExempt, process.requests.isEmpty, !(process.isPlain && device.isInTheWay(place)),
            !process.sockets.grabsInput,
            device.apps[place].script.manifest.isFreezable,
            !mayBeHeld(place, device), !process.tasks.contains(where: \.isGranted),
            process.sockets.peers.isEmpty, process.sockets.backlog.isEmpty, watches[place].windows.isEmpty
        else { return false }
        return process.isPlain ? device.state(place) == .background : watches[place].grammar.state == .background
    }

    private static func isAbnormal(_ reason: EndReason) -> Bool {
        switch reason {
        case .exceeded, .tooManyProcesses, .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects,
            .failedToLaunch, .ended(.signaled), .ended(.outOfMemory),
            .memory, .heldLock, .tasksNotEnded, .usedGPU, .windowNotCompleted, .filledDisk:
            true
        case .ended(.exited(let status)): status != 0
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend, .stray, .ended(.unknown):
            false
        }
    }

    /// `docs/TERMINATION.md`, once more.
    private func code(of reason: EndReason) -> TerminationCode? {
        switch reason {
        case .tasksNotEnded: Self.taskCode(profile)
        case .windowNotCompleted(let end): Self.code(of: end.kind.service)
        case .exceeded(.mainThread, _): TerminationCode(namespace: "WATCHDOG", code: 0x8bad_f00d)
        case .exceeded: TerminationCode(namespace: "SPRINGBOARD", code: 0x8bad_f00d)
        case .tooManyProcesses: TerminationCode(namespace: "RUNNINGBOARD", code: 0xd00d_2bad)
        case .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects:
            TerminationCode(namespace: "GREENROOM", code: 0xadd5_ab5e)
        case .failedToLaunch: TerminationCode(namespace: "GREENROOM", code: 0xfa11_7042)
        case .heldLock: TerminationCode(namespace: "RUNNINGBOARD", code: 0xdead_10cc)
        case .usedGPU: TerminationCode(namespace: "GREENROOM", code: 0x0ff5_c2ee)
        case .filledDisk: TerminationCode(namespace: "RUNNINGBOARD", code: 0xbadd_d15c)
        case .memory(let end): TerminationCode(namespace: "JETSAM", code: end.limit == nil ? 4 : 7)
        case .ended(.outOfMemory): TerminationCode(namespace: "JETSAM", code: 4)
        case .ended(.signaled(let signal)): TerminationCode(namespace: "SIGNAL", code: UInt64(signal))
        case .ended(.exited(let status)):
            TerminationCode(namespace: "EXIT", code: UInt64(UInt32(bitPattern: status)))
        default: nil
        }
    }
}
