import GreenroomTesting
import Testing

@MainActor
@Suite("Arrivals", .simulatedDevice)
struct ArrivalsTests {
    @Test("It notes an arrival while it is suspended, and is launched for one when it was ended")
    func arrives() async throws {
        let device = try TestDevice(.linux)
        let app = try device.install(ArrivalsDelegate.self, identifier: "org.example.arrivals")
        try await device.open(app)
        try await app.perform { $0.watch("the office", 46.05, 14.5) }
        try await device.home()
        #expect(app.state == .suspended)

        try await device.location.enter("the office", of: app)
        #expect(app.delegate?.notes == ["at the office"] && app.state == .suspended)

        try await device.location.leave("the office", of: app)
        try await app.crash()
        try await device.location.enter("the office", of: app)
        #expect(app.delegate?.notes == ["launched", "at the office"] && app.launches == 2)
    }
}
