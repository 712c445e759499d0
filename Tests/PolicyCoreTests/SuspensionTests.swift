import Model
import PolicyCore
import Testing

@Suite("Suspension") struct SuspensionTests {
    @Test("Opened again inside didEnterBackground: it returns first, then the app comes back without a freeze")
    func openedWhileLeaving() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        _ = device.takeCalls(app)
        device.change(app) { $0.hangsIn = [.didEnterBackground] }
        let home = device.begin(.home(wait: true))
        device.run()
        let open = device.begin(.open(app, role: .primary, wait: true))
        device.run()
        #expect(device.answers[open] == nil)
        device.change(app) { $0.hangsIn = [] }
        device.run()
        #expect(device.takeCalls(app) == Sequences.leave + Sequences.comeBack)
        #expect(device.answers[open] == .done(app: app))
        #expect(device.answers[home] != nil)
        #expect(device.thaws == 0)
        #expect(!device.takeEvents(app).contains(.suspended))
        device.finish()
    }

    @Test("Opened again on the way into suspension: it is thawed and was never suspended")
    func openedWhileFreezing() {
        for hold: WritableKeyPath<Behaviour, Bool> in [\.canFreeze, \.prepares] {
            let device = TestDevice()
            let app = device.installTest("journal")
            device.open(app)
            device.change(app) { $0[keyPath: hold] = false }
            device.home()
            _ = device.takeCalls(app)
            device.change(app) { $0[keyPath: hold] = true }
            #expect(device.open(app) == .done(app: app))
            #expect(device.takeCalls(app) == Sequences.comeBack)
            #expect(device.thaws == 1)
            #expect(!device.takeEvents(app).contains(.suspended))
            device.finish()
        }
    }

    @Test("A freeze that times out is thawed, tried again after growing pauses, reported once, then tried each minute")
    func freezeTimesOut() throws {
        let device = TestDevice()
        let app = device.installTest("stuck", kind: .plain)
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        var freezes: [Int64] = []
        let begin = device.now
        for _ in 0..<2000 {
            let before = device.process(app)?.freezer
            device.pass(.milliseconds(100))
            if before == .running, device.process(app)?.freezer == .freezing {
                freezes.append((device.now - begin).nanoseconds / 100_000_000)
            }
        }
        // Attempts of 1 s, pauses of 1, 2, 3 and 4 s, then 60 s after each failure.
        #expect(freezes == [20, 50, 90, 140, 750, 1360, 1970])
        #expect(device.reports.map(\.code) == [.cannotFreeze])
        #expect(device.reports.first?.isTermination == false)
        #expect(device.state(app) == .background)
        #expect(device.takeEvents(app).last == .suspensionFailed)
        device.change(app) { $0.canFreeze = true }
        device.pass(.seconds(61))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.count == 1)
        device.finish()
    }

    @Test("How many attempts to freeze an app have failed is known from the first failure until it is suspended")
    func failedFreezes() {
        let device = TestDevice()
        let app = device.installTest("stuck", kind: .plain)
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        #expect(device.system.failedFreezes(app) == nil)
        // Attempts of 1 s, pauses of 1, 2 and 3 s.
        var counts: [UInt8] = []
        for _ in 0..<200 {
            device.pass(.milliseconds(100))
            if let count = device.system.failedFreezes(app), counts.last != count { counts.append(count) }
        }
        #expect(counts == [1, 2, 3, 4, 5])
        device.change(app) { $0.canFreeze = true }
        device.pass(.seconds(61))
        #expect(device.state(app) == .suspended && device.system.failedFreezes(app) == nil)
        device.open(app)
        #expect(device.system.failedFreezes(app) == nil)
        device.finish()
    }

    @Test("An app that waits for the next attempt to freeze it is still watched")
    func watchedWhileWaiting() {
        let device = TestDevice()
        let app = device.installTest("stuck")
        device.open(app)
        device.change(app) {
            $0.canFreeze = false
            $0.answersPings = false
        }
        device.home()
        device.pass(.seconds(100))
        #expect(device.reports.map(\.limit) == [nil, "main-thread"])
        device.finish()
    }

    @Test("An exempt app runs on in the background, whenever it is exempted, and is suspended when that ends")
    func exempt() {
        let device = TestDevice()
        let app = device.installTest("bot", kind: .plain)
        device.suspend(app)
        #expect(device.perform(.exempt(app, true))?.isDone == true)
        #expect(device.state(app) == .background)
        #expect(device.system.app(app)?.heldAssertions.map(\.kind) == [.exemption])
        device.open(app)
        device.home()
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        device.perform(.close(app, wait: true))
        device.open(app)
        device.home()
        #expect(device.state(app) == .background, "it outlives the process")
        device.perform(.exempt(app, false))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A graphical program that knows nothing of Greenroom is not frozen")
    func graphical() {
        let device = TestDevice()
        let app = device.installTest("gimp", kind: .plain, isFreezable: false)
        device.open(app)
        device.home()
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test("A declared service keeps the app running in the background until it ends")
    func declared() {
        let device = TestDevice()
        let app = device.installTest("radio", modes: [.audio, .location])
        device.open(app)
        #expect(device.use(.audio, by: app) == nil)
        #expect(device.use(.location, by: app) == nil)
        device.home()
        #expect(device.state(app) == .background)
        #expect(device.leave(.audio, by: app) == nil)
        #expect(device.state(app) == .background)
        #expect(device.leave(.location, by: app) == nil)
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("Without its key a service works in the foreground and ends with it; the app is suspended")
    func undeclared() throws {
        let device = TestDevice()
        let app = device.installTest("radio")
        device.open(app)
        #expect(device.use(.audio, by: app) == nil)
        #expect(device.system.app(app)?.heldAssertions == [])
        device.home()
        #expect(device.state(app) == .background)
        device.stopServices()
        #expect(device.state(app) == .suspended)
        #expect(try device.last(.serviceStopped, of: app).reason == .serviceUndeclared(key: "audio"))
        device.open(app)
        #expect(device.leave(.audio, by: app) == .notHeld(kind: "playing"))
        device.finish()
    }

    @Test("A service without a foreground use refuses an app without its mode, and names the mode")
    func refused() throws {
        let device = TestDevice()
        let app = device.installTest("radio")
        device.declare([
            ServiceDeclaration(
                name: "calls", holds: [.init(name: "ringing", sentence: "it rings")], mode: .voip,
                worksInForeground: false)
        ])
        device.open(app)
        device.send(.service(.arrived(try device.service("calls"), [])))
        try device.attach(app, "calls")
        #expect(try device.hold(app, "calls", 0) == .missingMode(key: "voip", isForeground: true))
        device.finish()
    }

    @Test("A service begun on the way into suspension stops the freeze")
    func serviceWhileFreezing() {
        let device = TestDevice()
        let app = device.installTest("radio", modes: .audio)
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.use(.audio, by: app)
        device.change(app) { $0.canFreeze = true }
        device.run()
        #expect(device.state(app) == .background)
        #expect(device.process(app)?.freezer == .running)
        device.finish()
    }

    @Test("A crash on the way into suspension leaves no step behind")
    func crashWhileFreezing() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.canFreeze = false }
        device.home()
        device.crash(app)
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.system.nextDeadline() == nil)
        device.finish()
    }

    @Test("Killed on the way into suspension, the pipeline goes no further")
    func killedWhileFreezing() throws {
        let device = TestDevice()
        let app = device.installTest("bomb")
        device.open(app)
        device.change(app) {
            $0.canFreeze = false
            $0.cannotDie = true
        }
        device.home()
        let generation = try #require(device.process(app)?.generation)
        device.send(.processesCounted(app, generation, 10_000))
        device.change(app) { $0.canFreeze = true }
        device.run()
        #expect(device.state(app) == .background)
        #expect(!device.takeEvents(app).contains(.suspended))
        device.change(app) { $0.cannotDie = false }
        device.run()
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("Reinstalled as another kind of app, the running process is still what it was")
    func changesKind() {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        #expect(device.installTest("journal", kind: .plain) == app)
        device.home()
        #expect(device.takeCalls(app) == Sequences.launch + Sequences.leave)
        device.perform(.close(app, wait: true))
        device.open(app)
        #expect(device.takeCalls(app) == [])
        #expect(device.state(app) == .active)
        device.finish()
    }
}
