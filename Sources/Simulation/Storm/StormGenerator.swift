package import Model
internal import PolicyCore

/// Makes up a scenario from a seed: a device, apps of every kind, a person who uses them for a day, and whatever can go
/// wrong. What it makes is an ordinary scenario: it can be written down, run again and made smaller.
package struct StormGenerator {
    package static let day = Span.seconds(86_400)
    private static let stepsOfADay: Int64 = 1000

    private let length: Span
    private var random: SplitMix64
    private var scenario: Scenario
    private var now = Span.zero
    private var names: [String] = []

    /// - Parameter length: how long the person uses the device, about.
    /// - Parameter models: services with the logic of real ones that take part.
    package static func scenario(
        seed: UInt64, length: Span = day, models: ServiceModels = ServiceModels()
    ) -> Scenario {
        var generator = StormGenerator(seed: seed, length: length)
        generator.makeApps()
        generator.makeDay()
        StormServices.add(to: &generator.scenario)
        StormModels.add(models, to: &generator.scenario)
        StormScenes.add(to: &generator.scenario)
        StormDisk.add(to: &generator.scenario)
        StormConnections.add(to: &generator.scenario)
        return generator.scenario
    }

    private init(seed: UInt64, length: Span) {
        self.length = length
        random = SplitMix64(seed: seed, for: 0x5702)
        let profile = DeviceProfile.all[random.below(DeviceProfile.all.count)]
        scenario = Scenario(name: "Storm \(seed)", profile: profile)
        scenario.seed = seed
        if random.oneIn(3) { makeRates() }
        if random.oneIn(2) { scenario.memory = Int64(192 + random.below(832)) << 20 }
    }

    private mutating func makeRates() {
        scenario.rates.crash = random.below(6)
        scenario.rates.hang = random.below(6)
        scenario.rates.lateReply = random.below(40)
        scenario.rates.lostReply = random.below(30)
        scenario.rates.repeatedReply = random.below(30)
        scenario.rates.lastWord = random.below(30)
        scenario.rates.launchFailure = random.below(20)
        scenario.rates.daemonCrash = random.oneIn(2) ? random.below(8) : 0
    }

    // MARK: Apps

    /// The services that apps use: the user notices the first one, and does not notice the second.
    private static let (heard, unheard) = (ServicePart("heard", "held"), ServicePart("unheard", "held"))

    /// All modes that apps may declare. Only the service that guards the last one knows it.
    static let modes = BackgroundModes.knownKeys + [heard.service]

    private func services() -> [ServiceScript] {
        zip([Self.heard, Self.unheard], Self.modes.reversed()).enumerated().map { number, pair in
            let (part, key) = pair
            let hold = ServiceDeclaration.Hold(
                name: part.part, sentence: "it is \(part.service)", activity: Purpose.ofServices[number],
                priority: number == 0 ? .foreground : .background)
            return ServiceScript(
                ServiceDeclaration(name: part.service, holds: [hold], mode: BackgroundModes(keys: [key])))
        }
    }

    private mutating func makeApps() {
        scenario.services = services()
        for number in 0..<(3 + random.below(8)) {
            let name = "app\(number)"
            guard let identifier = AppIdentifier("org.example.\(name)") else { continue }
            names.append(name)
            var manifest = AppManifest(identifier: identifier, name: name)
            manifest.kind = random.oneIn(4) ? .plain : .application
            manifest.backgroundModes = random.modes(and: [Self.heard.service])
            if random.oneIn(3) { manifest.taskIdentifiers = ["task a", "task b"] }
            manifest.exitsOnSuspend = random.oneIn(10)
            manifest.urlSchemes = ["s\(random.below(4))"]
            manifest.isFreezable = !random.oneIn(10)
            var script = AppScript(name: name, manifest: manifest)
            script.startup = .milliseconds(Int64(20 + random.below(800)))
            for kind in Self.callbacks where random.oneIn(3) {
                script.callbackTimes[kind] = .milliseconds(Int64(random.below(random.oneIn(10) ? 5_500 : 300)))
            }
            if manifest.kind != .plain, random.oneIn(2) { wake(&script) }
            if scenario.memory != nil { script.footprint = footprint() }
            for kind in Self.callbacks where random.oneIn(6) { script.reactions[kind] = [reaction()] }
            let expirations = expirations()
            // A plain program has no tasks that could expire.
            if script.manifest.kind != .plain { script.expirations = expirations }
            scenario.apps.append(script)
        }
    }

    private mutating func footprint() -> AppScript.Footprint {
        func bytes(_ limit: Int) -> Int64 { Int64(random.below(limit)) << 20 }
        var footprint = AppScript.Footprint()
        footprint.dirtyBytes = (5 << 20) + bytes(random.oneIn(4) ? 200 : 60)
        footprint.purgeableBytes = random.oneIn(3) ? bytes(60) : 0
        footprint.cleanBytes = bytes(40)
        footprint.releasableBytes = random.oneIn(2) ? footprint.dirtyBytes / 2 : 0
        return footprint
    }

    private mutating func reaction() -> AppAction {
        let action = self.action()
        return random.oneIn(2) ? .after(.milliseconds(Int64(random.below(120_000))), action) : action
    }

    private mutating func action() -> AppAction {
        let held = random.oneIn(2) ? Self.heard : Self.unheard
        if scenario.memory != nil, random.oneIn(4) {
            return .allocate(bytes: Int64(random.below(random.oneIn(6) ? 400 : 60)) << 20)
        }
        if random.oneIn(4) { return taskAction() }
        if random.oneIn(8) {
            return random.oneIn(3) ? .complete(random.pick(Self.windows) ?? .fetch, result()) : wish()
        }
        if random.oneIn(10) { return .listen("port \(random.below(3))") }
        if random.oneIn(12) { return random.oneIn(3) ? .refreshSnapshot : .provideSnapshots(!random.oneIn(4)) }
        return switch random.below(14) {
        case 0...3: .use(held)
        case 4...6: .leave(held)
        case 7: .openURL("s\(random.below(5)):x")
        case 8: .canOpenURL("s\(random.below(5)):x")
        case 9: .block(.milliseconds(Int64(random.below(random.oneIn(4) ? 20_000 : 1_000))))
        case 10: random.oneIn(2) ? .exit(Int32(random.below(2))) : .crash(signal: 11)
        case 11, 12: lock()
        default: .fork(random.oneIn(4) ? 600 : Int32(1 + random.below(20)))
        }
    }

    // What services do comes by itself (`StormServices`), and so do scenes (`StormScenes`).
    private static let callbacks = CallbackKind.allCases.filter { $0 != .handleServiceEvents && $0 != .scene }
    private static let windows = WindowService.allCases.filter { $0 != .service }

    /// Most do what they are woken for, some too late, some never, some twice.
    private mutating func wake(_ script: inout AppScript) {
        let kinds: [(CallbackKind, [WindowService])] = [
            (.performFetch, [.fetch]), (.handleEventsForBackgroundURLSession, [.sessionEvents]),
            (.launchBackgroundTask, [.refresh, .processing]),
        ]
        for (kind, services) in kinds {
            let pause = Span.milliseconds(Int64(random.below(random.oneIn(4) ? 60_000 : 5_000)))
            let completions = services.map { AppAction.complete($0, result()) }
            var actions: [AppAction] = random.oneIn(8) ? [] : completions.map { .after(pause, $0) }
            if random.oneIn(6) { actions += completions }
            script.reactions[kind, default: []] += actions
            if random.oneIn(2) { script.expirations += completions }
        }
        script.reactions[.didFinishLaunching, default: []].append(wish())
    }

    private mutating func result() -> WindowResult { random.pick(WindowResult.allCases) ?? .done }

    private mutating func wish() -> AppAction {
        switch random.below(8) {
        case 0...3: .setFetchInterval(.seconds(Double(random.below(random.oneIn(2) ? 1 : 7200))))
        case 4: .setFetchInterval(nil)
        case 5: .cancelTask(random.oneIn(2) ? nil : "task a")
        default:
            .submitTask(
                random.oneIn(2) ? .refresh : .processing, random.oneIn(2) ? "task a" : "task b",
                after: random.oneIn(2) ? nil : .seconds(Double(random.below(4000))),
                needs: random.oneIn(2) ? nil : random.pick(TaskNeed.allCases))
        }
    }

    private mutating func lock() -> AppAction {
        if random.oneIn(8) { return .grabInput(random.oneIn(2)) }
        let file = random.oneIn(8) ? "~/own" : "shared\(random.below(3))"
        return random.oneIn(2) ? .lock(file) : .unlock(file)
    }

    private mutating func taskAction() -> AppAction {
        let name = "task \(random.below(3))"
        return switch random.below(12) {
        case 0...5: .beginTask(name)
        case 6...9: .endTask(name)
        case 10: .askBackgroundTime
        default: .endInvalidTask
        }
    }

    /// Most end what they have, some too late or never.
    private mutating func expirations() -> [AppAction] {
        let ends = (0..<3).map { AppAction.endTask("task \($0)") }
        return switch random.below(8) {
        case 0...3: ends + ends
        case 4: [.after(.milliseconds(Int64(random.below(8_000))), ends[0]), ends[1], ends[2]]
        case 5: [taskAction(), taskAction()]
        case 6: [.block(.milliseconds(Int64(random.below(7_000))))] + ends
        default: []
        }
    }

    // MARK: The day

    private mutating func add(_ action: Scenario.Action) { scenario.steps.append(Scenario.Step(at: now, action)) }

    private mutating func pass(_ shortest: Span, _ longest: Span) { now = now + random.span(shortest, longest) }

    private mutating func name() -> String { random.pick(names) ?? "" }

    private mutating func makeDay() {
        let isHectic = random.oneIn(4)
        // A quiet day goes on until enough has happened.
        let least = Int(Self.stepsOfADay * length.nanoseconds / Self.day.nanoseconds)
        while now < length || scenario.steps.count < least {
            session(isHectic: isHectic)
            // Between two sessions the device lies on the table.
            if isHectic { pass(.zero, .seconds(900)) } else { pass(.seconds(60), .seconds(3_000)) }
        }
        calmDown()
    }

    private mutating func session(isHectic: Bool) {
        // A device that is off is of no use to anybody.
        add(.input(.boot))
        if random.oneIn(3) { add(.input(.wake)) }
        add(.input(.unlock))
        for _ in 0..<(8 + random.below(isHectic ? 30 : 16)) {
            if random.oneIn(5) { pass(.zero, .milliseconds(40)) } else { pass(.milliseconds(200), .seconds(45)) }
            switch random.below(100) {
            case 0..<50: add(.input(.open(name(), role: role())))
            case 50..<64: add(.input(.home))
            case 64..<72: interruption()
            case 72..<81: add(.input(unusual()))
            case 84..<88: add(.input(.app(name(), action())))
            case 88..<91: add(.input(surroundings()))
            case 81: add(.input(.app(name(), lock())))
            case 82: add(.input(waking()))
            case 83: add(.input(peer()))
            default: add(.fault(fault()))
            }
        }
        if !random.oneIn(4) {
            add(.input(random.oneIn(2) ? .lock : .home))
            if random.oneIn(3) { add(.input(.sleep)) }
        }
    }

    private mutating func peer() -> Input {
        random.oneIn(4)
            ? .callMethod(name()) : .connect(name(), lasting: .milliseconds(Int64(random.below(9_000))))
    }

    private mutating func waking() -> Input {
        switch random.below(8) {
        case 0...3: .fetch(name(), launches: random.oneIn(3))
        case 4: .allowRefresh(name(), !random.oneIn(3))
        default: .sessionEvents(name(), session: "session \(random.below(2))", authentication: random.oneIn(4))
        }
    }

    private mutating func role() -> ScreenRole {
        random.oneIn(6) ? ScreenRole.allCases[random.below(ScreenRole.allCases.count)] : .primary
    }

    private mutating func interruption() {
        let kind = InterruptionKind.allCases[random.below(InterruptionKind.allCases.count)]
        add(.input(.interrupt(kind)))
        pass(.milliseconds(10), .seconds(20))
        if kind != .alert, random.oneIn(3) {
            add(.input(.accept(kind)))
            pass(.seconds(1), .seconds(200))
            if kind == .call { add(.input(.endCall)) }
        } else {
            add(.input(.dismiss(kind)))
        }
    }

    private mutating func unusual() -> Input {
        if scenario.memory != nil, random.oneIn(8) {
            return random.oneIn(2) ? .memoryWarning : .memoryPressure(random.pick(MemoryLevel.allCases) ?? .normal)
        }
        return switch random.below(16) {
        case 0, 1: .openURL("s\(random.below(5)):y")
        case 2: .lock
        case 3: .unlock
        case 4: .switcher(isOpen: true)
        case 5: .switcher(isOpen: false)
        case 6, 7: .close(name())
        case 8: .restart(name())
        case 9: .exempt(name(), random.oneIn(2))
        case 10: random.oneIn(3) ? .uninstall(name()) : .install(name())
        case 11: random.oneIn(4) ? .reboot : .wake
        case 12: random.oneIn(4) ? .shutDown : .boot
        case 13: .boot
        case 14: .setClock(by: .seconds(Double(random.below(200_000) - 100_000)))
        default: .sleep
        }
    }

    /// What changes, and perhaps back.
    private mutating func surroundings() -> Input {
        switch random.below(14) {
        case 0...2: .network(random.pick(NetworkKind.allCases) ?? .none)
        case 3: .battery(BatteryReading(random.oneIn(2) ? .charging : .unplugged, percent: Int32(random.below(101))))
        case 4: .locale(random.oneIn(2) ? "de_DE" : "en_US")
        case 5: random.oneIn(2) ? .timeZone("Asia/Tokyo", offset: 32_400) : .timeZone("UTC", offset: 0)
        case 6: .brightness(Int32(random.below(3) * 50))
        case 7: .screens(Int32(random.below(2)))
        case 8: .lowPower(random.oneIn(3))
        case 9: .thermalState(random.pick(ThermalState.allCases) ?? .nominal)
        case 10: .orientation(random.pick(Orientation.allCases) ?? .unknown)
        case 11: .changeStore(random.oneIn(2) ? "contacts" : "calendar")
        case 12: .screenshot
        default: .setting(name(), key: "key \(random.below(3))", value: random.oneIn(3) ? nil : "\(random.below(2))")
        }
    }

    private mutating func fault() -> Fault {
        let app = name()
        let kind = Self.callbacks[random.below(Self.callbacks.count)]
        let isOn = random.oneIn(3)
        return switch random.below(23) {
        case 22: .ignorePeers(app, isOn)
        case 0:
            switch random.below(4) {
            case 0, 1: .crash(app, signal: 11)
            case 2: .crash(app, signal: 6)
            default: .starve(app)
            }
        case 1: .exit(app, status: Int32(random.below(3)))
        case 2, 3: .hang(app, kind)
        case 4: .freezeMainThread(app)
        case 5...7: .recover(app)
        case 8: .disconnect(app)
        case 9: .loseReply(app)
        case 10: .delayReplies(app, .milliseconds(Int64(random.below(9_000))))
        case 11: .unfreezable(app, isOn)
        case 12: .ignoreTermination(app, isOn)
        case 13: .leaveOthers(app, isOn)
        case 14: .endOthers(app)
        case 15: .debugger(app, isOn)
        case 16: .fork(app, isOn ? 600 : 1)
        case 17: .thaw(app)
        case 18: random.oneIn(2) ? .diskFull(isOn) : .networkDown(isOn)
        case 19: .launchFails(app, isOn)
        case 20: .killDaemon(downFor: .milliseconds(Int64(1 + random.below(5_000))))
        default: .killDaemonWithin(effects: random.below(5), downFor: .milliseconds(Int64(1 + random.below(2_000))))
        }
    }

    /// At the end everybody behaves: then everything has to come to rest.
    private mutating func calmDown() {
        for name in names {
            add(.fault(.recover(name)))
            add(.fault(.unfreezable(name, false)))
            add(.fault(.fork(name, 1)))
            add(.fault(.endOthers(name)))
        }
        add(.fault(.diskFull(false)))
        scenario.duration = now + .seconds(400)
        scenario.expectations = [Placed(.atRest)]
    }
}
