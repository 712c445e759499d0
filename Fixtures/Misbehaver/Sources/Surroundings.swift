import UIKit

/// Says what changes around the app.
@MainActor
enum Surroundings {
    private static var observers: [any NSObjectProtocol] = []

    static func observe() {
        UIDevice.current.isBatteryMonitoringEnabled = true
        observe(UserDefaults.didChangeNotification) {
            "settings \(UserDefaults.standard.string(forKey: "quality") ?? "-")"
        }
        observe(NSLocale.currentLocaleDidChangeNotification) { "locale \(UIDevice.current.localeIdentifier)" }
        observe(.NSSystemTimeZoneDidChange) {
            "timeZone \(TimeZone.current.identifier) \(NSTimeZone.default.identifier)"
        }
        observe(UIScreen.brightnessDidChangeNotification) { "brightness \(Int(UIScreen.main.brightness * 100))" }
        observe(UIScreen.didConnectNotification) { "screenConnected" }
        observe(UIDevice.batteryStateDidChangeNotification) { "batteryState \(UIDevice.current.batteryState)" }
        observe(UIDevice.batteryLevelDidChangeNotification) {
            "batteryLevel \(Int((UIDevice.current.batteryLevel * 100).rounded()))"
        }
        UIDevice.current.beginGeneratingDeviceOrientationNotifications()
        observe(UIDevice.orientationDidChangeNotification) { "orientation \(UIDevice.current.orientation)" }
        observe(.NSProcessInfoPowerStateDidChange) { "lowPower \(ProcessInfo.processInfo.isLowPowerModeEnabled)" }
        observe(ProcessInfo.thermalStateDidChangeNotification) {
            "thermalState \(ProcessInfo.processInfo.thermalState)"
        }
        observe(.CNContactStoreDidChange) { "contacts" }
        observe(UIApplication.userDidTakeScreenshotNotification) { "screenshot" }
        observe(UIApplication.backgroundRefreshStatusDidChangeNotification) {
            "refresh \(UIApplication.shared.backgroundRefreshStatus)"
        }
        observe(UIDevice.networkDidChangeNotification) { "network \(UIDevice.current.networkKind.rawValue)" }
    }

    private static func observe(_ name: Notification.Name, _ words: @escaping @MainActor @Sendable () -> String) {
        observers.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in
                let isMain = Thread.isMainThread
                MainActor.assumeIsolated { say("changed \(words())\(isMain ? "" : " elsewhere")") }
            })
    }
}
