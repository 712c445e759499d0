import GreenroomTesting
import Testing
import UIKit

@testable import RevenueCatVideo

final class Player: VideoPlaybackController {
    var isPlaying = true
    var plays = 0
    func play() { plays += 1 }
}

final class VideoDelegate: UIResponder, UIApplicationDelegate {
    let player = Player()
    private var handler: VideoAutoplayHandler?

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        handler = VideoAutoplayHandler(playbackController: player, lifecycleObserver: SystemAppLifecycleObserver())
        return true
    }
}

@MainActor @Suite("RevenueCat's video player", .simulatedDevice)
struct RevenueCatVideoTests {
    @Test("What played goes on playing when the app comes back, by Combine's publishers")
    func plays() async throws {
        let device = try TestDevice()
        let app = try device.install(VideoDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        #expect(app.delegate?.player.plays == 0)
        try await device.home()
        try await device.open(app)
        #expect(app.delegate?.player.plays == 1)
        try await app.perform { $0.player.isPlaying = false }
        try await device.lock()
        try await device.unlock()
        #expect(app.delegate?.player.plays == 1)
    }
}
