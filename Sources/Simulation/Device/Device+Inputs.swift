package import Model
internal import PolicyCore

// What a scenario does to a device.
extension Device {
    /// Does what people, apps and surroundings do; the command that came of it, if one did.
    @discardableResult
    package func perform(_ input: Input) -> CommandID? {
        switch input {
        case .open(let name, let role): return command(name) { .open($0, role: role, wait: true) }
        case .openScene(let name, let scene, let role):
            return command(name) { .openScene($0, scene, role: role, wait: true) }
        case .closeScene(let name, let scene): return command(name) { .closeScene($0, scene, wait: true) }
        case .openURL(let url): return begin(.openURL(url, wait: true))
        case .home: return begin(.home(wait: true))
        case .lock: return begin(.lock(wait: true))
        case .unlock: return begin(.unlock(wait: true))
        case .switcher(let isOpen): return begin(.switcher(isOpen: isOpen, wait: true))
        case .close(let name): return command(name) { .close($0, wait: true) }
        case .restart(let name): return command(name) { .restart($0, wait: true) }
        case .exempt(let name, let isExempt): return command(name) { .exempt($0, isExempt) }
        case .uninstall(let name): return command(name) { .uninstall($0) }
        case .interrupt(let kind): return begin(.interrupt(kind, wait: true))
        case .dismiss(let kind): return begin(.dismiss(kind, wait: true))
        case .accept(let kind): return begin(.accept(kind, wait: true))
        case .endCall: return begin(.endCall(wait: true))
        case .sleep: return begin(.sleep(wait: true))
        case .wake: return begin(.wake(wait: true))
        case .reboot: return begin(.reboot)
        case .shutDown: return begin(.shutDown)
        case .memoryWarning: return begin(.warnMemory)
        case .memoryPressure(let level): return begin(.pressMemory(level))
        case .boot: startAgain()
        case .install(let name): if let place = place(named: name) { install(place) }
        case .app(let name, let action): actAsApp(name, action)
        case .setClock(let span): setClock(by: span)
        case .newDay: setClock(by: timeToMidnight)
        case .network(let kind): setNetwork(kind)
        case .battery(let battery): setBattery(battery)
        case .locale(let identifier): changeConditions { $0.locale = identifier }
        case .timeZone(let identifier, let offset):
            changeConditions { $0.timeZone = TimeZoneReading(identifier, offset: offset) }
        case .brightness(let percent): changeConditions { $0.screen.brightness = percent }
        case .screens(let count): changeConditions { $0.screen.external = count }
        case .lowPower(let isOn): changeConditions { $0.lowPower = isOn }
        case .thermalState(let state): changeConditions { $0.thermalState = state }
        case .orientation(let orientation): changeConditions { $0.orientation = orientation }
        case .screenshot: return begin(.simulate(.screenshot))
        case .changeStore(let name): changeConditions { $0.stores[name, default: 0] += 1 }
        case .setting(let name, let key, let value): return changeSetting(name, key, value)
        case .connect(let name, let span): connectPeer(to: name, lasting: span)
        case .callMethod(let name): callMethod(of: name)
        case .fetch(let name, let launches):
            return command(name) { .simulateFetch($0, launches: launches, wait: true) }
        case .allowRefresh(let name, let isAllowed): return command(name) { .allowRefresh($0, isAllowed) }
        case .sessionEvents(let name, let session, let authentication):
            guard let app = place(named: name).flatMap({ apps[$0].index }) else { return nil }
            send(.sessionEvents(app, session: session, authentication: authentication))
        case .wakeByService(let name, let part): wake(name, by: part)
        case .tellService(let name, let words): tell(name, words)
        }
        return nil
    }

    /// An app that is not installed has no index: the tool says so without asking, as the real one does.
    func command(_ name: String, _ make: (AppIndex) -> Command) -> CommandID {
        begin(make(place(named: name).flatMap { apps[$0].index } ?? AppIndex(.max)))
    }

    private func actAsApp(_ name: String, _ action: AppAction) {
        guard let place = place(named: name), apps[place].process != nil else { return }
        switch action {
        // These happen to a process, whatever its threads do.
        case .exit, .crash: act(action, place)
        default: fire(.action(action), place)
        }
    }

    package func inject(_ fault: Fault) {
        switch fault {
        case .crash(let name, let signal):
            process(name) { end($0, .signaled(signal), others: leavesOthers($0)) }
        case .starve(let name): process(name) { end($0, .outOfMemory, others: leavesOthers($0)) }
        case .exit(let name, let status): process(name) { end($0, .exited(status), others: leavesOthers($0)) }
        case .hang(let name, let kind): change(name) { $0.hangsIn.insert(kind) }
        case .freezeMainThread(let name):
            change(name) { $0.hangsIn = Set(CallbackKind.allCases) }
            process(name) { fire(.block(nil), $0) }
        case .recover(let name): recover(name)
        case .disconnect(let name): process(name) { disconnect($0) }
        case .loseReply(let name): process(name) { apps[$0].process?.losesNextReply = true }
        case .delayReplies(let name, let delay): change(name) { $0.replyDelay = delay }
        case .unfreezable(let name, let isUnfreezable): unfreezable(name, isUnfreezable)
        case .ignoreTermination(let name, let ignores): change(name) { $0.ignoresTermination = ignores }
        case .leaveOthers(let name, let leaves): change(name) { $0.leavesOthers = leaves }
        case .endOthers(let name): process(name) { endOthers($0) }
        case .ignorePeers(let name, let ignores):
            change(name) { $0.ignoresPeers = ignores }
            process(name) { if apps[$0].process?.isFrozen == false { acceptPeers($0) } }
        case .debugger(let name, let isTraced): change(name) { $0.isTraced = isTraced }
        case .fork(let name, let count): change(name) { $0.processCount = count }
        case .thaw(let name): process(name) { thaw($0, byDaemon: false) }
        case .diskFull(let isFull): isDiskFull = isFull
        case .launchFails(let name, let fails):
            let failure = LaunchFailure(stage: "execve", errorNumber: 2, message: "No such file or directory")
            change(name) { $0.launchFailure = fails ? failure : nil }
        case .networkDown(let isDown): changeWorld { $0.setNetworkDown(isDown) }
        case .killService(let name): killService(name)
        case .stallService(let name, let isStalled): stallService(name, isStalled)
        case .killDaemon(let span): killDaemon(downFor: span)
        case .killDaemonWithin(let effects, let span):
            if daemon == .running { effectsUntilDeath = (effects, span) }
        }
    }

    /// Somebody freezes the app behind the system's back.
    package func freezeFromOutside(_ name: String) {
        process(name) { if apps[$0].process?.isFrozen == false { stopWork($0) } }
    }

    private func leavesOthers(_ place: Int) -> Bool { apps[place].process?.manners.leavesOthers ?? false }

    private func process(_ name: String, _ body: (Int) -> Void) {
        guard let place = place(named: name), apps[place].process != nil else { return }
        body(place)
    }

    /// Of the app's next launches, and of the process that there is.
    func change(_ name: String, _ body: (inout Manners) -> Void) {
        guard let place = place(named: name) else { return }
        body(&apps[place].manners)
        guard var manners = apps[place].process?.manners else { return }
        body(&manners)
        apps[place].process?.manners = manners
    }

    private func recover(_ name: String) {
        guard let place = place(named: name) else { return }
        change(name) { manners in
            let (canFreeze, count) = (manners.canFreeze, manners.processCount)
            manners = Manners()
            (manners.canFreeze, manners.processCount) = (canFreeze, count)
        }
        if let process = apps[place].process, !process.isFrozen { acceptPeers(place) }
        // What hung, returns.
        guard let process = apps[place].process, let work = process.work, work.ends == nil else { return }
        if process.isFrozen { apps[place].process?.work?.left = .zero } else { endWork(place) }
    }

    private func unfreezable(_ name: String, _ isUnfreezable: Bool) {
        change(name) { $0.canFreeze = !isUnfreezable }
        guard !isUnfreezable, let place = place(named: name), apps[place].process?.freezer == .freezing else { return }
        // The kernel was asked already, and now it can.
        after(costs.freeze, place) { .frozen($0.suspension) }
    }

    private func endOthers(_ place: Int) {
        guard apps[place].process?.status != nil, apps[place].process?.othersLeft == true else { return }
        apps[place].process?.othersLeft = false
        unlockAll(place)
        after(costs.news, place) { _ in .tellAll }
    }
}
