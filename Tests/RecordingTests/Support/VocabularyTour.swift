import Model
import PolicyCore

/// A walk through every event, command and request that a recording can hold; the daemon dies near its end.
struct VocabularyTour {
    let device: RecordedDevice
    private var request: UInt64 = 0

    /// Guards a mode of its own; the other one a mode of Apple.
    private let beat = ServiceIndex(0)
    private let calls = ServiceIndex(1)
    private let declarations = [
        ServiceDeclaration(
            name: "beat",
            holds: [
                .init(name: "playing", sentence: "it plays", activity: .streaming, priority: .foreground),
                .init(name: "looking", sentence: "it looks", activity: .location, limit: .seconds(30)),
            ],
            windows: [.init(name: "bar", sentence: "a bar", time: .seconds(10))],
            mode: BackgroundModes(keys: ["beat"]), worksInForeground: false),
        ServiceDeclaration(
            name: "calls", holds: [.init(name: "ringing", sentence: "it rings", priority: .timed)],
            windows: [.init(name: "session", sentence: "a session", time: .seconds(9), callback: .sessionEvents)],
            mode: "voip", launchesAtBoot: true, relaunches: true),
    ]

    init(_ folder: String) throws { device = try RecordedDevice(folder) }

    private func of(_ app: AppIndex) -> Incarnation { Incarnation(app, device.generation(app)) }

    private mutating func ask(_ app: AppIndex, _ wish: AppRequest) {
        request += 1
        device.post(.request(app, RequestID(request), wish))
    }

    private mutating func next() -> ServiceRequestID {
        request += 1
        return ServiceRequestID(request)
    }

    mutating func play() throws {
        sense()
        device.post(.service(.declared(declarations)))
        for service in [beat, calls] { device.post(.service(.arrived(service, []))) }
        let player = device.install("player", modes: BackgroundModes(keys: ["beat", "fetch", "processing"])) {
            ($0.urlSchemes, $0.taskIdentifiers, $0.scenes) = (["play"], ["player.index"], .several)
        }
        let phone = device.install("phone", modes: ["voip", .listen]) { $0.taskIdentifiers = ["phone.tidy"] }
        let shell = device.install("shell", kind: .plain) { $0.exitsOnSuspend = true }
        _ = device.install("mirror", kind: .plain) { $0.connectionLimit = .seconds(30) }
        look(player, phone, shell)
        hold(player, phone)
        rest(player, phone)
        see(player, phone, shell)
        interrupt(player, phone)
        device.diesWithinNextEvent = true
        device.post(.timer)
        try device.restart()
        device.post(.service(.declared(declarations)))
        let stated = StatedHold(incarnation: of(player), hold: 0, because: "")
        device.post(.service(.arrived(beat, [stated])))
        device.post(.service(.arrived(calls, [])))
        end(player, phone, shell)
    }

    private func sense() {
        let zone = TimeZoneReading(
            "Europe/Berlin", offset: 3600,
            transitions: [.init(at: 1_711_846_800_000_000_000, offset: 7200)])
        let conditions: [Condition] = [
            .locale("de_DE"), .timeZone(zone), .screen(ScreenReading(brightness: 60, external: 0)),
            .battery(BatteryReading(.unplugged, percent: 80)), .network(.wifi), .lowPower(false),
            .thermalState(.fair), .orientation(.portrait), .store(SharedStore("group.org.example", stamp: 3)),
            .screenshot,
        ]
        for condition in conditions { device.post(.conditionSensed(condition)) }
        device.post(.memoryConfigured(budget: 512 << 20))
        device.post(.memoryConfigured(budget: 400 << 20, source: .machine))
        device.post(.memorySensed(available: 380 << 20))
        device.post(.room(.sensed(free: 5 << 20, total: 1 << 30)))
        device.post(.room(.measured([DiskMeasure(Incarnation(AppIndex(0), Generation(1)), bytes: 2, changed: 1)])))
        device.post(.room(.emptied(AppIndex(0), freed: 1 << 20)))
        device.post(.room(.sensed(free: 1 << 29, total: 1 << 30)))
    }

    /// The user looks at one app after another.
    private mutating func look(_ player: AppIndex, _ phone: AppIndex, _ shell: AppIndex) {
        device.perform(.open(player, role: .primary, wait: true))
        device.perform(.openScene(player, nil, role: .secondary, wait: true))
        device.perform(.openScene(player, SceneNumber(1), role: .pip, wait: false))
        ask(player, .scene(.activate(nil, wish: 7)))
        ask(player, .scene(.destroy(SceneNumber(2))))
        device.perform(.closeScene(player, SceneNumber(1), wait: true))
        device.perform(.openURL("play:song", wait: true))
        ask(player, .openURL("nobody:x"))
        ask(player, .canOpenURL("play:song"))
        ask(player, .keepScreenOn(true))
        ask(player, .keepScreenOn(false))
        device.perform(.open(shell, role: .primary, wait: true))
        device.perform(.open(phone, role: .primary, wait: false))
        device.perform(.switcher(isOpen: true, wait: true))
        device.perform(.switcher(isOpen: false, wait: true))
        device.perform(.lock(wait: true))
        device.perform(.sleep(wait: true))
        device.perform(.wake(wait: true))
        device.perform(.unlock(wait: true))
        device.perform(.simulate(.network(.none)))
        device.perform(.endSimulation(.network))
        device.perform(.changeSetting(phone, key: "size", value: "large"))
        device.perform(.changeSetting(phone, key: "size", value: nil))
        device.perform(.exempt(phone, true))
        device.perform(.exempt(phone, false))
        device.perform(.home(wait: true))
        device.pass(.seconds(40))
    }

    /// Services let apps run.
    private mutating func hold(_ player: AppIndex, _ phone: AppIndex) {
        device.perform(.open(player, role: .primary, wait: true))
        device.post(.service(.attached(beat, of(player))))
        let (playing, looking) = (
            StatedHold(incarnation: of(player), hold: 0, because: "“é” wants it"),
            StatedHold(incarnation: of(player), hold: 1, because: "")
        )
        device.post(.service(.hold(beat, next(), playing, limit: .zero)))
        device.post(.service(.hold(beat, next(), looking, limit: .seconds(5))))
        device.perform(.home(wait: true))
        let now = device.now
        device.post(.trafficSeen(player, .streaming, sent: 10, received: 9_000, from: now, to: now + .seconds(1)))
        device.post(
            .trafficCounted(
                player, .streaming, CountedTraffic(sent: 300, received: 7_000, from: now, to: now + .seconds(2))))
        device.post(
            .trafficCounted(
                player, .fetch,
                CountedTraffic(sent: 0, received: 0, from: now, to: now + .seconds(2), processor: .milliseconds(300))))
        device.pass(.seconds(20))
        device.post(.service(.drop(beat, next(), of(player), hold: 0)))
        device.post(.service(.stopped(beat, of(player), hold: 1)))
        device.post(.service(.attached(calls, of(phone))))
        device.post(.service(.wake(beat, next(), player, window: 0, because: "it is so far", payload: "4/4")))
        finish(player)
        device.post(.service(.noted(beat, player, sentence: "it stands still")))
        device.post(.service(.receives(beat, [player])))
        device.post(.service(.remembered(calls, [phone])))
        device.post(.service(.lost(calls)))
        device.pass(.seconds(20))
    }

    private mutating func finish(_ app: AppIndex) {
        guard let window = device.windows[app] else { return }
        ask(app, .complete(window, .newData))
    }

    /// What apps do without a user.
    private mutating func rest(_ player: AppIndex, _ phone: AppIndex) {
        ask(player, .setFetchInterval(.zero))
        ask(
            player, .submitTask(BackgroundTaskRequest(identifier: "player.index", kind: .processing, needsPower: true)))
        ask(player, .pendingTasks)
        ask(player, .cancelTask("player.index"))
        device.perform(.simulateFetch(player, launches: false, wait: true))
        finish(player)
        device.perform(.allowRefresh(player, false))
        device.post(.sessionEvents(player, session: "photos", authentication: false))
        finish(player)
        device.post(
            .wishesRestored(
                phone, WakeWishes(tasks: [BackgroundTaskRequest(identifier: "phone.tidy", kind: .processing)])))
        device.post(.wishesRestored(player, WakeWishes(interval: .seconds(900), scenes: [SceneNumber(3)])))
        var planner = FetchPlanner(rules: FetchRules())
        device.post(.habitsRestored(planner.memory))
        let night = WallTime(nanoseconds: 1_700_000_000_000_000_000)
        planner.began(player, at: night)
        planner.moved(player, FetchBytes(sent: 300, received: 7_000), model: .lte)
        planner.ended(player, at: night + .seconds(36), result: .newData, cost: nil)
        device.post(.habitsRestored(planner.memory))
        device.perform(.open(phone, role: .primary, wait: true))
        ask(phone, .beginTask(TaskID(1), name: "é"))
        ask(phone, .mechanism(.snapshots(.provide(true))))
        ask(phone, .backgroundTime)
        device.perform(.home(wait: true))
        ask(phone, .mechanism(.snapshots(.refresh)))
        ask(phone, .endTask(TaskID(1)))
        device.pass(.seconds(40))
    }

    /// What the kernel shows of apps.
    private mutating func see(_ player: AppIndex, _ phone: AppIndex, _ shell: AppIndex) {
        let (incarnation, generation) = (of(player), device.generation(player))
        let listener = Listener(name: "port 80", peers: 1)
        let inversion = PriorityInversion(thread: "é", app: "b", rank: .suspended, nice: 5)
        let mechanisms: [MechanismEvent] = [
            .locks(.found(path: "/é b", blocksOthers: false)), .locks(.inputGrabbed(display: ":0")),
            .sockets(.called(method: "org.example.Ask", isUnread: false)),
            .gpu(.used(GPUUse(.context, driver: "i915"))),
            .disk(.filled(DiskUse(written: 3 << 30, free: 1 << 30))), .descriptors(.nearLimit(open: 950, limit: 1000)),
            .inversions(.found(inversion)), .sockets(.found([listener], connections: 2)),
            .sockets(.peerCame(name: "port 80")), .sockets(.refused(name: "port 80", count: 3)),
            .sockets(.seen(SocketUse(connections: 2, waiting: 1, work: .seconds(3)))),
        ]
        for event in mechanisms { device.post(.mechanism(incarnation, event)) }
        device.post(.mechanism(incarnation, .descriptors(.counted(open: 950, limit: 1000))))
        device.post(.mechanism(incarnation, .inversions(.seen(inversion, lock: 7))))
        device.post(
            .footprintSampled(player, generation, Footprint(dirty: 90 << 20, purgeable: 8 << 20, clean: 4 << 20)))
        device.post(.reclaimed(player, generation, Footprint(dirty: 30 << 20, purgeable: 0, clean: 0)))
        device.post(.tracerChecked(player, generation, isTraced: false))
        device.post(.mappingsCounted(player, generation, 40_000, largest: 1 << 30))
        device.post(.purgeableCounted(player, generation, 12))
        device.perform(.pressMemory(.critical))
        device.perform(.warnMemory)
        device.perform(.pressMemory(.normal))
        device.perform(.open(shell, role: .primary, wait: true))
        device.post(.endedForMemory([of(shell)], available: 9 << 20))
        device.crash(shell)
        device.post(
            .launchFailed(
                shell, device.generation(shell), LaunchFailure(stage: "execve", errorNumber: 2, message: "no such file")
            ))
        device.post(.disconnected(phone, device.generation(phone)))
        device.pass(.seconds(40))
    }

    private mutating func interrupt(_ player: AppIndex, _ phone: AppIndex) {
        device.perform(.open(player, role: .primary, wait: true))
        for kind in InterruptionKind.allCases {
            device.perform(.interrupt(kind, wait: true))
            device.perform(.dismiss(kind, wait: true))
            device.perform(.interrupt(kind, wait: false))
            device.perform(.accept(kind, wait: true))
        }
        device.perform(.endCall(wait: true))
        device.perform(.restart(player, wait: true))
        device.hung = [player]
        device.perform(.home(wait: false))
        device.pass(.seconds(40))
        device.hung = []
        device.perform(.open(player, role: .primary, wait: true))
    }

    private mutating func end(_ player: AppIndex, _ phone: AppIndex, _ shell: AppIndex) {
        device.pass(.seconds(20))
        device.perform(.close(phone, wait: true))
        device.perform(.uninstall(shell))
        device.post(.clockChanged(wallOffset: 1_700_000_100_000_000_000))
        device.perform(.reboot)
        device.pass(.seconds(60))
        device.perform(.shutDown)
        device.pass(.seconds(60))
    }
}
