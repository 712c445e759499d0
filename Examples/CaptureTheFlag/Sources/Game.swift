import CoreLocation
import UIKit
import UserNotifications

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

    func begin() {
        manager.delegate = self
        // Continues the game of the previous process, also if the system launched this one for a new place.
        if server != nil { manager.startMonitoringSignificantLocationChanges() }
    }

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

    /// The player is on everyone's map from now on, roughly: cells tell, and not the satellites.
    func join(_ address: URL, as name: String) {
        defaults.set(name, forKey: "name")
        defaults.set(address.absoluteString, forKey: "server")
        manager.startMonitoringSignificantLocationChanges()
    }

    func stop() {
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        manager.stopMonitoringSignificantLocationChanges()
        if let server { tell("leave the map") { try await server.leave() } }
        defaults.removeObject(forKey: "server")
        hasFlag = false
    }

    // MARK: The map of the players

    private var server: GameServer? {
        guard let name = defaults.string(forKey: "name"),
            let address = defaults.string(forKey: "server").flatMap(URL.init(string:))
        else { return nil }
        return GameServer(address: address, name: name)
    }

    func showMap() {
        guard let server else { return }
        tell("see the map") { try await server.players() }
    }

    /// The device has moved, perhaps in the background, where there is little time: a task has it finish.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let server, let location = locations.last else { return }
        let player = Player(
            name: server.name, latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
            accuracy: location.horizontalAccuracy)
        tell("share the place") { try await server.share(player) }
    }

    private func tell(_ what: String, _ request: @escaping @Sendable () async throws -> [Player]) {
        // The request times out long before the task expires, so there is no expiration handler.
        let task = UIApplication.shared.beginBackgroundTask(withName: what)
        Task {
            do {
                draw(try await request())
            } catch {
                print("· cannot \(what): \(error)")
            }
            if task != .invalid { UIApplication.shared.endBackgroundTask(task) }
        }
    }

    private func draw(_ players: [Player]) {
        func place(_ flag: Flag) -> CLLocationCoordinate2D? {
            let region = manager.monitoredRegions.first { $0.identifier == flag.rawValue }
            return (region as? CLCircularRegion)?.center
        }
        print(PlayerMap(mine: place(.mine), theirs: place(.theirs), players: players).text)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        print("· the map does not know this player's place: \(error.localizedDescription)")
    }

    // MARK: The flags

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
