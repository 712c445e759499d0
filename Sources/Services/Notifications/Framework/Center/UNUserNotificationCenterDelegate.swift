internal import NotificationsWire

/// How a notification is shown while its app is on the screen.
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// It changes the number on the app's icon.
    public static let badge = Self(rawValue: 1)
    /// Its sound is heard.
    public static let sound = Self(rawValue: 2)
    /// It is shown and kept in the list.
    @available(*, deprecated, message: "Use list and banner instead")
    public static let alert = Self(rawValue: 4)
    /// It is kept in the list.
    public static let list = Self(rawValue: 8)
    /// It is shown.
    public static let banner = Self(rawValue: 16)
}

/// What decides about notifications while the app is on the screen, and hears what the user does about them.
///
/// Set it before `application(_:didFinishLaunchingWithOptions:)` returns. Every method is optional and called on the
/// main thread. Of the two forms of a method implement one; the one with a completion handler is called first.
@preconcurrency @MainActor
public protocol UNUserNotificationCenterDelegate: AnyObject {
    /// A notification has come while the app is on the screen.
    ///
    /// - Parameter completionHandler: to be called once, on any thread, within ten seconds, with how it is shown; with
    ///   no options, and without this method, it is not.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void)

    /// A notification has come while the app is on the screen.
    ///
    /// - Returns: how it is shown, within ten seconds.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// The user has opened a notification, dismissed it, or chosen one of its actions. The app may have been launched
    /// or woken for it.
    ///
    /// - Parameter completionHandler: to be called once, on any thread, when it has been dealt with; an app in the
    ///   background is suspended then.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void)

    /// The user has opened a notification, dismissed it, or chosen one of its actions. The app may have been launched
    /// or woken for it, and is suspended when this returns.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async

    /// The user wants to see the app's own settings of notifications.
    ///
    /// - Parameter notification: the one from which the user came; `nil` for none.
    func userNotificationCenter(_ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
    /// Calls the form without a completion handler.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        Task.immediate { completionHandler(await userNotificationCenter(center, willPresent: notification)) }
    }

    /// Does not show it.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    /// Calls the form without a completion handler.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        Task.immediate {
            await userNotificationCenter(center, didReceive: response)
            completionHandler()
        }
    }

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}

    /// Does nothing.
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) {}
}

extension UNNotificationPresentationOptions: WordSet {
    static let table: KeyValuePairs<NotificationPresentation, Self> = [
        .badge: .badge, .sound: .sound, .list: .list, .banner: .banner,
    ]

    /// What the older option stands for is said in today's words.
    var today: Self { contains(Self(rawValue: 4)) ? union([.list, .banner]) : self }
}
