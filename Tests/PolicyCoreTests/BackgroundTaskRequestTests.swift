import Model
import PolicyCore
import Testing

@Suite("Requests to BGTaskScheduler") struct BackgroundTaskRequestTests {
    private func worker(_ device: TestDevice, modes: BackgroundModes = [.fetch, .processing]) -> AppIndex {
        let app = device.installTest("notes", modes: modes, tasks: ["sync", "index", "clean"])
        device.open(app)
        return app
    }

    private func submit(
        _ device: TestDevice, _ app: AppIndex, _ identifier: String, _ kind: BackgroundTaskRequest.Kind = .refresh,
        after span: Model.Span? = nil, network: Bool = false, power: Bool = false
    ) -> AppReply? {
        let moment = span.map {
            WallTime(nanoseconds: device.system.wall(device.now).nanoseconds + $0.nanoseconds)
        }
        return device.request(
            app,
            .submitTask(
                BackgroundTaskRequest(
                    identifier: identifier, kind: kind, earliest: moment, needsNetwork: network, needsPower: power)))
    }

    @Test("A task is launched when its time has come, at the screen's back, and has its time")
    func launched() throws {
        let device = TestDevice()
        let app = worker(device)
        #expect(submit(device, app, "sync", after: .seconds(600)) == .noted)
        device.home()
        _ = device.takeCalls(app)
        device.pass(.seconds(599))
        #expect(device.state(app) == .suspended)
        device.pass(.seconds(2))
        #expect(device.takeCalls(app) == [.launchBackgroundTask])
        #expect(try device.window(app).kind == .refresh("sync"))
        #expect(device.system.pendingTasks(app).isEmpty)
        try device.complete(app, .done)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A request outlives its process and the device's restart")
    func survives() {
        let device = TestDevice()
        let app = worker(device)
        _ = submit(device, app, "sync", after: .seconds(600))
        device.crash(app)
        device.run()
        device.perform(.reboot)
        device.restartDaemon()
        _ = device.takeCalls(app)
        device.pass(.seconds(700))
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + [.launchBackgroundTask])
    }

    @Test("What an app asks for while it is uninstalled does not bring it back")
    func uninstalled() {
        let device = TestDevice()
        let app = worker(device)
        _ = submit(device, app, "sync")
        _ = device.begin(.uninstall(app))
        // It has not heard of that yet.
        for kind in [BackgroundTaskRequest.Kind.refresh, .processing] {
            let request = BackgroundTaskRequest(
                identifier: kind == .refresh ? "sync" : "index", kind: kind, earliest: nil, needsNetwork: false,
                needsPower: false)
            device.sendRequest(app, .submitTask(request))
        }
        device.sendRequest(app, .setFetchInterval(.zero))
        device.run()
        device.pass(.seconds(86_400))
        #expect(device.state(app) == .notRunning)
        #expect(device.system.pendingTasks(app).isEmpty)
        #expect(!device.log.contains { $0.event == .wakeRequested })
        device.finish()
    }

    @Test("The expiration handler is called before the end; who ends then is all right, who does not is ended")
    func expiration() throws {
        for completes in [true, false] {
            let device = TestDevice()
            let app = worker(device)
            _ = submit(device, app, "index", .processing)
            device.home()
            device.pass(.seconds(174))
            #expect(device.expiredWindows.isEmpty)
            device.pass(.seconds(2))
            #expect(device.expiredWindows.map(\.window) == [try device.window(app).id])
            #expect(device.expiredWindows.first?.left == .seconds(5))
            if completes { try device.complete(app, .failed) }
            device.pass(.seconds(5))
            #expect(device.state(app) == (completes ? .suspended : .notRunning))
            #expect(device.reports.map(\.code.code) == (completes ? [] : [0x2182_bad2]))
            device.finish()
        }
    }

    @Test("What Info.plist does not name, or as many as may wait, is refused with Apple's code")
    func refusals() {
        let device = TestDevice()
        let app = worker(device)
        func refusal(_ reply: AppReply?) -> BackgroundTaskRefusal? {
            if case .refused(.backgroundTask(let refusal))? = reply { refusal } else { nil }
        }
        #expect(refusal(submit(device, app, "other")) == .notPermitted(identifier: "other"))
        _ = submit(device, app, "sync", after: .seconds(9000))
        #expect(refusal(submit(device, app, "index", after: .seconds(9000))) == .tooMany(.refresh, limit: 1))
        #expect(refusal(submit(device, app, "sync", after: .seconds(90))) == nil)
        #expect(device.system.pendingTasks(app).count == 1)
        let bare = device.installTest("bare", modes: .fetch, tasks: ["x"])
        device.open(bare)
        #expect(refusal(submit(device, bare, "x", .processing))?.code == "notPermitted")
        device.perform(.allowRefresh(bare, false))
        #expect(refusal(submit(device, bare, "x"))?.code == "unavailable")
        device.finish()
    }

    @Test("Ten processing requests may wait, and not one more")
    func limit() {
        let device = TestDevice()
        let names = (0..<12).map { "task\($0)" }
        let app = device.installTest("notes", modes: .processing, tasks: names)
        device.open(app)
        let replies = names.map { submit(device, app, $0, .processing, after: .seconds(100)) }
        #expect(replies.prefix(10).allSatisfy { $0 == .noted })
        #expect(replies.suffix(2).allSatisfy { $0 == .refused(.backgroundTask(.tooMany(.processing, limit: 10))) })
        device.finish()
    }

    @Test("What is taken back is not launched")
    func cancelled() {
        let device = TestDevice()
        let app = worker(device)
        _ = submit(device, app, "sync", after: .seconds(10))
        _ = submit(device, app, "index", .processing, after: .seconds(10))
        _ = submit(device, app, "clean", .processing, after: .seconds(10))
        device.request(app, .cancelTask("sync"))
        #expect(device.system.pendingTasks(app).map(\.identifier) == ["index", "clean"])
        #expect(device.request(app, .pendingTasks) == .pendingTasks(device.system.pendingTasks(app)))
        device.request(app, .cancelTask(nil))
        device.home()
        _ = device.takeCalls(app)
        device.pass(.seconds(100))
        #expect(device.takeCalls(app).isEmpty)
        #expect(device.system.nextDeadline() == nil)
        device.finish()
    }

    @Test("A task waits for what it needs, which is named, and begins when it is there")
    func needs() throws {
        let device = TestDevice()
        let app = worker(device)
        device.send(.conditionSensed(.battery(BatteryReading(.unplugged, percent: 50))))
        device.send(.conditionSensed(.network(.none)))
        _ = submit(device, app, "index", .processing, network: true)
        _ = submit(device, app, "clean", .processing, power: true)
        device.home()
        _ = device.takeCalls(app)
        device.pass(.seconds(1000))
        #expect(device.system.taskOutlooks(app).map(\.outlook.obstacle) == [.noNetwork, .noPower])
        #expect(device.takeCalls(app).isEmpty)
        #expect(device.system.nextDeadline() == nil)
        device.send(.conditionSensed(.network(.wifi)))
        device.run()
        device.pass(.seconds(1))
        #expect(try device.window(app).kind == .processing("index"))
        try device.complete(app, .done)
        device.send(.conditionSensed(.battery(BatteryReading(.charging, percent: 50))))
        // It was launched for the other one a second ago.
        device.pass(.seconds(900))
        #expect(try device.window(app).kind == .processing("clean"))
        device.finish()
    }

    @Test("In low-power mode and in heat no task begins, and nobody looks before it is over")
    func saving() throws {
        let device = TestDevice()
        let app = worker(device)
        device.send(.conditionSensed(.network(.wifi)))
        device.perform(.simulate(.lowPower(true)))
        _ = submit(device, app, "index", .processing, network: true)
        device.home()
        _ = device.takeCalls(app)
        device.pass(.seconds(1000))
        #expect(device.system.taskOutlooks(app).map(\.outlook.obstacle) == [.lowPower])
        #expect(device.takeCalls(app).isEmpty && device.system.nextDeadline() == nil)
        device.send(.conditionSensed(.thermalState(.critical)))
        device.perform(.endSimulation(.lowPower))
        device.pass(.seconds(1000))
        #expect(device.system.taskOutlooks(app).map(\.outlook.obstacle) == [.tooWarm(.critical)])
        #expect(device.takeCalls(app).isEmpty && device.system.nextDeadline() == nil)
        device.send(.conditionSensed(.thermalState(.fair)))
        device.run()
        device.pass(.seconds(1))
        #expect(try device.window(app).kind == .processing("index"))
        try device.complete(app, .done)
        device.finish()
    }

    @Test("An app on screen is not launched for a task; it waits until the app has left")
    func onScreen() {
        let device = TestDevice()
        let app = worker(device)
        _ = submit(device, app, "sync")
        device.pass(.seconds(300))
        #expect(device.system.taskOutlooks(app).first?.outlook.obstacle == .onScreen)
        device.home()
        device.pass(.seconds(61))
        #expect(device.takeCalls(app).last == .launchBackgroundTask)
        device.finish()
    }

    @Test("Closed by the user, an app is not launched for a task before it was opened again")
    func closed() {
        let device = TestDevice()
        let app = worker(device)
        _ = submit(device, app, "sync", after: .seconds(10))
        device.perform(.close(app, wait: true))
        device.pass(.seconds(1000))
        #expect(device.launches == 1)
        #expect(device.system.taskOutlooks(app).first?.outlook.obstacle == .closedByUser)
        device.open(app)
        device.home()
        device.pass(.seconds(61))
        #expect(device.takeCalls(app).last == .launchBackgroundTask)
        device.finish()
    }
}
