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

    @Test("Each lock is told of once, and some locks of a process at most")
    func once() throws {
        let device = TestDevice()
        let app = device.installTest("journal")
        func see(_ lock: UInt64) throws -> Int {
            let inversion = PriorityInversion(thread: "worker", rank: .nice, nice: 19)
            let generation = try #require(device.system.app(app)?.generation)
            device.send(.mechanism(Incarnation(app, generation), .inversions(.seen(inversion, lock: lock))))
            return device.log.count { $0.event == .priorityInversion }
        }
        device.open(app)
        #expect(try see(1) == 1 && see(1) == 1 && see(2) == 2)
        for lock in 3...40 as ClosedRange<UInt64> { _ = try see(lock) }
        #expect(try see(41) == 16)
        device.perform(.close(app, wait: false))
        device.open(app)
        #expect(try see(1) == 17)
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
