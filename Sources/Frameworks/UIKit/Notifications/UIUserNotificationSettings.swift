internal import Foundation
internal import UserNotifications

/// In which ways an app notifies the user.
@available(*, deprecated, message: "Use UserNotifications Framework's UNAuthorizationOptions")
public struct UIUserNotificationType: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A number on the app's icon.
    public static let badge = UIUserNotificationType(rawValue: 1)
    /// Sounds.
    public static let sound = UIUserNotificationType(rawValue: 2)
    /// Something to see.
    public static let alert = UIUserNotificationType(rawValue: 4)
}

/// In which ways an app notifies the user, and the categories of its notifications.
@available(*, deprecated, message: "Use UserNotifications Framework's UNNotificationSettings")
open class UIUserNotificationSettings: NSObject {
    /// In which ways.
    public let types: UIUserNotificationType
    /// The categories.
    public let categories: Set<UIUserNotificationCategory>?

    /// Creates settings.
    public init(types: UIUserNotificationType, categories: Set<UIUserNotificationCategory>?) {
        self.types = types
        self.categories = categories
        super.init()
    }
}

extension UIApplication {
    /// Asks the user; the delegate is told what the app may do.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter requestAuthorizationWithOptions:completionHandler:] and -[UNUserNotificationCenter setNotificationCategories:]"
    )
    public func registerUserNotificationSettings(_ notificationSettings: UIUserNotificationSettings) {
        let center = UNUserNotificationCenter.current()
        let categories = notificationSettings.categories ?? []
        let (wanted, given) = (notificationSettings.types, Set(categories.map(\.category)))
        center.setNotificationCategories(given)
        center.requestAuthorization(options: UNAuthorizationOptions(rawValue: wanted.rawValue)) { granted, _ in
            let types = granted ? wanted : []
            DispatchQueue.main.async {
                MainActor.assumeIsolated {
                    guard let application = UIApplication.running else { return }
                    let settings = UIUserNotificationSettings(
                        types: types, categories: Set(given.map(UIUserNotificationCategory.init)))
                    application.delegate?.application(application, didRegister: settings)
                }
            }
        }
    }

    /// What the app may do; `nil` if it has not asked. Reading it waits for the system.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter getNotificationSettingsWithCompletionHandler:] and -[UNUserNotificationCenter getNotificationCategoriesWithCompletionHandler:]"
    )
    public var currentUserNotificationSettings: UIUserNotificationSettings? {
        guard let (settings, categories) = NotificationClient.shared.settingsNow(),
            settings.authorizationStatus != .notDetermined
        else { return nil }
        var types: UIUserNotificationType = []
        if settings.badgeSetting == .enabled { types.insert(.badge) }
        if settings.soundSetting == .enabled { types.insert(.sound) }
        if settings.alertSetting == .enabled { types.insert(.alert) }
        return UIUserNotificationSettings(
            types: types, categories: Set(categories.map(UIUserNotificationCategory.init)))
    }
}
