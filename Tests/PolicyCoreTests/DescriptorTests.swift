import Model
import PolicyCore
import Testing

@Suite("Descriptors near their limit") struct DescriptorTests {
    private static let event = MechanismEvent.descriptors(.nearLimit(open: 950, limit: 1024))

    @Test("It is told of in the log, and nothing happens to the app", arguments: [true, false])
    func told(isOnScreen: Bool) throws {
        let device = TestDevice()
        let app = device.installTest("leaker", modes: .audio)
        device.open(app)
        device.use(.audio, by: app)
        if !isOnScreen { device.home() }
        let state = device.state(app)
        device.send(.mechanism(Incarnation(app, try #require(device.system.app(app)?.generation)), Self.event))
        device.run()
        let entry = try device.last(.descriptorsNearLimit, of: app)
        #expect(entry.cause != nil && entry.reason == .descriptorsNearLimit(open: 950, limit: 1024))
        #expect(entry.reason.sentence.contains("950 of 1024 descriptors"))
        #expect(device.state(app) == state && device.reports.isEmpty)
        device.finish()
    }

    @Test("Of an earlier process nothing is told")
    func notTold() throws {
        let device = TestDevice()
        let app = device.installTest("leaker")
        device.open(app)
        let generation = try #require(device.system.app(app)?.generation)
        device.send(.mechanism(Incarnation(app, generation.next), Self.event))
        device.run()
        #expect(!device.log.contains { $0.event == .descriptorsNearLimit })
        device.finish()
    }
}
