import GreenroomTesting
import Testing

@MainActor
@Suite("Breaks", .simulatedDevice)
struct BreaksTests {
    @Test("There is a break every twenty minutes, and none during a call")
    func breaks() async throws {
        let device = try TestDevice(.iOS7)
        let app = try device.install(BreaksDelegate.self, identifier: "org.example.breaks", clock: \.clock)
        try await device.open(app)
        try await device.advance(by: .seconds(3600))
        #expect(app.delegate?.breaks == 3)

        try await device.interrupt(by: .call)
        try await device.advance(by: .seconds(3600))
        #expect(app.delegate?.breaks == 3)
        try await device.dismiss(.call)
        try await device.advance(by: .seconds(1200))
        #expect(app.delegate?.breaks == 4)
    }
}
