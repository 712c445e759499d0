import Model
import PolicyCore
import Testing

@Suite("Ending") struct EndingTests {
    @Test("A suspended app that is closed hears nothing and is not thawed for it", arguments: AppKind.both)
    func closedSuspended(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("journal", kind: kind)
        device.suspend(app)
        let thaws = device.thaws
        #expect(device.perform(.close(app, wait: true)) == .done(app: app))
        #expect(device.takeCalls(app) == [])
        #expect(device.thaws == thaws)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("An app that runs in the background hears willTerminate")
    func closedInBackground() {
        let device = TestDevice()
        let app = device.installTest("radio", modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        device.home()
        #expect(device.state(app) == .background)
        _ = device.takeCalls(app)
        #expect(device.perform(.close(app, wait: true)) == .done(app: app))
        #expect(device.takeCalls(app) == [.willTerminate])
        device.finish()
    }

    @Test("An app closed on its way into suspension is thawed to hear willTerminate")
    func closedWhileFreezing() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        _ = device.takeCalls(app)
        #expect(device.perform(.close(app, wait: true)) == .done(app: app))
        #expect(device.takeCalls(app) == [.willTerminate])
        device.finish()
    }

    @Test("An app closed while it launches is killed: it has nothing to save", arguments: AppKind.both)
    func closedWhileLaunching(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("journal", kind: kind)
        device.change(app) { $0.withholdsStart = true }
        let open = device.begin(.open(app, role: .primary, wait: true))
        let close = device.begin(.close(app, wait: true))
        device.run()
        #expect(device.answers[close] == nil)
        device.change(app) { $0.withholdsStart = false }
        device.run()
        #expect(device.answers[close] == .done(app: app))
        #expect(device.answers[open] == .overtaken(.ended("the user closed journal")))
        #expect(device.takeCalls(app) == [])
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("Whoever closes an app is answered although somebody opens it again at once")
    func closeThenOpen() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        let close = device.begin(.close(app, wait: true))
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.run()
        #expect(device.answers[close] == .done(app: app))
        #expect(device.answers[open] == .done(app: app))
        #expect(device.launches == 2)
        device.finish()
    }

    @Test("Closing an app that is being restarted ends it for good")
    func restartThenClose() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        let restart = device.begin(.restart(app, wait: true))
        let close = device.begin(.close(app, wait: true))
        device.run()
        #expect(device.answers[close] == .done(app: app))
        #expect(device.answers[restart]?.isDone == false)
        #expect(device.launches == 1)
        #expect(device.system.frontApp == nil)
        device.finish()
    }

    @Test("A suspended app is restarted without a callback and comes up on screen")
    func restartSuspended() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.suspend(app)
        #expect(device.perform(.restart(app, wait: true)) == .done(app: app))
        #expect(device.takeCalls(app) == Sequences.launch)
        let launched = try device.last(.launched, of: app)
        #expect(launched.reason == .userRestarted("journal"))
        #expect(device.chain(from: launched) == [.launched, .terminated, .restartRequested])
        device.finish()
    }

    @Test("An app that opts out hears willTerminate on Home and ends", arguments: AppKind.both)
    func optOut(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("old", kind: kind, exitsOnSuspend: true)
        device.open(app)
        _ = device.takeCalls(app)
        #expect(device.home()?.isDone == true)
        #expect(device.takeCalls(app) == (kind == .plain ? [] : [.willResignActive, .willTerminate]))
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("An app that opts out never enters the background, also when the user closes it in front")
    func optOutClosed() {
        let device = TestDevice()
        let app = device.installTest("old", exitsOnSuspend: true)
        device.open(app)
        _ = device.takeCalls(app)
        device.perform(.close(app, wait: true))
        #expect(device.takeCalls(app) == [.willResignActive, .willTerminate])
        device.finish()
    }

    @Test("A plain program that ignores SIGTERM is killed when its time is over, and reported")
    func ignoresSIGTERM() {
        let device = TestDevice()
        let app = device.installTest("stubborn", kind: .plain)
        device.open(app)
        device.change(app) { $0.ignoresTermination = true }
        let close = device.begin(.close(app, wait: true))
        device.pass(.milliseconds(4999))
        #expect(device.answers[close] == nil)
        device.pass(.milliseconds(2))
        #expect(device.answers[close] == .done(app: app))
        #expect(device.reports.map(\.limit) == ["process-exit (SIGTERM)"])
        #expect(device.reports.map(\.code) == [.launchTooSlow])
        device.finish()
    }

    @Test("SIGKILL is asked for again every two seconds until nothing is left")
    func killAgain() {
        let device = TestDevice()
        let app = device.installTest("stuck")
        device.open(app)
        device.change(app) { $0.cannotDie = true }
        let close = device.begin(.close(app, wait: true))
        device.run()
        #expect(device.takeCalls(app).last == .willTerminate)
        device.processes[0]?.mustDie = false
        device.change(app) { $0.cannotDie = false }
        #expect(device.answers[close] == nil)
        device.pass(.seconds(2))
        #expect(device.answers[close] == .done(app: app))
        device.finish()
    }

    @Test("A plain program that starts after its launch limit is killed all the same", arguments: AppKind.both)
    func startsTooLate(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("late", kind: kind)
        device.change(app) { $0.withholdsStart = true }
        device.perform(.open(app, role: .primary, wait: false))
        device.pass(.seconds(21))
        // The kill found nothing; now there is something.
        device.processes[0]?.mustDie = false
        device.change(app) { $0.withholdsStart = false }
        device.pass(.seconds(3))
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.limit) == ["scene-create"])
        device.finish()
    }

    @Test("A crash in each state ends the app with a report that names signal and state")
    func crashes() throws {
        for (state, prepare) in Self.states {
            let device = TestDevice(label: state.name)
            let app = device.installTest("journal", modes: .audio)
            prepare(device, app)
            #expect(device.state(app) == state)
            device.crash(app)
            device.run()
            #expect(device.state(app) == .notRunning)
            let report = try #require(device.reports.first)
            #expect(device.reports.count == 1)
            #expect(report.code == TerminationCode(namespace: "SIGNAL", code: 11))
            #expect(report.state == state)
            #expect(report.isVisible == state.isForeground)
            #expect(device.system.frontApp == nil, "the user finds the home screen")
            #expect(device.launches == 1)
            #expect(device.home()?.isDone == true)
            device.finish()
        }
    }

    private static let states: [(LifecycleState, @Sendable (TestDevice, AppIndex) -> Void)] = [
        (.active, { $0.open($1) }),
        (
            .inactive,
            { device, app in
                device.open(app)
                device.perform(.interrupt(.alert, wait: true))
            }
        ),
        (
            .background,
            { device, app in
                device.open(app)
                device.use(.audio, by: app)
                device.home()
            }
        ),
        (.suspended, { $0.suspend($1) }),
    ]

    @Test("A crash while it is being closed is reported as the crash that it is")
    func crashWhileClosing() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.hangsIn = [.didEnterBackground] }
        let close = device.begin(.close(app, wait: true))
        device.run()
        device.crash(app)
        device.run()
        #expect(device.answers[close] == .done(app: app))
        #expect(device.reports.map(\.code) == [TerminationCode(namespace: "SIGNAL", code: 11)])
        device.finish()
    }

    @Test("An app that ends by itself with status 0 is no fault")
    func exitsByItself() {
        let device = TestDevice()
        let app = device.installTest("done", kind: .plain)
        device.open(app)
        device.crash(app, .exited(0))
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.isEmpty)
        device.finish()
    }
}

@Suite("The first process ends, others are left") struct RemnantTests {
    @Test("A plain program lives on in what is left of it, is suspended and ended by the same rules")
    func plain() {
        let device = TestDevice()
        let app = device.installTest("server", kind: .plain)
        device.open(app)
        device.change(app) { $0.leavesOthers = true }
        device.crash(app, .exited(0))
        device.run()
        #expect(device.state(app) == .active)
        device.home()
        #expect(device.state(app) == .suspended)
        device.open(app)
        #expect(device.state(app) == .active)
        device.endOthers(app)
        device.run()
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("An app that speaks the protocol ends with the process that is connected; the rest is killed")
    func wire() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.leavesOthers = true }
        device.crash(app, .signaled(6))
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.code) == [TerminationCode(namespace: "SIGNAL", code: 6)])
        device.finish()
    }

    @Test("The same in suspension: a remnant does not stay frozen for ever")
    func wireSuspended() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.suspend(app)
        device.change(app) { $0.leavesOthers = true }
        device.crash(app, .signaled(9))
        device.run()
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("After the daemon's death as well")
    func adopted() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.leavesOthers = true }
        device.killDaemon()
        device.crash(app, .signaled(6))
        device.restartDaemon()
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.code) == [TerminationCode(namespace: "SIGNAL", code: 6)])
        device.finish()
    }
}
