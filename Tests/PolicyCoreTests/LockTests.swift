import Model
import PolicyCore
import Testing

@Suite("Locks at suspension") struct LockTests {
    private static let path = "/srv/shared/notes.db"

    @Test("An app that is frozen with a file locked is ended, with a report that names the file")
    func application() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.lock = (Self.path, false) }
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .notRunning)
        #expect(!device.takeEvents(app).contains(.suspended))
        let report = try #require(device.reports.first)
        #expect(device.reports.count == 1)
        #expect(report.code == TerminationCode(namespace: "RUNNINGBOARD", code: 0xdead_10cc))
        #expect(report.isTermination)
        #expect(report.reason.contains("journal had \(Self.path) locked"))
        #expect(report.reason.contains("background task"))
        device.finish()
    }

    @Test("The end for a lock is explained by what sent the app to the background")
    func causes() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.change(app) { $0.lock = (Self.path, true) }
        device.home()
        device.pass(.seconds(1))
        #expect(
            device.chain(from: try device.last(.terminated, of: app)) == [
                .terminated, .didEnterBackground, .willResignActive, .homePressed,
            ])
        device.finish()
    }

    @Test("A suspended app is ended as soon as somebody waits for what it has locked")
    func suspendedApplication() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation), .locks(.found(path: Self.path, blocksOthers: true))))
        device.run()
        #expect(device.state(app) == .notRunning)
        #expect(device.reports.map(\.code) == [.heldLock])
        #expect(device.reports.first?.state == .suspended)
        device.finish()
    }

    @Test("A plain program is frozen with its lock while nobody needs the file")
    func idlePlain() {
        let device = TestDevice()
        let app = device.installTest("tail", kind: .plain)
        device.open(app)
        device.change(app) { $0.lock = (Self.path, false) }
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("A plain program in somebody's way runs on, is tried after growing pauses and reported once")
    func plainInTheWay() throws {
        let device = TestDevice()
        let app = device.installTest("tail", kind: .plain)
        device.open(app)
        device.change(app) { $0.lock = (Self.path, true) }
        device.home()
        var thaws: [Int64] = []
        let begin = device.now
        for _ in 0..<1400 {
            let before = device.thaws
            device.pass(.milliseconds(100))
            if device.thaws > before { thaws.append((device.now - begin).nanoseconds / 100_000_000) }
        }
        // Pauses of 1, 2, 3 and 4 s, then of 60 s.
        #expect(thaws == [10, 30, 60, 100, 700, 1300])
        #expect(device.reports.map(\.code) == [.heldLock])
        let report = try #require(device.reports.first)
        #expect(!report.isTermination)
        #expect(report.reason.contains("\(Self.path) locked, which another process needs"))
        #expect(device.state(app) == .background)
        #expect(device.takeEvents(app).filter { $0 == .suspensionFailed }.count == 1)
        device.change(app) { $0.lock = nil }
        device.pass(.seconds(61))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A suspended plain program runs again when somebody comes to need what it has locked, until that is over")
    func suspendedPlain() throws {
        let device = TestDevice()
        let app = device.installTest("tail", kind: .plain)
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        let generation = try #require(device.system.app(app)?.generation)
        _ = device.takeEvents(app)
        device.send(.mechanism(Incarnation(app, generation), .locks(.found(path: Self.path, blocksOthers: true))))
        device.run()
        #expect(device.state(app) == .background)
        #expect(device.process(app)?.freezer == .running)
        #expect(device.takeEvents(app) == [.resumed])
        #expect(device.reports.map(\.code) == [.heldLock])
        device.pass(.milliseconds(1100))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("Opened meanwhile, it is on screen and nobody minds the lock; late news of it change nothing")
    func opened() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        let generation = try #require(device.system.app(app)?.generation)
        device.open(app)
        device.send(.mechanism(Incarnation(app, generation), .locks(.found(path: Self.path, blocksOthers: true))))
        device.run()
        #expect(device.state(app) == .active)
        device.send(.mechanism(Incarnation(app, generation.next), .locks(.found(path: Self.path, blocksOthers: true))))
        device.run()
        #expect(device.state(app) == .active)
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("A program that waits for its lock to be free comes to the screen at once")
    func openedWhileWaiting() {
        let device = TestDevice()
        let app = device.installTest("tail", kind: .plain)
        device.open(app)
        device.change(app) { $0.lock = (Self.path, true) }
        device.home()
        device.pass(.milliseconds(500))
        #expect(device.state(app) == .background)
        device.open(app)
        #expect(device.state(app) == .active)
        device.finish()
    }
}
