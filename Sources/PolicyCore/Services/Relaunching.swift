internal import Model

// A service may want the apps of its mode to run whatever happens, for example because a call may come. They are
// launched when the device boots, and again when they end, unless the user ended them.
extension System {
    /// An app that ends sooner than this after its launch would be launched without end.
    private static let quickEnd = Span.seconds(60)
    private static let (shortestPause, longestPause) = (Span.seconds(1), Span.seconds(900))
    /// Until an app that was ended for want of memory is launched again, and each time that memory is still short then.
    private static let pauseForMemory = Span.seconds(60)

    mutating func launchAtBoot() {
        guard let broker else { return }
        self.broker?.relaunches = nil
        let modes = broker.modes(where: \.launchesAtBoot)
        guard !modes.isEmpty else { return }
        for i in apps.indices where apps[i].process == .none {
            let mode = apps[i].manifest.backgroundModes.intersection(modes)
            guard !mode.isEmpty, mayBeLaunchedHidden(i) else { continue }
            apps[i].cause = root
            launch(i, for: mode, .launchedAtBoot(apps[i].manifest.name))
        }
    }

    /// Its process is about to be forgotten.
    mutating func planRelaunch(_ i: Int, _ reason: EndReason) {
        guard let broker, !isShuttingDown, mayBeLaunchedHidden(i),
            !apps[i].manifest.backgroundModes.intersection(broker.modes(where: \.relaunches)).isEmpty
        else { return }
        let app = apps[i].index
        var relaunch = broker.relaunches?.first { $0.app == app } ?? Broker.Relaunch(app: app)
        switch reason {
        case .closedByUser, .restartedByUser, .uninstalled, .systemShutdown, .exitsOnSuspend:
            self.broker?.relaunches?.removeAll { $0.app == app }
            return
        case .memory: relaunch.pause = max(relaunch.pause, Self.pauseForMemory)
        case .exceeded, .tooManyProcesses, .tooManyMappings, .mappingTooLarge, .tooManyPurgeableObjects, .ended,
            .failedToLaunch, .stray, .heldLock, .tasksNotEnded, .usedGPU, .windowNotCompleted, .filledDisk:
            let isQuick = apps[i].launchBegan.map { now - $0 < Self.quickEnd } ?? (apps[i].process != .alive)
            let longer = min(max(Self.shortestPause, relaunch.pause + relaunch.pause), Self.longestPause)
            relaunch.pause = isQuick ? longer : .zero
        }
        // Never now: the same deadline would pass again and again.
        relaunch.due = now + max(relaunch.pause, .milliseconds(1))
        let others = broker.relaunches?.filter { $0.app != app } ?? []
        self.broker?.relaunches = others + [relaunch]
    }

    mutating func passRelaunches() {
        guard let relaunches = broker?.relaunches else { return }
        for (place, relaunch) in relaunches.enumerated() {
            guard let due = relaunch.due, due <= now else { continue }
            let i = Int(relaunch.app.rawValue)
            let mode = apps[i].manifest.backgroundModes.intersection(broker?.modes(where: \.relaunches) ?? [])
            guard apps[i].process == .none, !mode.isEmpty, mayBeLaunchedHidden(i), !apps[i].wake.isClosedByUser,
                !isShuttingDown
            else {
                broker?.relaunches?[place].due = nil
                continue
            }
            if memory.level != .normal {
                broker?.relaunches?[place].due = now + Self.pauseForMemory
                continue
            }
            broker?.relaunches?[place].due = nil
            launch(i, for: mode, .launchedAgain(apps[i].manifest.name))
        }
    }

    /// It was removed. One of the same name is another app.
    mutating func forgetRelaunch(of app: AppIndex) { broker?.relaunches?.removeAll { $0.app == app } }

    private func mayBeLaunchedHidden(_ i: Int) -> Bool { apps[i].isInstalled && !isPlain(i) && !endsOffScreen(i) }

    private mutating func launch(_ i: Int, for mode: BackgroundModes, _ reason: Reason) {
        apps[i].launch = LaunchOptions(service: mode)
        apps[i].launchReason = reason
        start(i, isBackground: true, isWoken: true)
    }
}

extension Broker {
    fileprivate func modes(where isMeant: (ServiceDeclaration) -> Bool) -> BackgroundModes {
        services.reduce(into: []) { modes, service in
            if service.isDeclared, isMeant(service.declaration) { modes.formUnion(service.declaration.mode) }
        }
    }
}
