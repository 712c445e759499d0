import Model
import PolicyCore
import Simulation

/// Makes up scenarios, from a seed.
struct Generator {
    var random: SplitMix64
    private var names: [String] = []
    private var serviceNames: [String] = []
    /// Background modes that only a service of the scenario knows.
    private var guarded: [String] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func scenario() -> Scenario {
        var scenario = Scenario(name: "x" + text(), profile: profile())
        scenario.rows = (0..<random.below(3)).map { _ in "L\(random.below(999))" }
        scenario.seed = random.next()
        if random.oneIn(2) { scenario.duration = span() }
        names = (0..<(1 + random.below(4))).map { number in
            random.oneIn(3) ? "com.example.App-\(number)" : ["radio", "on", "1", "null"][number]
        }
        scenario.services = (0..<random.below(3)).map { service("service-\($0)") }
        serviceNames = scenario.services.map(\.declaration.name)
        guarded = scenario.services.flatMap(\.declaration.mode.otherKeys)
        scenario.apps = names.map { app($0) }
        scenario.rates = rates()
        let moments = (0..<random.below(12)).map { _ in span() }.sorted()
        scenario.steps = moments.map { Scenario.Step(at: $0, action()) }
        scenario.expectations = (0..<random.below(4)).map { _ in Placed(expectation()) }
        return scenario
    }

    // MARK: Values

    mutating func pick<Value>(_ values: [Value]) -> Value { values[random.below(values.count)] }

    mutating func flag() -> Bool { random.oneIn(2) }

    mutating func text() -> String {
        var text = ""
        for _ in 0..<random.below(12) {
            switch random.below(8) {
            case 0:
                let scalar = Unicode.Scalar(UInt32(random.below(0x11_0000))) ?? "ü"
                text.unicodeScalars.append(scalar)
            case 1: text += pick(["\n", "\t", "\r\n", "\u{85}", "\u{2028}", "\u{FEFF}", "\0", "👩‍👩‍👧", "é"])
            case 2...4:
                text += pick(["\"", "\\", "'", ": ", " #", "- ", "{", "]", ",", "&a", "*a", "!", "%", "|", " "])
            default: text += pick(["a", "B", "7", "radio", ".", "/", "terminated"])
            }
        }
        // Foundation, in which Yams makes its strings, drops a byte order mark at the beginning.
        return text.unicodeScalars.first == "\u{FEFF}" ? "x" + text : text
    }

    mutating func span() -> Span {
        switch random.below(5) {
        case 0: .zero
        case 1: .milliseconds(Int64(random.below(100_000)))
        case 2: Span(nanoseconds: Int64(random.below(1_000_000_000_000)))
        case 3: Span(nanoseconds: Int64(random.below(3650)) * 86_400_000_000_000)
        default: .seconds(Double(random.below(10_000)))
        }
    }

    private mutating func bytes() -> Int64 {
        flag() ? Int64(random.below(1 << 40)) : Int64(random.below(1000)) * pick([1000, 1_000_000, 1_000_000_000])
    }

    private mutating func url() -> String { "a" + pick(["", "b+c", "-1"]) + ":" + text() }

    private mutating func profile() -> DeviceProfile {
        var profile = pick(DeviceProfile.all)
        guard flag() else { return profile }
        if flag() { profile.name = text() }
        if flag() { profile.hasMultitasking.toggle() }
        if flag() { profile.locking = pick([.leavesInactive, .sendsToBackground]) }
        if flag() { profile.expirationThread = pick([.anyThread, .mainThread]) }
        if flag() { profile.launchLimit = span() }
        if flag() { profile.callbackLimits.openURL = span() }
        if flag() { profile.callbackLimits.didEnterBackground = span() }
        if flag() { profile.mainThreadLimit = span() }
        if flag() { profile.checkInterval = span() }
        if flag() { profile.processLimit = Int32(1 + random.below(1000)) }
        if flag() { profile.freezeLimit = span() }
        if flag() { profile.freezeAttempts = UInt8(1 + random.below(254)) }
        if flag() { profile.hasSplitScreen.toggle() }
        if flag() { profile.power?.savesAt = Int32(1 + random.below(100)) }
        if flag() { profile.protectsDataAfter = flag() ? max(span(), .milliseconds(1)) : nil }
        if flag() { profile.tasks?.limit = span() }
        if flag() { profile.tasks?.windowLimit = span() }
        if flag() { profile.tasks?.notice = span() }
        if flag() { profile.windows?.fetch = span() }
        if flag() { profile.windows?.processing = span() }
        if flag() { profile.windows?.notice = span() }
        if flag() { profile.windows?.overrun = pick(WindowRules.Overrun.allCases) }
        if flag() { profile.callbackLimits.performFetch = span() }
        if flag() { profile.tasks?.verdict = pick([.watchdog, .runningBoard]) }
        return profile
    }

    private mutating func rates() -> FaultRates {
        var rates = FaultRates()
        for path in [
            \FaultRates.crash, \.hang, \.lateReply, \.lostReply, \.repeatedReply, \.lastWord, \.launchFailure,
            \.daemonCrash,
        ] where flag() { rates[keyPath: path] = random.below(1001) }
        return flag() ? rates : FaultRates()
    }

    // MARK: Services

    private mutating func service(_ name: String) -> ServiceScript {
        var declaration = ServiceDeclaration(name: name)
        declaration.mode = pick([[], "audio", "location", "beat"])
        declaration.worksInForeground = flag()
        (declaration.launchesAtBoot, declaration.relaunches) = (flag(), flag())
        declaration.holds = (0..<random.below(3)).map { number in
            let name = "h\(number)" + text()
            return ServiceDeclaration.Hold(
                name: name, sentence: "it uses \(name)", activity: flag() ? pick(Purpose.ofServices) : nil,
                priority: pick(AppPriority.allCases),
                limit: flag() ? .seconds(Double(1 + random.below(99))) : nil)
        }
        declaration.windows = (0..<random.below(3)).map { number in
            let name = "w\(number)" + text()
            return ServiceDeclaration.Window(name: name, sentence: name, time: span())
        }
        var script = ServiceScript(declaration)
        if flag() { (script.startup, script.stopTime) = (span(), span()) }
        script.forgets = flag()
        return script
    }

    /// Of a service that there is.
    private mutating func part() -> ServicePart? {
        serviceNames.isEmpty ? nil : ServicePart(pick(serviceNames), "p" + text())
    }

    // MARK: Apps

    private mutating func app(_ name: String) -> AppScript {
        guard let identifier = AppIdentifier(flag() ? name : "org.example." + name) else {
            preconditionFailure("\(name) is no identifier")  // The names are those above.
        }
        var manifest = AppManifest(identifier: identifier, name: flag() ? name : text())
        let isPlain = random.oneIn(5)
        if isPlain { manifest.kind = .plain }
        manifest.backgroundModes = random.modes(and: guarded)
        manifest.taskIdentifiers = (0..<random.below(3)).map { _ in "t" + text() }
        manifest.exitsOnSuspend = flag()
        manifest.urlSchemes = (0..<random.below(3)).map { "x\($0)+y" }
        manifest.isFreezable = flag()
        var app = AppScript(name: name, manifest: manifest)
        if flag() { app.startup = span() }
        if !isPlain {
            for kind in CallbackKind.allCases where random.oneIn(3) { app.callbackTimes[kind] = span() }
            for kind in CallbackKind.allCases where random.oneIn(3) {
                app.reactions[kind] = (0..<random.below(4)).map { _ in appAction(3) }
            }
            app.expirations = (0..<random.below(3)).map { _ in appAction(3) }
            if random.oneIn(4) { app.hears = [text(): [appAction(3)], "completed photos": [appAction(3)]] }
        }
        if flag() { (app.footprint.dirtyBytes, app.footprint.cleanBytes) = (bytes(), bytes()) }
        if flag() { app.footprint.releasableBytes = bytes() }
        if flag() { app.footprint.purgeableBytes = bytes() }
        if flag() { app.manners = manners() }
        return app
    }

    private mutating func manners() -> Manners {
        var manners = Manners()
        manners.connects = flag()
        manners.hangsIn = Set(CallbackKind.allCases.filter { _ in random.oneIn(4) })
        manners.answersPings = flag()
        manners.isTraced = flag()
        manners.ignoresTermination = flag()
        manners.leavesOthers = flag()
        manners.processCount = Int32(1 + random.below(600))
        manners.canFreeze = flag()
        if flag() {
            manners.launchFailure = LaunchFailure(
                stage: text(), errorNumber: Int32(random.below(4096)), message: text())
        }
        manners.replyDelay = span()
        manners.ignoresPeers = flag()
        return manners
    }

    mutating func appAction(_ depth: Int) -> AppAction {
        switch random.below(depth > 0 ? 29 : 28) {
        case 26: .activateScene(flag() ? nil : SceneNumber(UInt32(random.below(9))))
        case 27: .destroyScene(SceneNumber(UInt32(random.below(9))))
        case 25: .useGPU
        case 21: .complete(pick(WindowService.allCases), pick(WindowResult.allCases))
        case 22: .setFetchInterval(flag() ? span() : nil)
        case 23: .cancelTask(flag() ? text() : nil)
        case 24:
            .submitTask(
                pick(BackgroundTaskRequest.Kind.allCases), text(), after: flag() ? span() : nil,
                needs: flag() ? pick(TaskNeed.allCases) : nil)
        case 18: .provideSnapshots(flag())
        case 19: .refreshSnapshot
        case 0: .askBackgroundTime
        case 1: .endInvalidTask
        case 2: .openURL(url())
        case 3: .canOpenURL(url())
        case 4: .exit(Int32(random.below(256)))
        case 5: .crash(signal: Int32(1 + random.below(64)))
        case 6: .block(span())
        case 7: .fork(Int32(random.below(1000)))
        case 8: .work(span())
        case 9: .transfer(bytes: bytes())
        case 10: flag() ? .allocate(bytes: bytes()) : .write(bytes: bytes(), isCache: flag())
        case 11: .lock(text())
        case 12: .unlock(text())
        case 13: .beginTask(text())
        case 14: .endTask(text())
        case 15: .endInvalidTask
        case 16: .askBackgroundTime
        case 17: flag() ? .listen(text()) : .grabInput(flag())
        case 20: part().map { flag() ? .use($0) : .leave($0) } ?? .useGPU
        default: .after(span(), appAction(depth - 1))
        }
    }
}

// MARK: Steps

extension Generator {
    private mutating func action() -> Scenario.Action {
        switch random.below(3) {
        case 0: .input(input())
        case 1: .fault(fault())
        default: .expect(expectation())
        }
    }

    private mutating func name() -> String { pick(names) }

    private mutating func input() -> Input {
        switch random.below(46) {
        case 44: .newDay
        case 41:
            .openScene(name(), flag() ? nil : SceneNumber(UInt32(random.below(9))), role: pick(ScreenRole.allCases))
        case 42: .closeScene(name(), SceneNumber(UInt32(random.below(9))))
        case 43: .screenshot
        case 39: .changeStore(text())
        case 40: serviceNames.isEmpty ? .home : .tellService(pick(serviceNames), text())
        case 36: .lowPower(flag())
        case 37: .thermalState(pick(ThermalState.allCases))
        case 38: .orientation(pick(Orientation.allCases))
        case 35: part().map { .wakeByService(name(), $0) } ?? .home
        case 32: .fetch(name(), launches: flag())
        case 33: .allowRefresh(name(), flag())
        case 34: .sessionEvents(name(), session: text(), authentication: flag())
        case 0: .open(name(), role: pick(ScreenRole.allCases))
        case 1: .openURL(url())
        case 2: .home
        case 3: .lock
        case 4: .unlock
        case 5: .switcher(isOpen: flag())
        case 6: .close(name())
        case 7: .restart(name())
        case 8: .exempt(name(), flag())
        case 9: .install(name())
        case 10: .uninstall(name())
        case 11: .interrupt(pick(InterruptionKind.allCases))
        case 12: .dismiss(pick(InterruptionKind.allCases))
        case 13: .accept(pick(InterruptionKind.allCases))
        case 14: .endCall
        case 15: .sleep
        case 16: .wake
        case 17: .reboot
        case 18: .shutDown
        case 19: .boot
        case 20: .app(name(), appAction(4))
        case 21: .setClock(by: span())
        case 22: .memoryWarning
        case 23: .memoryPressure(pick(MemoryLevel.allCases))
        case 24: .network(pick(NetworkKind.allCases))
        case 25: .battery(BatteryReading(pick(BatteryReading.State.allCases), percent: Int32(random.below(101))))
        case 26: .locale(text())
        case 27: .timeZone(text(), offset: Int32(random.below(172_801)) - 86_400)
        case 28: .brightness(Int32(random.below(101)))
        case 29: .screens(Int32(random.below(17)))
        case 30: .setting(name(), key: text(), value: flag() ? text() : nil)
        case 31: flag() ? .connect(name(), lasting: span()) : .callMethod(name())
        default: .setClock(by: Span(nanoseconds: -span().nanoseconds))
        }
    }

    private mutating func fault() -> Fault {
        switch random.below(23) {
        case 20: serviceNames.isEmpty ? .diskFull(flag()) : .killService(pick(serviceNames))
        case 21: serviceNames.isEmpty ? .diskFull(flag()) : .stallService(pick(serviceNames), flag())
        case 0: flag() ? .starve(name()) : .crash(name(), signal: Int32(1 + random.below(64)))
        case 1: .exit(name(), status: Int32(random.below(256)))
        case 2: .hang(name(), pick(CallbackKind.allCases))
        case 3: .freezeMainThread(name())
        case 4: .recover(name())
        case 5: .disconnect(name())
        case 6: .loseReply(name())
        case 7: .delayReplies(name(), span())
        case 8: .unfreezable(name(), flag())
        case 9: .ignoreTermination(name(), flag())
        case 10: .leaveOthers(name(), flag())
        case 11: .endOthers(name())
        case 12: .debugger(name(), flag())
        case 13: .fork(name(), Int32(random.below(1000)))
        case 14: .thaw(name())
        case 15: .diskFull(flag())
        case 16: .launchFails(name(), flag())
        case 17: .networkDown(flag())
        case 18: .killDaemon(downFor: span())
        case 19: .ignorePeers(name(), flag())
        default: .killDaemonWithin(effects: random.below(9), downFor: span())
        }
    }

    private mutating func pattern() -> LogPattern {
        let event = pick(LogEvent.allCases)
        let ofApps: [LogEvent] =
            [
                .didReceiveMemoryWarning, .reclaimed, .taskBegan, .taskEnded, .tasksExpired, .taskRefused,
                .toldOfChanges,
                .listens, .peerConnected, .peersRefused, .connectionsClosed, .performFetch,
                .handleEventsForBackgroundURLSession, .launchBackgroundTask,
                .wakeRequested, .wakeRefused, .windowCompleted, .windowExpires, .windowOverrun, .taskSubmitted,
                .taskCancelled, .taskRequestRefused, .handleServiceEvents, .descriptorsNearLimit,
                .didReceiveRemoteNotification,
                .methodCalled, .cachesEmptied, .priorityInversion, .screenHeld, .screenReleased,
            ] + SceneStep.allCases.map(\.event)
        let isOfDevice = event.rawValue >= LogEvent.openRequested.rawValue && !ofApps.contains(event)
        return LogPattern(app: isOfDevice ? nil : name(), event: event, reason: flag() ? text() : nil)
    }

    private mutating func several<Value>(_ make: (inout Generator) -> Value) -> [Value] {
        (0..<random.below(4)).map { _ in make(&self) }
    }

    private mutating func expectation() -> Expectation {
        switch random.below(27) {
        case 25: energy()
        case 24: .scene(name(), SceneNumber(UInt32(random.below(9))), pick(SceneState.allCases))
        case 22: .payload(name(), text())
        case 23: serviceNames.isEmpty ? .accepted : .serviceAnswer(pick(serviceNames), question: text(), text())
        case 21: .snapshots(name(), random.below(9))
        case 19: .changes(name(), several { $0.pick(SystemChange.allCases) })
        case 0: .state(name(), pick(LifecycleState.allCases))
        case 1: .visible(name(), flag())
        case 2: .callbacks(name(), several { $0.pick(CallbackKind.allCases) })
        case 3: .accepted
        case 4: .refused(text())
        case 5: .unanswered
        case 6: .order(several { $0.pattern() })
        case 7: .never(pattern())
        case 8: .count(pattern(), random.below(100))
        case 9: interval()
        case 10: .reports(name(), several { $0.random.next() })
        case 11: .reportSays(name(), text())
        case 12: .noReports
        case 13: .why(name(), several { $0.pick(LogEvent.allCases) })
        case 14: .assertions(name(), several { $0.pick(AssertionKind.allCases) })
        case 15: .requestRefused(name(), text())
        case 16: .launches(name(), random.below(9))
        case 17: .atRest
        case 18: .expirations(name(), several { $0.text() })
        case 20: .priority(name(), pick(AppPriority.allCases))
        default: flag() ? launchOptions() : .opened(name(), url: url(), source: flag() ? text() : nil)
        }
    }

    private mutating func interval() -> Expectation {
        let times = [span(), span()].sorted()
        return .within(pattern(), pattern(), atLeast: times[0], atMost: times[1])
    }

    private mutating func energy() -> Expectation {
        let owner = pick([EnergyShare.Owner.app(name()), .system, .device])
        let amounts = [Int64(random.below(1 << 50)), Int64(random.below(99)) * 1_000_000_000_000].sorted()
        return .energy(
            EnergyShare(
                owner, for: flag() ? pick(Purpose.allCases) : nil, by: flag() ? pick(EnergyPart.allCases) : nil),
            atLeast: flag() ? Energy(picojoules: amounts[0]) : .zero,
            atMost: flag() ? Energy(picojoules: amounts[1]) : nil)
    }

    private mutating func launchOptions() -> Expectation {
        let options = LaunchOptions(
            url: flag() ? url() : nil, sourceApplication: flag() ? text() : nil,
            service: random.modes(),
            notification: pick([nil, .local(payload: text()), .remote(payload: text())]))
        return .launchOptions(name(), options)
    }
}
