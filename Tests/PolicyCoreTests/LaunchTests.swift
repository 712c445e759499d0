import Model
import PolicyCore
import Testing

@Suite("Launching") struct LaunchTests {
    @Test("The launch callbacks and the first activation go out in one write")
    func oneWrite() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.hangsIn = [.willFinishLaunching] }
        device.perform(.open(app, role: .primary, wait: false))
        #expect(device.process(app)?.queue.map(\.kind) == Sequences.launch)
        #expect(device.state(app) == .inactive)
        device.finish()
    }

    @Test("An interruption while it launches leaves it inactive until it is dismissed")
    func interruptedLaunch() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.connects = false }
        device.perform(.open(app, role: .primary, wait: false))
        device.perform(.interrupt(.sms, wait: false))
        device.change(app) { $0.connects = true }
        device.run()
        #expect(device.takeCalls(app) == [.willFinishLaunching, .didFinishLaunching])
        #expect(device.state(app) == .inactive)
        device.perform(.dismiss(.sms, wait: true))
        #expect(device.takeCalls(app) == [.didBecomeActive])
        device.finish()
    }

    @Test("Home before it connects: it never becomes active, and goes on to be suspended")
    func homeBeforeConnection() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.connects = false }
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.run()
        let home = device.begin(.home(wait: true))
        #expect(device.answers[open] == .overtaken(.leftTheScreen("journal")))
        #expect(device.answers[home] == nil, "Home is done when didEnterBackground has returned")
        device.change(app) { $0.connects = true }
        device.run()
        #expect(device.answers[home]?.isDone == true)
        #expect(device.takeCalls(app) == [.willFinishLaunching, .didFinishLaunching, .didEnterBackground])
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("Home inside didFinishLaunching: what was sent is still called, then it leaves")
    func homeDuringLaunch() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        device.perform(.open(app, role: .primary, wait: false))
        device.perform(.home(wait: false))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.takeCalls(app) == Sequences.launch + Sequences.leave)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("Without a service that wants them nothing is launched at boot")
    func nobodyAsks() {
        let device = TestDevice()
        let app = device.installTest("phone", modes: .voip)
        device.declare([ServiceDeclaration(name: "calls", mode: .voip)])
        device.send(.booted)
        device.run()
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("Boot launches the apps whose mode a service declares for it, into the background, with the reason")
    func boot() throws {
        let device = TestDevice()
        device.declare([.calls])
        let voip = device.installTest("phone", modes: .voip)
        let other = device.installTest("journal", modes: .audio)
        let plain = device.installTest("vim", kind: .plain, modes: .voip)
        let optedOut = device.installTest("old", modes: .voip, exitsOnSuspend: true)
        device.send(.booted)
        device.run()
        #expect(device.takeCalls(voip) == Sequences.backgroundLaunch)
        #expect(device.launchOptions[0][1].options.service == .voip)
        #expect(device.launchOptions[0][1].isBackground)
        #expect(device.state(voip) == .suspended)
        #expect(device.takeEvents(voip).first == .launchedInBackground)
        for app in [other, plain, optedOut] { #expect(device.state(app) == .notRunning) }
        device.open(voip)
        #expect(device.takeCalls(voip) == Sequences.comeBack)
        device.finish()
    }

    @Test("An app opened while it launches into the background comes to the screen after it")
    func openedDuringBackgroundLaunch() {
        let device = TestDevice()
        device.declare([.calls])
        let app = device.installTest("phone", modes: .voip)
        device.change(app) { $0.hangsIn = [.didFinishLaunching] }
        device.send(.booted)
        device.run()
        #expect(device.state(app) == .background)
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.answers[open] == .done(app: app))
        #expect(device.takeCalls(app) == Sequences.backgroundLaunch + Sequences.comeBack)
        device.finish()
    }

    @Test("An app that ends is launched again into the background, if a service wants apps of its mode to run")
    func relaunched() throws {
        let device = TestDevice()
        device.declare([.calls])
        let (phone, other) = (device.installTest("phone", modes: .voip), device.installTest("journal"))
        for app in [phone, other] { device.open(app) }
        device.pass(.seconds(100))
        for app in [phone, other] { device.crash(app) }
        device.pass(.seconds(1))
        #expect(device.state(phone) == .suspended)
        #expect(device.state(other) == .notRunning)
        #expect(try device.last(.launchedInBackground, of: phone).reason == .launchedAgain("phone"))
        #expect(device.process(phone) != nil)
        // The user ends it: it stays so.
        device.perform(.close(phone, wait: true))
        device.pass(.seconds(1000))
        #expect(device.state(phone) == .notRunning)
        device.finish()
    }

    @Test("An app that ends soon after each launch is launched again ever more rarely")
    func relaunchedRarely() {
        let device = TestDevice()
        device.declare([.calls])
        let app = device.installTest("phone", modes: .voip)
        device.open(app)
        var pauses: [Int64] = []
        for _ in 0..<14 {
            device.crash(app)
            device.run()
            let since = device.now
            while device.process(app) == nil, device.now - since < .seconds(2000) { device.pass(.milliseconds(100)) }
            pauses.append((device.now - since).nanoseconds / 1_000_000_000)
        }
        #expect(pauses.prefix(4) == [1, 2, 4, 8])
        #expect(pauses.suffix(2) == [900, 900])
        // One that has run for a while is launched at once.
        device.pass(.seconds(100))
        device.crash(app)
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("The word that it runs may come after its hello")
    func helloFirst() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.change(app) { $0.withholdsStart = true }
        device.perform(.open(app, role: .primary, wait: false))
        guard let process = device.process(app) else { return device.fault("it was not launched") }
        device.processes[0]?.isStarting = false
        device.processes[0]?.isConnected = true
        device.send(.connected(app, process.generation, executed: nil))
        device.send(.processStarted(app, process.generation, pid: process.pid))
        device.run()
        #expect(device.takeCalls(app) == Sequences.launch)
        device.finish()
    }

    @Test("A process that cannot be started is reported, leaves the screen and answers who waited")
    func cannotStart() throws {
        let device = TestDevice()
        let app = device.installTest("broken")
        let failure = LaunchFailure(stage: "execve", errorNumber: 2, message: "No such file or directory")
        device.change(app) { $0.launchFailure = failure }
        let answer = device.open(app)
        #expect(
            answer
                == .overtaken(.ended("broken could not be launched: execve: No such file or directory")))
        #expect(device.reports.map(\.code) == [.launchFailed])
        #expect(device.system.frontApp == nil)
        #expect(device.launches == 1, "it is not tried again by itself")
        device.change(app) { $0.launchFailure = nil }
        #expect(device.open(app) == .done(app: app))
        device.finish()
    }

    @Test("A process that ends before it has launched failed to launch", arguments: [Int32(0), 1])
    func endsWhileLaunching(status: Int32) {
        let device = TestDevice()
        let app = device.installTest("quitter")
        device.change(app) { $0.connects = false }
        device.perform(.open(app, role: .primary, wait: false))
        device.crash(app, .exited(status))
        device.run()
        #expect(device.reports.map(\.code) == [.launchFailed])
        #expect(device.state(app) == .notRunning)
        device.finish()
    }
}

@Suite("Opening by URL") struct URLTests {
    @Test("A cold launch gets the URL in its launch options and by the delegate's method")
    func cold() {
        let device = TestDevice()
        let app = device.installTest("maps", schemes: ["geo"])
        #expect(device.perform(.openURL("geo:1,2", wait: true)) == .done(app: app))
        #expect(device.takeCalls(app) == [.willFinishLaunching, .didFinishLaunching, .openURL, .didBecomeActive])
        #expect(device.launchOptions[0][1].options.url == "geo:1,2")
        #expect(device.launchOptions[0][2].options.url == "geo:1,2")
        device.finish()
    }

    @Test("Another app's URL: the caller goes to the background and is found again as it was left")
    func fromAnotherApp() throws {
        let device = TestDevice()
        let journal = device.installTest("journal", schemes: ["journal"])
        let maps = device.installTest("maps", schemes: ["geo"])
        device.suspend(maps)
        device.launchOptions[1] = []
        device.open(journal)
        _ = device.takeCalls(journal)
        #expect(device.request(journal, .canOpenURL("geo:1,2")) == .canOpen(true))
        #expect(device.request(journal, .canOpenURL("tel:1")) == .canOpen(false))
        #expect(device.request(journal, .openURL("GEO:1,2")) == .done)
        #expect(device.takeCalls(journal) == Sequences.leave)
        #expect(device.takeCalls(maps) == [.willEnterForeground, .openURL, .didBecomeActive])
        let callback = try #require(device.launchOptions[1].first { $0.kind == .openURL })
        #expect(callback.options.sourceApplication == "org.example.journal")
        #expect(device.state(journal) == .suspended)
        #expect(device.request(maps, .openURL("journal:back")) == .done)
        #expect(device.takeCalls(journal) == [.willEnterForeground, .openURL, .didBecomeActive])
        #expect(device.launches == 2)
        device.finish()
    }

    @Test("A scheme is the same in capitals, in the URL and in the manifest")
    func capitals() {
        let device = TestDevice()
        let app = device.installTest("maps", schemes: ["GEO"])
        #expect(device.perform(.openURL("geo:1,2", wait: true)) == .done(app: app))
        device.finish()
    }

    @Test("Only an app on an unlocked screen may open another")
    func notFromEverywhere() {
        let device = TestDevice(.iPhone4)
        let journal = device.installTest("journal")
        _ = device.installTest("maps", schemes: ["geo"])
        device.open(journal)
        device.perform(.lock(wait: true))
        #expect(device.request(journal, .openURL("geo:1,2")) == .refused(.deviceLocked))
        device.perform(.unlock(wait: true))
        #expect(device.request(journal, .openURL("tel:1")) == .refused(.noHandler(scheme: "tel")))
        #expect(device.request(journal, .openURL("nonsense")) == .refused(.malformedURL("nonsense")))
        device.behaviours[0].canFreeze = false
        device.home()
        #expect(device.request(journal, .openURL("geo:1,2")) == .refused(.notInForeground))
        #expect(device.system.frontApp == nil)
        device.finish()
    }

    @Test("A URL for an app that is being ended launches it anew with the URL")
    func whileEnding() {
        let device = TestDevice()
        let app = device.installTest("maps", schemes: ["geo"])
        device.open(app)
        device.change(app) { $0.hangsIn = [.willTerminate] }
        let close = device.begin(.close(app, wait: true))
        device.run()
        let open = device.begin(.openURL("geo:3,4", wait: true))
        #expect(device.answers[close] == nil)
        device.change(app) { $0.hangsIn = [] }
        device.launchOptions[0] = []
        device.run()
        #expect(device.answers[close] == .done(app: app))
        #expect(device.answers[open] == .done(app: app))
        let launch = device.launchOptions[0].first { $0.kind == .didFinishLaunching }
        #expect(launch?.options.url == "geo:3,4")
        device.finish()
    }

    @Test("Two URLs before it has launched are both handed over, in their order")
    func twoURLs() {
        let device = TestDevice()
        let app = device.installTest("maps", schemes: ["geo"])
        device.change(app) { $0.connects = false }
        device.perform(.openURL("geo:1", wait: false))
        device.perform(.openURL("geo:2", wait: false))
        device.change(app) { $0.connects = true }
        device.run()
        let urls = device.launchOptions[0].filter { $0.kind == .openURL }.map(\.options.url)
        #expect(urls == ["geo:1", "geo:2"])
        #expect(device.launchOptions[0][1].options.url == "geo:1")
        device.finish()
    }

    @Test("An app that opens its own URL is only told of it")
    func itself() {
        let device = TestDevice()
        let app = device.installTest("maps", schemes: ["geo"])
        device.open(app)
        _ = device.takeCalls(app)
        #expect(device.request(app, .openURL("geo:1")) == .done)
        #expect(device.takeCalls(app) == [.openURL])
        #expect(device.state(app) == .active)
        device.finish()
    }
}
