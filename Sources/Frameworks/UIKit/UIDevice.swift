internal import AppRuntime
public import Foundation
internal import Wire

/// What kind of interface a device has.
public enum UIUserInterfaceIdiom: Int, Sendable {
    case unspecified = -1
    case phone, pad, tv, carPlay
    case mac = 5
    case vision
}

/// The device that the app runs on.
@preconcurrency @MainActor
open class UIDevice: NSObject {
    /// The device.
    public static let current = UIDevice()

    private nonisolated override init() { super.init() }

    /// Whether the app wants to know of the battery; false unless it says so.
    open var isBatteryMonitoringEnabled = false

    /// How often the app asked for the orientation, and did not take it back.
    var orientationListeners = 0

    /// The name of the machine in its network.
    open var name: String { ProcessInfo.processInfo.hostName }

    /// What the device is.
    open var model: String { "Greenroom" }

    /// What the device is, in the user's language.
    open var localizedModel: String { model }

    /// The operating system.
    open var systemName: String { "Linux" }

    /// The version of the kernel.
    open var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    /// The kind of interface.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { .phone }

    /// Whether apps can run in the background on this device. False under profiles without multitasking: there an app
    /// that leaves the screen ends (WWDC 2010, session 105).
    open var isMultitaskingSupported: Bool {
        UIApplication.running?.connection?.greeting?["options"]?["multitasking"]?.bool ?? true
    }
}
