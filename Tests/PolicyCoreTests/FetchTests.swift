import Model
import PolicyCore
import Testing

@Suite("Background fetch") struct FetchTests {
    private static let hour = Model.Span.seconds(3600)

    /// An app that asked to be fetched, suspended, on a device with Wi-Fi.
    private func fetcher(
        _ device: TestDevice, _ name: String = "news", every interval: Model.Span? = .zero, network: NetworkKind = .wifi
    ) -> AppIndex {
        let app = device.installTest(name, modes: .fetch)
        device.send(.conditionSensed(.network(network)))
        device.open(app)
        if let interval { device.request(app, .setFetchInterval(interval)) }
        device.home()
        _ = device.takeCalls(app)
        return app
    }

    /// Somebody opens the app every hour of so many days, so that it is worth to be fetched at any time; each fetch is
    /// completed at once.
    private func use(_ device: TestDevice, _ apps: [AppIndex], days: Int) throws {
        for _ in 0..<days * 24 {
            for app in apps {
                device.open(app)
                device.pass(.seconds(5))
            }
            device.home()
            try pass(device, Self.hour, apps)
        }
    }

    private func pass(_ device: TestDevice, _ span: Model.Span, _ apps: [AppIndex], _ result: WindowResult = .newData)
        throws
    {
        let end = device.now + span
        while device.now < end {
            device.pass(min(.seconds(60), end - device.now))
            for app in apps where device.system.app(app)?.heldAssertions.contains(where: { $0.kind == .fetch }) == true
            {
                try device.complete(app, result)
            }
        }
    }

    private func fetches(_ device: TestDevice, _ app: AppIndex) -> [WallTime] {
        device.log.filter { $0.app == app && $0.event == .wakeRequested }.map(\.at)
    }

    @Test("Without a call the interval is never: nobody is fetched, and nothing is waited for")
    func never() {
        let device = TestDevice()
        let app = fetcher(device, every: nil)
        device.pass(.seconds(60))
        #expect(device.system.nextDeadline() == nil)
        device.pass(Self.hour * 100)
        #expect(fetches(device, app).isEmpty)
        #expect(device.system.fetchOutlook(app).obstacle == .neverAsked)
        device.finish()
    }

    @Test("Without the background mode the interval is refused, with what to do")
    func undeclared() {
        let device = TestDevice()
        let app = device.installTest("news")
        device.open(app)
        #expect(device.request(app, .setFetchInterval(.zero)) == .refused(.missingBackgroundMode("fetch")))
        device.finish()
    }

    @Test("An app that is opened every hour is fetched before that, and never sooner than its interval")
    func learnt() throws {
        let device = TestDevice()
        device.keepsLog = true
        let app = fetcher(device, every: .seconds(1800))
        try use(device, [app], days: 3)
        let times = fetches(device, app)
        #expect(times.count > 20)
        for (one, next) in zip(times, times.dropFirst()) {
            #expect(next.nanoseconds - one.nanoseconds >= Model.Span.seconds(1800).nanoseconds)
        }
        let decisions = device.system.fetch.planner.decisions(app)
        #expect(decisions.contains { if case .hit = $0.verdict { true } else { false } })
        device.request(app, .setFetchInterval(nil))
        let before = fetches(device, app).count
        try pass(device, Self.hour * 10, [app])
        #expect(fetches(device, app).count == before)
        device.finish()
    }

    @Test("On a new device an app that was opened once is not fetched for while its user has just seen it")
    func newInstall() throws {
        let device = TestDevice()
        device.keepsLog = true
        let app = fetcher(device)
        let left = device.system.wall(device.now)
        guard case .fresh(let until)? = device.system.fetchOutlook(app).plan?.reason else {
            Issue.record("\(device.system.fetchOutlook(app))")
            return
        }
        #expect(until <= left + Self.hour && until > left + .seconds(3590))
        try pass(device, .seconds(3480), [app])
        #expect(fetches(device, app).isEmpty)
        // Wi-Fi costs next to nothing: what is stale is looked for.
        try pass(device, .seconds(300), [app])
        #expect(fetches(device, app).count == 1)
        device.finish()
    }

    @Test("An app that crashes on screen was seen until then, and one opening wakes no dear radio")
    func crashed() throws {
        let device = TestDevice()
        device.keepsLog = true
        let app = device.installTest("news", modes: .fetch)
        device.send(.conditionSensed(.network(.cellular)))
        device.open(app)
        device.request(app, .setFetchInterval(.zero))
        device.pass(.seconds(1200))
        device.crash(app)
        device.run()
        let ended = device.system.wall(device.now)
        guard case .fresh(let until)? = device.system.fetchOutlook(app).plan?.reason else {
            Issue.record("\(device.system.fetchOutlook(app))")
            return
        }
        #expect(until > ended + .seconds(3590))
        try pass(device, Self.hour * 12, [app])
        #expect(fetches(device, app).isEmpty)
        device.finish()
    }

    @Test("Apps that are due go together, once one of them wakes the radio")
    func together() throws {
        let device = TestDevice(.iOS7)
        let apps = ["a", "b", "c"].map { fetcher(device, $0, network: .cellular) }
        // Each app is opened twice in a row: one opening would not be worth waking the radio.
        try use(device, apps + apps, days: 2)
        let times = apps.map { Set(fetches(device, $0)) }
        let shared = times[0].intersection(times[1]).intersection(times[2])
        #expect(shared.count > 5, "\(times.map(\.count))")
        device.finish()
    }

    /// Each makes that the app is not fetched, and how it is told.
    private static let obstacles: [(String, @Sendable (TestDevice, AppIndex) -> Void, WakeObstacle)] = [
        ("no network", { device, _ in device.send(.conditionSensed(.network(.none))) }, .noNetwork),
        (
            "low battery",
            { device, _ in device.send(.conditionSensed(.battery(BatteryReading(.unplugged, percent: 19)))) },
            .batteryLow(percent: 19, least: 20)
        ),
        ("low-power mode", { device, _ in device.send(.conditionSensed(.lowPower(true))) }, .lowPower),
        (
            "heat", { device, _ in device.send(.conditionSensed(.thermalState(.serious))) }, .tooWarm(.serious)
        ),
        ("closed by the user", { device, app in device.perform(.close(app, wait: true)) }, .closedByUser),
        ("not allowed", { device, app in device.perform(.allowRefresh(app, false)) }, .refreshIsOff),
        ("on screen", { device, app in device.open(app) }, .onScreen),
        (
            "fetched never",
            { device, app in
                device.open(app)
                device.request(app, .setFetchInterval(nil))
                device.home()
            }, .neverAsked
        ),
    ]

    @Test(
        "Nobody is fetched while a condition is missing, which is named; with it, it goes on",
        arguments: obstacles.map(\.0))
    func conditions(_ name: String) throws {
        let (_, make, obstacle) = try #require(Self.obstacles.first { $0.0 == name })
        let device = TestDevice()
        let app = fetcher(device)
        try use(device, [app], days: 1)
        make(device, app)
        #expect(device.system.fetchOutlook(app).obstacle == obstacle)
        #expect(!obstacle.sentence.isEmpty && obstacle.changesWith != nil)
        let before = fetches(device, app).count
        try pass(device, Self.hour * 4, [app])
        #expect(fetches(device, app).count == before)
        device.send(.conditionSensed(.network(.wifi)))
        device.send(.conditionSensed(.battery(BatteryReading(.charging, percent: 19))))
        device.send(.conditionSensed(.lowPower(false)))
        device.send(.conditionSensed(.thermalState(.fair)))
        device.perform(.allowRefresh(app, true))
        device.open(app)
        device.request(app, .setFetchInterval(.zero))
        device.home()
        try pass(device, Self.hour * 4, [app])
        #expect(fetches(device, app).count > before)
        device.finish()
    }

    @Test("While nothing is due nobody looks more often than every minute")
    func quiet() throws {
        let device = TestDevice()
        let app = fetcher(device)
        device.open(app)
        let (events, end) = (device.eventCount, device.now + .seconds(6000))
        while let next = device.system.nextDeadline(), next < end { device.pass(next - device.now) }
        // An app on screen is looked at every five seconds, and answers.
        #expect(device.eventCount - events < 4000)
        device.finish()
    }

    @Test("Interval, closing and permission outlive the process and the daemon")
    func survives() throws {
        let device = TestDevice()
        let app = fetcher(device, every: .seconds(900))
        device.crash(app)
        device.run()
        device.restartDaemon()
        #expect(device.system.app(app)?.wake.fetchInterval == .seconds(900))
        device.perform(.allowRefresh(app, false))
        device.perform(.reboot)
        device.restartDaemon()
        #expect(device.system.app(app)?.wake.isRefreshOff == true)
    }

    @Test(
        "An app that names tasks is not fetched since iOS 13, and is told why; before, and without tasks, it is",
        arguments: [(DeviceProfile.linux, true), (.iOS7, false), (.iPhone4, false)])
    func tasksReplaceFetch(profile: DeviceProfile, isReplaced: Bool) throws {
        let device = TestDevice(profile)
        let app = device.installTest("news", modes: [.fetch], tasks: ["sync"])
        let other = fetcher(device, "weather")
        device.open(app)
        device.request(app, .setFetchInterval(.zero))
        device.home()
        #expect((device.system.fetchOutlook(app).obstacle == .hasTasks) == isReplaced)
        #expect(device.system.fetchOutlook(other).obstacle != .hasTasks)
        device.perform(.simulateFetch(app, launches: false, wait: false))
        #expect(fetches(device, app).isEmpty == isReplaced)
        if isReplaced {
            try use(device, [app], days: 3)
            #expect(fetches(device, app).isEmpty)
        }
        device.finish()
    }

    @Test("What an app wished for before the device went down it wishes for afterwards, unless it says otherwise")
    func restored() {
        let device = TestDevice()
        let app = device.installTest("news", modes: [.fetch, .processing], tasks: ["sync"])
        let wishes = WakeWishes(
            interval: .seconds(900),
            tasks: [
                BackgroundTaskRequest(
                    identifier: "sync", kind: .processing,
                    earliest: WallTime(nanoseconds: 1_800_000_000_000_000_000)),
                BackgroundTaskRequest(identifier: "undeclared", kind: .refresh),
            ])
        device.send(.wishesRestored(app, wishes))
        #expect(device.system.wishes(of: app) == WakeWishes(interval: .seconds(900), tasks: [wishes.tasks[0]]))
        device.open(app)
        device.request(app, .setFetchInterval(.seconds(60)))
        device.send(.wishesRestored(app, wishes))
        #expect(device.system.wishes(of: app).interval == .seconds(60))
        device.finish()
    }

    @Test("An app that may not refresh hears of it, and hears when it may again")
    func permission() {
        let device = TestDevice()
        let app = fetcher(device)
        device.open(app)
        device.perform(.allowRefresh(app, false))
        #expect(device.told.last?.conditions.refreshes == false)
        device.perform(.allowRefresh(app, true))
        #expect(device.told.last?.conditions.refreshes == true)
        device.finish()
    }
}
