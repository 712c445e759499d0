import Model
import PolicyCore
import Testing

@Suite("Calls over a message bus") struct CallTests {
    private static let method = "org.example.Notes.Find"

    private func suspended(_ device: TestDevice, kind: AppKind = .plain, modes: BackgroundModes = []) -> AppIndex {
        let app = device.install(.test("notes", kind: kind, modes: modes))
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        return app
    }

    private func call(_ device: TestDevice, _ app: AppIndex, _ method: String = method, isUnread: Bool = false) throws {
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation), .sockets(.called(method: method, isUnread: isUnread))))
        device.run()
    }

    @Test(
        "A call wakes any app for five seconds, whatever its kind and modes", arguments: [AppKind.plain, .application])
    func wakes(_ kind: AppKind) throws {
        let device = TestDevice()
        let app = suspended(device, kind: kind)
        try call(device, app)
        #expect(device.state(app) == .background)
        #expect(device.process(app)?.priority == .timed)
        #expect(
            device.chain(from: try device.last(.keptRunning, of: app)).prefix(3) == [
                .keptRunning, .resumed, .methodCalled,
            ])
        #expect(try device.last(.methodCalled, of: app).reason.sentence.contains(Self.method))
        device.pass(.milliseconds(4_900))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(200))
        #expect(device.state(app) == .suspended)
        let next = device.system.nextDeadline()
        #expect(next == nil)
        device.finish()
    }

    @Test("An app that works for a call goes on, and not for longer than a caller waits")
    func works() throws {
        let device = TestDevice()
        let app = suspended(device)
        device.processes[Int(app.rawValue)]?.work = .seconds(1)
        try call(device, app)
        device.pass(.seconds(24))
        #expect(device.state(app) == .background)
        device.pass(.seconds(3))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app that does not read a call is woken five times for it, and then not until it is opened")
    func deaf() throws {
        let device = TestDevice()
        let app = suspended(device)
        try call(device, app)
        for _ in 0..<4 {
            device.pass(.seconds(6))
            try call(device, app, isUnread: true)
            #expect(device.state(app) == .background)
        }
        device.pass(.seconds(6))
        #expect(device.state(app) == .suspended)
        try call(device, app, isUnread: true)
        #expect(device.state(app) == .suspended)
        #expect(device.reports.map(\.code) == [.listensSuspended])
        #expect(device.reports.first?.reason.contains("did not read the call within 25.00 seconds") == true)
        try call(device, app, "org.example.Notes.Other")
        #expect(device.state(app) == .suspended)
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        try call(device, app)
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test("A call that is read is forgotten: others wake the app as often as they come")
    func read() throws {
        let device = TestDevice()
        let app = suspended(device)
        for _ in 0..<20 {
            try call(device, app)
            #expect(device.state(app) == .background)
            device.pass(.seconds(6))
            #expect(device.state(app) == .suspended)
        }
        #expect(device.reports.isEmpty)
        device.finish()
    }

    @Test("News of a call that comes too late changes nothing")
    func late() throws {
        let device = TestDevice()
        let app = suspended(device)
        device.open(app)
        try call(device, app)
        #expect(device.state(app) == .active)
        #expect(device.system.app(app)?.assertions.isEmpty == true)
        device.finish()
    }

    @Test("A full queue is emptied by the app, and the log says so")
    func full() throws {
        let device = TestDevice()
        let app = suspended(device)
        try call(device, app, "")
        #expect(device.state(app) == .background)
        #expect(try device.last(.methodCalled, of: app).reason.sentence.contains("a message bus has more for it"))
        device.finish()
    }

    @Test("A server of the mode listen that is called goes on for those who are connected")
    func server() throws {
        let device = TestDevice()
        let app = device.install(.test("notes", kind: .plain, modes: .listen))
        device.open(app)
        device.listen(app, at: "port 8080")
        device.home()
        device.pass(.seconds(1))
        try call(device, app)
        device.connectPeer(app)
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        device.disconnectPeers(app)
        device.pass(.seconds(3))
        #expect(device.state(app) == .suspended)
        device.finish()
    }
}

@Suite("Grabbed input") struct GrabTests {
    private func grab(_ device: TestDevice, _ app: AppIndex) throws {
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation), .locks(.inputGrabbed(display: ":0"))))
        device.run()
    }

    @Test(
        "An app that may have grabbed input runs on, whatever its kind, and is told of once",
        arguments: [AppKind.plain, .application])
    func runsOn(_ kind: AppKind) throws {
        let device = TestDevice()
        let app = device.install(.test("notes", kind: kind))
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        for _ in 0..<3 {
            try grab(device, app)
            #expect(device.state(app) == .background)
            // It is tried again: nothing is grabbed any more.
            device.pass(.seconds(60))
            #expect(device.state(app) == .suspended)
        }
        #expect(device.reports.map(\.code) == [.heldLock])
        #expect(device.reports.allSatisfy { !$0.isTermination })
        #expect(device.reports.first?.reason.contains("the display :0 has grabbed the keyboard") == true)
        device.finish()
    }
}
