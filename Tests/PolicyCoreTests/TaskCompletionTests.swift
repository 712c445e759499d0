import Model
import PolicyCore
import Testing

@Suite("Task completion") struct TaskCompletionTests {
    private static let background: [DeviceProfile] = DeviceProfile.all.filter(\.hasMultitasking)

    /// An app on screen that has begun tasks 1, 2, ….
    private func device(
        _ profile: DeviceProfile = .linux, tasks: Int = 1, modes: BackgroundModes = []
    ) -> (TestDevice, AppIndex) {
        let device = TestDevice(profile, label: profile.name)
        let app = device.installTest("uploader", modes: modes)
        device.open(app)
        for number in 1...max(1, tasks) where tasks > 0 { begin(UInt64(number), device, app) }
        return (device, app)
    }

    @discardableResult
    private func begin(_ task: UInt64, _ device: TestDevice, _ app: AppIndex) -> AppReply? {
        device.request(app, .beginTask(TaskID(task), name: "upload \(task)"))
    }

    @discardableResult
    private func end(_ task: UInt64, _ device: TestDevice, _ app: AppIndex) -> AppReply? {
        device.request(app, .endTask(TaskID(task)))
    }

    private func remaining(_ device: TestDevice, _ app: AppIndex) -> Span? {
        guard case .remaining(let left)? = device.request(app, .backgroundTime) else { return nil }
        return left
    }

    @Test("The time is the profile's, runs from leaving the screen, and is told on its way", arguments: background)
    func limits(profile: DeviceProfile) throws {
        let (device, app) = device(profile)
        let limit = try #require(profile.tasks?.limit)
        #expect(remaining(device, app) == nil)
        device.pass(.seconds(100))
        device.home()
        #expect(device.state(app) == .background)
        #expect(remaining(device, app) == limit)
        device.pass(.seconds(7))
        #expect(remaining(device, app) == limit - .seconds(7))
        device.pass(limit - .seconds(12) - .milliseconds(1))
        #expect(device.expirations.isEmpty)
        device.pass(.milliseconds(1))
        #expect(device.expirations.map(\.expiration) == [Expiration(tasks: [TaskID(1)], round: 1, left: .seconds(5))])
        #expect(remaining(device, app) == .seconds(5))
        end(1, device, app)
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("What is not ended in time ends the app, to the millisecond, with the profile's code", arguments: background)
    func overdue(profile: DeviceProfile) throws {
        let (device, app) = device(profile, tasks: 2)
        device.home()
        let limit = try #require(profile.tasks?.limit)
        device.pass(limit - .milliseconds(1))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(1))
        #expect(device.state(app) == .notRunning)
        let report = try #require(device.reports.first)
        let isOld = profile.name != "linux"
        #expect(
            report.code
                == TerminationCode(
                    namespace: isOld ? "SPRINGBOARD" : "RUNNINGBOARD", code: isOld ? 0x8bad_f00d : 0x2182_bad2))
        #expect(report.allowed == limit)
        #expect(report.elapsed == limit)
        #expect(report.reason.contains("did not end the background tasks “upload 1”, “upload 2” within"))
        #expect(!report.reason.contains("captures"))
        device.finish()
    }

    @Test("The last end suspends at once, whichever task it is")
    func lastEnd() {
        let (device, app) = device(tasks: 3)
        device.home()
        device.pass(.seconds(3))
        end(2, device, app)
        end(1, device, app)
        #expect(device.state(app) == .background)
        end(3, device, app)
        #expect(device.state(app) == .suspended)
        device.pass(.seconds(100))
        #expect(device.expirations.isEmpty)
    }

    @Test("A task begun in the background shares the time that is left, and keeps the app from being suspended")
    func later() {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(20))
        #expect(begin(2, device, app) == .taskBegan(remaining: .seconds(10)))
        end(1, device, app)
        #expect(device.state(app) == .background)
        device.pass(.seconds(5))
        #expect(device.expirations.map(\.expiration.tasks) == [[TaskID(2)]])
    }

    @Test("Once the handlers were called nothing is granted, and what is refused says why")
    func refused() {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(26))
        #expect(begin(2, device, app) == .refused(.task(.timeIsOver(limit: .seconds(30)))))
        #expect(device.takeEvents(app).last == .taskRefused)
        device.open(app)
        #expect(begin(2, device, app) == .taskBegan(remaining: nil))
    }

    @Test("A device without multitasking grants nothing")
    func noMultitasking() {
        let (device, app) = device(.iPhoneOS3, tasks: 0)
        #expect(begin(1, device, app) == .refused(.task(.noMultitasking(profile: "iphone-os-3"))))
        device.home()
        #expect(device.state(app) == .notRunning)
    }

    @Test("An app may have a thousand tasks, and no more")
    func bound() {
        let (device, app) = device(tasks: 1000)
        #expect(begin(1001, device, app) == .refused(.task(.tooMany(limit: 1000))))
        #expect(begin(1000, device, app) == .taskBegan(remaining: nil), "it has that one already")
        end(7, device, app)
        #expect(begin(1001, device, app) == .taskBegan(remaining: nil))
    }

    @Test("Whoever comes back in time goes on, and has its whole time when it leaves again")
    func back() {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(29))
        device.open(app)
        #expect(device.state(app) == .active)
        #expect(remaining(device, app) == nil)
        device.pass(.seconds(100))
        device.home()
        #expect(remaining(device, app) == .seconds(30))
        device.pass(.seconds(25))
        #expect(device.expirations.map(\.expiration.round) == [1, 2], "its handler is called in each stay")
    }

    @Test("Under a debugger the handlers are called, and have as long as they take")
    func debugger() {
        let (device, app) = device()
        device.change(app) { $0.isTraced = true }
        device.home()
        device.pass(.seconds(300))
        #expect(device.state(app) == .background)
        #expect(device.expirations.count == 1)
        device.change(app) { $0.isTraced = false }
        device.pass(.seconds(5))
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.first?.code == .taskNotEnded)
        device.finish()
    }

    @Test("Who hears late that it leaves the screen, because its connection is made anew, has its whole time from then")
    func heardLate() throws {
        let (device, app) = device()
        let generation = try #require(device.system.app(app)?.generation)
        device.change(app) { $0.connects = false }
        device.processes[Int(app.rawValue)]?.isConnected = false
        device.send(.disconnected(app, generation))
        device.home()
        device.pass(.seconds(3))
        device.change(app) { $0.connects = true }
        device.pass(.milliseconds(29_900))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(200))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("A daemon that dies while it looks for a debugger ends nobody, and leaves nobody with time for ever")
    func judgedByADeadDaemon() throws {
        let (device, app) = device()
        begin(1, device, app)
        device.home()
        device.change(app) { $0.withholdsTracer = true }
        device.pass(.seconds(31))
        #expect(device.state(app) == .background)
        device.restartDaemon()
        device.change(app) { $0.withholdsTracer = false }
        device.pass(.seconds(4))
        #expect(device.state(app) == .background)
        device.pass(.seconds(2))
        #expect(device.state(app) == .notRunning)
        device.finish()
    }

    @Test("A verdict that comes when the task has been ended, or the app is back, is none")
    func late() throws {
        for isBack in [false, true] {
            let (device, app) = device()
            device.home()
            let generation = try #require(device.process(app)?.generation)
            device.now = device.now + .seconds(25)
            device.send(.timer)
            device.now = device.now + .seconds(5)
            device.send(.timer)
            if isBack {
                _ = device.begin(.open(app, role: .primary, wait: false))
            } else {
                device.sendRequest(app, .endTask(TaskID(1)))
            }
            device.send(.tracerChecked(app, generation, isTraced: false))
            device.run()
            #expect(device.reports.isEmpty)
            #expect(device.state(app) == (isBack ? .active : .suspended))
        }
    }

    @Test("While something else lets the app run tasks have no limit; when that ends, their whole time")
    func unlimited() {
        let (device, app) = device(modes: .audio)
        device.use(.audio, by: app)
        device.home()
        device.pass(.seconds(600))
        #expect(remaining(device, app) == nil)
        #expect(device.expirations.isEmpty)
        device.leave(.audio, by: app)
        #expect(device.state(app) == .background)
        #expect(remaining(device, app) == .seconds(30))
        device.pass(.seconds(30))
        #expect(device.state(app) == .notRunning)
    }

    @Test("A service that ends because it is undeclared leaves the tasks their time")
    func undeclared() {
        let (device, app) = device()
        device.use(.audio, by: app)
        device.home()
        device.stopServices()
        #expect(remaining(device, app) == .seconds(30))
    }

    @Test("An app that is launched for an event has seconds")
    func window() {
        let device = TestDevice()
        device.declare([.calls])
        let app = device.installTest("phone", modes: .voip)
        device.send(.booted)
        device.run()
        #expect(device.state(app) == .suspended)
        // What it asked for before it was frozen arrives now.
        device.sendRequest(app, .beginTask(TaskID(1), name: "sync"))
        device.run()
        #expect(device.state(app) == .background)
        #expect(remaining(device, app) == .seconds(10))
        device.pass(.seconds(10))
        #expect(device.state(app) == .notRunning)
    }

    @Test("An end of a task that is none is counted, and told in the report")
    func stray() throws {
        let (device, app) = device()
        device.request(app, .endTask(.invalid))
        device.request(app, .endTask(.invalid))
        device.request(app, .endTask(TaskID(7)))
        device.home()
        device.pass(.seconds(30))
        let report = try #require(device.reports.first)
        #expect(report.reason.contains("2 calls of endBackgroundTask named no task of its own"))
    }

    @Test("The machine slept: the handlers have their whole time when it wakes")
    func standstill() {
        let (device, app) = device()
        device.home()
        device.now = device.now + .seconds(4000)
        device.send(.timer)
        device.run()
        #expect(device.expirations.count == 1)
        #expect(remaining(device, app) == .seconds(5))
        device.now = device.now + .seconds(4000)
        device.send(.timer)
        device.run()
        #expect(device.state(app) == .background)
        #expect(remaining(device, app) == .seconds(5))
        device.pass(.seconds(5))
        #expect(device.state(app) == .notRunning)
    }

    @Test("An app that lost its connection is told again, in the same round, and may repeat what it asked for")
    func reconnection() throws {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(25))
        let generation = try #require(device.process(app)?.generation)
        device.send(.disconnected(app, generation))
        device.send(.connected(app, generation, executed: CallbackNumber(5)))
        #expect(device.expirations.map(\.expiration.round) == [1, 1])
        #expect(device.sendRequest(app, .beginTask(TaskID(1), name: "upload 1")) != RequestID(0))
        device.run()
        #expect(device.system.app(app)?.heldAssertions.count == 1)
        #expect(end(1, device, app) == .taskEnded)
        #expect(end(1, device, app) == .taskEnded)
    }

    @Test("While another limit is judged, the end for a task waits, and the system does not spin")
    func otherVerdict() {
        let (device, app) = device()
        device.change(app) {
            $0.answersPings = false
            $0.withholdsTracer = true
        }
        device.home()
        // The main thread's verdict is on its way when the time is over.
        device.pass(.seconds(40))
        #expect(device.expirations.count == 1)
        #expect(device.state(app) == .background)
        device.change(app) { $0.withholdsTracer = false }
        device.pass(.seconds(1))
        #expect(device.reports.map(\.limit) == ["main-thread"])
        device.finish()
    }

    @Test("Tasks are assertions: who asks sees their names, since when, and until when")
    func assertions() throws {
        let (device, app) = device(tasks: 2)
        #expect(device.system.app(app)?.heldAssertions.map(\.expires) == [nil, nil])
        device.home()
        let held = try #require(device.system.app(app)?.heldAssertions)
        #expect(held.map(\.kind) == [.task, .task])
        #expect(held.map(\.name) == ["upload 1", "upload 2"])
        let left = try #require(remaining(device, app))
        #expect(held.map(\.expires) == [device.now + left, device.now + left])
        #expect(held[0].reason == "it finishes the background task “upload 1”")
    }

    @Test("A profile with hardly any time gives what it has, and never ends who was not told")
    func tiny() {
        for limit in [Span.zero, .milliseconds(1), .seconds(1)] {
            var profile = DeviceProfile.linux
            profile.tasks?.limit = limit
            let (device, app) = device(profile)
            device.home()
            device.pass(.seconds(2))
            #expect(device.expirations.count == 1)
            #expect(device.state(app) == .notRunning)
            device.finish()
        }
    }

    @Test("A checkpoint from before there were background tasks is read, and one with them is the same")
    func checkpoints() throws {
        let (device, app) = device()
        device.home()
        device.pass(.seconds(26))
        var copy = device.checkpoint()
        #expect(
            copy.handle(.timer, at: device.now + .seconds(4))
                == device.system.handle(.timer, at: device.now + .seconds(4)))
        #expect(copy.app(app) == device.system.app(app))
    }
}
