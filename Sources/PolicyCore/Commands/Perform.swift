internal import Model

extension System {
    mutating func perform(_ command: Command, _ id: CommandID) {
        do throws(Refusal) {
            try run(command, id)
        } catch {
            answer(id, .refused(error))
        }
    }

    private mutating func run(_ command: Command, _ id: CommandID) throws(Refusal) {
        guard !isShuttingDown || command == .shutDown else { throw .shuttingDown }
        switch command {
        case .open(let app, let role, let wait): try open(app, role, wait, id)
        case .openScene(let app, let scene, let role, let wait): try openScene(scene, of: app, role, wait, id)
        case .closeScene(let app, let scene, let wait): try closeScene(scene, of: app, wait, id)
        case .openURL(let url, let wait): try openURL(url, wait, id)
        case .home(let wait): home(wait, id)
        case .lock(let wait): changeScreen(.locked, .userLocked, id, wait) { $0.lock() }
        case .unlock(let wait): try unlock(wait, id)
        case .switcher(let isOpen, let wait): try switcher(isOpen, wait, id)
        case .close(let app, let wait): try close(app, wait, id)
        case .restart(let app, let wait): try restart(app, wait, id)
        case .exempt(let app, let isExempt): try exempt(app, isExempt, id)
        case .uninstall(let app): try uninstall(app, id)
        case .interrupt(let kind, let wait):
            changeScreen(.interrupted, .interruption(kind), id, wait) { $0.begin(kind) }
        case .dismiss(let kind, let wait): try dismiss(kind, wait, id)
        case .accept(let kind, let wait): try accept(kind, wait, id)
        case .endCall(let wait): try endCall(wait, id)
        case .sleep(let wait):
            changeScreen(.slept, .deviceSlept, id, wait) {
                $0.isAsleep = true
                $0.lock()
            }
        case .wake(let wait): changeScreen(.woke, .deviceWoke, id, wait) { $0.isAsleep = false }
        case .reboot: shutDown(id, reboots: true)
        case .shutDown: shutDown(id, reboots: false)
        case .warnMemory:
            warnEverybody(.warning)
            answer(id, .done(app: nil))
        case .pressMemory(let level):
            pressMemory(level)
            answer(id, .done(app: nil))
        case .simulate(let condition):
            simulate(condition)
            answer(id, .done(app: nil))
        case .endSimulation(let kind):
            endSimulation(of: kind)
            answer(id, .done(app: nil))
        case .changeSetting(let app, let key, let value):
            try changeSetting(app, key: key, value: value)
            answer(id, .done(app: app))
        case .simulateFetch(let app, let launches, let wait):
            try simulateFetch(app, launches: launches, wait: wait, id)
        case .allowRefresh(let app, let isAllowed): try allowRefresh(app, isAllowed, id)
        }
    }

    // MARK: Apps

    // These that only read are inlined: a call would hand on a copy of the system.
    @inline(__always)
    func installed(_ app: AppIndex) throws(Refusal) -> Int {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].isInstalled else { throw .unknownApp }
        return i
    }

    @inline(__always)
    func requireUnlocked() throws(Refusal) {
        if screen.isAsleep { throw .deviceAsleep }
        if screen.isLocked { throw .deviceLocked }
    }

    @inline(__always)
    private func requireUsableScreen() throws(Refusal) {
        try requireUnlocked()
        if let kind = screen.interruptions.first { throw .interrupted(kind) }
    }

    private mutating func open(_ app: AppIndex, _ role: ScreenRole, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        try requirePlace(role)
        let reason = Reason.userOpened(apps[i].manifest.name)
        logRoot(.openRequested, reason)
        show(i, as: role, reason)
        answer(id, when: .active(app), waits: wait)
    }

    @inline(__always)
    private func requirePlace(_ role: ScreenRole) throws(Refusal) {
        switch role {
        case .primary: break
        case .secondary, .pip:
            guard profile.hasSplitScreen else { throw .roleUnavailable(role, profile: profile.name) }
        }
        try requireUsableScreen()
    }

    private mutating func openScene(
        _ number: SceneNumber?, of app: AppIndex, _ role: ScreenRole, _ wait: Bool, _ id: CommandID
    ) throws(Refusal) {
        let i = try installed(app)
        try requirePlace(role)
        let scene = try wantedScene(number, i)
        let reason = Reason.sceneOpened(apps[i].manifest.name, scene)
        logRoot(.openRequested, reason)
        show(i, scene, as: role, reason)
        answer(id, when: .active(app), waits: wait)
    }

    private mutating func closeScene(
        _ number: SceneNumber, of app: AppIndex, _ wait: Bool, _ id: CommandID
    ) throws(Refusal) {
        let i = try installed(app)
        guard apps[i].$scenes else { throw .noScenes(apps[i].manifest.name) }
        try discard(number, of: i)
        logRoot(.closeRequested, .sceneClosed(apps[i].manifest.name, number))
        apps[i].cause = root
        answer(id, when: .screenSettled([app]), waits: wait)
    }

    /// The user answered something that a service showed.
    mutating func open(_ i: Int, _ notification: LaunchNotification?, because: String) throws(ServiceRefusal) {
        guard apps[i].isInstalled, !isShuttingDown else { throw .unknownApp }
        do throws(Refusal) {
            try requireUsableScreen()
        } catch {
            throw .notOpened(because: error.sentence)
        }
        let reason = Reason.openedByService(apps[i].manifest.name, because: because)
        logRoot(.openRequested, reason)
        if apps[i].process == .none { apps[i].launch = LaunchOptions(notification: notification) }
        apps[i].ending?.notification = notification
        show(i, as: apps[i].role ?? .primary, reason)
    }

    /// Puts an app on the screen; what was in its place goes to the background.
    mutating func show(_ i: Int, _ scene: SceneNumber? = nil, as role: ScreenRole, _ reason: Reason) {
        screen.isSwitcherOpen = false
        screen.isCallShown = false
        if apps[i].process == .none { prepareScenes(i) }
        if !apps[i].$scenes, let old = apps[i].role, old != role { screen.remove(old) }
        if let displaced = screen.place(apps[i].index, as: role) { leave(displaced, role) }
        if apps[i].$scenes { place(scene, of: i, as: role) } else { apps[i].role = role }
        openedByUser(i)
        for other in screen.inOrder { move(Int(other.rawValue)) }
        if apps[i].process == .none || apps[i].$ending { apps[i].launchReason = reason }
        // An app that is being ended comes up anew once it is gone.
        apps[i].ending?.relaunches = true
    }

    /// - Parameter role: the place that it has no more; `nil`: all that it has.
    mutating func leave(_ app: AppIndex, _ role: ScreenRole? = nil) {
        let i = Int(app.rawValue)
        if apps[i].$scenes { leaveScenes(i, role) } else { apps[i].role = nil }
        move(i)
    }

    /// The app's place changed by this event, which is the cause of what follows.
    private mutating func move(_ i: Int) {
        if let root { apps[i].cause = root }
        touch(apps[i].index)
    }

    private mutating func home(_ wait: Bool, _ id: CommandID) {
        logRoot(.homePressed, .userPressedHome)
        var left: [AppIndex] = []
        // On a locked or interrupted screen Home shows nothing else.
        if !screen.isLocked, !screen.isAsleep, screen.interruptions.isEmpty {
            screen.isSwitcherOpen = false
            screen.isCallShown = false
            left = screen.clear()
        }
        for app in left { leave(app) }
        answer(id, when: .left(left), waits: wait)
    }

    private mutating func close(_ app: AppIndex, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        guard apps[i].process != .none else { throw .notRunning(apps[i].manifest.name) }
        logRoot(.closeRequested, .userClosed(apps[i].manifest.name))
        apps[i].cause = root
        apps[i].ending?.relaunches = false
        closedByUser(i)
        end(i, .closedByUser)
        answer(id, when: .gone(app), waits: wait)
    }

    private mutating func restart(_ app: AppIndex, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        try requireUsableScreen()
        let reason = Reason.userRestarted(apps[i].manifest.name)
        logRoot(.restartRequested, reason)
        apps[i].cause = root
        // An app that does not run is simply opened.
        end(i, .restartedByUser)
        show(i, as: apps[i].role ?? .primary, reason)
        answer(id, when: .active(app), waits: wait)
    }

    private mutating func exempt(_ app: AppIndex, _ isExempt: Bool, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        if apps[i].isExempt != isExempt {
            apps[i].isExempt = isExempt
            logRoot(.exemptionChanged, .exempted(apps[i].manifest.name, isExempt))
            move(i)
        }
        answer(id, .done(app: app))
    }

    private mutating func uninstall(_ app: AppIndex, _ id: CommandID) throws(Refusal) {
        let i = try installed(app)
        logRoot(.uninstalled, .uninstalled(apps[i].manifest.name))
        apps[i].isInstalled = false
        apps[i].isExempt = false
        forgetEnergy(of: app)
        forgetAtServices(app)
        apps[i].wake.fetchInterval = nil
        tellPlanner(i)
        apps[i].wake = WakeState()
        forgetTasks(of: app)
        fetch.planner.forget(app)
        if conditions[i] != nil { conditions.withApp(i) { $0.settings = [] } }
        guard apps[i].process != .none else {
            forgetScreen(i)
            answer(id, .done(app: app))
            return
        }
        apps[i].cause = root
        apps[i].ending?.relaunches = false
        end(i, .uninstalled)
        answer(id, when: .gone(app), waits: true)
    }

    // MARK: URLs

    /// The app that a URL is for: the one registered for its scheme, that installed last, or one that the system names.
    func handler(of url: String) -> Int? {
        if let name = SystemURL.app(of: url) {
            return apps.lastIndex { $0.isInstalled && $0.manifest.identifier.rawValue == name }
        }
        guard let scheme = scheme(of: url) else { return nil }
        return apps.lastIndex { $0.isInstalled && $0.manifest.urlSchemes.contains(scheme) }
    }

    private func scheme(of url: String) -> String? {
        guard let colon = url.firstIndex(of: ":"), colon != url.startIndex else { return nil }
        return url[..<colon].lowercased()
    }

    private mutating func openURL(_ url: String, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        guard let scheme = scheme(of: url) else { throw .malformedURL(url) }
        guard let i = handler(of: url) else { throw .noHandler(scheme: scheme) }
        try requireUsableScreen()
        let reason = Reason.urlOpened(url: url, by: nil, app: apps[i].manifest.name)
        logRoot(.openRequested, reason)
        hand(LaunchOptions(url: url), to: i)
        show(i, as: apps[i].role ?? .primary, reason)
        answer(id, when: .handedOver(apps[i].index), waits: wait)
    }

    /// L15: the caller goes to the background and is found again as it was left.
    mutating func openURL(_ url: String, _ id: RequestID, from caller: Int) {
        do throws(Refusal) {
            try openURL(url, from: caller)
            reply(caller, id, .done)
        } catch {
            reply(caller, id, .refused(error))
        }
    }

    /// What apps may open: what the system hands over is not theirs to bring about.
    func handler(ofAppsURL url: String) -> Int? { SystemURL.app(of: url) == nil ? handler(of: url) : nil }

    private mutating func openURL(_ url: String, from caller: Int) throws(Refusal) {
        guard let scheme = scheme(of: url) else { throw .malformedURL(url) }
        guard let target = handler(ofAppsURL: url) else { throw .noHandler(scheme: scheme) }
        guard presence(caller) != .hidden else { throw .notInForeground }
        try requireUnlocked()
        try countOpening()
        let name = apps[caller].manifest.name
        let reason = Reason.urlOpened(url: url, by: name, app: apps[target].manifest.name)
        logRoot(.openRequested, reason, cause: apps[caller].cause)
        let source = apps[caller].manifest.identifier.rawValue
        hand(LaunchOptions(url: url, sourceApplication: source), to: target)
        show(target, as: apps[target].role ?? apps[caller].role ?? .primary, reason)
    }

    /// Apps are not to fight over the screen.
    mutating func countOpening() throws(Refusal) {
        guard let rate = profile.allowances?.urls else { return }
        var count = openedURLs ?? RateCount(at: now)
        guard count.add(at: now, rate).verdict == .isFine else {
            throw .tooManyURLs(limit: rate.count, within: rate.within)
        }
        openedURLs = count
    }

    /// An app that does not get to its URLs keeps the latest; every queue has a bound.
    private mutating func hand(_ url: LaunchOptions, to i: Int) {
        if apps[i].pendingURLs.count == 16 { apps[i].pendingURLs.removeFirst() }
        apps[i].pendingURLs.append(url)
    }

    // MARK: The screen

    private mutating func changeScreen(
        _ event: LogEvent, _ reason: Reason, _ id: CommandID, _ wait: Bool, _ change: (inout Screen) -> Void
    ) {
        let before = screen
        change(&screen)
        fetch.planner.userIsPresent(!screen.isLocked && !screen.isAsleep, at: planTime)
        guard screen != before else {
            answer(id, .done(app: nil))
            return
        }
        logRoot(event, reason)
        protectData()
        for app in screen.inOrder { move(Int(app.rawValue)) }
        answer(id, when: .screenSettled(screen.inOrder), waits: wait)
    }

    private mutating func unlock(_ wait: Bool, _ id: CommandID) throws(Refusal) {
        if screen.isAsleep { throw .deviceAsleep }
        changeScreen(.unlocked, .userUnlocked, id, wait) { $0.isLocked = false }
    }

    private mutating func switcher(_ isOpen: Bool, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        if isOpen { try requireUsableScreen() }
        changeScreen(
            isOpen ? .switcherOpened : .switcherClosed, isOpen ? .userOpenedSwitcher : .userClosedSwitcher, id, wait
        ) {
            $0.isSwitcherOpen = isOpen
        }
    }

    private mutating func dismiss(_ kind: InterruptionKind, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        guard screen.interruptions.contains(kind) else { throw .noSuchInterruption(kind) }
        changeScreen(.interruptionEnded, .interruptionDismissed(kind), id, wait) { _ = $0.end(kind) }
    }

    /// The phone or message screen opens: what was in front goes to the background (L3).
    private mutating func accept(_ kind: InterruptionKind, _ wait: Bool, _ id: CommandID) throws(Refusal) {
        guard screen.interruptions.contains(kind) else { throw .noSuchInterruption(kind) }
        switch kind {
        case .alert: throw .cannotAccept(kind)
        case .call:
            changeScreen(.callAccepted, .interruptionAccepted(kind), id, wait) {
                _ = $0.end(kind)
                $0.hasCall = true
                $0.isCallShown = true
            }
        case .sms:
            _ = screen.end(kind)
            logRoot(.interruptionEnded, .interruptionAccepted(kind))
            let left = screen.isLocked ? [] : screen.clear()
            for app in left { leave(app) }
            answer(id, when: .left(left), waits: wait)
        }
    }

    private mutating func endCall(_ wait: Bool, _ id: CommandID) throws(Refusal) {
        guard screen.hasCall else { throw .noCall }
        changeScreen(.callEnded, .callEnded, id, wait) {
            $0.hasCall = false
            $0.isCallShown = false
        }
    }
}
