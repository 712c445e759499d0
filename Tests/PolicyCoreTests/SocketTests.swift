import Model
import PolicyCore
import Testing

@Suite("Sockets of suspended apps") struct SocketTests {
    private static let port = "port 8080"

    /// A server behind another app, or nothing.
    private func server(
        _ device: TestDevice, modes: BackgroundModes = [], kind: AppKind = .plain
    ) -> AppIndex {
        let app = device.install(.test("server", kind: kind, modes: modes))
        device.open(app)
        device.listen(app, at: Self.port)
        return app
    }

    @Test("Who connects to a suspended app is refused, and that is reported once, with port and peers")
    func refuses() throws {
        let device = TestDevice()
        let app = server(device)
        device.connectPeer(app)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        #expect(device.process(app)?.isGuarded == true && device.process(app)?.isWoken == false)
        let report = try #require(device.reports.first)
        #expect(report.code == .listensSuspended && !report.isTermination)
        #expect(report.reason.contains("port 8080 (1 peer connected)"))
        device.connectPeer(app)
        #expect(device.process(app)?.refused == 1)
        #expect(device.state(app) == .suspended)
        device.open(app)
        #expect(device.process(app)?.isGuarded == false)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.count == 1)
        device.finish()
    }

    @Test("How many were refused is told when the app runs again")
    func tellsOfRefused() throws {
        let device = TestDevice()
        let app = server(device)
        device.home()
        device.pass(.seconds(1))
        let generation = try #require(device.system.app(app)?.generation)
        device.open(app)
        device.send(.mechanism(Incarnation(app, generation), .sockets(.refused(name: Self.port, count: 3))))
        #expect(
            try device.last(.peersRefused, of: app).reason.sentence
                == "3 connections to its port 8080 were refused while it was suspended")
        device.finish()
    }

    @Test("A server of the mode listen is woken, runs while somebody is connected, and for a grace after")
    func wakes() throws {
        let device = TestDevice()
        let app = server(device, modes: .listen)
        device.home()
        device.pass(.seconds(1))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.isEmpty)
        device.connectPeer(app)
        #expect(device.state(app) == .background)
        #expect(device.process(app)?.connections == 1)
        #expect(
            device.chain(from: try device.last(.keptRunning, of: app)).prefix(3) == [
                .keptRunning, .resumed, .peerConnected,
            ])
        device.pass(.seconds(100))
        #expect(device.state(app) == .background)
        device.disconnectPeers(app)
        device.pass(.milliseconds(1_000))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(1_100))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A server has as much of the machine as any other app while somebody waits for its answer, and not longer")
    func priority() {
        let device = TestDevice()
        let app = server(device, modes: [.listen, .location], kind: .application)
        device.home()
        device.pass(.seconds(1))
        device.connectPeer(app)
        #expect(device.process(app)?.priority == .timed)
        device.use(.location, by: app)
        device.disconnectPeers(app)
        device.pass(.seconds(5))
        #expect(device.state(app) == .background)
        #expect(device.process(app)?.priority == .background)
        device.finish()
    }

    @Test("A request that is answered at once costs one grace")
    func shortRequest() {
        let device = TestDevice()
        let app = server(device, modes: .listen)
        device.home()
        device.pass(.seconds(1))
        device.connectPeer(app)
        device.disconnectPeers(app)
        device.pass(.milliseconds(999))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(2))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A server that works is left running, and one that idles with a little noise is not")
    func work() {
        for (work, isLeft) in [(Span.milliseconds(49), false), (.milliseconds(50), true)] {
            let device = TestDevice()
            let app = server(device, modes: .listen)
            device.home()
            device.pass(.seconds(1))
            device.connectPeer(app)
            device.disconnectPeers(app)
            device.processes[Int(app.rawValue)]?.work = work
            device.pass(.seconds(30))
            #expect((device.state(app) == .background) == isLeft)
            device.processes[Int(app.rawValue)]?.work = .zero
            device.pass(.seconds(3))
            #expect(device.state(app) == .suspended)
            device.finish()
        }
    }

    @Test("Home does not suspend a server while somebody is connected to it")
    func servedAtHome() {
        let device = TestDevice()
        let app = server(device, modes: .listen, kind: .application)
        device.connectPeer(app)
        device.home()
        device.pass(.seconds(60))
        #expect(device.state(app) == .background)
        #expect(!device.takeEvents(app).contains(.suspended))
        device.disconnectPeers(app)
        device.pass(.seconds(3))
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("A server that does not answer is woken no more, until it is opened")
    func deaf() throws {
        let device = TestDevice()
        let app = server(device, modes: .listen)
        device.home()
        device.pass(.seconds(1))
        device.change(app) { $0.ignoresPeers = true }
        device.connectPeer(app)
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(4_900))
        #expect(device.state(app) == .background)
        device.pass(.milliseconds(200))
        #expect(device.state(app) == .suspended)
        #expect(device.reports.first?.reason.contains("did not answer within 5.00 seconds") == true)
        let before = device.process(app)?.refused
        device.connectPeer(app)
        device.pass(.seconds(60))
        #expect(device.state(app) == .suspended)
        #expect(device.process(app)?.refused == before.map { $0 + 1 })
        device.change(app) { $0.ignoresPeers = false }
        device.open(app)
        device.home()
        device.pass(.seconds(1))
        device.disconnectPeers(app)
        device.pass(.seconds(3))
        device.connectPeer(app)
        #expect(device.state(app) == .background)
        device.finish()
    }

    @Test("Connections of a suspended app are closed after the profile's time, or kept where it has none")
    func connections() throws {
        for limit in [Span.seconds(600), nil] {
            var profile = DeviceProfile.linux
            profile.sockets?.connectionLimit = limit
            let device = TestDevice(profile)
            let app = server(device)
            device.connectPeer(app)
            device.connectPeer(app)
            device.home()
            device.pass(.seconds(599))
            #expect(device.process(app)?.connections == 2)
            device.pass(.seconds(5))
            #expect(device.process(app)?.connections == (limit == nil ? 2 : 0))
            #expect(device.state(app) == .suspended)
            if limit != nil {
                let entry = try device.last(.connectionsClosed, of: app)
                #expect(entry.reason.sentence.hasPrefix("2 connections of it were closed"))
            }
            // Nothing is left to wake up for.
            let next = device.system.nextDeadline()
            #expect(next == nil)
            device.finish()
        }
    }

    @Test("What an app chooses comes before the profile's time", arguments: [.zero, .seconds(30)] as [Span])
    func chosen(limit: Span) throws {
        let device = TestDevice()
        let app = device.install(.test("server", kind: .plain, connectionLimit: limit))
        device.open(app)
        device.listen(app, at: Self.port)
        device.connectPeer(app)
        device.home()
        device.pass(.seconds(29))
        #expect(device.process(app)?.connections == 1)
        device.pass(.seconds(1000))
        #expect(device.process(app)?.connections == (limit == .zero ? 1 : 0))
        if limit != .zero {
            let reason = try device.last(.connectionsClosed, of: app).reason
            #expect(reason == .connectionsClosed(count: 1, after: limit))
        }
        device.finish()
    }

    @Test("Who comes back in time keeps its connections, and has the whole time again")
    func keepsConnections() {
        let device = TestDevice()
        let app = server(device)
        device.connectPeer(app)
        for _ in 0..<3 {
            device.home()
            device.pass(.seconds(175))
            device.open(app)
            device.pass(.seconds(5))
        }
        #expect(device.process(app)?.connections == 1)
        device.finish()
    }

    @Test("A daemon that dies leaves nobody waiting, and no server running for ever")
    func daemonDies() {
        for restarts in 0..<2 {
            let device = TestDevice()
            let app = server(device, modes: .listen)
            device.home()
            device.pass(.seconds(1))
            device.killDaemon()
            device.connectPeer(app)
            #expect(device.process(app)?.waiting == 1)
            device.restartDaemon()
            device.run()
            #expect(device.state(app) == .background)
            #expect(device.process(app)?.connections == 1)
            if restarts == 1 { device.restartDaemon() }
            device.disconnectPeers(app)
            device.pass(.seconds(5))
            #expect(device.state(app) == .suspended)
            device.finish()
        }
    }
}
