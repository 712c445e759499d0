import Model
import PolicyCore
import Testing

/// A `TestDevice` in which users, apps, the kernel and death act at random.
struct Storm {
    let device: TestDevice
    private var random: SplitMix64
    private var apps: [AppIndex] = []

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        let profile = DeviceProfile.all[random.below(DeviceProfile.all.count)]
        device = TestDevice(profile, label: "seed \(seed), \(profile.name),")
        device.keepsLog = seed == 99
        for number in 0..<(4 + random.below(37)) { apps.append(device.install(manifest(number))) }
    }

    mutating func run(events: Int) {
        while device.eventCount < events, device.faults.isEmpty {
            if device.isDaemonDead { restart() }
            switch random.below(1000) {
            case 0..<600: step()
            case 600..<800: command()
            case 800..<900: pass()
            case 900..<950: misbehave()
            case 950..<985: request()
            case 985..<989: device.effectsUntilDeath = random.below(5)
            case 989..<993: _ = device.install(manifest(random.below(apps.count)))
            case 993..<998: device.send(.clockChanged(wallOffset: Int64(truncatingIfNeeded: random.next() >> 4)))
            case 998: goDown()
            default: calmDown()
            }
        }
        if device.isDaemonDead { restart() }
        calmDown()
        device.finish()
    }

    private mutating func manifest(_ number: Int) -> AppManifest {
        .test(
            "app\(number)", kind: random.oneIn(3) ? .plain : .application,
            modes: random.modes(), exitsOnSuspend: random.oneIn(8),
            schemes: ["s\(number % 5)"], isFreezable: !random.oneIn(8),
            scenes: random.oneIn(2) ? .none : random.oneIn(3) ? .one : .several)
    }

    private mutating func scene() -> SceneNumber { SceneNumber(UInt32(1 + random.below(5))) }

    private mutating func role() -> ScreenRole { random.role() }

    private mutating func anyApp() -> AppIndex { apps[random.below(apps.count)] }

    // MARK: What happens

    private mutating func step() {
        let first = random.below(apps.count)
        for offset in 0..<apps.count {
            let i = (first + offset) % apps.count
            let possible = device.possibleSteps(i)
            if !possible.isEmpty { return device.take(possible.random(&random), i) }
        }
        pass()
    }

    private mutating func command() {
        let app = anyApp()
        let wait = random.oneIn(2)
        let kind = InterruptionKind.allCases[random.below(3)]
        let command: Command =
            switch random.below(30) {
            case 25, 26: .openScene(app, random.oneIn(2) ? nil : scene(), role: role(), wait: wait)
            case 27: .openScene(app, scene(), role: .primary, wait: wait)
            case 28: .closeScene(app, scene(), wait: wait)
            case 29: .simulate(.screenshot)
            case 22, 23: .simulateFetch(app, launches: random.oneIn(3), wait: wait)
            case 24: .allowRefresh(app, !random.oneIn(3))
            case 0...5: .open(app, role: random.oneIn(3) ? random.role() : .primary, wait: wait)
            case 6...8: .home(wait: wait)
            case 9: .lock(wait: wait)
            case 10, 11: .unlock(wait: wait)
            case 12: .switcher(isOpen: random.oneIn(2), wait: wait)
            case 13: .close(app, wait: wait)
            case 14: .restart(app, wait: wait)
            case 15: .exempt(app, random.oneIn(3))
            case 16: .interrupt(kind, wait: wait)
            case 17: .dismiss(kind, wait: wait)
            case 18: .accept(kind, wait: wait)
            case 19: random.oneIn(2) ? .endCall(wait: wait) : .openURL("s\(random.below(7)):x", wait: wait)
            case 20: random.oneIn(3) ? .sleep(wait: wait) : .wake(wait: wait)
            default: random.oneIn(3) ? .uninstall(app) : .openURL("S\(random.below(5)):y", wait: wait)
            }
        _ = device.begin(command)
    }

    private mutating func request() {
        let app = anyApp()
        // A host passes on what a connected app says; a frozen one says nothing.
        guard let process = device.process(app), process.isConnected, process.isRunning else { return }
        let request: AppRequest =
            switch random.below(22) {
            case 18, 19: .scene(.activate(random.oneIn(2) ? nil : scene(), wish: UInt32(random.below(3))))
            case 20: .scene(.destroy(scene()))
            case 21: .keepScreenOn(random.oneIn(2))
            case 11, 12: .complete(WindowID(UInt64(random.below(60))), WindowResult.allCases[random.below(4)])
            case 13: completion(app)
            case 14: .setFetchInterval(random.oneIn(3) ? nil : .seconds(Double(random.below(4000))))
            case 15, 16: .submitTask(task())
            case 17: .cancelTask(random.oneIn(2) ? nil : "a")
            case 8: .mechanism(.snapshots(.provide(!random.oneIn(4))))
            case 9: .mechanism(.snapshots(.refresh))
            case 0: .openURL("s\(random.below(6)):z")
            case 1: .canOpenURL("s1:")
            case 2, 3: .pendingTasks
            case 4, 5: .beginTask(TaskID(UInt64(1 + random.below(4))), name: "upload")
            case 6, 7: .endTask(TaskID(UInt64(random.below(5))))
            default: .backgroundTime
            }
        device.sendRequest(app, request)
    }

    /// It completes what it was woken for.
    private mutating func completion(_ app: AppIndex) -> AppRequest {
        let window = device.launchOptions[Int(app.rawValue)].compactMap(\.window).last?.id ?? WindowID(1)
        return .complete(window, WindowResult.allCases[random.below(4)])
    }

    private mutating func task() -> BackgroundTaskRequest {
        let moment = device.system.wall(device.now)
        let later = WallTime(nanoseconds: moment.nanoseconds + Int64(random.below(600)) * 1_000_000_000)
        return BackgroundTaskRequest(
            identifier: random.oneIn(2) ? "a" : "b", kind: random.oneIn(2) ? .refresh : .processing,
            earliest: random.oneIn(2) ? nil : later, needsNetwork: random.oneIn(3), needsPower: random.oneIn(4))
    }

    private mutating func pass() {
        guard let next = device.system.nextDeadline(), !random.oneIn(4) else {
            device.now = device.now + .milliseconds(Int64(random.below(100)))
            return
        }
        device.now = max(device.now, next)
        device.send(.timer)
    }

    private mutating func misbehave() {
        let app = anyApp()
        switch random.below(14) {
        case 10: device.listen(app, at: "port \(random.below(3))")
        case 11: device.connectPeer(app)
        case 12: device.disconnectPeers(app)
        case 13: device.change(app) { $0.ignoresPeers.toggle() }
        case 0: device.change(app) { $0.connects.toggle() }
        case 1, 2:
            let kind = CallbackKind.allCases[random.below(CallbackKind.allCases.count)]
            device.change(app) { $0.hangsIn = [kind] }
        case 3: device.change(app) { $0.canFreeze.toggle() }
        case 4: device.change(app) { $0.answersPings.toggle() }
        case 5: device.change(app) { $0.isTraced.toggle() }
        case 6: device.change(app) { $0.ignoresTermination.toggle() }
        case 7:
            let count = random.oneIn(2) ? Int32(1) : 600
            device.change(app) { $0.processCount = count }
        case 8:
            let fails = random.oneIn(2)
            device.change(app) {
                $0.launchFailure = fails ? LaunchFailure(stage: "execve", errorNumber: 2, message: "gone") : nil
                $0.leavesOthers = fails
                $0.prepares.toggle()
            }
        default:
            device.crash(app, random.oneIn(2) ? .signaled(11) : .exited(Int32(random.below(2))))
            if random.oneIn(2) { device.endOthers(app) }
        }
    }

    /// The daemon is back after a while, in which apps go on, and in which somebody may have thawed or frozen them.
    private mutating func restart() {
        device.killDaemon()
        if random.oneIn(2) { device.runWithoutDaemon() }
        if random.oneIn(3) {
            let i = random.below(apps.count)
            device.processes[i]?.freezer = random.oneIn(2) ? .running : .frozen
        }
        // `finish` compares with a Core that was never stored: a checkpoint goes on as if nothing had been.
        device.restartDaemon(fromCheckpoint: random.oneIn(6))
    }

    private mutating func goDown() {
        _ = device.begin(random.oneIn(2) ? .reboot : .shutDown)
        behave()
        settle()
        if device.hasHalted { device.send(.booted) }
        device.hasHalted = false
    }

    // MARK: Calm

    private mutating func behave() {
        device.effectsUntilDeath = nil
        if device.isDaemonDead { restart() }
        for app in apps { device.change(app) { $0 = Behaviour() } }
    }

    private func settle() {
        device.run()
        for app in apps { device.endOthers(app) }
        device.run()
        device.pass(.seconds(65))
    }

    /// When everybody behaves again, everything comes to rest: nobody waits, and the one rule holds for all.
    private mutating func calmDown() {
        behave()
        settle()
        if !device.unanswered.isEmpty { device.fault("\(device.unanswered) wait for ever") }
        for app in device.system.allApps {
            let isAtRest = app.process == .none || (app.outstanding.isEmpty && app.ending == nil)
            if !isAtRest { device.fault("\(app.manifest.name) does not come to rest: \(app)") }
            let hasReason = app.state != .background || !app.heldAssertions.isEmpty
            if !hasReason { device.fault("\(app.manifest.name) runs on without a reason: \(app)") }
            let process = device.process(app.index)
            if (app.process == .none) != (process == nil) {
                device.fault("\(app.manifest.name): what is and what is known")
            }
            if (app.state == .suspended) != (process?.freezer == .frozen) {
                device.fault("\(app.manifest.name) is stuck")
            }
            if app.state == .suspended, device.system.isVisible(app.index) { device.fault("visible and suspended") }
        }
    }
}
