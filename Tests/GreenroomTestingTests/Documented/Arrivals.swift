import CoreLocation
import UIKit

/// Notes when the device arrives somewhere; also while the app does not run.
class ArrivalsDelegate: UIResponder, UIApplicationDelegate, @MainActor CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var notes: [String] = []

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if launchOptions?[.location] != nil { notes.append("launched") }
        manager.delegate = self
        return true
    }

    func watch(_ name: String, _ latitude: Double, _ longitude: Double) {
        manager.requestAlwaysAuthorization()
        let center = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        manager.startMonitoring(for: CLCircularRegion(center: center, radius: 150, identifier: name))
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        notes.append("at \(region.identifier)")
    }
}
