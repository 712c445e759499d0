import CoreLocation
import GreenroomTesting
import Testing
import UIKit
import UserNotifications

/// Reminds of the milk at the shop.
private final class ShoppingDelegate: UIResponder, UIApplicationDelegate {
    private let manager = CLLocationManager()

    func remind(repeats: Bool = false) {
        manager.requestWhenInUseAuthorization()
        let content = UNMutableNotificationContent()
        content.title = "Milk"
        let shop = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 46.05, longitude: 14.5), radius: 150, identifier: "shop")
        shop.notifyOnExit = false
        let trigger = UNLocationNotificationTrigger(region: shop, repeats: repeats)
        let center = UNUserNotificationCenter.current()
        center.requestAuthorization(options: [.alert]) { _, _ in }
        center.add(UNNotificationRequest(identifier: "milk", content: content, trigger: trigger))
    }
}

@MainActor
@Suite("A notification that waits for a place", .simulatedDevice)
struct PlaceNotificationTests {
    @Test("It is shown when the device is there, though the app was ended, and once")
    func shown() async throws {
        let device = try TestDevice(.linux)
        let app = try device.install(ShoppingDelegate.self, identifier: "org.example.shopping")
        try await device.open(app)
        try await app.perform { $0.remind() }
        try await device.home()
        try await app.crash()
        try await device.location.enter("milk", of: app)
        #expect(device.notifications(of: app).map(\.title) == ["Milk"])
        #expect(app.state == .notRunning && app.launches == 1)
        #expect(!device.location.receivesSatellites)
        await #expect(throws: TestDeviceError.self) { try await device.location.leave("milk", of: app) }
    }

    @Test("One that repeats comes each time that the device enters")
    func repeats() async throws {
        let device = try TestDevice(.linux)
        let app = try device.install(ShoppingDelegate.self, identifier: "org.example.shopping")
        try await device.open(app)
        try await app.perform { $0.remind(repeats: true) }
        try await device.home()
        for round in 1...3 {
            try await device.location.enter("milk", of: app)
            #expect(device.shownNotifications(of: app).count == round)
            try await device.location.leave("milk", of: app)
        }
        #expect(device.shownNotifications(of: app).count == 3)
    }
}
