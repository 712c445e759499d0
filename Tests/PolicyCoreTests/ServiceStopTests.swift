import Model
import PolicyCore
import Testing

/// What a service is to stop for an app without its key that has left the screen, while the service or the daemon dies.
@Suite("Services that are to stop") struct ServiceStopTests {
    private func device() throws -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("app")
        device.declare([
            ServiceDeclaration(name: "player", holds: [.init(name: "playing", sentence: "it plays")], mode: .audio)
        ])
        device.open(app)
        device.send(.service(.arrived(try device.service("player"), [])))
        try device.attach(app, "player")
        return (device, app)
    }

    enum Interruption: CaseIterable, Sendable {
        case daemonDies, serviceDies, bothDie
    }

    @Test(
        "A stop that was ordered is ordered again of a service that is there again, and the app runs until it is answered",
        arguments: Interruption.allCases, [true, false])
    func stopOrderedAgain(after interruption: Interruption, isStated: Bool) throws {
        let (device, app) = try device()
        let player = try device.service("player")
        #expect(try device.hold(app, "player", 0) == nil)
        let incarnation = device.incarnation(app)
        device.home()
        let order = ServiceAction.stop(player, incarnation, hold: 0)
        #expect(device.toldServices.filter { $0 == order }.count == 1)
        if interruption != .daemonDies { device.send(.service(.lost(player))) }
        if interruption != .serviceDies { device.restartDaemon() }
        device.pass(.seconds(5))
        #expect(device.state(app) == .background)
        device.send(.service(.arrived(player, isStated ? [StatedHold(device, app, 0)] : [])))
        device.pass(.milliseconds(900))
        #expect(device.toldServices.filter { $0 == order }.count == 2)
        #expect(device.state(app) == .background)
        device.send(.service(.stopped(player, incarnation, hold: 0)))
        device.run()
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app that leaves the screen while the service is away runs until the service has stopped")
    func leavesMeanwhile() throws {
        let (device, app) = try device()
        let player = try device.service("player")
        #expect(try device.hold(app, "player", 0) == nil)
        let incarnation = device.incarnation(app)
        device.send(.service(.lost(player)))
        device.home()
        device.pass(.seconds(3))
        #expect(device.state(app) == .background)
        let order = ServiceAction.stop(player, incarnation, hold: 0)
        #expect(!device.toldServices.contains(order))
        device.send(.service(.arrived(player, [])))
        device.run()
        #expect(device.toldServices.contains(order) && device.state(app) == .background)
        device.send(.service(.stopped(player, incarnation, hold: 0)))
        device.run()
        #expect(device.state(app) == .suspended)
        device.finish()
    }

    @Test("An app whose service never comes again is suspended when the service's time is over")
    func neverComesAgain() throws {
        let (device, app) = try device()
        let player = try device.service("player")
        #expect(try device.hold(app, "player", 0) == nil)
        device.home()
        device.send(.service(.lost(player)))
        device.pass(.seconds(9))
        #expect(device.state(app) == .background)
        device.pass(.seconds(2))
        #expect(device.state(app) == .suspended)
        #expect(try device.last(.serviceStopped, of: app).reason == .serviceGone("player"))
        device.finish()
    }
}
