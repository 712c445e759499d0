import Model
import PolicyCore
import Testing

/// A gigabyte for all apps: reclaim below 200 MB, warn below 150, end background apps below 50.
@Suite("Memory relief") struct ReliefTests {
    private static let budget: Int64 = 1_000 * mb
    private static let mb: Int64 = 1 << 20

    private func device() -> TestDevice {
        let device = TestDevice()
        device.send(.memoryConfigured(budget: Self.budget))
        return device
    }

    private func sample(_ device: TestDevice, _ app: AppIndex, dirty: Int64, purgeable: Int64 = 0, clean: Int64 = 0) {
        guard let process = device.process(app) else { return }
        let footprint = Footprint(dirty: dirty * Self.mb, purgeable: purgeable * Self.mb, clean: clean * Self.mb)
        device.send(.footprintSampled(app, process.generation, footprint))
    }

    private func sense(_ device: TestDevice, _ available: Int64) {
        device.send(.memorySensed(available: available * Self.mb))
        device.run()
    }

    private func reclaimed(_ device: TestDevice, _ app: AppIndex, dirty: Int64) {
        guard let process = device.process(app) else { return }
        device.send(.reclaimed(app, process.generation, Footprint(dirty: dirty * Self.mb)))
    }

    @Test("Without a budget nothing is looked at and nobody is asked")
    func without() {
        let device = TestDevice()
        let app = device.installTest("a")
        device.suspend(app)
        sense(device, -1)
        #expect(device.sampled.isEmpty && device.reclaimed.isEmpty)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("What can be taken is taken first, the least important first, and only as far as needed")
    func reclaim() {
        let device = device()
        let apps = ["old", "middle", "new"].map { device.installTest($0) }
        for app in apps {
            device.suspend(app)
            sample(device, app, dirty: 20, purgeable: 30, clean: 30)
            device.pass(.seconds(60))
        }
        let front = device.installTest("front")
        device.open(front)
        sample(device, front, dirty: 300)
        sense(device, 180)
        // 250 is the goal: two of them are enough.
        #expect(device.reclaimed == [apps[0], apps[1]])
        #expect(device.takeCalls(front).contains(.didReceiveMemoryWarning) == false)
        reclaimed(device, apps[0], dirty: 20)
        reclaimed(device, apps[1], dirty: 20)
        #expect(device.system.memory.available == 300 * Self.mb)
        device.run()
        #expect(apps.map { device.state($0) } == [.suspended, .suspended, .suspended])
        #expect(device.takeEvents(apps[0]) == [.reclaimed])
        device.finish()
    }

    @Test("Then those that run are warned, one at a time, the background first; the suspended hear nothing")
    func warnings() {
        let device = device()
        let (player, front, asleep) = (
            device.installTest("player", modes: [.audio]), device.installTest("front"), device.installTest("asleep")
        )
        device.suspend(asleep)
        device.open(player)
        device.use(.audio, by: player)
        device.open(front)
        sample(device, asleep, dirty: 300)
        sample(device, player, dirty: 50)
        sample(device, front, dirty: 200)
        for app in [player, front, asleep] { _ = device.takeCalls(app) }
        sense(device, 140)
        #expect(device.takeCalls(player) == [.didReceiveMemoryWarning])
        #expect(device.takeCalls(front).isEmpty)
        device.pass(.milliseconds(300))
        #expect(device.takeCalls(front) == [.didReceiveMemoryWarning])
        device.pass(.seconds(30))
        sense(device, 130)
        #expect(device.takeCalls(front).isEmpty && device.takeCalls(player).isEmpty, "once in a shortage")
        #expect(device.takeCalls(asleep).isEmpty)
        sense(device, 210)
        sense(device, 140)
        #expect(device.takeCalls(player) == [.didReceiveMemoryWarning], "a new shortage")
        device.finish()
    }

    @Test("Then suspended apps end, large and long unused ones first, before any that runs, and no more than needed")
    func termination() {
        let device = device()
        let (small, large, player, front) = (
            device.installTest("small"), device.installTest("large"), device.installTest("player", modes: [.audio]),
            device.installTest("front")
        )
        for app in [small, large] { device.suspend(app) }
        device.open(player)
        device.use(.audio, by: player)
        device.open(front)
        for (app, dirty) in [(small, 10), (large, 100), (player, 200), (front, 500)] as [(AppIndex, Int64)] {
            sample(device, app, dirty: dirty)
        }
        sense(device, 40)
        #expect(device.state(large) == .notRunning)
        #expect([small, player, front].map { device.state($0) } == [.suspended, .background, .active])
        #expect(device.reports.map(\.code) == [.pageShortage])
        #expect(device.takeCalls(large).isEmpty, "no callback, it was suspended")
        sense(device, 30)
        #expect(device.state(small) == .notRunning)
        #expect(device.state(player) == .notRunning, "10 MB were not enough")
        #expect(device.state(front) == .active)
        device.finish()
    }

    @Test("A visible app ends only when nothing else is left, the one that grew first, and the report says so")
    func lastResort() {
        let device = TestDevice(.iPadAir2)
        device.send(.memoryConfigured(budget: Self.budget))
        let (calm, leaking) = (device.installTest("calm"), device.installTest("leaking"))
        device.open(calm)
        device.open(leaking, as: .secondary)
        sample(device, calm, dirty: 500)
        sample(device, leaking, dirty: 100)
        sample(device, calm, dirty: 500)
        sample(device, leaking, dirty: 480)
        sense(device, 30)
        #expect(device.state(calm) == .active && device.state(leaking) == .active, "there is a little left")
        sense(device, 10)
        #expect(device.state(calm) == .active)
        #expect(device.reports.map(\.reason).contains { $0.contains("nothing but what is on screen was left") })
        #expect(device.reports.first?.reason.contains("480 MB of dirty") == true)
        device.finish()
    }

    @Test("What is hidden goes before what is on screen, also when nobody has looked at it yet")
    func unknown() {
        let device = device()
        let (hidden, front) = (device.installTest("hidden", modes: [.audio]), device.installTest("front"))
        device.open(hidden)
        device.use(.audio, by: hidden)
        device.open(front)
        sample(device, front, dirty: 600)
        sense(device, 10)
        #expect(device.state(hidden) == .notRunning)
        #expect(device.state(front) == .active)
        device.finish()
    }

    @Test("What has gone is counted at once, and looked at afterwards: it may have been counted already")
    func estimate() {
        let device = device()
        let (large, front) = (device.installTest("large"), device.installTest("front"))
        device.suspend(large)
        device.open(front)
        sample(device, large, dirty: 400)
        sample(device, front, dirty: 500)
        sense(device, 40)
        #expect(device.state(large) == .notRunning)
        #expect(device.system.memory.level == .normal)
        let looked = device.sensings
        device.pass(.milliseconds(150))
        #expect(device.sensings == looked + 1)
        sense(device, 440)
        device.pass(.seconds(60))
        #expect(device.sensings == looked + 1, "and then no more")
        device.finish()
    }

    @Test("An app that leaves the screen while memory is short is warned before it is frozen")
    func beforeFreezing() {
        let device = device()
        let app = device.installTest("a")
        device.open(app)
        sense(device, 140)
        sample(device, app, dirty: 2)
        _ = device.takeCalls(app)
        // Too small to be asked on screen; now it has grown.
        sample(device, app, dirty: 60)
        device.pass(.seconds(1))
        device.home()
        let calls = device.takeCalls(app)
        #expect(calls.contains(.didReceiveMemoryWarning))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app is warned near its own limit, once, and ends above it, with its numbers")
    func ownLimit() {
        let device = device()
        let app = device.installTest("a")
        device.open(app)
        _ = device.takeCalls(app)
        #expect(device.system.memoryLimit(of: app) == 800 * Self.mb)
        sample(device, app, dirty: 730)
        device.run()
        sample(device, app, dirty: 740)
        device.run()
        #expect(device.takeCalls(app) == [.didReceiveMemoryWarning])
        sample(device, app, dirty: 801)
        device.run()
        #expect(device.reports.map(\.code) == [.perProcessLimit])
        #expect(device.reports.first?.reason.contains("the limit on screen is 800 MB") == true)
        device.finish()
    }

    @Test("An app that comes near its own limit in a callback is warned after it, once")
    func nearLimitInCallback() {
        let device = device()
        let app = device.installTest("a", schemes: ["a"])
        device.open(app)
        _ = device.takeCalls(app)
        _ = device.begin(.openURL("a:1", wait: false))
        sample(device, app, dirty: 730)
        #expect(device.takeCalls(app).contains(.didReceiveMemoryWarning) == false)
        device.run()
        #expect(device.takeCalls(app).last == .didReceiveMemoryWarning)
        _ = device.begin(.openURL("a:2", wait: false))
        sample(device, app, dirty: 735)
        device.run()
        #expect(device.takeCalls(app).contains(.didReceiveMemoryWarning) == false)
        device.finish()
    }

    @Test("What flutters around a mark is told once")
    func hysteresis() {
        let device = device()
        let app = device.installTest("a")
        device.suspend(app)
        sample(device, app, dirty: 50)
        for available in [199, 201, 199, 240, 190, 249, 251, 199] as [Int64] { sense(device, available) }
        let told = device.log.filter { $0.event == .memoryShort }
        #expect(told.count == 2, "at 199, and again after 251")
        device.finish()
    }

    @Test("An app that came back right after it had ended for memory is spared while others can go")
    func relaunchLoop() {
        let device = device()
        let (loop, other) = (device.installTest("loop"), device.installTest("other"))
        for app in [other, loop] { device.suspend(app) }
        sample(device, loop, dirty: 200)
        sample(device, other, dirty: 100)
        #expect(device.system.memoryVictims() == [loop, other])
        sense(device, 40)
        #expect(device.state(loop) == .notRunning)
        device.suspend(loop)
        sample(device, loop, dirty: 200)
        #expect(device.system.memoryVictims() == [other, loop])
        device.pass(.seconds(60))
        #expect(device.system.memoryVictims() == [loop, other])
        device.finish()
    }

    @Test("What is simulated warns and takes, and ends nobody")
    func simulated() {
        let device = device()
        let (asleep, front) = (device.installTest("asleep"), device.installTest("front"))
        device.suspend(asleep)
        device.open(front)
        sample(device, asleep, dirty: 100, purgeable: 40)
        sample(device, front, dirty: 3)
        _ = device.takeCalls(front)
        device.perform(.pressMemory(.critical))
        #expect(device.reclaimed == [asleep])
        #expect(device.takeCalls(front) == [.didReceiveMemoryWarning])
        #expect(device.state(asleep) == .suspended)
        device.perform(.pressMemory(.normal))
        #expect(device.system.memory.level == .normal)
        device.perform(.warnMemory)
        #expect(device.takeCalls(front) == [.didReceiveMemoryWarning])
        device.finish()
    }

    @Test("An app that was warned hears that it is over, when it runs; others hear nothing")
    func recovery() {
        let device = device()
        let (warned, other) = (device.installTest("warned"), device.installTest("other"))
        device.suspend(other)
        device.open(warned)
        sample(device, warned, dirty: 3)
        device.perform(.pressMemory(.critical))
        device.perform(.home(wait: true))
        device.told = []
        device.perform(.pressMemory(.normal))
        #expect(device.told.isEmpty, "a suspended app waits")
        device.open(other)
        #expect(device.told.allSatisfy { $0.conditions.memoryRecoveries == 0 })
        device.open(warned)
        #expect(device.told.last { $0.app == warned }?.conditions.memoryRecoveries == 1)
        device.finish()
    }

    @Test("A new daemon goes on with the shortage that it finds: nobody is told again")
    func restart() {
        let device = device()
        let front = device.installTest("front")
        device.open(front)
        sample(device, front, dirty: 300)
        sense(device, 140)
        #expect(device.takeCalls(front).last == .didReceiveMemoryWarning)
        let entries = device.log.count
        device.send(.memoryConfigured(budget: Self.budget))
        sense(device, 140)
        device.pass(.seconds(5))
        #expect(device.log.count == entries)
        #expect(device.takeCalls(front).isEmpty)
        device.finish()
    }

    @Test("What comes back is never more than there is")
    func bounded() {
        let device = device()
        let app = device.installTest("a")
        device.suspend(app)
        sample(device, app, dirty: 400)
        sense(device, 900)
        device.perform(.close(app, wait: true))
        #expect(device.system.memory.available == Self.budget)
        device.finish()
    }

    @Test("Numbers that no machine has are no trap")
    func rubbish() {
        let device = device()
        let app = device.installTest("a")
        device.suspend(app)
        guard let process = device.process(app) else { return }
        let extremes: [Int64] = [.min, -1, 0, 1, .max]
        for (a, b) in extremes.flatMap({ a in extremes.map { (a, $0) } }) {
            device.send(.footprintSampled(app, process.generation, Footprint(dirty: a, purgeable: b, clean: a)))
            device.send(.memorySensed(available: b))
            device.send(.reclaimed(app, process.generation, Footprint(dirty: b, purgeable: a, clean: b)))
            device.send(.memoryConfigured(budget: a))
        }
    }
}
