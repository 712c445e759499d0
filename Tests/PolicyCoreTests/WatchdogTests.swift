import Model
import PolicyCore
import Testing

@Suite("Watchdogs") struct WatchdogTests {
    /// Brings an app into each callback; the last command is the one that it hangs in.
    private func hang(_ kind: CallbackKind, _ device: TestDevice, _ app: AppIndex) {
        device.change(app) { $0.hangsIn = [kind] }
        switch kind {
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive:
            device.perform(.open(app, role: .primary, wait: false))
        case .willResignActive, .didEnterBackground:
            device.open(app)
            device.perform(.home(wait: false))
        case .willEnterForeground:
            device.suspend(app)
            device.perform(.open(app, role: .primary, wait: false))
        case .willTerminate:
            device.open(app)
            device.perform(.close(app, wait: false))
        case .openURL, .didReceiveMemoryWarning:
            device.open(app)
            device.perform(kind == .openURL ? .openURL("test:1", wait: false) : .warnMemory)
        case .performFetch:
            device.suspend(app)
            device.perform(.simulateFetch(app, launches: false, wait: false))
        case .handleEventsForBackgroundURLSession:
            device.suspend(app)
            device.transfers(app)
        case .launchBackgroundTask:
            device.open(app)
            device.request(app, .submitTask(BackgroundTaskRequest(identifier: "a", kind: .processing)))
            device.home()
        case .handleServiceEvents:
            device.suspend(app)
            device.wakeByService(app, time: .seconds(1000))
        case .scene: break
        }
    }

    private func state(in kind: CallbackKind) -> LifecycleState {
        switch kind {
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .didEnterBackground: .inactive
        case .willResignActive, .openURL, .didReceiveMemoryWarning: .active
        case .willEnterForeground, .willTerminate, .performFetch, .handleEventsForBackgroundURLSession,
            .launchBackgroundTask, .handleServiceEvents, .scene:
            .background
        }
    }

    private static let callbacks = CallbackKind.allCases.filter { $0 != .scene }

    @Test("Every callback of every profile has its limit to the millisecond", arguments: callbacks)
    func everyCallback(kind: CallbackKind) throws {
        for var profile in DeviceProfile.all where profile.hasMultitasking {
            for limit in [\WindowRules.fetch, \.sessionEvents, \.processing] {
                profile.windows?[keyPath: limit] = .seconds(1000)
            }
            let device = TestDevice(profile, label: "\(profile.name) \(kind.name)")
            let app = device.installTest("slow", for: kind)
            hang(kind, device, app)
            let limit = min(profile.limit(for: kind), kind.isLaunch ? profile.launchLimit : .seconds(99))
            device.pass(Span(nanoseconds: limit.nanoseconds - 1_000_000))
            #expect(device.reports.isEmpty, "\(device.label)")
            device.pass(.milliseconds(1))
            let report = try #require(device.reports.first, "\(device.label)")
            #expect(report.code == .launchTooSlow)
            #expect(report.state == state(in: kind), "\(device.label)")
            #expect(report.allowed == limit)
            #expect(report.elapsed == limit)
            #expect(report.isTermination)
            #expect(
                report.reason.contains("watchdog transgression: slow exhausted real (wall clock) time"))
            #expect(report.reason.contains("\(limit.twoDigits) seconds while \(report.state.name)"))
            #expect(device.state(app) == .notRunning)
            device.finish()
        }
    }

    @Test("The limits are those of FACTS")
    func limitsOfFacts() {
        let linux = DeviceProfile.linux
        #expect(linux.limit(for: .didEnterBackground) == .seconds(5))
        #expect(linux.limit(for: .willTerminate) == .seconds(5))
        #expect(linux.launchLimit == .seconds(20))
        #expect(linux.limit(for: .willEnterForeground) == .seconds(10))
        #expect(linux.limit(for: .didBecomeActive) == .seconds(10))
        #expect(linux.mainThreadLimit == .seconds(10))
        for profile in [DeviceProfile.iPhone4, .iPhone3GS, .iPhoneOS3] {
            for kind in Self.callbacks { #expect(profile.limit(for: kind) == .seconds(6)) }
        }
    }

    @Test("An app that never connects exceeds the launch limit, counted from its start")
    func neverConnects() throws {
        let device = TestDevice()
        let app = device.installTest("silent")
        device.change(app) { $0.connects = false }
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.pass(.milliseconds(19_999))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(1))
        let report = try #require(device.reports.first)
        #expect(report.limit == "scene-create")
        #expect(report.allowed == .seconds(20))
        #expect(device.answers[open]?.isDone == false)
        device.finish()
    }

    @Test("The launch limit holds for both launch callbacks together")
    func launchTogether() throws {
        let device = TestDevice()
        let app = device.installTest("slow")
        device.change(app) { $0.hangsIn = [.willFinishLaunching] }
        device.perform(.open(app, role: .primary, wait: false))
        device.pass(.seconds(15))
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        device.pass(.milliseconds(4_999))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(1))
        #expect(device.reports.map(\.limit) == ["scene-create"])
        device.finish()
    }

    @Test("Somebody who sets the clock neither shortens nor prolongs a launch", arguments: [-3600, 3600])
    func clockChange(seconds: Int64) {
        let device = TestDevice()
        let app = device.installTest("silent")
        device.change(app) { $0.connects = false }
        device.perform(.open(app, role: .primary, wait: false))
        device.pass(.seconds(1))
        device.send(.clockChanged(wallOffset: 1_700_000_000_000_000_000 + seconds * 1_000_000_000))
        device.change(app) {
            $0.connects = true
            $0.hangsIn = [.willFinishLaunching]
        }
        device.pass(.milliseconds(18_999))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(1))
        #expect(device.reports.count == 1)
        device.finish()
    }

    @Test("A blocked main thread ends the app, with a code of its own")
    func mainThread() throws {
        let device = TestDevice()
        let app = device.installTest("blocked")
        device.open(app)
        device.change(app) { $0.answersPings = false }
        device.pass(.milliseconds(14_999))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(1))
        let report = try #require(device.reports.first)
        #expect(report.code == .watchdog)
        #expect(report.limit == "main-thread")
        #expect(report.isVisible)
        device.finish()
    }

    @Test("A main thread that answers is asked again and again, and a plain program never")
    func pings() {
        let device = TestDevice()
        let app = device.installTest("journal")
        let plain = device.installTest("vim", kind: .plain)
        device.open(app)
        device.open(plain, as: .secondary)
        device.change(plain) { $0.answersPings = false }
        device.pass(.seconds(300))
        #expect(device.reports.isEmpty)
        #expect(device.state(app) == .active)
        #expect(device.state(plain) == .active)
        device.finish()
    }

    @Test("A suspended app has no clock: hours later it is as it was", arguments: AppKind.both)
    func noClockWhenSuspended(kind: AppKind) {
        let device = TestDevice()
        let app = device.installTest("journal", kind: kind)
        device.suspend(app)
        #expect(device.system.nextDeadline() == nil, "an idle system does not wake the machine")
        device.pass(.seconds(36_000))
        #expect(device.open(app) == .done(app: app))
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("A traced app is left alone, whatever it exceeds, and its clock starts again")
    func traced() {
        for kind in Self.callbacks {
            let device = TestDevice(label: kind.name)
            let app = device.installTest("debugged", schemes: ["test"])
            device.change(app) { $0.isTraced = true }
            hang(kind, device, app)
            device.pass(.seconds(100))
            #expect(device.reports.isEmpty, "\(kind.name)")
            device.change(app) { $0.hangsIn = [] }
            device.run()
            #expect(device.reports.isEmpty)
            device.finish()
        }
        let device = TestDevice()
        let app = device.installTest("debugged")
        device.change(app) {
            $0.isTraced = true
            $0.connects = false
        }
        device.perform(.open(app, role: .primary, wait: false))
        device.pass(.seconds(100))
        device.change(app) {
            $0.connects = true
            $0.answersPings = false
        }
        device.pass(.seconds(100))
        #expect(device.state(app) == .active)
        device.change(app) { $0.isTraced = false }
        device.pass(.seconds(11))
        #expect(device.reports.map(\.limit) == ["main-thread"], "the debugger left")
        device.finish()
    }

    @Test("A program that starts while the host looks for a debugger has started; the verdict does not end its end")
    func startsBeforeTheVerdict() {
        let device = TestDevice()
        let app = device.installTest("vim", kind: .plain)
        device.change(app) {
            $0.withholdsStart = true
            $0.withholdsTracer = true
            $0.isTraced = true
            $0.ignoresTermination = true
        }
        device.perform(.open(app, role: .primary, wait: false))
        device.pass(.seconds(20))
        device.change(app) { $0.withholdsStart = false }
        device.perform(.close(app, wait: false))
        device.change(app) { $0.withholdsTracer = false }
        device.run()
        device.change(app) { $0.isTraced = false }
        device.pass(.seconds(5))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("A callback that returns while the host looks for a debugger has returned")
    func returnsBeforeTheVerdict() {
        let device = TestDevice()
        let app = device.installTest("slow")
        hang(.didEnterBackground, device, app)
        device.change(app) { $0.withholdsTracer = true }
        device.pass(.seconds(5))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        device.change(app) { $0.withholdsTracer = false }
        device.run()
        #expect(device.reports.isEmpty)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test(
        "A main thread that calls the delegate is not blocked, and what is suspended has no clock",
        arguments: [true, false])
    func verdictAfterSuspension(isTraced: Bool) {
        for isSilent in [true, false] {
            let device = TestDevice()
            let app = device.installTest("journal", modes: .audio)
            device.open(app)
            device.use(.audio, by: app)
            if isSilent { device.home() }
            device.change(app) {
                $0.answersPings = false
                $0.withholdsTracer = true
                $0.isTraced = isTraced
            }
            device.pass(.seconds(15))
            if !isSilent { device.home() }
            device.leave(.audio, by: app)
            #expect(device.state(app) == .suspended)
            device.change(app) { $0.withholdsTracer = false }
            device.run()
            #expect(device.state(app) == .suspended)
            #expect(device.reports.isEmpty)
            device.finish()
        }
    }

    @Test(
        "Nobody pays for the time in which the machine slept or the daemon stood still",
        arguments: callbacks)
    func machineSlept(kind: CallbackKind) {
        let device = TestDevice(label: kind.name)
        let app = device.installTest("journal", for: kind)
        hang(kind, device, app)
        let started = device.now
        device.now = started + .seconds(3600)
        device.send(.timer)
        device.run()
        #expect(device.reports.isEmpty, "\(kind.name)")
        device.pass(.milliseconds(4900))
        #expect(device.reports.isEmpty, "\(kind.name)")
        device.pass(.seconds(kind == .performFetch ? 26 : 16))
        #expect(device.reports.count == 1, "\(kind.name): awake, the limit is the limit")
        device.finish()
    }

    @Test("The same for main threads, programs that were asked to end, and freezes")
    func machineSleptOtherwise() {
        let device = TestDevice()
        let app = device.installTest("journal")
        let vim = device.installTest("vim", kind: .plain)
        let nano = device.installTest("nano", kind: .plain)
        device.change(nano) { $0.canFreeze = false }
        device.open(nano)
        device.open(app)
        device.open(vim, as: .secondary)
        device.change(app) { $0.answersPings = false }
        device.pass(.milliseconds(5500))
        device.change(vim) { $0.ignoresTermination = true }
        device.perform(.close(vim, wait: false))
        device.now = device.now + .seconds(3600)
        device.send(.timer)
        #expect(device.process(nano)?.freezer == .freezing || device.process(nano)?.freezer == .running)
        device.change(app) { $0.answersPings = true }
        device.change(vim) { $0.ignoresTermination = false }
        device.change(nano) { $0.canFreeze = true }
        device.pass(.seconds(70))
        #expect(device.reports.isEmpty)
        #expect(device.state(app) == .active)
        #expect(device.state(vim) == .notRunning)
        #expect(device.state(nano) == .suspended)
        device.finish()
    }

    @Test("Two limits that are exceeded at once wait for one verdict each")
    func twoVerdicts() {
        let device = TestDevice()
        let app = device.installTest("blocked")
        device.open(app)
        device.change(app) {
            $0.answersPings = false
            $0.hangsIn = [.willResignActive]
            $0.withholdsTracer = true
            $0.isTraced = true
        }
        device.pass(.seconds(8))
        device.perform(.home(wait: false))
        // The main thread's limit is over after 15 s, the callback's after 18 s.
        device.pass(.seconds(12))
        device.change(app) { $0.withholdsTracer = false }
        device.pass(.seconds(3))
        #expect(device.state(app) == .active)
        device.change(app) {
            $0.isTraced = false
            $0.answersPings = true
        }
        device.pass(.seconds(12))
        #expect(device.reports.map(\.limit) == ["scene-update (willResignActive)"])
        device.finish()
    }

    @Test("More processes than the limit end the app; as many as the limit do not", arguments: AppKind.both)
    func processLimit(kind: AppKind) throws {
        let device = TestDevice()
        let app = device.installTest("bomb", kind: kind)
        device.open(app)
        device.change(app) { $0.processCount = 512 }
        device.pass(.seconds(20))
        #expect(device.reports.isEmpty)
        device.change(app) { $0.processCount = 513 }
        device.pass(.seconds(5))
        let report = try #require(device.reports.first)
        #expect(report.code == .excessiveUse)
        #expect(report.reason.contains("had 513 processes while active, the limit is 512"))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("A profile with limits of nothing hangs nobody")
    func zeroLimits() {
        var profile = DeviceProfile.linux
        profile.checkInterval = .zero
        profile.freezeLimit = .zero
        profile.freezeAttempts = 255
        let device = TestDevice(profile)
        let app = device.installTest("journal")
        device.open(app)
        device.pass(.milliseconds(50))
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.pass(.milliseconds(600))
        #expect(device.state(app) == .background)
        device.finish()
    }
}

extension CallbackKind {
    fileprivate var isLaunch: Bool { self == .willFinishLaunching || self == .didFinishLaunching }
}
