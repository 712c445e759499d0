import AVFoundation
import GreenroomTesting
import Testing

@MainActor
@Suite("Alarm", .simulatedDevice)
struct AlarmTests {
    @Test("It rings on behind the lock screen, and is silent during a call")
    func rings() async throws {
        let device = try TestDevice(.iOS7)
        let app = try device.install(
            AlarmDelegate.self, identifier: "org.example.alarm", backgroundModes: ["audio"])
        try await device.open(app)
        try await app.perform { try $0.ring(TestingTests.tone(seconds: 2)) }
        try await device.lock()
        try await device.advance(by: .seconds(600))
        #expect(device.audio.isSounding(app) && app.state == .background)

        try await device.interrupt(by: .call)
        try await device.accept(.call)
        #expect(device.audio.sounds.isEmpty && app.delegate?.player?.isPlaying == false)
    }
}
