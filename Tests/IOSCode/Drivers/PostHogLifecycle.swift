import GreenroomTesting
import Testing
import UIKit

@testable import PostHogLifecycle

final class PostHogDelegate: UIResponder, UIApplicationDelegate {
    var heard: [String] = []
    private var tokens: [Any] = []

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let publisher = ApplicationLifecyclePublisher.shared
        tokens = [
            publisher.onDidBecomeActive.subscribe { [unowned self] in heard.append("active") },
            publisher.onDidEnterBackground.subscribe { [unowned self] in
                heard.append(publisher.isInBackground ? "background" : "foreground?")
            },
        ]
        return true
    }
}

@MainActor @Suite("PostHog's lifecycle publisher", .simulatedDevice)
struct PostHogLifecycleTests {
    @Test("It publishes what becomes of the app")
    func publishes() async throws {
        let device = try TestDevice()
        let app = try device.install(PostHogDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        try await device.home()
        try await device.open(app)
        #expect(app.delegate?.heard == ["active", "background", "active"])
    }
}
