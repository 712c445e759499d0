import GreenroomTesting
import Testing
import UIKit

@testable import EtceteraTasks

final class EtceteraDelegate: UIResponder, UIApplicationDelegate {
    var task: BackgroundTask?
    var isExpired = false

    func applicationDidEnterBackground(_ application: UIApplication) {
        let task = BackgroundTask()
        self.task = task.start { DispatchQueue.main.async { self.isExpired = true } } ? task : nil
    }
}

@MainActor @Suite("Etcetera's background task", .simulatedDevice)
struct EtceteraTasksTests {
    @Test("It keeps the app running until it ends")
    func ends() async throws {
        let device = try TestDevice()
        let app = try device.install(EtceteraDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        try await device.home()
        #expect(app.state == .background)
        try await app.perform { $0.task?.end() }
        try await device.settle()
        #expect(app.state == .suspended)
    }

    @Test("It ends by itself when its time is over")
    func expires() async throws {
        let device = try TestDevice()
        let app = try device.install(EtceteraDelegate.self, identifier: "org.example.tried")
        try await device.open(app)
        try await device.home()
        try await device.advance(by: .seconds(3600))
        #expect(app.state == .suspended)
        #expect(device.reports.isEmpty)
    }
}
