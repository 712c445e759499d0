public import Foundation
internal import Synchronization
internal import Wire

/// What the system last said of power and warmth. Apps ask on any thread.
enum PowerState {
    private struct Readings {
        var isLowPower = false
        var thermalState = ProcessInfo.ThermalState.nominal
    }

    private static let readings = Mutex(Readings())

    static var isLowPower: Bool { readings.withLock { $0.isLowPower } }
    static var thermalState: ProcessInfo.ThermalState { readings.withLock { $0.thermalState } }

    /// A daemon that knows of neither says nothing of them.
    static func take(_ message: JSONValue) {
        readings.withLock {
            $0.isLowPower = message["lowPower"]?.bool ?? false
            $0.thermalState = message["thermalState"]?.string.flatMap(ProcessInfo.ThermalState.init(name:)) ?? .nominal
        }
    }
}

// Foundation on Linux has none of this.
extension ProcessInfo {
    /// How warm the device is.
    public enum ThermalState: Int, Sendable {
        case nominal
        /// Put off what can wait.
        case fair
        /// Do less: the system has begun to slow down.
        case serious
        /// Do only what the user waits for.
        case critical

        fileprivate init?(name: String) {
            switch name {
            case "nominal": self = .nominal
            case "fair": self = .fair
            case "serious": self = .serious
            case "critical": self = .critical
            default: return nil
            }
        }
    }

    /// How warm the device is.
    public var thermalState: ThermalState { PowerState.thermalState }

    /// Whether the user saves power, or the system does because the battery is low.
    public var isLowPowerModeEnabled: Bool { PowerState.isLowPower }

    /// The device is warmer, or has cooled down. The object is the process's information.
    public static let thermalStateDidChangeNotification = Notification.Name(
        "NSProcessInfoThermalStateDidChangeNotification")
}

extension Notification.Name {
    /// Low-power mode was switched on or off. The object is the process's information.
    public static let NSProcessInfoPowerStateDidChange = Notification.Name(
        "NSProcessInfoPowerStateDidChangeNotification")
}
