package import Model

// What wakes an app for a while has one form (S8 to S10): an assertion, a callback, a time, and the app's word that it
// is done, on which its picture is taken anew and it is suspended. A frozen app is thawed, one that does not run is
// launched into the background. Nobody is woken whom the user closed in the switcher.
extension System {
    package var windowRules: WindowRules { profile.windowRules }

    // MARK: Opening

    /// What keeps an app from being woken now, whatever the time.
    func wakeObstacle(_ i: Int, _ kind: WindowKind) -> WakeObstacle? {
        if isPlain(i) { return .plainProgram }
        if endsOffScreen(i) { return .noMultitasking(profile: profile.name) }
        if kind == .fetch, tasksReplaceFetch(i) { return .hasTasks }
        if isShuttingDown { return .shuttingDown }
        if apps[i].wake.isClosedByUser, kind.service.isForUser || windowRules.closingEndsSessions {
            // Later systems tell it where the device is all the same.
            let isTold = windowRules.closingEndsSessions && isForAnyApp(kind)
            if !isTold { return .closedByUser }
        }
        if apps[i].wake.isRefreshOff, kind.service.isForUser { return .refreshIsOff }
        if apps[i].$ending || !apps[i].isInstalled { return .beingEnded }
        if presence(i) != .hidden || apps[i].state.isForeground { return .onScreen }
        return apps[i].windows.holds(kind) ? .underWay : nil
    }

    func tasksReplaceFetch(_ i: Int) -> Bool {
        !apps[i].manifest.taskIdentifiers.isEmpty && windowRules.tasksReplaceFetch == true
    }

    /// Wakes an app that nothing keeps from it; `cause`: the entry that led here, if one did.
    mutating func wake(
        _ i: Int, _ kind: WindowKind, because: String, cause: LogSequence?, request: BackgroundTaskRequest? = nil,
        launch: LaunchOptions = .none
    ) {
        // Whatever it did before has nothing to do with it.
        apps[i].cause = log(i, .wakeRequested, .woken(kind, because: because), after: cause)
        if apps[i].process == .none {
            apps[i].launch = kind.service == .fetch ? LaunchOptions(service: .fetch) : launch
            apps[i].launchReason = .woken(kind, because: because)
            start(i, isBackground: true, isWoken: true)
        } else if apps[i].tasks.isEmpty, apps[i].state == .suspended || apps[i].suspension.isUnderWay {
            startTaskClock(i, limit: isForAnyApp(kind) ? taskRules.limit : taskRules.windowLimit)
        }
        let assertion = take(i, kind.service.assertion, name: kind.identifier ?? kind.service.name)
        let id = WindowID(assertion.rawValue)
        if apps[i].windows.isEmpty, let count = wokenApps { wokenApps = count + 1 }
        apps[i].windows.held.append(Windows.Window(id: id, kind: kind, request: request))
        if kind == .fetch {
            apps[i].wake.lastFetch = now
            fetch.planner.began(apps[i].index, at: planTime)
        }
        touch(apps[i].index)
    }

    /// It runs in the background, and nothing else is under way: it hears what it was woken for.
    mutating func openWindows(_ i: Int) {
        guard !apps[i].windows.isEmpty, apps[i].state == .background else { return }
        for place in apps[i].windows.held.indices where apps[i].windows.held[place].phase == .stopped {
            apps[i].windows.held[place].phase = .open(since: now)
        }
        let waiting = apps[i].windows.held.filter(\.isWaiting)
        if !waiting.isEmpty { call(i, CallPlan(waiting.map(\.kind.service.callback)), after: apps[i].cause) }
        armWindows(i)
    }

    /// The window that a callback which is about to be sent opens.
    mutating func nextWindow(_ i: Int, _ callback: CallbackKind) -> OpenWindow? {
        guard callback.opensWindow, let place = apps[i].windows.waiting(for: callback) else { return nil }
        apps[i].windows.held[place].phase = .open(since: now)
        return OpenWindow(id: apps[i].windows.held[place].id, kind: apps[i].windows.held[place].kind)
    }

    /// Why it runs.
    func windowReason(_ i: Int, _ assertion: Assertion) -> Reason {
        let window = apps[i].windows.held.first { $0.id.rawValue == assertion.id.rawValue }
        return window.map { .usesWindow($0.kind, limit: limit($0)) } ?? .assertion(assertion.kind)
    }

    /// On screen an app has its time for itself, and needs nobody to wake it.
    mutating func stopWindows(_ i: Int) {
        guard !apps[i].windows.isEmpty else { return }
        for place in apps[i].windows.held.indices.reversed() {
            switch apps[i].windows.held[place].phase {
            case .waiting:
                let given = apps[i].windows.held[place]
                close(i, place, .noData)
                // What it asked for it still wants.
                if let request = given.request {
                    apps[i].wake[request.kind] = apps[i].wake[request.kind]?.withoutLast()
                    putBack(request, i)
                }
            case .open, .expiring: apps[i].windows.held[place].phase = .stopped
            case .stopped: continue
            }
        }
        forgiveWindows(i)
        armWindows(i)
    }

    // MARK: Closing

    mutating func complete(_ id: WindowID, _ result: WindowResult, _ i: Int, _ request: RequestID) {
        // Told twice, or too late: it was heard before, or is no longer asked.
        if let place = apps[i].windows.place(id) {
            let kind = apps[i].windows.held[place].kind
            log(i, .windowCompleted, .windowCompleted(kind, result))
            close(i, place, result)
            pass(.windowCompleted, i)
        }
        reply(i, request, .noted)
    }

    private mutating func close(_ i: Int, _ place: Int, _ result: WindowResult?) {
        let window = apps[i].windows.held.remove(at: place)
        if apps[i].windows.isEmpty, let count = wokenApps { wokenApps = count - 1 }
        apps[i].assertions.drop(AssertionID(window.id.rawValue))
        settleTasks(i)
        forgiveWindows(i)
        armWindows(i)
        noteClosed(i, window.kind, result)
        touch(apps[i].index)
    }

    private mutating func noteClosed(_ i: Int, _ kind: WindowKind, _ result: WindowResult?) {
        if kind == .fetch { fetchEnded(i, result) }
        fetch.mustLook = true
    }

    /// Nothing of the app is left.
    mutating func windowsGone(_ i: Int) {
        let held = apps[i].windows.held
        apps[i].windows = Windows()
        if !held.isEmpty, let count = wokenApps { wokenApps = count - 1 }
        for window in held { noteClosed(i, window.kind, nil) }
    }

    // MARK: The clock

    private func limit(_ window: Windows.Window) -> Span {
        max(.milliseconds(1), windowRules.limit(window.kind))
    }

    /// The expiration handler never has more time than there is.
    private func notice(_ window: Windows.Window) -> Span {
        window.kind.service.hasExpirationHandler ? min(windowRules.notice, limit(window)) : .zero
    }

    /// When the handler is to be called, or the time is over.
    private func nextStep(_ window: Windows.Window) -> Instant? {
        switch window.phase {
        case .waiting, .stopped: nil
        case .open(let since): since + (limit(window) - notice(window))
        case .expiring(let since): since + notice(window)
        }
    }

    mutating func armWindows(_ i: Int) {
        let slot = DeadlineSlot(app: apps[i].index, kind: .window)
        let isJudged = apps[i].exceeded?.isWindow == true || apps[i].$ending
        guard !isJudged, let next = apps[i].windows.held.compactMap(nextStep).min() else {
            deadlines.disarm(slot)
            return
        }
        let pause: Span = !apps[i].$exceeded ? .milliseconds(1) : .seconds(1)
        deadlines.arm(slot, at: next > now ? next : now + pause)
    }

    mutating func windowDeadline(_ i: Int) {
        guard !apps[i].$ending, apps[i].process != .none else { return }
        for id in apps[i].windows.held.map(\.id) {
            guard let place = apps[i].windows.place(id), let step = nextStep(apps[i].windows.held[place]), step <= now
            else { continue }
            let window = apps[i].windows.held[place]
            if case .open = window.phase, window.kind.service.hasExpirationHandler {
                apps[i].windows.held[place].phase = .expiring(since: now)
                log(i, .windowExpires, .windowExpires(window.kind, left: notice(window)))
                repeatWindowExpirations(i)
            } else {
                overrun(i, place)
            }
        }
        armWindows(i)
    }

    private mutating func overrun(_ i: Int, _ place: Int) {
        let window = apps[i].windows.held[place]
        // No method of Apple's says that an app is done with where the device is.
        switch isForAnyApp(window.kind) ? .suspends : windowRules.overrun {
        case .terminates:
            let began = Instant(nanoseconds: now.nanoseconds - limit(window).nanoseconds)
            exceed(i, .window(window.kind.service), since: began)
        case .suspends:
            log(i, .windowOverrun, .windowOverrun(window.kind, allowed: limit(window)))
            close(i, place, nil)
        }
    }

    /// Also when it is there again, and may not have heard that its time is nearly over.
    mutating func repeatWindowExpirations(_ i: Int) {
        guard !apps[i].$ending, apps[i].isConnected else { return }
        for window in apps[i].windows.held {
            guard case .expiring(let since) = window.phase else { continue }
            let left = max(.zero, since + notice(window) - now)
            emit(.expireWindow(apps[i].index, apps[i].generation, window.id, left: left), cause: apps[i].cause)
        }
    }

    /// Perhaps only now it hears what it was woken for: its time begins with that.
    mutating func restartUnheardWindows(_ i: Int) {
        guard !apps[i].windows.isEmpty else { return }
        let unheard = apps[i].outstanding.compactMap(\.callback.window?.id)
        for place in apps[i].windows.held.indices where unheard.contains(apps[i].windows.held[place].id) {
            if case .open = apps[i].windows.held[place].phase { apps[i].windows.held[place].phase = .open(since: now) }
        }
        armWindows(i)
    }

    /// A debugger is attached, or nobody could answer for a while: everybody has the whole time again.
    mutating func restartWindows(_ i: Int) {
        for place in apps[i].windows.held.indices {
            switch apps[i].windows.held[place].phase {
            case .waiting, .stopped: continue
            case .open: apps[i].windows.held[place].phase = .open(since: now)
            case .expiring: apps[i].windows.held[place].phase = .expiring(since: now)
            }
        }
        armWindows(i)
    }

    /// Whatever was about to be judged: it is all right now.
    private mutating func forgiveWindows(_ i: Int) {
        if apps[i].exceeded?.isWindow == true { apps[i].exceeded = nil }
    }

    /// No debugger is attached.
    mutating func endForWindow(_ i: Int) {
        let late = apps[i].windows.held.first { window in nextStep(window).map { $0 <= now } ?? false }
        guard let late else {
            armWindows(i)
            return
        }
        end(i, .windowNotCompleted(WindowEnd(kind: late.kind, allowed: limit(late))))
    }

    // MARK: Sessions

    /// A background transfer has something to tell. An app on screen is told by its delegate alone.
    mutating func sessionEvents(_ app: AppIndex, session: String, authentication: Bool) {
        let i = Int(app.rawValue)
        guard i < apps.count, apps[i].isInstalled, !isPlain(i) else { return }
        let kind = WindowKind.sessionEvents(session: session, authentication: authentication)
        guard let obstacle = wakeObstacle(i, kind) else {
            let why =
                authentication ? "a server wants to know who asks" : "all transfers of the session have come to an end"
            return wake(i, kind, because: why, cause: nil)
        }
        noteRefusal(i, kind, obstacle)
    }

    /// Why an app was not woken; what is over by itself nobody has to know.
    mutating func noteRefusal(_ i: Int, _ kind: WindowKind, _ obstacle: WakeObstacle) {
        switch obstacle {
        case .onScreen, .underWay, .shuttingDown: return
        default: log(i, .wakeRefused, .notWoken(kind, because: obstacle), after: nil)
        }
    }
}

extension ExceededLimit {
    var isWindow: Bool {
        if case .window = limit { true } else { false }
    }
}
