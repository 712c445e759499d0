internal import Model

extension System {
    mutating func launchIfOnScreen(_ i: Int) {
        guard apps[i].role != nil, apps[i].isInstalled, !isShuttingDown else { return }
        start(i, isBackground: presence(i) == .hidden)
    }

    /// Starts the process; `apps[i].cause` must be set to what led here.
    mutating func start(_ i: Int, isBackground: Bool) {
        apps[i].generation = apps[i].generation.next
        apps[i].process = .starting
        apps[i].pid = nil
        apps[i].isConnected = false
        apps[i].firstStatus = nil
        apps[i].lastCallback = CallbackNumber(0)
        apps[i].isBackgroundLaunch = isBackground
        apps[i].launchedAt = wall(now)
        apps[i].launchBegan = now
        if var url = apps[i].pendingURL {
            url.service = apps[i].launch.service
            apps[i].launch = url
        }
        transition(i, isBackground ? .launchedIntoBackground : .launchedIntoForeground)
        emit(.launch(apps[i].index, apps[i].generation, isBackground: isBackground), cause: apps[i].cause)
        arm(i, .limit, after: profile.launchLimit)
    }

    mutating func processStarted(_ app: AppIndex, _ generation: Generation, pid: Int32) {
        guard let i = current(app, generation), apps[i].process == .starting else { return }
        apps[i].pid = pid
        let reason = apps[i].launchReason ?? .userOpened(apps[i].manifest.name)
        log(i, apps[i].isBackgroundLaunch ? .launchedInBackground : .launched, reason)
        if apps[i].isPlain {
            apps[i].process = .alive
            apps[i].launch = .none
            disarm(i, .limit)
        } else {
            apps[i].process = .connecting
        }
        touch(app)
    }

    mutating func launchFailed(_ app: AppIndex, _ generation: Generation, _ failure: LaunchFailure) {
        guard let i = current(app, generation), apps[i].process == .starting else { return }
        apps[i].ending = Ending(
            reason: .failedToLaunch(failure), phase: .killing, cause: apps[i].cause, state: apps[i].state)
        gone(i)
    }

    mutating func connected(_ app: AppIndex, _ generation: Generation, executed: CallbackNumber?) {
        guard let i = current(app, generation), !apps[i].isPlain else { return }
        apps[i].isConnected = true
        if apps[i].process == .connecting {
            apps[i].process = .launching
            launchCallbacks(i)
            return
        }
        if let executed {
            while let first = apps[i].outstanding.first, first.callback.number <= executed { finishFirstCallback(i) }
        }
        if !apps[i].outstanding.isEmpty {
            emit(.deliver(app, generation, apps[i].outstanding.map(\.callback)), cause: apps[i].cause)
        }
        touch(app)
    }

    /// Sent together with where the launch leads: nothing is decided in between.
    private mutating func launchCallbacks(_ i: Int) {
        var callbacks: [CallbackKind] = [.willFinishLaunching, .didFinishLaunching]
        if apps[i].isBackgroundLaunch {
            callbacks.append(.didEnterBackground)
        } else {
            if apps[i].pendingURL != nil { callbacks.append(.openURL) }
            if presence(i) == .active { callbacks.append(.didBecomeActive) }
        }
        call(i, callbacks)
    }

    mutating func disconnected(_ app: AppIndex, _ generation: Generation) {
        guard let i = current(app, generation) else { return }
        apps[i].isConnected = false
        if apps[i].check.isWaiting { apps[i].check = .idle }
        endIfHeadless(i)
        touch(app)
    }

    // MARK: Boot and inventory

    /// Boot launches what must be launched at boot (L13).
    mutating func boot() {
        logRoot(.booted, .deviceBooted)
        for i in apps.indices
        where apps[i].isInstalled && apps[i].process == .none && apps[i].manifest.backgroundModes.contains(.voip)
            && !apps[i].isPlain && profile.hasMultitasking
        {
            apps[i].cause = root
            apps[i].launch = LaunchOptions(service: .voip)
            apps[i].launchReason = .launchedAtBoot(apps[i].manifest.name)
            start(i, isBackground: true)
        }
    }

    mutating func install(_ manifest: AppManifest) {
        if let index = apps.firstIndex(where: { $0.manifest.identifier == manifest.identifier }) {
            apps[index].manifest = manifest
            apps[index].isInstalled = true
            touch(apps[index].index)
            return
        }
        let index = AppIndex(UInt32(apps.count))
        apps.append(App(index: index, manifest: manifest, since: wall(now)))
        deadlines.addApp()
    }
}

extension CheckPhase {
    var isWaiting: Bool {
        switch self {
        case .waiting: true
        case .idle, .scheduled: false
        }
    }
}
