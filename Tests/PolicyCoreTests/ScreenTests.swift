import Model
import PolicyCore
import Testing

@Suite("The screen") struct ScreenTests {
    @Test("Opening an app sends the one in its place to the background, and does not wait for it")
    func displacement() {
        let device = TestDevice()
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        device.change(first) { $0.hangsIn = [.didEnterBackground] }
        #expect(device.open(second) == .done(app: second))
        #expect(device.state(second) == .active)
        #expect(device.system.frontApp == second)
        #expect(!device.system.isVisible(first))
        device.finish()
    }

    @Test("Two apps beside each other are both active; both leave on Home")
    func splitScreen() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        #expect(device.open(second, as: .secondary) == .done(app: second))
        #expect(device.state(first) == .active)
        #expect(device.system.frontApp == first)
        device.perform(.interrupt(.alert, wait: true))
        #expect(device.state(first) == .inactive)
        #expect(device.state(second) == .inactive)
        device.perform(.dismiss(.alert, wait: true))
        device.home()
        #expect(device.state(first) == .suspended)
        #expect(device.state(second) == .suspended)
        device.finish()
    }

    @Test("An app that changes its role goes on without a callback; what was there leaves")
    func changesRole() {
        let device = TestDevice()
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        device.open(second, as: .pip)
        _ = device.takeCalls(second)
        device.open(second)
        #expect(device.takeCalls(second) == [])
        #expect(device.system.app(second)?.role == .primary)
        #expect(device.state(first) == .suspended)
        device.finish()
    }

    /// How the primary app, which is on the screen beside another one, goes from it.
    private static let departures: [(String, @Sendable (TestDevice, AppIndex) -> Void)] = [
        (
            "it crashes",
            { device, app in
                device.crash(app)
                device.run()
            }
        ),
        (
            "it exits",
            { device, app in
                device.crash(app, .exited(0))
                device.run()
            }
        ),
        ("the user closes it", { $0.perform(.close($1, wait: true)) }),
        ("it is uninstalled", { $0.perform(.uninstall($1)) }),
        ("it becomes the picture", { $0.open($1, as: .pip) }),
    ]

    @Test("When the primary app goes, the secondary one takes the whole screen without a callback")
    func secondaryRemains() {
        for (departure, leave) in Self.departures {
            let device = TestDevice(.iPadAir2, label: departure)
            let first = device.installTest("first")
            let second = device.installTest("second")
            let third = device.installTest("third")
            device.open(first)
            device.open(second, as: .secondary)
            _ = device.takeCalls(second)
            leave(device, first)
            #expect(device.system.frontApp == second, "\(departure)")
            #expect(device.system.app(second)?.role == .primary, "\(departure)")
            #expect(device.takeCalls(second) == [], "\(departure)")
            // There is one app on the screen now: the next one takes its place, and may have one beside it.
            device.open(third)
            #expect(device.state(second) == .suspended, "\(departure)")
            #expect(device.open(second, as: .secondary) == .done(app: second))
            #expect(device.system.frontApp == third, "\(departure)")
            device.home()
            #expect(device.system.frontApp == nil, "\(departure)")
            device.finish()
        }
    }

    @Test("The primary app stays in front when the secondary one ends")
    func primaryRemains() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        device.open(second, as: .secondary)
        device.crash(second)
        device.run()
        #expect(device.system.frontApp == first)
        #expect(device.system.app(first)?.role == .primary)
        device.finish()
    }

    @Test("A picture alone is not in front: the user looks at the home screen")
    func pictureRemains() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let picture = device.installTest("picture")
        device.open(first)
        device.open(picture, as: .pip)
        device.crash(first)
        device.run()
        #expect(device.system.frontApp == nil)
        #expect(device.system.app(picture)?.role == .pip)
        #expect(device.state(picture) == .active)
        device.finish()
    }

    @Test("An app is the secondary one only beside another, under an interruption and a lock too")
    func secondaryAlone() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(second, as: .secondary)
        #expect(device.system.frontApp == second)
        device.open(first)
        #expect(device.state(second) == .suspended)
        device.open(second, as: .secondary)
        device.perform(.interrupt(.alert, wait: true))
        device.crash(first)
        device.run()
        #expect(device.system.frontApp == second)
        #expect(device.state(second) == .inactive)
        device.perform(.lock(wait: true))
        device.perform(.unlock(wait: true))
        device.perform(.dismiss(.alert, wait: true))
        #expect(device.state(second) == .active)
        device.finish()
    }

    @Test("The user restarts the primary app: both keep their places")
    func restartBeside() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        device.open(second, as: .secondary)
        #expect(device.perform(.restart(first, wait: true)) == .done(app: first))
        #expect(device.system.frontApp == first)
        #expect(device.system.app(second)?.role == .secondary)
        device.finish()
    }

    @Test("After the daemon's death the remaining app has the whole screen")
    func remainsAfterAdoption() {
        let device = TestDevice(.iPadAir2)
        let first = device.installTest("first")
        let second = device.installTest("second")
        device.open(first)
        device.open(second, as: .secondary)
        device.killDaemon()
        device.crash(first)
        device.runWithoutDaemon()
        device.restartDaemon()
        device.run()
        #expect(device.state(first) == .notRunning)
        #expect(device.system.frontApp == second)
        #expect(device.state(second) == .active)
        device.finish()
    }

    @Test("A device without split screen has one app on it")
    func noSplitScreen() {
        let device = TestDevice(.iPhone4)
        let app = device.installTest("first")
        #expect(
            device.open(app, as: .secondary) == .refused(.roleUnavailable(.secondary, profile: "iphone-4")))
        #expect(device.launches == 0)
        device.finish()
    }

    @Test("Reading the SMS sends the app to the background; dismissing it does not")
    func sms() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        _ = device.takeCalls(app)
        device.perform(.interrupt(.sms, wait: true))
        device.perform(.dismiss(.sms, wait: true))
        #expect(device.takeCalls(app) == [.willResignActive, .didBecomeActive])
        device.perform(.interrupt(.sms, wait: true))
        #expect(device.perform(.accept(.sms, wait: true))?.isDone == true)
        #expect(device.takeCalls(app) == Sequences.leave)
        #expect(device.state(app) == .suspended)
        #expect(device.system.frontApp == nil)
        device.finish()
    }

    @Test("With two interruptions the app is active again after both")
    func twoInterruptions() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        _ = device.takeCalls(app)
        device.perform(.interrupt(.sms, wait: true))
        device.perform(.interrupt(.call, wait: true))
        device.perform(.dismiss(.sms, wait: true))
        #expect(device.state(app) == .inactive)
        device.perform(.dismiss(.call, wait: true))
        #expect(device.takeCalls(app) == [.willResignActive, .didBecomeActive])
        #expect(device.perform(.dismiss(.call, wait: true)) == .refused(.noSuchInterruption(.call)))
        device.finish()
    }

    @Test("After the call the app is on the screen again, as it was left")
    func endOfCall() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.perform(.interrupt(.call, wait: true))
        device.perform(.accept(.call, wait: true))
        #expect(device.state(app) == .suspended)
        _ = device.takeCalls(app)
        #expect(device.perform(.endCall(wait: true))?.isDone == true)
        #expect(device.takeCalls(app) == Sequences.comeBack)
        #expect(device.perform(.endCall(wait: true)) == .refused(.noCall))
        device.finish()
    }

    @Test("Home under an interruption does nothing: neither does it leave a call's screen")
    func homeUnderInterruption() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.perform(.interrupt(.call, wait: true))
        device.perform(.accept(.call, wait: true))
        device.perform(.interrupt(.sms, wait: true))
        _ = device.takeCalls(app)
        #expect(device.home()?.isDone == true)
        #expect(device.takeCalls(app) == [])
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("Locking closes the switcher: unlocked, the app is active")
    func lockInSwitcher() {
        let device = TestDevice(.iPhone4)
        let app = device.installTest("journal")
        device.open(app)
        device.perform(.switcher(isOpen: true, wait: true))
        device.perform(.lock(wait: true))
        #expect(device.state(app) == .inactive)
        device.perform(.unlock(wait: true))
        #expect(device.state(app) == .active)
        #expect(!device.system.isSwitcherOpen)
        device.finish()
    }

    @Test("Asleep is locked too; waking leaves it locked", arguments: [DeviceProfile.linux, .iPhone4])
    func sleep(profile: DeviceProfile) {
        let device = TestDevice(profile)
        let app = device.installTest("journal")
        device.open(app)
        device.perform(.sleep(wait: true))
        #expect(device.state(app) == (profile == .linux ? .suspended : .inactive))
        #expect(device.perform(.unlock(wait: true)) == .refused(.deviceAsleep))
        #expect(device.open(app) == .refused(.deviceAsleep))
        device.perform(.wake(wait: true))
        #expect(device.open(app) == .refused(.deviceLocked))
        device.perform(.unlock(wait: true))
        #expect(device.state(app) == .active)
        device.finish()
    }

    @Test("Home on a locked device of 2010 leaves the app where it is")
    func homeWhenLocked() {
        let device = TestDevice(.iPhone4)
        let app = device.installTest("journal")
        device.open(app)
        device.perform(.lock(wait: true))
        #expect(device.home()?.isDone == true)
        #expect(device.state(app) == .inactive)
        #expect(device.system.frontApp == app)
        device.finish()
    }

    @Test("Without multitasking nothing is launched where nobody sees it")
    func noHiddenLaunch() {
        let device = TestDevice(.iPhoneOS3)
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.hangsIn = [.willTerminate] }
        device.perform(.restart(app, wait: false))
        device.perform(.interrupt(.call, wait: false))
        device.perform(.accept(.call, wait: false))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.state(app) == .notRunning)
        device.perform(.endCall(wait: true))
        #expect(device.state(app) == .active)
        device.finish()
    }
}
