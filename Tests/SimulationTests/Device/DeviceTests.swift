import Model
import PolicyCore
import Simulation
import Testing

@Suite("A simulated device")
struct DeviceTests {
    private func device(_ profile: DeviceProfile = .linux, _ apps: AppScript...) -> Device {
        let device = Device(profile, seed: 1)
        for app in apps { device.install(app) }
        device.boot()
        return device
    }

    @Test("An app launches, leaves, freezes and comes back, each in its own time")
    func life() throws {
        var script = try AppScript.test("journal")
        script.startup = .milliseconds(300)
        script.callbackTimes[.didFinishLaunching] = .milliseconds(200)
        let device = device(.linux, script)
        #expect(device.open("journal") == .done(app: AppIndex(0)))
        #expect(device.elapsed > .milliseconds(500) && device.elapsed < .milliseconds(700))
        #expect(device.calls("journal") == Sequences.launch)
        device.finish(.home)
        device.advance(by: .seconds(1))
        #expect(device.state("journal") == .suspended)
        #expect(device.process("journal")?.isFrozen == true)
        device.open("journal")
        #expect(device.calls("journal") == Sequences.launch + Sequences.leave + Sequences.comeBack)
        #expect(device.process("journal")?.isFrozen == false)
        #expect(device.violations == [])
    }

    @Test("A suspended app's timers do not fire; all that are overdue fire once it runs again")
    func timers() throws {
        var script = try AppScript.test("clock", modes: "audio")
        script.reactions[.didBecomeActive] = [.after(.seconds(30), .beginTask("late"))]
        let device = device(.linux, script)
        device.open("clock")
        device.finish(.home)
        device.advance(by: .seconds(3600))
        #expect(device.state("clock") == .suspended)
        device.open("clock")
        device.advance(by: .seconds(1))
        let app = try #require(device.place(named: "clock").flatMap { device.apps[$0].index })
        #expect(device.system.app(app)?.heldAssertions.map(\.name) == ["late"])
    }

    @Test("What an app was in the middle of when it froze goes on where it was")
    func interruptedWork() throws {
        var script = try AppScript.test("worker")
        script.reactions[.didEnterBackground] = [.after(.milliseconds(1), .block(.seconds(8)))]
        let device = device(.linux, script)
        device.open("worker")
        device.finish(.home)
        device.advance(by: .seconds(60))
        #expect(device.state("worker") == .suspended)
        let before = device.now
        device.open("worker")
        // The block of 8 s had hardly begun.
        #expect(device.now - before > .seconds(7) && device.now - before < .seconds(9))
        #expect(device.violations == [])
    }

    @Test("A delegate method that never returns costs the app its life, after exactly the limit")
    func watchdog() throws {
        let device = device(.iPhone4, try AppScript.test("slow"))
        device.inject(.hang("slow", .didEnterBackground))
        device.open("slow")
        let id = try #require(device.perform(.home))
        device.advance(by: .seconds(20))
        #expect(device.answers[id]?.answer == .done(app: nil))
        #expect(device.state("slow") == .notRunning)
        let report = try #require(device.reports.first)
        #expect(report.code == .launchTooSlow && report.limit == "scene-update (didEnterBackground)")
        let elapsed = try #require(report.elapsed)
        #expect(elapsed >= .seconds(6) && elapsed < .seconds(6.2))
    }

    @Test("A daemon that dies between any two effects loses nothing", arguments: 0..<6)
    func daemonDeath(effects: Int) throws {
        let device = device(.linux, try AppScript.test("one"), try AppScript.test("two", kind: .plain))
        device.open("one")
        device.inject(.killDaemonWithin(effects: effects, downFor: .milliseconds(500)))
        device.perform(.open("two", role: .primary))
        device.advance(by: .seconds(30))
        #expect(device.violations == [])
        #expect(device.state("one") == .suspended && device.process("one")?.isFrozen == true)
        #expect(device.state("two") == .active)
        #expect(device.calls("one") == Sequences.launch + Sequences.leave)
        #expect(device.apps[0].launches == 1 && device.apps[1].launches == 1)
    }

    @Test("What tools ask for while the daemon is away is done when it is back")
    func waitingCommands() throws {
        let device = device(.linux, try AppScript.test("one"))
        device.inject(.killDaemon(downFor: .seconds(3)))
        let id = try #require(device.perform(.open("one", role: .primary)))
        device.advance(by: .seconds(1))
        #expect(device.daemon == .down && device.answers[id] == nil)
        device.advance(by: .seconds(5))
        #expect(device.answers[id]?.answer == .done(app: AppIndex(0)))
    }

    @Test("A system that was shut down starts anew with the apps that are installed")
    func shutDown() throws {
        let device = device(.linux, try AppScript.test("one"), try AppScript.test("two"))
        device.open("one")
        device.finish(.uninstall("two"))
        device.perform(.shutDown)
        device.advance(by: .seconds(10))
        #expect(device.daemon == .off && device.process("one") == nil)
        #expect(device.finish(.open("one", role: .primary)) == .refused(.shuttingDown))
        device.perform(.boot)
        #expect(device.open("one") == .done(app: AppIndex(0)))
        #expect(device.open("two") == .refused(.unknownApp))
        #expect(device.violations == [])
    }

    @Test("What was learned of the user outlives a shutdown, under the numbers that the apps have then")
    func habits() throws {
        let device = device(.linux, try AppScript.test("gone"), try AppScript.test("kept"))
        for _ in 0..<5 {
            device.open("gone")
            device.open("kept")
            device.finish(.home)
            device.advance(by: .seconds(3600))
        }
        func expected(_ app: UInt32) -> [ExpectedOpening] {
            device.system.fetch.planner.expectedOpenings(
                AppIndex(app), at: WallTime(nanoseconds: device.now.nanoseconds + device.wallOffset))
        }
        let before = expected(1)
        #expect(!before.isEmpty && device.system.fetch.planner.memory.apps == [AppIndex(0), AppIndex(1)])
        device.finish(.uninstall("gone"))
        device.perform(.shutDown)
        device.advance(by: .seconds(10))
        device.perform(.boot)
        #expect(device.system.fetch.planner.memory.apps == [AppIndex(0)])
        #expect(expected(0).map(\.from) == before.map(\.from))
    }

    @Test("With a full disk nothing launches, and the user is told")
    func fullDisk() throws {
        let device = device(.linux, try AppScript.test("one"))
        device.inject(.diskFull(true))
        guard case .overtaken(let refusal)? = device.open("one") else {
            Issue.record("the launch should fail")
            return
        }
        #expect(refusal.sentence.contains("No space left on device"))
        device.inject(.diskFull(false))
        #expect(device.open("one") == .done(app: AppIndex(0)))
    }

    @Test("A reply that is lost with its connection is not lost: the app says what it executed when it is back")
    func lostReply() throws {
        let device = device(.linux, try AppScript.test("one"))
        device.open("one")
        device.inject(.loseReply("one"))
        #expect(device.finish(.home) == .done(app: nil))
        device.advance(by: .seconds(2))
        #expect(device.state("one") == .suspended)
        #expect(device.calls("one") == Sequences.launch + Sequences.leave)
    }

    @Test(
        "Messages arrive in the order in which they were sent, also those of an app that takes no time",
        arguments: 1...40)
    func ordered(seed: UInt64) throws {
        var script = try AppScript.test("quick")
        for kind in CallbackKind.allCases { script.callbackTimes[kind] = .zero }
        let device = Device(.linux, seed: seed)
        device.install(script)
        device.boot()
        for _ in 0..<5 {
            #expect(device.open("quick") == .done(app: AppIndex(0)))
            device.finish(.home)
        }
        #expect(device.elapsed < .seconds(2))
        #expect(device.violations == [])
    }
}
