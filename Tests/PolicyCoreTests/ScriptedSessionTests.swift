import Model
import PolicyCore
import Testing

/// The documented order of callbacks, step by step, for an app that speaks the protocol and for a plain program: what
/// is called, and in which state each step leaves it.
@Suite("A scripted session") struct ScriptedSessionTests {
    struct Step {
        let command: @Sendable (AppIndex) -> Command
        let calls: [CallbackKind]
        let state: LifecycleState
        let name: String

        init(
            _ name: String, _ calls: [CallbackKind], _ state: LifecycleState,
            _ command: @escaping @Sendable (AppIndex) -> Command
        ) {
            self.name = name
            self.calls = calls
            self.state = state
            self.command = command
        }
    }

    private static let open: @Sendable (AppIndex) -> Command = { .open($0, role: .primary, wait: true) }
    private static let call: @Sendable (AppIndex) -> Command = { _ in .interrupt(.call, wait: true) }
    private static let close: @Sendable (AppIndex) -> Command = { .close($0, wait: true) }
    private static let home: @Sendable (AppIndex) -> Command = { _ in .home(wait: true) }
    private static let switcher: @Sendable (AppIndex) -> Command = { _ in .switcher(isOpen: true, wait: true) }

    /// What is the same on every device that has multitasking; locking differs.
    private static func multitasking(lock: [Step]) -> [Step] {
        [
            Step("launch", Sequences.launch, .active, open),
            Step("a call comes in", [.willResignActive], .inactive, call),
            Step("the call is dismissed", [.didBecomeActive], .active) { _ in .dismiss(.call, wait: true) },
            Step("another call", [.willResignActive], .inactive, call),
            Step("the call is accepted", [.didEnterBackground], .suspended) { _ in .accept(.call, wait: true) },
            Step("Home from the call", [], .suspended, home),
            Step("reopen", Sequences.comeBack, .active, open),
            Step("the call ends unseen", [], .active) { _ in .endCall(wait: true) },
        ] + lock + [
            Step("the switcher opens", [.willResignActive], .inactive, switcher),
            Step("the switcher closes", [.didBecomeActive], .active) { _ in .switcher(isOpen: false, wait: true) },
            Step("the switcher again", [.willResignActive], .inactive, switcher),
            Step("the front app is closed", [.didEnterBackground, .willTerminate], .notRunning, close),
            Step("launch again", Sequences.launch, .active, open),
            Step("closed while active", Sequences.leave + [.willTerminate], .notRunning, close),
            Step("launch once more", Sequences.launch, .active, open),
            Step("Home", Sequences.leave, .suspended, home),
            Step("closed while suspended", [], .notRunning, close),
        ]
    }

    private static let modernLock = [
        Step("lock", Sequences.leave, .suspended) { _ in .lock(wait: true) },
        Step("unlock", Sequences.comeBack, .active) { _ in .unlock(wait: true) },
    ]
    private static let lockOf2010 = [
        Step("lock", [.willResignActive], .inactive) { _ in .lock(wait: true) },
        Step("unlock", [.didBecomeActive], .active) { _ in .unlock(wait: true) },
    ]

    /// iPhone OS 3 knows not running, inactive and active only (L10).
    private static let withoutMultitasking: [Step] = [
        Step("launch", Sequences.launch, .active, open),
        Step("a call comes in", [.willResignActive], .inactive, call),
        Step("the call is dismissed", [.didBecomeActive], .active) { _ in .dismiss(.call, wait: true) },
        Step("lock", [.willResignActive], .inactive) { _ in .lock(wait: true) },
        Step("unlock", [.didBecomeActive], .active) { _ in .unlock(wait: true) },
        Step("Home", [.willResignActive, .willTerminate], .notRunning, home),
        Step("launch again", Sequences.launch, .active, open),
        Step("a call", [.willResignActive], .inactive, call),
        Step("the call is accepted", [.willTerminate], .notRunning) { _ in .accept(.call, wait: true) },
        Step("Home from the call", [], .notRunning, home),
        Step("launch once more", Sequences.launch, .active, open),
        Step("closed", [.willResignActive, .willTerminate], .notRunning, close),
    ]

    private func play(_ steps: [Step], on profile: DeviceProfile, kind: AppKind) {
        let device = TestDevice(profile, label: profile.name)
        let app = device.installTest("journal", kind: kind)
        for step in steps {
            let answer = device.perform(step.command(app))
            #expect(answer.map(\.isDone) == true, "\(profile.name), \(step.name): \(String(describing: answer))")
            #expect(device.takeCalls(app) == (kind == .plain ? [] : step.calls), "\(profile.name), \(step.name)")
            #expect(device.state(app) == step.state, "\(profile.name), \(step.name)")
            if step.state == .suspended { #expect(device.process(app)?.freezer == .frozen) }
        }
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("Under profiles with today's behaviour an app gets exactly the documented callbacks", arguments: AppKind.both)
    func modern(kind: AppKind) {
        for profile in [DeviceProfile.linux, .iOS7, .iPadAir2] {
            play(Self.multitasking(lock: Self.modernLock), on: profile, kind: kind)
        }
    }

    @Test("Under profiles of 2010 locking leaves the app inactive in the foreground", arguments: AppKind.both)
    func of2010(kind: AppKind) {
        for profile in [DeviceProfile.iPhone4, .iPhone3GS] {
            play(Self.multitasking(lock: Self.lockOf2010), on: profile, kind: kind)
        }
    }

    @Test("Without multitasking an app that leaves the screen ends", arguments: AppKind.both)
    func noMultitasking(kind: AppKind) {
        play(Self.withoutMultitasking, on: .iPhoneOS3, kind: kind)
    }

    @Test("Without multitasking no app is ever in the background or suspended")
    func threeStates() throws {
        let device = TestDevice(.iPhoneOS3)
        let app = device.installTest("voip", modes: [.voip, .audio])
        device.send(.booted)
        device.run()
        #expect(device.state(app) == .notRunning, "nothing is launched into the background at boot")
        for command: Command in [
            .open(app, role: .primary, wait: true), .uninstall(app),
        ] {
            device.perform(command)
        }
        #expect(!device.calls[0].contains(.didEnterBackground))
        #expect(device.calls[0].suffix(2) == [.willResignActive, .willTerminate])
        let second = device.installTest("second")
        device.open(second)
        device.perform(.restart(second, wait: true))
        #expect(!device.calls[1].contains(.didEnterBackground))
        device.perform(.shutDown)
        #expect(!device.calls[1].contains(.didEnterBackground))
        #expect(device.hasHalted)
        device.finish()
    }

    @Test("The log holds the callbacks between launched, suspended, resumed and terminated")
    func logOfASession() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.home()
        device.open(app)
        device.home()
        device.perform(.close(app, wait: true))
        #expect(
            device.takeEvents(app) == [
                .launched, .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
                .didEnterBackground, .suspended, .resumed, .willEnterForeground, .didBecomeActive, .willResignActive,
                .didEnterBackground, .suspended, .terminated,
            ])
        device.finish()
    }

    @Test("A callback's entry says how long the delegate took")
    func took() throws {
        let device = TestDevice()
        let app = device.installTest("slow")
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        let id = device.begin(.open(app, role: .primary, wait: true))
        device.pass(.milliseconds(1500))
        #expect(device.answers[id] == nil)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[id] == .done(app: app))
        #expect(try device.last(.didFinishLaunching, of: app).took == .milliseconds(1500))
        #expect(
            try device.last(.didBecomeActive, of: app).took == .zero, "its clock ran from the return of the one before")
        device.finish()
    }
}

extension Answer {
    var isDone: Bool {
        switch self {
        case .done: true
        case .refused, .overtaken: false
        }
    }
}

extension AppKind {
    static let both: [AppKind] = [.application, .plain]
}
