import AVFoundation
import GreenroomTesting
import Testing
import UIKit

@testable import SwiftAudioExSession

final class AudioDelegate: UIResponder, UIApplicationDelegate, AudioSessionControllerDelegate {
    var heard: [InterruptionType] = []
    func handleInterruption(type: InterruptionType) { heard.append(type) }
}

@MainActor @Suite("SwiftAudioEx's session", .simulatedDevice)
struct SwiftAudioExSessionTests {
    @Test("An interruption is heard by its selector")
    func interruptions() async throws {
        let device = try TestDevice()
        let app = try device.install(AudioDelegate.self, identifier: "org.example.tried", backgroundModes: ["audio"])
        try await device.open(app)
        try await app.perform { delegate in
            let controller = AudioSessionController.shared
            controller.delegate = delegate
            try controller.set(category: .playback)
            try controller.activateSession()
            #expect(controller.audioSessionIsActive)
        }
        NotificationCenter.default.post(
            name: AVAudioSession.interruptionNotification, object: nil,
            userInfo: [AVAudioSessionInterruptionTypeKey: AVAudioSession.InterruptionType.began.rawValue])
        #expect(app.delegate?.heard == [.began])
    }
}
