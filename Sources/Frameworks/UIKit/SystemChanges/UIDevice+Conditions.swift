internal import AppRuntime
public import Foundation
internal import Wire

extension UIDevice {
    /// What becomes of the battery.
    public enum BatteryState: Int, Sendable {
        /// There is none, or it is not monitored.
        case unknown
        case unplugged, charging, full
    }

    /// What connects the device to others. Apple has no such name in UIKit.
    public enum NetworkKind: String, Sendable {
        case none, wifi, cellular, wired
    }

    /// `networkKind` for any thread; none before the launch.
    package nonisolated static var presentNetworkKind: NetworkKind {
        NetworkNews.shared.network.flatMap { NetworkKind(rawValue: $0.rawValue) } ?? .none
    }

    private var conditions: JSONValue { UIApplication.running?.systemChanges?.known ?? .null }

    /// From 0 to 1; −1 where it is not monitored or not known.
    public var batteryLevel: Float {
        guard batteryState != .unknown, let level = conditions["battery"]?["level"]?.number else { return -1 }
        return Float(level)
    }

    /// Unknown where it is not monitored.
    public var batteryState: BatteryState {
        guard isBatteryMonitoringEnabled else { return .unknown }
        switch conditions["battery"]?["state"]?.string {
        case "unplugged": return .unplugged
        case "charging": return .charging
        case "full": return .full
        default: return .unknown
        }
    }

    /// The network that there is. Ours: what Apple's Reachability sample and `NWPathMonitor` tell, in one word.
    public var networkKind: NetworkKind { conditions["network"]?.string.flatMap(NetworkKind.init) ?? .none }

    /// The identifier of the user's locale, such as `de_DE`. Ours: `Locale.current` of Foundation on Linux is what it
    /// was when the process began.
    public var localeIdentifier: String { conditions["locale"]?.string ?? Locale.current.identifier }

    /// Whether it says that something is near its screen. Stays false, as on Apple's devices without the sensor.
    public var isProximityMonitoringEnabled: Bool {
        get { false }
        set {}
    }

    /// Whether something is near its screen.
    public var proximityState: Bool { false }

    /// Something is near the screen, or no longer. Never posted here.
    public nonisolated static let proximityStateDidChangeNotification = Notification.Name(
        "UIDeviceProximityStateDidChangeNotification")
    /// The battery has another percent. Posted where `isBatteryMonitoringEnabled` is true.
    public nonisolated static let batteryLevelDidChangeNotification = Notification.Name(
        "UIDeviceBatteryLevelDidChangeNotification")
    /// It is charged, or no longer. Posted where `isBatteryMonitoringEnabled` is true.
    public nonisolated static let batteryStateDidChangeNotification = Notification.Name(
        "UIDeviceBatteryStateDidChangeNotification")
    /// Another network, or none. Ours.
    public nonisolated static let networkDidChangeNotification = Notification.Name(
        "GreenroomNetworkDidChangeNotification")
}

extension UIDevice {
    /// What apps share was changed, perhaps while the app was suspended. Ours: the device's profile names what is
    /// shared, and `userInfo` has the name under `sharedStoreNameKey`.
    public nonisolated static let sharedStoreDidChangeNotification = Notification.Name(
        "GreenroomSharedStoreDidChangeNotification")
    /// In the `userInfo` of `sharedStoreDidChangeNotification`.
    public nonisolated static let sharedStoreNameKey = "GreenroomSharedStoreName"
}

extension Notification.Name {
    /// The contacts were changed, where the device's profile says where they are. Apple has it in Contacts.
    public static let CNContactStoreDidChange = Notification.Name("CNContactStoreDidChangeNotification")
    /// The calendar was changed, where the device's profile says where it is. Apple has it in EventKit.
    public static let EKEventStoreChanged = Notification.Name("EKEventStoreChangedNotification")
}

extension UIScreen {
    /// From 0 to 1.
    public var brightness: CGFloat {
        CGFloat(UIApplication.running?.systemChanges?.known["screen"]?["brightness"]?.number ?? 1)
    }

    /// The screen's brightness changed.
    public nonisolated static let brightnessDidChangeNotification = Notification.Name(
        "UIScreenBrightnessDidChangeNotification")
    /// Another screen is connected.
    public nonisolated static let didConnectNotification = Notification.Name("UIScreenDidConnectNotification")
    /// One is no longer.
    public nonisolated static let didDisconnectNotification = Notification.Name("UIScreenDidDisconnectNotification")
}
