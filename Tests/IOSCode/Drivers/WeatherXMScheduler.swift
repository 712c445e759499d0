import BackgroundTasks
import GreenroomTesting
import Testing
import UIKit

@testable import WeatherXMScheduler

final class WeatherDelegate: UIResponder, UIApplicationDelegate {
    var fetches = 0
    private var scheduler: BackgroundScheduler?

    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions options: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        scheduler = BackgroundScheduler { DispatchQueue.main.async { self.fetches += 1 } }
        return true
    }
}

@MainActor @Suite("WeatherXM's background refresh", .simulatedDevice)
struct WeatherXMSchedulerTests {
    @Test("The system launches its task, and it asks for the next")
    func refreshes() async throws {
        let device = try TestDevice()
        let app = try device.install(
            WeatherDelegate.self, identifier: "org.example.tried", backgroundModes: ["fetch"],
            backgroundTasks: ["com.weatherxm.app.fetch"])
        try await device.open(app)
        try await device.home()
        try await device.advance(by: .seconds(86_400))
        #expect(app.delegate.map { $0.fetches > 0 } == true)
        #expect(device.reports.isEmpty)
    }
}
