import Model
import PolicyCore
import Testing

/// The transition table of scenes, written out apart from the code: one row a state, one column a step.
private let steps: [SceneStep] = [
    .willConnect, .willEnterForeground, .didBecomeActive, .willResignActive, .didEnterBackground, .didDisconnect,
    .didDiscard, .openURL,
]

private let table: [(SceneState, [SceneState?])] = [
    // connect      foreground  active   resign     background   disconnect    discard       URL
    (.unattached, [.background, nil, nil, nil, nil, nil, .unattached, .unattached]),
    (.background, [nil, .inactive, nil, nil, nil, .unattached, nil, nil]),
    (.inactive, [nil, nil, .active, nil, .background, nil, nil, .inactive]),
    (.active, [nil, nil, nil, .inactive, nil, nil, nil, .active]),
]

/// Scenes (L16): several of an app, each with its state; the app is where the foremost of them is.
@Suite("Scenes") struct SceneTests {
    private func device(
        _ scenes: SceneSupport = .several, profile: DeviceProfile = .linux, modes: BackgroundModes = []
    ) -> (TestDevice, AppIndex) {
        let device = TestDevice(profile)
        let app = device.installTest("notes", modes: modes, schemes: ["notes"], scenes: scenes)
        return (device, app)
    }

    private func states(_ device: TestDevice, _ app: AppIndex) -> [String] {
        device.system.sceneSessions(app).map { "\($0.number.rawValue) \($0.state.name)" }
    }

    @Test("Every state of a scene answers every step as the table says, and refuses the others by name")
    func everyPair() {
        #expect(table.map(\.0) == SceneState.allCases && Set(steps) == Set(SceneStep.allCases))
        for (state, row) in table {
            #expect(row.count == SceneStep.allCases.count)
            for (step, expected) in zip(steps, row) {
                do throws(SceneState.IllegalStep) {
                    #expect(try state.after(step) == expected, "\(state.name) after \(step)")
                } catch {
                    #expect(
                        expected == nil && error.state == state && error.step == step, "\(state.name) after \(step)")
                }
            }
        }
    }

    @Test("An app with a manifest has one scene, whose callbacks come among the app's in Apple's order")
    func life() {
        let (device, app) = device(.one)
        device.open(app)
        #expect(
            device.takeWords(app) == [
                "willFinishLaunching", "didFinishLaunching", "sceneWillConnect 1", "sceneWillEnterForeground 1",
                "sceneDidBecomeActive 1", "didBecomeActive",
            ])
        device.home()
        #expect(
            device.takeWords(app) == [
                "sceneWillResignActive 1", "willResignActive", "sceneDidEnterBackground 1", "didEnterBackground",
            ])
        #expect(device.state(app) == .suspended && states(device, app) == ["1 background"])
        device.open(app)
        #expect(
            device.takeWords(app) == [
                "sceneWillEnterForeground 1", "willEnterForeground", "sceneDidBecomeActive 1", "didBecomeActive",
            ])
        device.perform(.interrupt(.call, wait: true))
        #expect(device.takeWords(app) == ["sceneWillResignActive 1", "willResignActive"])
        device.perform(.dismiss(.call, wait: true))
        #expect(device.takeWords(app) == ["sceneDidBecomeActive 1", "didBecomeActive"])
        device.finish()
    }

    @Test("A new scene in the place of another: the app stays active, and hears of both scenes alone")
    func replacing() throws {
        let (device, app) = device()
        device.open(app)
        _ = device.takeWords(app)
        #expect(device.perform(.openScene(app, nil, role: .primary, wait: true)) == .done(app: app))
        #expect(
            device.takeWords(app) == [
                "sceneWillResignActive 1", "sceneDidEnterBackground 1", "sceneWillConnect 2",
                "sceneWillEnterForeground 2", "sceneDidBecomeActive 2",
            ])
        #expect(device.state(app) == .active && states(device, app) == ["1 background", "2 active"])
        #expect(
            try device.chain(from: device.last(.sceneDidBecomeActive, of: app)).last == .openRequested)
        // The one that was shown last is the one that comes back.
        device.home()
        _ = device.takeWords(app)
        device.open(app)
        #expect(device.takeWords(app).first == "sceneWillEnterForeground 2")
        device.perform(.openScene(app, SceneNumber(1), role: .primary, wait: true))
        #expect(states(device, app) == ["2 background", "1 active"])
        device.finish()
    }

    @Test("Two scenes side by side: the app leaves the screen with the last of them")
    func beside() {
        let (device, app) = device()
        let other = device.installTest("other")
        device.open(app)
        device.perform(.openScene(app, nil, role: .secondary, wait: true))
        #expect(states(device, app) == ["1 active", "2 active"])
        _ = device.takeWords(app)
        // Another app takes the place of the first one.
        device.open(other)
        #expect(device.takeWords(app) == ["sceneWillResignActive 1", "sceneDidEnterBackground 1"])
        #expect(device.state(app) == .active && device.state(other) == .active)
        device.open(other, as: .secondary)
        #expect(
            device.takeWords(app) == [
                "sceneWillResignActive 2", "willResignActive", "sceneDidEnterBackground 2", "didEnterBackground",
            ])
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("The scene beside one that is closed takes the whole screen, and hears nothing")
    func remains() {
        let (device, app) = device()
        let other = device.installTest("other")
        device.open(app)
        device.perform(.openScene(app, nil, role: .secondary, wait: true))
        _ = device.takeWords(app)
        device.perform(.closeScene(app, SceneNumber(1), wait: true))
        #expect(device.takeWords(app).allSatisfy { $0.hasSuffix(" 1") })
        #expect(states(device, app) == ["2 active"])
        #expect(device.system.frontApp == app && device.system.app(app)?.role == .primary)
        // An app without scenes ends beside it.
        device.open(other)
        device.perform(.openScene(app, SceneNumber(2), role: .secondary, wait: true))
        device.crash(other)
        device.run()
        #expect(device.system.frontApp == app && states(device, app) == ["2 active"])
        device.open(other)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A URL goes to the scene that is shown last: before its connection, or when it is there")
    func urls() throws {
        let (device, app) = device()
        device.perform(.openURL("notes:1", wait: true))
        #expect(
            device.takeWords(app).dropFirst(2) == [
                "openURL 1", "sceneWillConnect 1", "sceneWillEnterForeground 1", "sceneDidBecomeActive 1",
                "didBecomeActive",
            ])
        device.perform(.openScene(app, nil, role: .primary, wait: true))
        _ = device.takeWords(app)
        device.perform(.openURL("notes:2", wait: true))
        #expect(device.takeWords(app) == ["openURL 2"])
        device.home()
        _ = device.takeWords(app)
        device.perform(.openURL("notes:3", wait: true))
        #expect(
            device.takeWords(app) == [
                "sceneWillEnterForeground 2", "willEnterForeground", "openURL 2", "sceneDidBecomeActive 2",
                "didBecomeActive",
            ])
        device.finish()
    }

    @Test("An app asks for a scene: it appears beside the other where there is room, else in its place")
    func activation() {
        for profile in [DeviceProfile.linux, .iOS7] {
            let (device, app) = device(profile: profile)
            device.open(app)
            _ = device.takeWords(app)
            #expect(device.request(app, .scene(.activate(nil, wish: 5))) == .scene(SceneNumber(2)))
            #expect(states(device, app) == [profile.hasSplitScreen ? "1 active" : "1 background", "2 active"])
            let connect = device.launchOptions[Int(app.rawValue)].last { $0.scene?.step == .willConnect }
            #expect(connect?.scene?.wish == 5)
            // Its own wish, once.
            device.request(app, .scene(.activate(SceneNumber(2), wish: 0)))
            #expect(states(device, app).last == "2 active")
            device.finish()
        }
    }

    @Test("What cannot be is refused with a sentence that says why")
    func refusals() {
        let (device, app) = device(.one)
        let plain = device.installTest("plain")
        device.open(app)
        #expect(device.request(app, .scene(.activate(nil, wish: 0))) == .refused(.oneScene("notes")))
        #expect(
            device.request(app, .scene(.activate(SceneNumber(7), wish: 0)))
                == .refused(.unknownScene("notes", SceneNumber(7))))
        #expect(
            device.request(app, .scene(.destroy(SceneNumber(7)))) == .refused(.unknownScene("notes", SceneNumber(7))))
        #expect(
            device.perform(.openScene(plain, nil, role: .primary, wait: true)) == .refused(.noScenes("plain")))
        #expect(
            device.perform(.closeScene(plain, SceneNumber(1), wait: true)) == .refused(.noScenes("plain")))
        device.home()
        device.open(plain)
        #expect(
            device.perform(.openScene(app, SceneNumber(9), role: .primary, wait: true))
                == .refused(.unknownScene("notes", SceneNumber(9))))
        device.finish()
    }

    @Test("No more scenes than a user could tell apart")
    func limit() {
        let (device, app) = device()
        device.open(app)
        for _ in 1..<SceneTable.most { device.perform(.openScene(app, nil, role: .primary, wait: true)) }
        #expect(device.system.sceneSessions(app).count == SceneTable.most)
        let refusal = Answer.refused(.tooManyScenes("notes", limit: Int32(SceneTable.most)))
        #expect(device.perform(.openScene(app, nil, role: .primary, wait: true)) == refusal)
        device.perform(.closeScene(app, SceneNumber(1), wait: true))
        #expect(device.perform(.openScene(app, nil, role: .primary, wait: true)) == .done(app: app))
        device.finish()
    }

    @Test("A scene that is closed leaves the screen, is disconnected, and its session is gone")
    func closing() {
        let (device, app) = device()
        device.open(app)
        device.perform(.openScene(app, nil, role: .secondary, wait: true))
        _ = device.takeWords(app)
        device.perform(.closeScene(app, SceneNumber(2), wait: true))
        #expect(
            device.takeWords(app) == [
                "sceneWillResignActive 2", "sceneDidEnterBackground 2", "sceneDidDisconnect 2", "didDiscardScene 2",
            ])
        #expect(states(device, app) == ["1 active"])
        // The last one: the app goes to the background with it.
        #expect(device.request(app, .scene(.destroy(SceneNumber(1)))) == .noted)
        #expect(
            device.takeWords(app) == [
                "sceneWillResignActive 1", "willResignActive", "sceneDidEnterBackground 1", "didEnterBackground",
                "sceneDidDisconnect 1", "didDiscardScene 1",
            ])
        #expect(device.state(app) == .suspended && states(device, app).isEmpty)
        device.open(app)
        #expect(states(device, app) == ["3 active"])
        device.finish()
    }

    @Test("Who is suspended, or not there, hears of a closed scene when it runs again, after its launch")
    func closedMeanwhile() {
        let (device, app) = device()
        device.open(app)
        device.perform(.openScene(app, nil, role: .primary, wait: true))
        device.home()
        _ = device.takeWords(app)
        device.perform(.closeScene(app, SceneNumber(1), wait: true))
        #expect(device.state(app) == .suspended && device.takeWords(app).isEmpty)
        device.open(app)
        #expect(
            device.takeWords(app) == [
                "sceneWillEnterForeground 2", "willEnterForeground", "sceneDidBecomeActive 2", "didBecomeActive",
                "sceneDidDisconnect 1", "didDiscardScene 1",
            ])
        device.perform(.close(app, wait: true))
        _ = device.takeWords(app)
        device.perform(.closeScene(app, SceneNumber(2), wait: true))
        device.open(app)
        #expect(
            device.takeWords(app).prefix(4) == [
                "willFinishLaunching", "didFinishLaunching", "didDiscardScene 2", "sceneWillConnect 3",
            ])
        device.finish()
    }

    @Test("When memory gets short, scenes that nobody sees are disconnected, and connect again when they are shown")
    func memory() {
        let (device, app) = device()
        device.send(.memoryConfigured(budget: 1 << 30))
        device.open(app)
        for _ in 0..<2 { device.perform(.openScene(app, nil, role: .primary, wait: true)) }
        #expect(states(device, app) == ["1 background", "2 background", "3 active"])
        _ = device.takeWords(app)
        device.perform(.pressMemory(.warning))
        device.run()
        let told = device.takeWords(app).filter { $0.hasPrefix("scene") }
        #expect(told == ["sceneDidDisconnect 1", "sceneDidDisconnect 2"])
        #expect(states(device, app) == ["1 unattached", "2 unattached", "3 active"])
        device.perform(.openScene(app, SceneNumber(1), role: .primary, wait: true))
        #expect(device.takeWords(app).filter { $0.hasSuffix(" 1") }.first == "sceneWillConnect 1")
        // On its way into suspension it keeps the scene by which it comes back.
        device.home()
        #expect(states(device, app) == ["2 unattached", "3 unattached", "1 background"])
        device.finish()
    }

    @Test("Sessions outlive the process and the device's restart; a process that ends leaves no scene connected")
    func persistence() {
        let (device, app) = device()
        device.open(app)
        device.perform(.openScene(app, nil, role: .primary, wait: true))
        let wishes = device.system.wishes(of: app)
        #expect(wishes.scenes == [SceneNumber(1), SceneNumber(2)])
        device.perform(.close(app, wait: true))
        #expect(states(device, app) == ["1 unattached", "2 unattached"])
        let (later, same) = self.device()
        later.send(.wishesRestored(same, wishes))
        #expect(states(later, same) == ["1 unattached", "2 unattached"])
        later.open(same)
        #expect(states(later, same) == ["1 unattached", "2 active"])
        #expect(later.perform(.openScene(same, nil, role: .primary, wait: true)) == .done(app: same))
        #expect(states(later, same).last == "3 active")
        #expect(later.checkpoint().sceneSessions(same) == later.system.sceneSessions(same))
        for device in [device, later] { device.finish() }
    }

    @Test("An app that is woken has no scene until it is shown")
    func unseen() {
        let (device, app) = device(modes: .fetch)
        _ = device.fetch(app, launches: true)
        #expect(
            device.takeWords(app) == [
                "willFinishLaunching", "didFinishLaunching", "didEnterBackground", "performFetch",
            ])
        #expect(states(device, app).isEmpty)
        device.finish()
    }

    @Test("A step that is never answered has the limit of what it stands for", arguments: SceneStep.allCases)
    func limits(step: SceneStep) throws {
        let device = TestDevice(.linux, label: step.name)
        let app = device.installTest("notes", schemes: ["notes"], scenes: .several)
        device.open(app)
        let limit = device.profile.limit(for: step.timed)
        device.change(app) { $0.hangsIn = [step == .openURL ? .openURL : .scene] }
        switch step {
        case .willConnect:
            // What leaves first would hang before.
            device.perform(.openScene(app, nil, role: .secondary, wait: false))
        case .openURL: device.perform(.openURL("notes:1", wait: false))
        case .willEnterForeground:
            device.change(app) { $0.hangsIn = [] }
            device.home()
            device.change(app) { $0.hangsIn = [.scene] }
            device.perform(.open(app, role: .primary, wait: false))
        case .didBecomeActive:
            device.change(app) { $0.hangsIn = [] }
            device.perform(.interrupt(.call, wait: true))
            device.change(app) { $0.hangsIn = [.scene] }
            device.perform(.dismiss(.call, wait: false))
        case .willResignActive: device.perform(.interrupt(.call, wait: false))
        case .didEnterBackground:
            device.change(app) { $0.hangsIn = [] }
            device.perform(.interrupt(.call, wait: true))
            device.change(app) { $0.hangsIn = [.scene] }
            device.perform(.home(wait: false))
            device.perform(.lock(wait: false))
        case .didDisconnect, .didDiscard:
            device.change(app) { $0.hangsIn = [] }
            device.perform(.openScene(app, nil, role: .primary, wait: true))
            if step == .didDiscard {
                device.send(.memoryConfigured(budget: 1 << 30))
                device.perform(.pressMemory(.warning))
            }
            device.change(app) { $0.hangsIn = [.scene] }
            device.perform(.closeScene(app, SceneNumber(1), wait: false))
        }
        let waiting = try #require(device.system.app(app)?.outstanding.first)
        #expect(waiting.callback.scene?.step == step)
        device.pass(Model.Span(nanoseconds: limit.nanoseconds - 1_000_000))
        #expect(device.reports.isEmpty)
        device.pass(.milliseconds(2))
        #expect(device.reports.map(\.code) == [.launchTooSlow])
        device.finish()
    }
}
