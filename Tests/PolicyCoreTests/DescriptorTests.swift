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

    @Test("It is told of once, until it has far fewer, or another process")
    func news() throws {
        let device = TestDevice()
        let (one, two) = (device.installTest("one"), device.installTest("two"))
        func told(_ share: Int64, _ app: AppIndex) throws -> Bool {
            let before = device.log.count { $0.event == .descriptorsNearLimit }
            let generation = try #require(device.system.app(app)?.generation)
            let event = MechanismEvent.descriptors(.counted(open: share, limit: 1000))
            device.send(.mechanism(Incarnation(app, generation), event))
            return device.log.count { $0.event == .descriptorsNearLimit } > before
        }
        for app in [one, two] { device.open(app) }
        device.open(one)
        let shares: [Int64] = [899, 900, 950, 800, 900, 699, 899, 900]
        #expect(try shares.map { try told($0, one) } == [false, true, false, false, false, false, false, true])
        device.open(two)
        #expect(try told(1000, two) && !told(1000, two))
        device.perform(.close(two, wait: false))
        device.open(two)
        #expect(try told(1000, two))
        #expect(DescriptorRules.share(.max, of: 1) == .max && DescriptorRules.share(5, of: 0) == 0)
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
