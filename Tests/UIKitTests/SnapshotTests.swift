import GreenroomTesting
import Testing
import UIKit

extension UIKitTests {
    @Suite("Snapshots")
    @MainActor
    struct SnapshotTests {
        @Test(
            "The provider is asked after didEnterBackground, which may hide what is nobody's business, and on refresh")
        func asked() async throws {
            let device = try TestDevice(.iOS7)
            let app = try device.install(
                PictureDelegate.self, identifier: "org.example.Picture", backgroundModes: ["audio"])
            try await device.open(app)
            let delegate = try #require(app.delegate)
            #expect(delegate.pictures == 0)
            try await device.exempt(app)
            try await device.home()
            try await device.advance(by: .seconds(1))
            #expect(delegate.pictures == 1 && delegate.words == "hidden")
            app.application?.refreshSnapshot()
            try await device.advance(by: .seconds(1))
            #expect(delegate.pictures == 2)
            app.application?.snapshotProvider = nil
            try await device.open(app)
            try await device.home()
            #expect(delegate.pictures == 2)
        }
    }
}

final class PictureDelegate: UIResponder, UIApplicationDelegate {
    var words = "secret"
    var pictures = 0

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.snapshotProvider = { [unowned self] in
            pictures += 1
            return .svg("<svg width=\"1\" height=\"1\"><text>\(words)</text></svg>")
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) { words = "hidden" }
}
