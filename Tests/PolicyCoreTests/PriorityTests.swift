import Model
import PolicyCore
import Testing

@Suite("Priority in the background") struct PriorityTests {
    private func device(
        _ modes: BackgroundModes = [], kind: AppKind = .application, isFreezable: Bool = true
    ) -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("worker", kind: kind, modes: modes, isFreezable: isFreezable)
        device.open(app)
        return (device, app)
    }

    private func priority(_ device: TestDevice, _ app: AppIndex) -> AppPriority? { device.process(app)?.priority }

    /// What it was given by the effects of an event, in their order, beside thaws and deliveries.
    private func steps(_ effects: [Effect]) -> [String] {
        effects.compactMap { effect in
            switch effect.action {
            case .setPriority(_, _, let priority): priority.name
            case .thaw: "thaw"
            case .deliver(_, _, let callbacks): callbacks.map(\.kind.name).joined(separator: " ")
            case .prepare: "prepare"
            case .kill: "kill"
            default: nil
            }
        }
    }

    /// What lets it run in the background, and what it has of the machine there.
    @Test(
        "Who is neither seen nor heard gives way",
        arguments: [(ProbeService.audio, AppPriority.foreground), (.location, .background)])
    func services(service: ProbeService, expected: AppPriority) {
        let (device, app) = device([.audio, .location])
        device.use(service, by: app)
        #expect(priority(device, app) == .foreground)
        device.home()
        #expect(device.state(app) == .background)
        #expect(priority(device, app) == expected)
        device.open(app)
        #expect(priority(device, app) == .foreground)
        device.finish()
    }

    @Test("A task runs with low priority, and with all that others have while its handler is called")
    func tasks() throws {
        let (device, app) = device()
        device.request(app, .beginTask(TaskID(1), name: "upload"))
        device.home()
        #expect(priority(device, app) == .background)
        let limit = try #require(device.profile.tasks?.limit)
        device.pass(limit - .seconds(5))
        #expect(device.expirations.count == 1)
        #expect(priority(device, app) == .timed)
        device.request(app, .endTask(TaskID(1)))
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("What the user exempted runs with low priority, a graphical program with all that others have")
    func standing() {
        let (exempted, app) = device()
        _ = exempted.perform(.exempt(app, true))
        exempted.home()
        #expect(priority(exempted, app) == .background)
        exempted.finish()
        let (graphical, program) = device(kind: .plain, isFreezable: false)
        graphical.home()
        #expect(graphical.state(program) == .background)
        #expect(priority(graphical, program) == .foreground)
        graphical.finish()
    }

    @Test("The way to the screen begins with the priority, then the thaw, then the callback")
    func wayBack() {
        let (device, app) = device([.location])
        device.use(.location, by: app)
        device.home()
        #expect(priority(device, app) == .background)
        device.unanswered.insert(CommandID(900))
        let effects = device.send(.command(CommandID(900), .open(app, role: .primary, wait: false)))
        #expect(steps(effects) == ["foreground", "willEnterForeground didBecomeActive"])
        device.run()
        device.finish()
    }

    @Test("The way into suspension and back changes nothing: what is frozen wants nothing")
    func suspension() {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        #expect(priority(device, app) == .foreground)
        device.unanswered.insert(CommandID(900))
        let effects = device.send(.command(CommandID(900), .open(app, role: .primary, wait: false)))
        #expect(steps(effects) == ["thaw", "willEnterForeground didBecomeActive"])
        device.run()
        device.finish()
    }

    @Test("What cannot be frozen runs on with low priority")
    func unfreezable() {
        let (device, app) = device()
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.pass(.seconds(30))
        #expect(device.state(app) == .background)
        #expect(priority(device, app) == .background)
        device.finish()
    }

    @Test("A callback in the background has its limit, so it has what others have until it returned")
    func callback() {
        let (device, app) = device([.location])
        device.use(.location, by: app)
        device.home()
        device.change(app) { $0.hangsIn = [.didReceiveMemoryWarning] }
        _ = device.perform(.warnMemory)
        #expect(priority(device, app) == .timed)
        device.finish()
    }

    @Test("A launch into the background has a limit, so it has what others have until it is over")
    func backgroundLaunch() {
        let device = TestDevice()
        device.declare([.calls])
        let app = device.installTest("phone", modes: [.voip, .location])
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        device.send(.booted)
        device.run()
        #expect(priority(device, app) == .timed)
        device.finish()
    }

    @Test("Who is killed gets what it needs to be gone soon")
    func killed() throws {
        let (device, app) = device([.location])
        device.use(.location, by: app)
        device.home()
        device.change(app) { $0.cannotDie = true }
        let generation = try #require(device.system.app(app)?.generation)
        let effects = device.send(.processesCounted(app, generation, 100_000))
        #expect(steps(effects) == ["kill", "timed"])
        device.change(app) { $0.cannotDie = false }
        device.run()
        device.finish()
    }

    @Test("All that is on screen is equal, whoever is primary")
    func equals() {
        let device = TestDevice(.linux)
        let apps = ["one", "two"].map { device.installTest($0, modes: [.location]) }
        for app in apps {
            device.open(app)
            device.use(.location, by: app)
        }
        device.home()
        #expect(apps.map { priority(device, $0) } == [.background, .background])
        device.open(apps[0])
        device.open(apps[1], as: .secondary)
        #expect(apps.map { priority(device, $0) } == [.foreground, .foreground])
        device.finish()
    }

    @Test("A new daemon repeats what was decided, before anything else: the old one may not have come to it")
    func adoption() throws {
        let (device, app) = device([.location])
        device.use(.location, by: app)
        device.home()
        device.effectsUntilDeath = 0
        _ = device.begin(.open(app, role: .primary, wait: false))
        #expect(priority(device, app) == .background)
        device.restartDaemon()
        #expect(priority(device, app) == .foreground)
        device.run()
        device.finish()
    }
}
