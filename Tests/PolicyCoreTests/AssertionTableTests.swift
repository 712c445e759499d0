import Foundation
import Model
import PolicyCore
import Testing

@Suite("A thousand tasks") struct AssertionTableTests {
    private func device(tasks count: UInt64) -> (TestDevice, AppIndex) {
        let device = TestDevice()
        let app = device.installTest("hoarder", modes: .audio)
        device.open(app)
        for number in 1..<count { device.sendRequest(app, .beginTask(TaskID(number), name: "task \(number)")) }
        device.use(.audio, by: app)
        device.sendRequest(app, .beginTask(TaskID(count), name: "task \(count)"))
        return (device, app)
    }

    @Test("They are held in the order in which they were taken, with everything else between them")
    func order() throws {
        let (device, app) = device(tasks: 40)
        let held = try #require(device.system.app(app)?.heldAssertions)
        #expect(held.count == 41)
        #expect(held.map(\.id.rawValue) == held.map(\.id.rawValue).sorted())
        #expect(held[39].kind == .service && held[40].name == "task 40")
        for number in [1, 40, 20] as [UInt64] { device.sendRequest(app, .endTask(TaskID(number))) }
        let rest = try #require(device.system.app(app)?.heldAssertions)
        #expect(rest.count == 38)
        #expect(!rest.contains { ["task 1", "task 20", "task 40"].contains($0.name) })
        // As checkpoints have them.
        let bytes = try JSONEncoder().encode(device.system)
        let again = try JSONDecoder().decode(System.self, from: bytes)
        #expect(again.app(app)?.heldAssertions == rest)
        device.home()
        device.leave(.audio, by: app)
        let end = device.system.app(app)?.heldAssertions.map(\.expires)
        #expect(end?.allSatisfy { $0 == device.now + .seconds(30) } == true)
    }

    @Test("The one that is too many is refused, and hurts nobody")
    func bound() {
        let (device, app) = device(tasks: 1000)
        #expect(
            device.request(app, .beginTask(TaskID(1001), name: "one more")) == .refused(.task(.tooMany(limit: 1000))))
        #expect(device.request(app, .endTask(TaskID(500))) == .taskEnded)
        guard case .taskBegan? = device.request(app, .beginTask(TaskID(1001), name: "one more")) else {
            Issue.record("a place is free")
            return
        }
    }
}
