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

    /// The operating system that the app is made for. Linux's own name is in `ProcessInfo`.
    open var systemName: String { "iOS" }

    /// The version of iOS that `#available` asks about, such as 18.0: that of `Info.plist` under `DTPlatformVersion`,
    /// where Xcode writes it, else 18.0. Code that reads it as a number goes the way of code that asks `#available`.
    /// The kernel's version is in `ProcessInfo.operatingSystemVersion`.
    open var systemVersion: String {
        Self.systemVersion(AppInformation.substitute ?? Bundle.main.infoDictionary ?? [:])
    }

    /// Numbers with dots; anything else is none.
    package static func systemVersion(_ information: [String: Any]) -> String {
        guard let version = information["DTPlatformVersion"] as? String,
            version.split(separator: ".", omittingEmptySubsequences: false).allSatisfy({ Int($0) != nil })
        else { return "18.0" }
        return version
    }

    /// The same for all apps of a vendor on this device, and another on each device: made of the machine's identifier
    /// and of the beginning of the app's, such as `org.example`.
    open var identifierForVendor: UUID? {
        guard let machine = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8) else { return nil }
        let app = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        return VendorIdentifier.make(machine: machine, app: app)
    }

    /// The kind of interface: that of a tablet under a tablet's profile.
    open var userInterfaceIdiom: UIUserInterfaceIdiom { Self.profile == "ipad-air-2" ? .pad : .phone }

    /// The name of the device's profile; `nil` where no app runs.
    static var profile: String? { UIApplication.running?.connection?.greeting?["profile"]?.string }

    /// Whether apps can run in the background on this device. False under profiles without multitasking: there an app
    /// that leaves the screen ends (WWDC 2010, session 105).
    open var isMultitaskingSupported: Bool {
        UIApplication.running?.connection?.greeting?["options"]?["multitasking"]?.bool ?? true
    }
}

enum VendorIdentifier {
    /// A name of machine and vendor, as RFC 9562 makes an identifier of one (version 8: by a way of one's own).
    static func make(machine: String, app: String) -> UUID {
        let vendor = app.split(separator: ".").prefix(2).joined(separator: ".")
        let text = machine.trimmingCharacters(in: .whitespacesAndNewlines) + "/" + vendor
        // Two of FNV-1a, which begin differently.
        let halves = [0xcbf2_9ce4_8422_2325 as UInt64, 0x8422_2325_cbf2_9ce4].map { start in
            text.utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        }
        var bytes = halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } }
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        return UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
