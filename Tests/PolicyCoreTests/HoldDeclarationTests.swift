import Foundation
import Model
import PolicyCore
import Testing

/// The activity and the priority that a service declares for its holds.
@Suite("Declarations of holds") struct HoldDeclarationTests {
    private static let steps = ServiceDeclaration(
        name: "steps", holds: [.init(name: "counting", sentence: "it counts steps")])

    @Test("A hold says what the app's traffic is charged to; of several, the one that has lasted longest")
    func activities() throws {
        let device = TestDevice()
        let app = device.installTest("app")
        device.declare([
            ServiceDeclaration(
                name: "a",
                holds: [
                    .init(name: "follows", sentence: "it follows", activity: .location),
                    .init(name: "plays", sentence: "it plays", activity: .streaming, priority: .foreground),
                    .init(name: "else", sentence: "it does something else", priority: .timed),
                ])
        ])
        device.open(app)
        device.send(.service(.arrived(try device.service("a"), [])))
        try device.attach(app, "a")
        #expect(try device.hold(app, "a", 2) == nil)
        device.home()
        #expect(device.system.activity(of: app) == .use)
        #expect(device.process(app)?.priority == .timed)
        #expect(try device.hold(app, "a", 0) == nil)
        #expect(device.system.activity(of: app) == .location)
        #expect(try device.drop(app, "a", 2) == nil)
        #expect(device.process(app)?.priority == .background)
        #expect(try device.hold(app, "a", 1) == nil)
        #expect(device.system.activity(of: app) == .location)
        #expect(device.process(app)?.priority == .foreground)
        #expect(try device.drop(app, "a", 0) == nil)
        #expect(device.system.activity(of: app) == .streaming)
        device.open(app)
        #expect(device.system.activity(of: app) == .browsing)
        device.finish()
    }

    @Test("A changed declaration applies to the holds that a service already has")
    func changedDeclaration() throws {
        let device = TestDevice()
        let app = device.installTest("app")
        device.declare([Self.steps])
        device.open(app)
        device.send(.service(.arrived(try device.service("steps"), [])))
        try device.attach(app, "steps")
        #expect(try device.hold(app, "steps", 0) == nil)
        device.home()
        #expect(device.process(app)?.priority == .background)
        var changed = Self.steps
        changed.holds[0].priority = .foreground
        changed.holds[0].activity = .streaming
        device.declare([changed])
        #expect(device.process(app)?.priority == .foreground)
        #expect(device.system.activity(of: app) == .streaming)
        device.finish()
    }

    @Test("A checkpoint says of a hold whether the user notices it, where it is from before there were priorities")
    func formerCheckpoint() throws {
        let json = #"""
            {"name": "a", "windows": [], "mode": 1, "worksInForeground": true, "holds": [
                {"name": "b", "sentence": "c", "isPerceived": true},
                {"name": "d", "sentence": "e", "isPerceived": false}
            ]}
            """#
        let declaration = try JSONDecoder().decode(ServiceDeclaration.self, from: Data(json.utf8))
        #expect(declaration.holds.map(\.priority) == [.foreground, .background])
        #expect(declaration.holds.map(\.activity) == [nil, nil])
        #expect(!declaration.launchesAtBoot && !declaration.relaunches)
        let claim = #"{"service":{"rawValue":2},"hold":1,"sentence":"c","isPerceived":true}"#
        #expect(
            try JSONDecoder().decode(ServiceClaim.self, from: Data(claim.utf8))
                == ServiceClaim(service: ServiceIndex(2), hold: 1, sentence: "c", priority: .foreground))
    }
}
