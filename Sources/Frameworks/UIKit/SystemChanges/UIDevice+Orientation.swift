public import Foundation
internal import Wire

/// How the device is held.
public enum UIDeviceOrientation: Int, Sendable {
    case unknown
    /// Upright, the home button below.
    case portrait
    case portraitUpsideDown
    /// The home button on the right.
    case landscapeLeft
    /// The home button on the left.
    case landscapeRight
    case faceUp, faceDown

    /// Whether the device is held upright, the home button below or above.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
    /// Whether the device lies on one of its long sides.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    /// Whether the device lies flat, with the screen up or down.
    public var isFlat: Bool { self == .faceUp || self == .faceDown }
    /// Whether an interface can be turned that way.
    public var isValidInterfaceOrientation: Bool { isPortrait || isLandscape }

    fileprivate init?(name: String) {
        switch name {
        case "unknown": self = .unknown
        case "portrait": self = .portrait
        case "portrait-upside-down": self = .portraitUpsideDown
        case "landscape-left": self = .landscapeLeft
        case "landscape-right": self = .landscapeRight
        case "face-up": self = .faceUp
        case "face-down": self = .faceDown
        default: return nil
        }
    }
}

extension UIDevice {
    /// How the device is held; unknown unless `isGeneratingDeviceOrientationNotifications`.
    public var orientation: UIDeviceOrientation {
        guard isGeneratingDeviceOrientationNotifications else { return .unknown }
        return UIApplication.running?.systemChanges?.known["orientation"]?.string
            .flatMap(UIDeviceOrientation.init(name:)) ?? .unknown
    }

    /// Whether `orientation` says something, and its changes are told.
    public var isGeneratingDeviceOrientationNotifications: Bool { orientationListeners > 0 }

    /// The app wants to know how the device is held, until as many calls of
    /// `endGeneratingDeviceOrientationNotifications()`.
    public func beginGeneratingDeviceOrientationNotifications() { orientationListeners += 1 }

    /// Takes one call of `beginGeneratingDeviceOrientationNotifications()` back.
    public func endGeneratingDeviceOrientationNotifications() {
        orientationListeners = max(0, orientationListeners - 1)
    }

    /// The device is held another way. Posted while `isGeneratingDeviceOrientationNotifications`.
    public nonisolated static let orientationDidChangeNotification = Notification.Name(
        "UIDeviceOrientationDidChangeNotification")
}
