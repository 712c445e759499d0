import Model
import PolicyCore
import Testing

/// The daemon dies and is back: what was decided and not done is done, nothing is called twice, nothing is left out.
@Suite("Adoption") struct AdoptionTests {
    /// A day in the life of an app, in which the daemon dies at every event and after every effect.
    private static let session: [@Sendable (AppIndex) -> Command] = [
        { .open($0, role: .primary, wait: false) }, { _ in .interrupt(.call, wait: false) },
        { _ in .dismiss(.call, wait: false) }, { _ in .home(wait: false) }, { .open($0, role: .primary, wait: false) },
        { _ in .lock(wait: false) }, { _ in .unlock(wait: false) }, { _ in .openURL("test:1", wait: false) },
        { _ in .home(wait: false) }, { .restart($0, wait: false) }, { .close($0, wait: false) },
    ]

    private static let calls: [CallbackKind] =
        Sequences.launch + [.willResignActive, .didBecomeActive] + Sequences.leave + Sequences.comeBack
        + Sequences.leave + Sequences.comeBack + [.openURL] + Sequences.leave + Sequences.launch + Sequences.leave
        + [.willTerminate]

    /// Plays the session; the daemon dies at the `death`-th event after `performed` of its effects.
    private func play(kind: AppKind, death: Int, performed: Int, waitsAlone: Bool) -> (TestDevice, died: Bool) {
        let device = TestDevice(label: "\(kind) death \(death) after \(performed)")
        let app = device.install(.test("journal", kind: kind, schemes: ["test"]))
        var died = false
        func dieIfDue() {
            guard !died, device.eventCount == death - 1 else { return }
            device.effectsUntilDeath = performed
            died = true
        }
        func drain() {
            for _ in 0..<1000 {
                if device.isDaemonDead {
                    device.killDaemon()
                    if waitsAlone { device.runWithoutDaemon() }
                    device.restartDaemon()
                }
                let steps = device.possibleSteps(0)
                guard !steps.isEmpty else { return }
                dieIfDue()
                device.take(steps.first, 0)
            }
        }
        for command in Self.session {
            dieIfDue()
            _ = device.begin(command(app))
            drain()
        }
        return (device, died)
    }

    @Test(
        "Death at every event, after every effect: the same callbacks once each, the same states",
        arguments: AppKind.both)
    func everywhere(kind: AppKind) {
        let (undisturbed, _) = play(kind: kind, death: .max, performed: 0, waitsAlone: false)
        #expect(undisturbed.calls[0] == (kind == .plain ? [] : Self.calls))
        for death in 3...undisturbed.eventCount {
            for performed in 0..<4 {
                for waitsAlone in [false, true] {
                    let (device, died) = play(kind: kind, death: death, performed: performed, waitsAlone: waitsAlone)
                    #expect(died)
                    #expect(device.calls[0] == undisturbed.calls[0], "\(device.label)")
                    #expect(device.state(AppIndex(0)) == .notRunning, "\(device.label)")
                    #expect(device.launches == 2, "\(device.label)")
                    #expect(device.reports.isEmpty, "\(device.label)")
                    device.finish()
                }
            }
        }
    }

    @Test("A frozen app stays frozen and suspended, and is opened as if nothing had been")
    func suspended() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.suspend(app)
        device.restartDaemon()
        device.run()
        #expect(device.state(app) == .suspended)
        #expect(device.thaws == 0)
        #expect(device.open(app) == .done(app: app))
        #expect(device.takeCalls(app) == Sequences.comeBack)
        device.finish()
    }

    @Test("An app that greenroom thaw set free is taken in and suspended anew")
    func thawedFromOutside() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.suspend(app)
        device.killDaemon()
        device.processes[0]?.freezer = .running
        device.restartDaemon()
        device.run()
        let resumed = try device.last(.resumed, of: app)
        #expect(resumed.reason == .thawedFromOutside)
        #expect(device.chain(from: resumed) == [.resumed, .daemonRestarted])
        #expect(device.state(app) == .suspended)
        #expect(device.takeCalls(app) == [])
        device.finish()
    }

    @Test("An app found frozen that should run is thawed")
    func frozenFromOutside() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.killDaemon()
        device.processes[0]?.freezer = .frozen
        device.restartDaemon()
        device.run()
        #expect(device.process(app)?.freezer == .running)
        #expect(device.state(app) == .active)
        device.finish()
    }

    @Test("The thaw of a failed freeze is lost with the daemon: it is done again")
    func lostThaw() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.effectsUntilDeath = 0
        device.pass(.seconds(1))
        device.processes[0]?.freezer = .frozen
        device.restartDaemon()
        device.run()
        #expect(device.process(app)?.freezer == .running)
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test(
        "A freeze that the kernel has yet to finish is taken back from an app that should run", arguments: AppKind.both)
    func unfinishedFreeze(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("journal", kind: kind)
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.effectsUntilDeath = 0
        _ = device.begin(.open(app, role: .primary, wait: false))
        #expect(device.process(app)?.freezer == .freezing)
        device.restartDaemon()
        device.run()
        #expect(device.process(app)?.freezer == .running)
        #expect(device.state(app) == .active)
        device.finish()
    }

    @Test("Clocks start again: the app could not answer while no daemon ran")
    func clocks() {
        let device = TestDevice()
        let app = device.installTest("slow")
        device.open(app)
        device.change(app) { $0.hangsIn = [.didEnterBackground] }
        device.perform(.home(wait: false))
        device.pass(.milliseconds(4900))
        device.killDaemon()
        device.pass(.seconds(100))
        device.restartDaemon()
        device.pass(.milliseconds(4900))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(100))
        #expect(device.reports.map(\.limit) == ["scene-update (didEnterBackground)"])
        device.finish()
    }

    @Test("An app that never comes back to the new daemon is ended by the first callback's limit")
    func neverReconnects() {
        let device = TestDevice()
        let app = device.installTest("lost")
        device.open(app)
        device.change(app) { $0.connects = false }
        device.restartDaemon()
        device.pass(.seconds(60))
        #expect(device.state(app) == .active, "it may be stopped in a debugger; nothing is asked of it")
        device.perform(.home(wait: false))
        device.pass(.seconds(10))
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.limit) == ["scene-update (willResignActive)"])
        device.finish()
    }

    @Test("What the app says that it executed is not sent again; what it did not, is")
    func executed() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.hangsIn = [.didEnterBackground] }
        device.effectsUntilDeath = 100
        _ = device.begin(.home(wait: false))
        device.killDaemon()
        device.runWithoutDaemon()
        #expect(device.takeCalls(app) == Sequences.launch + [.willResignActive])
        device.change(app) { $0.connects = false }
        device.restartDaemon()
        device.run()
        let process = try #require(device.process(app))
        device.processes[0]?.isConnected = true
        let effects = device.send(.connected(app, process.generation, executed: process.executed))
        let sent = effects.compactMap { effect -> [CallbackKind]? in
            if case .deliver(_, _, let callbacks) = effect.action { callbacks.map(\.kind) } else { nil }
        }
        #expect(sent == [[.didEnterBackground]])
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.takeCalls(app) == [.didEnterBackground])
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("What died while nobody looked is told with its status", arguments: AppKind.both)
    func died(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("journal", kind: kind)
        device.suspend(app)
        device.killDaemon()
        device.crash(app, .signaled(9))
        device.restartDaemon()
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.code) == [TerminationCode(namespace: "SIGNAL", code: 9)])
        device.finish()
    }

    @Test("A process that died before the daemon heard of it is launched again: nothing was said to it")
    func diedUnheard() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.withholdsStart = true }
        device.perform(.open(app, role: .primary, wait: false))
        device.killDaemon()
        device.processes[0]?.isStarting = false
        device.crash(app, .signaled(11))
        device.change(app) { $0.withholdsStart = false }
        device.restartDaemon()
        device.run()
        #expect(device.launches == 2)
        #expect(device.takeCalls(app) == Sequences.launch)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("A process that the Core knows nothing of is ended")
    func stray() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.killDaemon()
        let generation = try #require(device.system.app(app)?.generation.next)
        var process = FakeProcess(generation: generation, pid: 77, isPlain: false)
        process.isStarting = false
        device.processes[0] = process
        device.restartDaemon()
        device.run()
        #expect(device.process(app) == nil)
        #expect(device.state(app) == .notRunning)
        let entry = try device.last(.terminated, of: app)
        #expect(device.chain(from: entry) == [.terminated, .daemonRestarted])
        device.finish()
    }

    @Test("A shutdown goes on after the daemon's death, and halts once")
    func shutdown() {
        let device = TestDevice()
        let app = device.installTest("journal")
        let other = device.installTest("other")
        device.open(app)
        device.open(other)
        device.change(other) { $0.hangsIn = [.willTerminate] }
        _ = device.begin(.shutDown)
        device.run()
        device.killDaemon()
        device.runWithoutDaemon()
        device.restartDaemon()
        device.change(other) { $0.hangsIn = [] }
        device.run()
        #expect(device.hasHalted)
        #expect(device.takeCalls(other).suffix(3) == Sequences.leave + [.willTerminate])
        device.finish()
    }

    @Test("A reboot goes on after the daemon's death, and launches once what boot launches")
    func reboot() {
        let device = TestDevice()
        device.declare([.calls])
        let other = device.installTest("other")
        let app = device.installTest("phone", modes: .voip)
        device.open(other)
        _ = device.begin(.reboot)
        device.killDaemon()
        device.crash(other, .signaled(9))
        device.restartDaemon()
        device.run()
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch)
        #expect(device.launches == 2)
        device.finish()
    }
}
