import Model
import PolicyCore
import Testing

/// The broker: what services that are programs of their own may hold, for whom, and for how long it counts.
@Suite("Services") struct ServiceTests {
    private static let steps = ServiceDeclaration(
        name: "steps",
        holds: [
            .init(name: "counting", sentence: "it counts steps"),
            .init(name: "heard", sentence: "it is heard", activity: .streaming, priority: .foreground),
            .init(name: "short", sentence: "it is quick", limit: .seconds(5)),
        ],
        windows: [.init(name: "goal", sentence: "the goal of a day", time: .seconds(7))])
    private static let player = ServiceDeclaration(
        name: "player", holds: [.init(name: "playing", sentence: "it plays")], mode: .audio)
    private static let (counting, heard, short): (UInt8, UInt8, UInt8) = (0, 1, 2)

    private func device(modes: BackgroundModes = []) throws -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("app", modes: modes)
        device.declare([Self.steps, Self.player])
        device.open(app)
        for service in ["steps", "player"] {
            device.send(.service(.arrived(try device.service(service), [])))
            try device.attach(app, service)
        }
        return (device, app)
    }

    // MARK: Holding

    @Test("An app that is held runs on, for the service's own reason, until it is dropped")
    func holding() throws {
        let (device, app) = try device()
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        device.home()
        #expect(device.state(app) == .background)
        #expect(try device.last(.keptRunning, of: app).reason.sentence == "it counts steps (service steps)")
        #expect(device.system.app(app)?.heldAssertions.map(\.reason) == ["it counts steps"])
        // Again changes nothing; a second kind is another one.
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        #expect(try device.hold(app, "steps", Self.heard) == nil)
        #expect(device.process(app)?.priority == .foreground)
        #expect(try device.drop(app, "steps", Self.heard) == nil)
        #expect(device.process(app)?.priority == .background)
        #expect(try device.drop(app, "steps", Self.counting) == nil)
        #expect(device.state(app) == .suspended)
        #expect(try device.drop(app, "steps", Self.counting) == .notHeld(kind: "counting"))
        device.finish()
    }

    @Test("Who is suspended and then held runs again")
    func late() throws {
        let (device, app) = try device()
        device.home()
        #expect(device.state(app) == .suspended)
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test("A service speaks only of what it declared, and of processes that connected to it and live")
    func refusals() throws {
        let (device, app) = try device()
        let stranger = device.installTest("stranger")
        device.open(stranger)
        #expect(try device.hold(stranger, "steps", Self.counting) == .unknownApp)
        #expect(try device.hold(app, "steps", 3) == .undeclared(kind: "3"))
        #expect(
            device.answer { .hold(ServiceIndex(9), $0, StatedHold(device, app, 0), limit: .zero) } == .unknownService)
        let gone = StatedHold(device, app, Self.counting)
        device.perform(.close(app, wait: true))
        let steps = try device.service("steps")
        #expect(device.answer { .hold(steps, $0, gone, limit: .zero) } == .unknownApp)
        device.open(app)
        #expect(try device.hold(app, "steps", Self.counting) == .unknownApp)
        device.finish()
    }

    @Test("A hold ends with its limit, the service's or the declared one, and the service hears of it")
    func limits() throws {
        let (device, app) = try device()
        #expect(try device.hold(app, "steps", Self.short) == nil)
        #expect(try device.hold(app, "steps", Self.counting, limit: .seconds(9)) == nil)
        device.home()
        device.pass(.seconds(6))
        #expect(
            device.toldServices.last == .ended(try device.service("steps"), device.incarnation(app), hold: Self.short))
        #expect(device.state(app) == .background)
        device.pass(.seconds(4))
        #expect(device.state(app) == .suspended)
        #expect(try device.drop(app, "steps", Self.short) == .notHeld(kind: "short"))
        device.finish()
    }

    // MARK: L11

    @Test("With its key an app is held off the screen; without it, it is refused there")
    func keys() throws {
        let (device, app) = try device(modes: .audio)
        #expect(try device.hold(app, "player", 0) == nil)
        device.home()
        #expect(device.state(app) == .background)
        device.finish()
        let (other, without) = try self.device()
        #expect(try other.hold(without, "steps", Self.counting) == nil)
        other.home()
        #expect(try other.hold(without, "player", 0) == .missingMode(key: "audio", isForeground: false))
        other.finish()
    }

    @Test(
        "Without its key it uses the service on screen, and is suspended once the service has stopped",
        arguments: [true, false])
    func stopping(answers: Bool) throws {
        let (device, app) = try device()
        let player = try device.service("player")
        #expect(try device.hold(app, "player", 0) == nil)
        let incarnation = device.incarnation(app)
        device.home()
        #expect(device.toldServices.last == .stop(player, incarnation, hold: 0))
        #expect(try device.last(.serviceStopped, of: app).reason == .serviceUndeclared(key: "audio"))
        #expect(device.state(app) == .background)
        // The app may have to take part within the second.
        #expect(device.process(app)?.priority == .timed)
        if answers {
            device.send(.service(.stopped(player, incarnation, hold: 0)))
            device.run()
            #expect(device.state(app) == .suspended)
        } else {
            device.pass(.milliseconds(900))
            #expect(device.state(app) == .background)
            device.pass(.milliseconds(200))
            #expect(device.state(app) == .suspended)
            #expect(
                try device.last(.serviceStopped, of: app).reason == .serviceDidNotStop("player", within: .seconds(1)))
        }
        #expect(try device.drop(app, "player", 0) == .notHeld(kind: "playing"))
        device.finish()
    }

    // MARK: Deaths

    @Test("What a dead service held counts until it is there again, and ends when it is not, or does not state it")
    func deaths() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        device.home()
        device.send(.service(.lost(steps)))
        device.pass(.seconds(9))
        #expect(device.state(app) == .background)
        device.send(.service(.arrived(steps, [StatedHold(device, app, Self.counting)])))
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        device.send(.service(.lost(steps)))
        device.pass(.seconds(11))
        #expect(device.state(app) == .suspended)
        #expect(try device.last(.serviceStopped, of: app).reason == .serviceGone("steps"))
        device.send(.service(.arrived(steps, [StatedHold(device, app, Self.counting)])))
        device.run()
        #expect(device.state(app) == .background)
        device.send(.service(.arrived(steps, [])))
        device.run()
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A new daemon counts what was held until the service states it anew")
    func daemon() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        #expect(try device.hold(app, "steps", Self.heard) == nil)
        device.home()
        device.restartDaemon()
        device.run()
        #expect(device.state(app) == .background)
        device.send(.service(.arrived(steps, [StatedHold(device, app, Self.heard)])))
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        #expect(device.system.app(app)?.heldAssertions.map(\.reason) == ["it is heard"])
        device.restartDaemon()
        device.pass(.seconds(11))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("What is stated of a process that is gone, or of nothing declared, is told to be over")
    func stale() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        let gone = StatedHold(device, app, Self.counting)
        device.perform(.restart(app, wait: true))
        device.toldServices = []
        device.send(.service(.arrived(steps, [gone])))
        #expect(device.toldServices == [.ended(steps, gone.incarnation, hold: Self.counting)])
        device.finish()
    }

    @Test("A service that is declared no longer holds nothing")
    func undeclared() throws {
        let (device, app) = try device()
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        device.home()
        device.declare([Self.player])
        device.run()
        #expect(device.state(app) == .suspended)
        #expect(device.system.broker?.index(of: "steps") == nil)
        // Its place stays its own.
        let player = try device.service("player")
        device.declare([Self.steps, Self.player])
        #expect(try device.service("player") == player)
        device.finish()
    }

    @Test("What another declaration allowed is over when the service states it again")
    func stricter() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        #expect(try device.hold(app, "steps", Self.counting) == nil)
        device.home()
        var stricter = Self.steps
        stricter.mode = .location
        device.declare([stricter, Self.player])
        #expect(device.state(app) == .background)
        device.toldServices = []
        device.send(.service(.arrived(steps, [StatedHold(device, app, Self.counting)])))
        device.run()
        #expect(device.toldServices == [.ended(steps, device.incarnation(app), hold: Self.counting)])
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app that was removed is known to no service, nor is one that is installed in its place")
    func removed() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        device.perform(.uninstall(app))
        #expect(device.system.broker?[steps]?.known == [])
        let another = device.installTest("app")
        #expect(
            device.answer { .wake(steps, $0, another, window: 0, because: "", payload: "") } == .unknownApp)
        device.finish()
    }

    // MARK: Waking

    @Test("A service wakes an app that has connected to it: frozen or gone, and not one that the user closed")
    func waking() throws {
        let (device, app) = try device()
        let steps = try device.service("steps")
        func wake(_ app: AppIndex, _ window: UInt8 = 0) -> ServiceRefusal? {
            defer { device.run() }
            return device.answer { .wake(steps, $0, app, window: window, because: "6000 steps", payload: "6000") }
        }
        #expect(wake(app) == .notWoken(.onScreen))
        #expect(wake(app, 1) == .undeclared(kind: "1"))
        #expect(wake(device.installTest("stranger")) == .unknownApp)
        device.home()
        _ = device.takeCalls(app)
        #expect(wake(app) == nil)
        #expect(device.takeCalls(app) == [.handleServiceEvents])
        let window = try device.window(app)
        #expect(window.kind.phrase == "the goal of a day")
        #expect(wake(app) == .notWoken(.underWay))
        device.request(app, .complete(window.id, .done))
        #expect(device.state(app) == .suspended)
        device.crash(app)
        device.run()
        #expect(wake(app) == nil)
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + [.handleServiceEvents])
        // It has the time that was declared.
        device.pass(.seconds(6))
        #expect(device.state(app) == .background)
        device.pass(.seconds(2))
        #expect(device.reports.last?.code == .taskNotEnded)
        device.open(app)
        device.perform(.close(app, wait: true))
        #expect(wake(app) == .notWoken(.closedByUser))
        device.finish()
    }

    @Test("What the user answered brings the app to the screen, launched with it where the app does not run")
    func opening() throws {
        let (device, app) = try device()
        device.declare([
            ServiceDeclaration(
                name: "steps",
                windows: [
                    .init(name: "tapped", sentence: "its notification", time: .seconds(30), callback: .localOpening),
                    .init(name: "push", sentence: "a push", time: .seconds(30), callback: .serviceEventsAtLaunch),
                ])
        ])
        let steps = try device.service("steps")
        device.send(.service(.arrived(steps, [])))
        func wake(_ window: UInt8) -> ServiceRefusal? {
            device.answer { .wake(steps, $0, app, window: window, because: "", payload: "{}") }
        }
        device.home()
        #expect(device.state(app) == .suspended)
        #expect(wake(0) == nil)
        #expect(device.state(app) == .active)
        #expect(device.system.frontApp == app)
        device.perform(.lock(wait: true))
        #expect(wake(0) == .notOpened(because: "the device is locked"))
        device.perform(.unlock(wait: true))
        // Closed by the user: who answers what it showed wants it all the same.
        device.perform(.close(app, wait: true))
        #expect(wake(1) == .notWoken(.closedByUser))
        #expect(wake(0) == nil)
        #expect(device.launchOptions[0].last?.options.notification == nil)
        #expect(
            device.launchOptions[0].last { $0.kind == .didFinishLaunching }?.options.notification
                == LaunchNotification.local(payload: "{}"))
        device.home()
        device.crash(app)
        device.run()
        #expect(wake(1) == nil)
        let launch = device.launchOptions[0].last { $0.kind == .didFinishLaunching }
        #expect(launch?.isBackground == true)
        #expect(launch?.options.notification == LaunchNotification.remote(payload: "{}"))
        device.finish()
    }

    @Test("An app that is being ended is launched with what the user answered, also by the next daemon")
    func openedWhileEnding() throws {
        let (device, app) = try device()
        device.declare([
            ServiceDeclaration(
                name: "steps",
                windows: [.init(name: "tapped", sentence: "", time: .zero, callback: .remoteOpening)])
        ])
        let steps = try device.service("steps")
        device.send(.service(.arrived(steps, [])))
        _ = device.begin(.close(app, wait: false))
        device.send(.service(.wake(steps, ServiceRequestID(9), app, window: 0, because: "", payload: "[1]")))
        #expect(device.system.app(app)?.ending != nil, "it must still be there")
        device.restartDaemon()
        device.run()
        #expect(device.state(app) == .active)
        let launch = device.launchOptions[0].last { $0.kind == .didFinishLaunching }
        #expect(launch?.options.notification == LaunchNotification.remote(payload: "[1]"))
        device.finish()
    }
}
