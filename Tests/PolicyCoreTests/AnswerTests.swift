import Model
import PolicyCore
import Testing

@Suite("Answers to tools") struct AnswerTests {
    @Test("Without waiting every command is answered at once")
    func noWaiting() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.connects = false }
        for command: Command in [
            .open(app, role: .primary, wait: false), .interrupt(.sms, wait: false), .dismiss(.sms, wait: false),
            .switcher(isOpen: true, wait: false), .switcher(isOpen: false, wait: false), .lock(wait: false),
            .unlock(wait: false), .home(wait: false), .exempt(app, true), .restart(app, wait: false),
            .close(app, wait: false),
        ] {
            let id = device.begin(command)
            #expect(device.answers[id]?.isDone == true, "\(command)")
        }
        device.finish()
    }

    @Test("An app that is handed one URL after another is on screen all the same, and that is answered")
    func busy() {
        let device = TestDevice()
        let app = device.installTest("loop", schemes: ["loop"])
        device.open(app)
        device.change(app) { $0.hangsIn = [.openURL] }
        let url = device.begin(.openURL("loop:1", wait: true))
        device.run()
        #expect(device.answers[url] == nil, "it is not handed over")
        #expect(device.perform(.open(app, role: .primary, wait: true))?.isDone == true)
        device.finish()
    }

    @Test("What cannot be done is refused, and nothing changes")
    func refusals() {
        let device = TestDevice()
        let app = device.installTest("journal")
        let nobody = AppIndex(99)
        let refusals: [(Command, Refusal)] = [
            (.open(nobody, role: .primary, wait: true), .unknownApp), (.close(nobody, wait: true), .unknownApp),
            (.restart(nobody, wait: true), .unknownApp), (.exempt(nobody, true), .unknownApp),
            (.uninstall(nobody), .unknownApp), (.close(app, wait: true), .notRunning("journal")),
            (.openURL("tel:1", wait: true), .noHandler(scheme: "tel")),
            (.openURL("tel", wait: true), .malformedURL("tel")),
            (.openURL(":1", wait: true), .malformedURL(":1")), (.dismiss(.sms, wait: true), .noSuchInterruption(.sms)),
            (.accept(.call, wait: true), .noSuchInterruption(.call)), (.endCall(wait: true), .noCall),
        ]
        for (command, refusal) in refusals {
            #expect(device.perform(command) == .refused(refusal))
            #expect(!refusal.sentence.isEmpty)
        }
        device.perform(.interrupt(.alert, wait: true))
        #expect(device.perform(.accept(.alert, wait: true)) == .refused(.cannotAccept(.alert)))
        #expect(device.open(app) == .refused(.interrupted(.alert)))
        #expect(device.perform(.switcher(isOpen: true, wait: true)) == .refused(.interrupted(.alert)))
        #expect(device.log.map(\.event) == [.interrupted])
        #expect(device.launches == 0)
        device.finish()
    }

    @Test("What is so already is done already")
    func alreadySo() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        _ = device.takeCalls(app)
        for command: Command in [
            .open(app, role: .primary, wait: true), .unlock(wait: true), .switcher(isOpen: false, wait: true),
            .wake(wait: true), .exempt(app, false),
        ] {
            #expect(device.perform(command)?.isDone == true, "\(command)")
        }
        #expect(device.takeCalls(app) == [])
        #expect(device.launches == 1)
        device.finish()
    }

    @Test("open waits for didBecomeActive, and is overtaken when the app leaves the screen first")
    func openOvertaken() {
        let device = TestDevice()
        let app = device.installTest("journal")
        let other = device.installTest("other")
        device.change(app) { $0.hangsIn = [.didBecomeActive] }
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.run()
        #expect(device.answers[open] == nil)
        device.open(other)
        #expect(device.answers[open] == .overtaken(.leftTheScreen("journal")))
        device.finish()
    }

    @Test("home is answered when didEnterBackground has returned, before the freeze")
    func homeBeforeFreeze() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) {
            $0.hangsIn = [.didEnterBackground]
            $0.prepares = false
        }
        let home = device.begin(.home(wait: true))
        device.run()
        #expect(device.answers[home] == nil)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[home]?.isDone == true)
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test("lock and unlock are answered when the app in front is where the screen wants it, launching or not")
    func lockWaits() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.connects = false }
        device.perform(.open(app, role: .primary, wait: false))
        let lock = device.begin(.lock(wait: true))
        #expect(device.answers[lock] == nil)
        device.change(app) { $0.connects = true }
        device.run()
        #expect(device.answers[lock]?.isDone == true)
        device.change(app) { $0.hangsIn = [.didBecomeActive] }
        let unlock = device.begin(.unlock(wait: true))
        device.run()
        #expect(device.answers[unlock] == nil)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[unlock]?.isDone == true)
        device.finish()
    }

    @Test("An app that ends before it is active tells who waited why")
    func endedWhileOpening() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.run()
        device.crash(app)
        device.run()
        #expect(device.answers[open] == .overtaken(.ended("journal crashed: signal 11 (SIGSEGV)")))
        device.finish()
    }

    @Test("Uninstalling a running app ends it, is answered when it is gone, and it is not there any more")
    func uninstall() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        #expect(device.perform(.uninstall(app)) == .done(app: app))
        #expect(device.takeCalls(app).suffix(3) == Sequences.leave + [.willTerminate])
        #expect(device.open(app) == .refused(.unknownApp))
        #expect(device.system.installedApps.isEmpty)
        #expect(device.installTest("journal") == app, "its index is its own for ever")
        #expect(device.open(app) == .done(app: app))
        device.finish()
    }

    @Test("Uninstalled while it is being ended for another reason, it is uninstalled; opened then, it is refused")
    func uninstallWhileEnding() {
        for first: (AppIndex) -> Command in [{ .close($0, wait: false) }, { .restart($0, wait: false) }] {
            let device = TestDevice()
            let app = device.installTest("journal")
            device.open(app)
            device.change(app) { $0.hangsIn = [.willTerminate] }
            device.perform(first(app))
            let uninstall = device.begin(.uninstall(app))
            #expect(device.perform(.open(app, role: .primary, wait: true)) == .refused(.unknownApp))
            #expect(device.answers[uninstall] == nil)
            device.change(app) { $0.hangsIn = [] }
            device.run()
            #expect(device.answers[uninstall] == .done(app: app))
            #expect(device.system.installedApps.isEmpty)
            #expect(device.system.frontApp == nil)
            #expect(device.launches == 1)
            device.finish()
        }
    }

    @Test("Uninstalled while its launch fails, it is uninstalled")
    func uninstallWhileLaunchFails() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) {
            $0.withholdsStart = true
            $0.launchFailure = LaunchFailure(stage: "execve", errorNumber: 2, message: "no such file")
        }
        device.perform(.open(app, role: .primary, wait: false))
        let uninstall = device.begin(.uninstall(app))
        device.change(app) { $0.withholdsStart = false }
        device.run()
        #expect(device.answers[uninstall] == .done(app: app))
        #expect(device.system.installedApps.isEmpty)
        device.finish()
    }

    @Test("Installed anew while the old one is being ended, it stays installed")
    func reinstallWhileEnding() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.hangsIn = [.willTerminate] }
        let uninstall = device.begin(.uninstall(app))
        device.run()
        device.installTest("journal")
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[uninstall] == .done(app: app))
        #expect(device.open(app) == .done(app: app))
        device.finish()
    }
}

@Suite("Down and up") struct ShutdownTests {
    @Test("Everything ends in order; the tool is answered before the system halts; nothing is begun meanwhile")
    func shutDown() throws {
        let device = TestDevice()
        let front = device.installTest("front")
        let suspended = device.installTest("suspended")
        let plain = device.installTest("plain", kind: .plain)
        device.suspend(suspended)
        device.open(plain, as: .secondary)
        device.open(front)
        device.change(front) { $0.hangsIn = [.willTerminate] }
        let down = device.begin(.shutDown)
        device.run()
        #expect(device.answers[down] == nil)
        #expect(device.open(suspended) == .refused(.shuttingDown))
        let again = device.begin(.shutDown)
        device.send(.booted)
        device.run()
        device.change(front) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[down]?.isDone == true)
        #expect(device.answers[again]?.isDone == true)
        #expect(device.hasHalted)
        #expect(device.takeCalls(front).suffix(3) == Sequences.leave + [.willTerminate])
        #expect(device.takeCalls(suspended) == [])
        #expect(device.launches == 3)
        device.finish()
    }

    @Test("A system with nothing to end is down at once")
    func empty() {
        let device = TestDevice()
        #expect(device.perform(.shutDown)?.isDone == true)
        #expect(device.hasHalted)
        device.finish()
    }

    @Test("After down the same state boots again: the screen is free and commands are taken")
    func upAgain() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.perform(.lock(wait: true))
        device.perform(.shutDown)
        device.system = device.checkpoint()
        device.send(.booted)
        device.hasHalted = false
        #expect(device.open(app) == .done(app: app))
        #expect(!device.hasHalted)
        device.finish()
    }

    @Test("A reboot ends everything, frees the screen, boots, and is answered although boot launches apps")
    func reboot() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.declare([.calls])
        let voip = device.installTest("phone", modes: .voip)
        device.open(app)
        device.perform(.sleep(wait: true))
        _ = device.takeCalls(app)
        #expect(device.perform(.reboot)?.isDone == true)
        #expect(device.takeCalls(app) == [])
        #expect(device.takeCalls(voip) == Sequences.backgroundLaunch)
        #expect(!device.hasHalted)
        #expect(device.open(app) == .done(app: app))
        device.finish()
    }
}
