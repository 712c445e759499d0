import CoreLocation
import UIKit
import UserNotifications

/// Two flags, and who carries which: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let game = Game()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        if launchOptions?[.location] != nil { print("· launched since the device is elsewhere") }
        // Before this returns: what the app was launched for is held until there is a manager with a delegate.
        game.begin()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { print(game.screen) }

    /// capture:play?mine=LATITUDE,LONGITUDE&theirs=LATITUDE,LONGITUDE&radius=METRES, or capture:stop
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let words = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        switch parts.path {
        case "play":
            guard let mine = Game.place(words["mine"]), let theirs = Game.place(words["theirs"]) else { return false }
            game.play(mine: mine, theirs: theirs, radius: words["radius"].flatMap(Double.init) ?? 100)
        case "stop": game.stop()
        default: return false
        }
        print(game.screen)
        return true
    }
}

/// The state of the game, which outlives the process.
@MainActor
final class Game: NSObject, @MainActor CLLocationManagerDelegate {
    private enum Flag: String { case mine, theirs }

    private let manager = CLLocationManager()
    private let defaults = UserDefaults.standard

    private var hasFlag: Bool {
        get { defaults.bool(forKey: "hasFlag") }
        set { defaults.set(newValue, forKey: "hasFlag") }
    }

    private var captured: Int {
        get { defaults.integer(forKey: "captured") }
        set { defaults.set(newValue, forKey: "captured") }
    }

    static func place(_ text: String?) -> CLLocationCoordinate2D? {
        let numbers = (text ?? "").split(separator: ",").compactMap { Double($0) }
        guard numbers.count == 2 else { return nil }
        let place = CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1])
        return CLLocationCoordinate2DIsValid(place) ? place : nil
    }

    var screen: String {
        let regions = manager.monitoredRegions.count
        guard regions > 0 else { return "No game. Captured so far: \(captured)" }
        return hasFlag ? "You carry their flag: bring it home." : "Their flag stands. Captured so far: \(captured)"
    }

    func begin() { manager.delegate = self }

    func play(mine: CLLocationCoordinate2D, theirs: CLLocationCoordinate2D, radius: CLLocationDistance) {
        manager.requestAlwaysAuthorization()
        UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound]) { _, _ in }
        hasFlag = false
        for (flag, place) in [(Flag.mine, mine), (.theirs, theirs)] {
            let region = CLCircularRegion(center: place, radius: radius, identifier: flag.rawValue)
            region.notifyOnExit = false
            manager.startMonitoring(for: region)
        }
    }

    func stop() {
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        hasFlag = false
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        print("· entered \(region.identifier)")
        switch Flag(rawValue: region.identifier) {
        case .theirs where !hasFlag:
            hasFlag = true
            say("You have their flag", "Bring it home.")
        case .mine where hasFlag:
            hasFlag = false
            captured += 1
            say("Captured!", "That makes \(captured).")
        case .mine, .theirs, nil: break
        }
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        print("· \(region?.identifier ?? "a flag") is not watched: \(error.localizedDescription)")
    }

    private func say(_ title: String, _ body: String) {
        let content = UNMutableNotificationContent()
        content.title = title
        content.body = body
        content.sound = .default
        let request = UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: nil)
        UNUserNotificationCenter.current().add(request)
        print("· \(title)")
    }
}
