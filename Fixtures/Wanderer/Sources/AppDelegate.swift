import CoreLocation
import Foundation
import UIKit
import UserNotifications

/// Asks for what its URLs say, and says what it was told: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let wanderer = Wanderer()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        wanderer.say(launchOptions?[.location] == nil ? "launched" : "launched for location")
        wanderer.begin()
        return true
    }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let words = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        return wanderer.act(parts.path, words)
    }
}

@MainActor
final class Wanderer: NSObject, @MainActor CLLocationManagerDelegate {
    /// Metres: satellites are more exact.
    private static let rough = 100.0

    private let manager = CLLocationManager()

    func begin() {
        manager.delegate = self
        manager.allowsBackgroundLocationUpdates = true
        manager.pausesLocationUpdatesAutomatically = false
    }

    func say(_ text: String) {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        print("\(time.tv_sec * 1_000_000_000 + time.tv_nsec) \(text)")
    }

    func act(_ verb: String, _ words: [String: String]) -> Bool {
        manager.requestAlwaysAuthorization()
        switch verb {
        case "monitor":
            guard let region = circle(words) else { return false }
            manager.startMonitoring(for: region)
        case "remind":
            guard let region = circle(words) else { return false }
            region.notifyOnExit = false
            remind(region)
        case "unmonitor":
            for region in manager.monitoredRegions where region.identifier == words["name"] {
                manager.stopMonitoring(for: region)
            }
        case "updates": manager.startUpdatingLocation()
        case "stop": manager.stopUpdatingLocation()
        case "significant" where words["on"] == "false": manager.stopMonitoringSignificantLocationChanges()
        case "significant": manager.startMonitoringSignificantLocationChanges()
        default: return false
        }
        say(verb)
        return true
    }

    private func circle(_ words: [String: String]) -> CLCircularRegion? {
        let numbers = (words["at"] ?? "").split(separator: ",").compactMap { Double($0) }
        guard let name = words["name"], numbers.count == 2 else { return nil }
        return CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1]),
            radius: words["radius"].flatMap(Double.init) ?? 150, identifier: name)
    }

    /// Shown when the device is there, whatever has become of the app.
    private func remind(_ region: CLCircularRegion) {
        let content = UNMutableNotificationContent()
        content.title = "Buy \(region.identifier)"
        let trigger = UNLocationNotificationTrigger(region: region, repeats: false)
        let request = UNNotificationRequest(identifier: region.identifier, content: content, trigger: trigger)
        let center = UNUserNotificationCenter.current()
        center.requestAuthorization(options: [.alert]) { isAllowed, _ in
            center.add(request) { error in
                Task { @MainActor in self.say(error.map { "no reminder: \($0)" } ?? "reminds, allowed \(isAllowed)") }
            }
        }
    }

    /// Durable before the service hears that the app knows it.
    private func tell(_ text: String) {
        say(text)
        let path = NSHomeDirectory() + "/Documents/told.txt"
        let line = Data((text + "\n").utf8)
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { return say("told.txt cannot be written") }
        do {
            try file.seekToEnd()
            try file.write(contentsOf: line)
            try file.synchronize()
        } catch {
            say("told.txt cannot be written: \(error)")
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            say("fix \(location.coordinate.latitude) \(location.coordinate.longitude)")
            if location.horizontalAccuracy >= Self.rough { say("within \(Int(location.horizontalAccuracy)) m") }
        }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        tell("entered \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        tell("left \(region.identifier)")
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        say("monitors \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        say("no region: \(error.localizedDescription)")
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        say("no place: \(error.localizedDescription)")
    }
}
