import Model
import PolicyCore
import Testing

@Suite("What apps are woken for") struct WindowTests {
    private func fetcher(_ device: TestDevice, runs: Bool = true) -> AppIndex {
        let app = device.installTest("news", modes: .fetch)
        if runs { device.suspend(app) }
        return app
    }

    @Test("A suspended app is thawed, called, and suspended once it says that it is done; its picture is taken anew")
    func thawed() throws {
        let device = TestDevice()
        let app = fetcher(device)
        device.request(app, .mechanism(.snapshots(.provide(true))))
        let command = device.fetch(app)
        #expect(device.takeCalls(app) == [.performFetch])
        #expect(device.state(app) == .background)
        #expect(device.system.app(app)?.heldAssertions.map(\.kind) == [.fetch])
        #expect(device.answers[command] == nil)
        try device.complete(app, .newData)
        #expect(device.answers[command] == .done(app: app))
        #expect(device.snapshots == [app])
        #expect(device.state(app) == .suspended)
        #expect(
            device.takeEvents(app).filter { $0 != .keptRunning } == [
                .wakeRequested, .resumed, .performFetch, .windowCompleted, .suspended,
            ])
        device.finish()
    }

    @Test("An app that does not run is launched into the background, told why, and called after that")
    func launched() throws {
        let device = TestDevice()
        let app = fetcher(device, runs: false)
        _ = device.fetch(app)
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + [.performFetch])
        #expect(device.launchOptions[Int(app.rawValue)].first?.options.service == .fetch)
        try device.complete(app, .noData)
        #expect(device.state(app) == .suspended)
        #expect(device.chain(from: try device.last(.launchedInBackground, of: app)).last == .wakeRequested)
        device.finish()
    }

    @Test("Launched anew: the process that was there ends without a report, and another one is called")
    func launchedAnew() throws {
        let device = TestDevice()
        let app = fetcher(device)
        let command = device.fetch(app, launches: true)
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + [.performFetch])
        #expect(device.launches == 2)
        #expect(device.answers[command] == nil)
        try device.complete(app)
        #expect(device.answers[command] == .done(app: app))
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("Who does not say in time that it is done is ended with the code of what it was woken for")
    func ended() throws {
        let ends: [(WindowKind, Model.Span, UInt64)] = [
            (.fetch, .seconds(30), 0x2182_bad4),
            (.sessionEvents(session: "s", authentication: false), .seconds(10), 0x2182_bad3),
        ]
        for (kind, limit, code) in ends {
            let device = TestDevice()
            let app = fetcher(device)
            if kind == .fetch { _ = device.fetch(app) } else { device.transfers(app) }
            device.pass(limit - .milliseconds(10))
            #expect(device.state(app) == .background)
            device.pass(.milliseconds(20))
            #expect(device.state(app) == .notRunning)
            let report = try #require(device.reports.first)
            #expect(report.code.code == code && report.code.namespace == "RUNNINGBOARD")
            #expect(report.reason.contains("within \(limit.twoDigits) seconds"))
            #expect(report.allowed == limit)
            device.finish()
        }
    }

    @Test("On a device of 2013 it is suspended in its place, and what it says later counts for nothing")
    func suspended() throws {
        let device = TestDevice(.iOS7)
        let app = fetcher(device)
        let command = device.fetch(app)
        device.pass(.seconds(30))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        #expect(device.answers[command] == .done(app: app))
        #expect(try device.last(.windowOverrun, of: app).reason.sentence.contains("within 30.00 seconds"))
        device.open(app)
        let calls = device.takeEvents(app)
        #expect(try device.complete(app) == .noted)
        #expect(!calls.contains(.windowCompleted))
        #expect(device.takeEvents(app).isEmpty)
        device.finish()
    }

    @Test("A completion that is told twice counts once, and one of nothing harms nobody")
    func twice() throws {
        let device = TestDevice()
        let app = fetcher(device)
        _ = device.fetch(app)
        #expect(device.request(app, .complete(WindowID(.max), .failed)) == .noted)
        #expect(device.state(app) == .background)
        try device.complete(app, .newData)
        _ = device.takeEvents(app)
        let id = try device.window(app).id
        _ = device.fetch(app)
        #expect(device.request(app, .complete(id, .noData)) == .noted)
        #expect(device.state(app) == .background)
        #expect(!device.takeEvents(app).contains(.windowCompleted))
        try device.complete(app)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app that calls the handler within its delegate method is suspended when that has returned")
    func atOnce() throws {
        let device = TestDevice()
        let app = fetcher(device)
        device.change(app) { $0.hangsIn = [.performFetch] }
        _ = device.fetch(app)
        let id = try #require(device.system.app(app)?.outstanding.first?.callback.window?.id)
        device.request(app, .complete(id, .newData))
        #expect(device.state(app) == .background)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A delegate method that hangs ends the app, for its window where that ends it, else by the watchdog")
    func hangs() throws {
        for (profile, code) in [(DeviceProfile.linux, UInt64(0x2182_bad4)), (.iOS7, 0x8bad_f00d)] {
            let device = TestDevice(profile)
            let app = fetcher(device)
            device.change(app) { $0.hangsIn = [.performFetch] }
            _ = device.fetch(app)
            device.pass(.seconds(36))
            #expect(device.reports.map(\.code.code) == [code])
            device.finish()
        }
    }

    @Test("Under a debugger nothing is judged")
    func debugger() throws {
        let device = TestDevice()
        let app = fetcher(device)
        device.change(app) { $0.isTraced = true }
        _ = device.fetch(app)
        device.pass(.seconds(100))
        #expect(device.state(app) == .background)
        device.change(app) { $0.isTraced = false }
        device.pass(.seconds(31))
        #expect(device.reports.map(\.code.code) == [0x2182_bad4])
        device.finish()
    }

    @Test("Opened meanwhile it has all the time it likes, and its whole time again when it leaves")
    func openedMeanwhile() throws {
        let device = TestDevice()
        let app = fetcher(device)
        _ = device.fetch(app)
        device.pass(.seconds(20))
        device.open(app)
        device.pass(.seconds(100))
        #expect(device.state(app) == .active)
        device.home()
        device.pass(.seconds(29))
        #expect(device.state(app) == .background)
        try device.complete(app)
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("Opened before it was called, it is not called any more")
    func overtaken() throws {
        let device = TestDevice()
        let app = fetcher(device, runs: false)
        device.change(app) { $0.withholdsStart = true }
        let command = device.fetch(app)
        _ = device.begin(.open(app, role: .primary, wait: true))
        device.change(app) { $0.withholdsStart = false }
        device.run()
        #expect(device.state(app) == .active)
        #expect(!device.takeCalls(app).contains(.performFetch))
        #expect(device.answers[command] == .overtaken(.notWoken("news", .onScreen)))
        device.home()
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("On screen, nobody is woken; who was closed by the user neither, until it is opened or the device restarts")
    func refused() throws {
        let device = TestDevice()
        let app = fetcher(device)
        device.open(app)
        #expect(device.answers[device.fetch(app)] == .refused(.notWoken("news", .onScreen)))
        device.perform(.close(app, wait: true))
        #expect(device.answers[device.fetch(app)] == .refused(.notWoken("news", .closedByUser)))
        device.suspend(app)
        _ = device.fetch(app, wait: false)
        #expect(device.takeCalls(app) == [.performFetch])
        device.perform(.close(app, wait: true))
        device.perform(.reboot)
        #expect(device.answers[device.fetch(app, wait: false)] == .done(app: nil))
        #expect(device.takeCalls(app).last == .performFetch)
        device.finish()
    }

    @Test("Who has no use for it is not woken: a plain program, one without the key, a device without multitasking")
    func impossible() {
        let device = TestDevice()
        let (plain, bare) = (device.installTest("a", kind: .plain, modes: .fetch), device.installTest("b"))
        #expect(device.answers[device.fetch(plain)] == .refused(.takesNoFetch("a")))
        #expect(device.answers[device.fetch(bare)] == .refused(.missingBackgroundMode("fetch")))
        let old = TestDevice(.iPhoneOS3)
        let app = old.installTest("news", modes: .fetch)
        #expect(old.answers[old.fetch(app)] == .refused(.notWoken("news", .noMultitasking(profile: "iphone-os-3"))))
    }

    @Test("A background task that is begun within a window has seconds when that is over")
    func tasks() throws {
        let device = TestDevice(.iOS7)
        let app = fetcher(device)
        _ = device.fetch(app)
        #expect(device.request(app, .beginTask(TaskID(1), name: "rest")) == .taskBegan(remaining: nil))
        try device.complete(app)
        #expect(device.request(app, .backgroundTime) == .remaining(.seconds(10)))
        device.pass(.seconds(11))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("A daemon that dies takes no window with it: the app is called once, and has its time again")
    func daemonDies() throws {
        for (crashes, complete) in [(1, true), (3, true), (2, false)] {
            let device = TestDevice()
            let app = fetcher(device)
            device.change(app) { $0.hangsIn = [.performFetch] }
            _ = device.fetch(app)
            for _ in 0..<crashes { device.restartDaemon() }
            device.change(app) { $0.hangsIn = [] }
            device.run()
            #expect(device.takeCalls(app) == [.performFetch])
            if complete {
                try device.complete(app)
                #expect(device.state(app) == .suspended)
                #expect(device.reports.isEmpty)
            } else {
                device.pass(.seconds(31))
                #expect(device.reports.map(\.code.code) == [0x2182_bad4])
            }
        }
    }

    @Test("An app that crashes meanwhile is not launched again for that, and who waited learns it")
    func crashes() {
        let device = TestDevice()
        let app = fetcher(device)
        let command = device.fetch(app)
        device.crash(app)
        device.run()
        device.pass(.seconds(60))
        #expect(device.answers[command] == .done(app: app))
        #expect(device.launches == 1)
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    // MARK: Transfers

    @Test("Transfer events wake an app, one session at a time; one on screen hears of them by its delegate alone")
    func transfers() throws {
        let device = TestDevice()
        let app = device.installTest("pods")
        device.transfers(app)
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + [.handleEventsForBackgroundURLSession])
        #expect(try device.window(app).kind == .sessionEvents(session: "s", authentication: false))
        device.transfers(app)
        device.transfers(app, session: "t")
        #expect(device.takeCalls(app) == [.handleEventsForBackgroundURLSession])
        try device.complete(app, .done)
        #expect(device.state(app) == .background)
        device.request(app, .complete(WindowID(1), .done))
        #expect(device.state(app) == .suspended)
        device.open(app)
        _ = device.takeCalls(app)
        device.transfers(app)
        #expect(device.takeCalls(app).isEmpty)
        device.finish()
    }

    @Test("A service calls its app by Apple's method, and until that was called the app is about to hear of it")
    func awaitsCall() throws {
        let device = TestDevice()
        let app = device.installTest("pods")
        device.declare([
            ServiceDeclaration(
                name: "sessions",
                windows: [
                    .init(name: "events", sentence: "a session's end", time: .seconds(10), callback: .sessionEvents),
                    .init(name: "asks", sentence: "who asks?", time: .seconds(10), callback: .sessionChallenge),
                ]), ServiceDeclaration(name: "other"),
        ])
        let (service, other) = (try device.service("sessions"), try device.service("other"))
        func awaits() -> Bool {
            #expect(!device.system.awaitsCall(app, from: other))
            return device.system.awaitsCall(app, from: service)
        }
        device.send(.service(.arrived(service, [])))
        // It connected before the device was started anew.
        device.send(.service(.remembered(service, [app, app])))
        #expect(device.system.broker?[service]?.known == [app])
        // Launched for it, and thawed for it.
        for place in 0..<2 {
            device.change(app) { $0.hangsIn = [.handleEventsForBackgroundURLSession] }
            #expect(!awaits())
            device.send(
                .service(
                    .wake(service, ServiceRequestID(1), app, window: UInt8(place), because: "", payload: "s")))
            #expect(awaits())
            device.run()
            #expect(device.state(app) == .background && awaits())
            device.change(app) { $0.hangsIn = [] }
            device.run()
            #expect(device.state(app) == .background && !awaits())
            #expect(try device.window(app).kind == .sessionEvents(session: "s", authentication: place == 1))
            try device.complete(app, .done)
            #expect(device.state(app) == .suspended)
        }
        #expect(!device.system.awaitsCall(AppIndex(7), from: service))
        device.finish()
    }

    @Test("Closed by the user, transfers of today are given up and wake nobody; those of 2013 go on and do")
    func closedTransfers() throws {
        for profile in [DeviceProfile.linux, .iOS7] {
            let device = TestDevice(profile)
            let app = device.installTest("pods")
            device.open(app)
            device.perform(.close(app, wait: true))
            _ = device.takeCalls(app)
            device.transfers(app)
            let isWoken = device.takeCalls(app).contains(.handleEventsForBackgroundURLSession)
            #expect(isWoken == (profile == .iOS7))
            if !isWoken { #expect(try device.last(.wakeRefused, of: app).reason.sentence.contains("closed it")) }
            device.finish()
        }
    }
}

extension TestDevice {
    func transfers(_ app: AppIndex, session: String = "s") {
        send(.sessionEvents(app, session: session, authentication: false))
        run()
    }
}
