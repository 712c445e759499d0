package import NotificationsWire

/// Whether the app may notify.
public enum UNAuthorizationStatus: Int, Sendable {
    /// It has not asked yet.
    case notDetermined
    /// It may not.
    case denied
    /// It may.
    case authorized
    /// It may, quietly.
    case provisional
    /// It may for a while. Not used here.
    case ephemeral
}

/// Whether a way to notify is open to the app.
public enum UNNotificationSetting: Int, Sendable {
    /// Not on this device, or the app has not asked for it.
    case notSupported
    /// The user does not want it.
    case disabled
    /// It is.
    case enabled
}

/// How alerts look.
public enum UNAlertStyle: Int, Sendable {
    /// They are not shown.
    case none
    /// They go away by themselves.
    case banner
    /// They wait for the user.
    case alert
}

/// When previews of notifications are shown.
public enum UNShowPreviewsSetting: Int, Sendable {
    /// Also on a locked device.
    case always
    /// On an unlocked device.
    case whenAuthenticated
    /// Never.
    case never
}

/// What an app asks to be allowed.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A number on the app's icon.
    public static let badge = Self(rawValue: 1)
    /// Sounds.
    public static let sound = Self(rawValue: 2)
    /// Something to see.
    public static let alert = Self(rawValue: 4)
    /// In cars. Without meaning here.
    public static let carPlay = Self(rawValue: 8)
    /// Sounds where others are silent.
    public static let criticalAlert = Self(rawValue: 16)
    /// The app has settings of its own for notifications.
    public static let providesAppNotificationSettings = Self(rawValue: 32)
    /// Without asking the user, quietly.
    public static let provisional = Self(rawValue: 64)
    /// Read aloud. Without meaning here.
    public static let announcement = Self(rawValue: 128)
    /// Although the user does not want to be disturbed.
    @available(*, deprecated, message: "Use time-sensitive entitlement")
    public static let timeSensitive = Self(rawValue: 256)
}

/// What the app may do, at the moment at which it asked.
// Its state is constant.
open class UNNotificationSettings: NSObject, NSCopying, @unchecked Sendable {
    private let info: NotificationSettingsInfo

    package init(_ info: NotificationSettingsInfo) {
        self.info = info
        super.init()
    }

    /// Whether the app may notify.
    open var authorizationStatus: UNAuthorizationStatus {
        switch info.authorization {
        case .notDetermined: .notDetermined
        case .denied: .denied
        case .authorized: .authorized
        case .provisional: .provisional
        }
    }

    /// Sounds.
    open var soundSetting: UNNotificationSetting { info.sound.setting }
    /// A number on the app's icon.
    open var badgeSetting: UNNotificationSetting { info.badge.setting }
    /// Something to see.
    open var alertSetting: UNNotificationSetting { info.alert.setting }
    /// The list of notifications that were shown.
    open var notificationCenterSetting: UNNotificationSetting { info.list.setting }
    /// On a locked device.
    open var lockScreenSetting: UNNotificationSetting { info.lockScreen.setting }
    /// In cars.
    open var carPlaySetting: UNNotificationSetting { .notSupported }
    /// Sounds where others are silent.
    open var criticalAlertSetting: UNNotificationSetting { info.criticalAlert.setting }
    /// Although the user does not want to be disturbed.
    open var timeSensitiveSetting: UNNotificationSetting { info.timeSensitive.setting }
    /// Read aloud.
    open var announcementSetting: UNNotificationSetting { .notSupported }
    /// Several at a set time.
    open var scheduledDeliverySetting: UNNotificationSetting { .notSupported }
    /// Of people who write to the user.
    open var directMessagesSetting: UNNotificationSetting { .notSupported }
    /// How alerts look.
    open var alertStyle: UNAlertStyle {
        switch info.alertStyle {
        case .none: .none
        case .banner: .banner
        case .alert: .alert
        }
    }
    /// When previews are shown.
    open var showPreviewsSetting: UNShowPreviewsSetting { .always }
    /// Whether the app has settings of its own for notifications.
    open var providesAppNotificationSettings: Bool { info.options.contains(.providesAppNotificationSettings) }

    package var options: UNAuthorizationOptions { UNAuthorizationOptions(words: info.options) }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
    /// Whether it allows the same.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSettings)?.info == info }
    /// Fits `isEqual(_:)`.
    open override var hash: Int { info.hashValue }
}

extension NotificationSetting {
    fileprivate var setting: UNNotificationSetting {
        switch self {
        case .notSupported: .notSupported
        case .disabled: .disabled
        case .enabled: .enabled
        }
    }
}

extension UNAuthorizationOptions: WordSet {
    static let table: KeyValuePairs<NotificationOption, Self> = [
        .badge: .badge, .sound: .sound, .alert: .alert, .carPlay: .carPlay, .criticalAlert: .criticalAlert,
        .providesAppNotificationSettings: .providesAppNotificationSettings, .provisional: .provisional,
        .announcement: .announcement, .timeSensitive: Self(rawValue: 256),
    ]
}
