import Model
import PolicyCore
import Testing

@Suite("A main thread that waits for a lower thread") struct InversionTests {
    private static let event = MechanismEvent.inversions(
        .found(PriorityInversion(thread: "worker", rank: .nice, nice: 19)))

    private func report(_ device: TestDevice, _ app: AppIndex) throws {
        device.send(.mechanism(Incarnation(app, try #require(device.system.app(app)?.generation)), Self.event))
        device.run()
    }

    @Test("It is told of in the log, and nothing happens to the app")
    func told() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        device.open(app)
        try report(device, app)
        let entry = try device.last(.priorityInversion, of: app)
        #expect(entry.reason.sentence.contains("“worker”") && entry.reason.sentence.contains("nice value 19"))
        #expect(device.state(app) == .active && device.reports.isEmpty)
        device.finish()
    }

    @Test("Off the screen nobody waits for the app, and nothing is told")
    func hidden() throws {
        let device = TestDevice()
        let app = device.installTest("journal", modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        device.home()
        try report(device, app)
        #expect(!device.log.contains { $0.event == .priorityInversion })
        device.finish()
    }
}
