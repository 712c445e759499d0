internal import AppRuntime
public import Foundation
package import Wire

/// What the app knows of the device, and what it is told has become of it. A message says everything, so one that is
/// lost with its connection, or heard twice, does no harm: what counts is what differs from what was known.
@MainActor
package final class SystemChanges {
    /// What is known; `null` before the launch.
    private(set) var known = JSONValue.null
    /// A device in the same process leaves the test's own time zone alone.
    private let changesProcess: Bool

    package init(changesProcess: Bool) { self.changesProcess = changesProcess }

    /// Takes what the system says. The first time, before the launch, nothing has changed.
    package func take(_ message: JSONValue, for application: UIApplication) {
        let old = known
        known = message
        let isNew = old == .null
        PowerState.take(message)
        let network = message["network"]?.string.flatMap(NetworkNews.Network.init(rawValue:))
        NetworkNews.shared.tell(network ?? NetworkNews.Network.none)
        if isNew || message["settings"] != old["settings"] { Settings.take(message["settings"] ?? .null) }
        if isNew || message["timeZone"] != old["timeZone"] { takeTimeZone(message["timeZone"]?.string) }
        guard !isNew else { return }
        if message["settings"] != old["settings"] { post(UserDefaults.didChangeNotification, UserDefaults.standard) }
        if message["locale"] != old["locale"] { post(NSLocale.currentLocaleDidChangeNotification, nil) }
        if message["timeZone"] != old["timeZone"] { post(.NSSystemTimeZoneDidChange, nil) }
        if Self.isSignificant(message["time"], old["time"]) {
            application.delegate?.applicationSignificantTimeChange(application)
            post(UIApplication.significantTimeChangeNotification, application)
        }
        postScreen(message["screen"], old["screen"])
        postBattery(message["battery"], old["battery"])
        if message["network"] != old["network"] { post(UIDevice.networkDidChangeNotification, UIDevice.current) }
        if message["backgroundRefresh"] != old["backgroundRefresh"] {
            post(UIApplication.backgroundRefreshStatusDidChangeNotification, application)
        }
        if message["lowPower"] != old["lowPower"] {
            post(.NSProcessInfoPowerStateDidChange, ProcessInfo.processInfo)
        }
        if message["thermalState"] != old["thermalState"] {
            post(ProcessInfo.thermalStateDidChangeNotification, ProcessInfo.processInfo)
        }
        if message["orientation"] != old["orientation"], UIDevice.current.isGeneratingDeviceOrientationNotifications {
            post(UIDevice.orientationDidChangeNotification, UIDevice.current)
        }
        postStores(message["stores"], old["stores"])
        tellOfProtection(message["protectedData"]?.string, old["protectedData"]?.string, application)
        if message["memoryRecoveries"] != old["memoryRecoveries"] { MemoryPressureSources.signal(.normal) }
        if message["screenshots"] != old["screenshots"] {
            post(UIApplication.userDidTakeScreenshotNotification, application)
        }
    }

    /// That the time is over in which they could still be read is nothing to tell: that it would be was told before.
    private func tellOfProtection(_ new: String?, _ old: String?, _ application: UIApplication) {
        let (isAvailable, wasAvailable) = (new ?? "available" == "available", old ?? "available" == "available")
        guard isAvailable != wasAvailable else { return }
        if isAvailable {
            application.delegate?.applicationProtectedDataDidBecomeAvailable(application)
            post(UIApplication.protectedDataDidBecomeAvailableNotification, application)
        } else {
            application.delegate?.applicationProtectedDataWillBecomeUnavailable(application)
            post(UIApplication.protectedDataWillBecomeUnavailableNotification, application)
        }
    }

    private func post(_ name: Notification.Name, _ object: Any?) {
        NotificationCenter.default.post(name: name, object: object)
    }

    /// Another day, another distance from Greenwich, or a clock that was set by more than a minute.
    private static func isSignificant(_ new: JSONValue?, _ old: JSONValue?) -> Bool {
        guard new?["day"] == old?["day"], new?["utcOffset"] == old?["utcOffset"] else { return true }
        guard let clock = new?["clock"]?.int, let before = old?["clock"]?.int else { return false }
        return abs(clock - before) > 60
    }

    private func postScreen(_ new: JSONValue?, _ old: JSONValue?) {
        let (count, before) = (new?["external"]?.int ?? 0, old?["external"]?.int ?? 0)
        if count > before { post(UIScreen.didConnectNotification, UIScreen.main) }
        if count < before { post(UIScreen.didDisconnectNotification, UIScreen.main) }
        if new?["brightness"] != old?["brightness"] { post(UIScreen.brightnessDidChangeNotification, UIScreen.main) }
    }

    private func postBattery(_ new: JSONValue?, _ old: JSONValue?) {
        guard UIDevice.current.isBatteryMonitoringEnabled else { return }
        if new?["state"] != old?["state"] { post(UIDevice.batteryStateDidChangeNotification, UIDevice.current) }
        if new?["level"] != old?["level"] { post(UIDevice.batteryLevelDidChangeNotification, UIDevice.current) }
    }

    private func postStores(_ new: JSONValue?, _ old: JSONValue?) {
        for store in new?.object?.members ?? [] where store.value != old?[store.key] {
            NotificationCenter.default.post(
                name: UIDevice.sharedStoreDidChangeNotification, object: UIDevice.current,
                userInfo: [UIDevice.sharedStoreNameKey: store.key])
            switch store.key {
            case "contacts": post(.CNContactStoreDidChange, nil)
            case "calendar": post(.EKEventStoreChanged, nil)
            default: break
            }
        }
    }

    /// The zone of the machine is read anew; where the system says another one, as when it is simulated, that counts.
    private func takeTimeZone(_ identifier: String?) {
        // Foundation traps where the machine has no files of time zones, as a small one may.
        guard changesProcess, FileManager.default.fileExists(atPath: "/usr/share/zoneinfo") else { return }
        NSTimeZone.resetSystemTimeZone()
        guard let identifier, let zone = TimeZone(identifier: identifier) else { return }
        NSTimeZone.default = zone
    }
}

/// The settings that the user changed outside of the app, kept among the app's own defaults.
enum Settings {
    /// Which of the defaults are there because the system said so.
    private static let listKey = "GreenroomSettings"

    static func take(_ settings: JSONValue) {
        let defaults = UserDefaults.standard
        let members = settings.object?.members ?? []
        let before = defaults.stringArray(forKey: listKey) ?? []
        guard !members.isEmpty || !before.isEmpty else { return }
        for key in before where !members.contains(where: { $0.key == key }) { defaults.removeObject(forKey: key) }
        for member in members { defaults.set(plain(member.value.string ?? ""), forKey: member.key) }
        defaults.set(members.map(\.key), forKey: listKey)
    }

    /// As somebody means it who types it: a truth value, a number, else a text.
    private static func plain(_ text: String) -> Any {
        switch text {
        case "true": true
        case "false": false
        default: Int(text).map { $0 as Any } ?? Double(text).map { $0 as Any } ?? text
        }
    }
}

extension UIApplication {
    /// A new day began, the clocks went forward or back, the time zone changed or somebody set the clock. Follows
    /// `applicationSignificantTimeChange(_:)`.
    public nonisolated static let significantTimeChangeNotification = Notification.Name(
        "UIApplicationSignificantTimeChangeNotification")
}
