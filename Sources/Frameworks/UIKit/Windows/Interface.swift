public import Foundation

/// How an interface may be turned.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt

    /// Creates it of Apple's number.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Portrait.
    public static let portrait = UIInterfaceOrientationMask(rawValue: 1 << 1)
    /// Portrait upside down.
    public static let portraitUpsideDown = UIInterfaceOrientationMask(rawValue: 1 << 2)
    /// Landscape right.
    public static let landscapeRight = UIInterfaceOrientationMask(rawValue: 1 << 3)
    /// Landscape left.
    public static let landscapeLeft = UIInterfaceOrientationMask(rawValue: 1 << 4)
    /// Landscape.
    public static let landscape: UIInterfaceOrientationMask = [.landscapeLeft, .landscapeRight]
    /// All.
    public static let all: UIInterfaceOrientationMask = [.portrait, .portraitUpsideDown, .landscape]
    /// All but upside down.
    public static let allButUpsideDown: UIInterfaceOrientationMask = [.portrait, .landscape]
}

/// How an interface is turned.
public enum UIInterfaceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight

    /// Whether it is turned to its side.
    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    /// Whether it stands.
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}

/// Room at the four edges of something, in points.
public struct UIEdgeInsets: Equatable, Sendable {
    /// Top.
    public var top: CGFloat
    /// Left.
    public var left: CGFloat
    /// Bottom.
    public var bottom: CGFloat
    /// Right.
    public var right: CGFloat

    /// Creates it.
    public init(top: CGFloat = 0, left: CGFloat = 0, bottom: CGFloat = 0, right: CGFloat = 0) {
        (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
    }

    /// None.
    public static let zero = UIEdgeInsets()
}

extension UIApplication {
    /// Kinds of extensions.
    public struct ExtensionPointIdentifier: RawRepresentable, Hashable, Sendable {
        /// Apple's number.
        public var rawValue: String

        /// Creates it of Apple's number.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Keyboards.
        public static let keyboard = ExtensionPointIdentifier(rawValue: "com.apple.keyboard-service")
    }

    /// The user took a picture of the screen while the app was on it (`greenroom simulate screenshot`). The object is
    /// the app.
    public nonisolated static let userDidTakeScreenshotNotification = Notification.Name(
        "UIApplicationUserDidTakeScreenshotNotification")
}

extension UIApplication.LaunchOptionsKey {
    /// By one of the app's shortcuts; the value is it.
    public static let shortcutItem = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
    /// To continue an activity; the value is a dictionary.
    public static let userActivityDictionary = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
    /// The type of that activity, in its dictionary.
    public static let userActivityType = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsUserActivityTypeKey")
    /// What the app that asked added. Nothing here.
    public static let annotation = UIApplication.LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsAnnotationKey")
    /// For Bluetooth as a central. There is none.
    public static let bluetoothCentrals = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
    /// For Bluetooth as a peripheral. There is none.
    public static let bluetoothPeripherals = UIApplication.LaunchOptionsKey(
        rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
}

extension UIApplication.OpenURLOptionsKey {
    /// What the app that asked added. Nothing here.
    public static let annotation = UIApplication.OpenURLOptionsKey(
        rawValue: "UIApplicationOpenURLOptionsAnnotationKey")
}

extension UIApplication.OpenExternalURLOptionsKey {
    /// Open only an app that has said it shows a site. What opens URLs here does not ask.
    public static let universalLinksOnly = UIApplication.OpenExternalURLOptionsKey(
        rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
}
