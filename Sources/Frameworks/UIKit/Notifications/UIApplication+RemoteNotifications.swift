internal import Foundation
internal import UserNotifications

extension UIApplication {
    /// Registers the app for pushes, at each launch. The delegate gets the token for the app's provider, or an error;
    /// it may take until there is a network. It has nothing to do with what the user allows the app to show.
    public func registerForRemoteNotifications() {
        NotificationClient.shared.register { [weak self] result in
            DispatchQueue.main.async { MainActor.assumeIsolated { self?.tellOfRegistration(result) } }
        }
    }

    private func tellOfRegistration(_ result: Result<Data, any Error>) {
        switch result {
        case .success(let token):
            delegate?.application(self, didRegisterForRemoteNotificationsWithDeviceToken: token)
        case .failure(let error): delegate?.application(self, didFailToRegisterForRemoteNotificationsWithError: error)
        }
    }

    /// Asks the user and registers the app for pushes, as apps did until 2014.
    @available(
        *, deprecated,
        message:
            "Use -[UIApplication registerForRemoteNotifications] and UserNotifications Framework's -[UNUserNotificationCenter requestAuthorizationWithOptions:completionHandler:]"
    )
    public func registerForRemoteNotifications(matching types: UIRemoteNotificationType) {
        let options = UNAuthorizationOptions(rawValue: types.rawValue).intersection([.badge, .sound, .alert])
        UNUserNotificationCenter.current().requestAuthorization(options: options) { _, _ in }
        registerForRemoteNotifications()
    }

    /// Takes the registration back: the token is worth nothing from then on.
    public func unregisterForRemoteNotifications() { NotificationClient.shared.unregister() }

    /// Whether the app is registered and has a token; also from an earlier launch.
    public var isRegisteredForRemoteNotifications: Bool { NotificationClient.shared.isRegistered }

    /// The number on the app's icon; 0: none.
    @available(
        *, deprecated, message: "Use -[UNUserNotificationCenter setBadgeCount:withCompletionHandler:] instead."
    )
    public var applicationIconBadgeNumber: Int {
        get { NotificationClient.shared.badge }
        set { NotificationClient.shared.badge = max(0, newValue) }
    }
}

/// In which ways a push notifies the user.
@available(*, deprecated, message: "Use UserNotifications Framework's UNAuthorizationOptions")
public struct UIRemoteNotificationType: OptionSet, Sendable {
    /// Apple's bits.
    public let rawValue: UInt
    /// Creates options of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// A number on the app's icon.
    public static let badge = UIRemoteNotificationType(rawValue: 1)
    /// Sounds.
    public static let sound = UIRemoteNotificationType(rawValue: 2)
    /// Something to see.
    public static let alert = UIRemoteNotificationType(rawValue: 4)
    /// Something to fetch, which needs no permission.
    public static let newsstandContentAvailability = UIRemoteNotificationType(rawValue: 8)
}

extension UIApplicationDelegate {
    /// Does nothing.
    public func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    /// Does nothing.
    public func application(
        _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    /// Calls the form without a completion handler.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        // It stays on the main thread.
        nonisolated(unsafe) let payload = userInfo
        Task.immediate {
            let result: UIBackgroundFetchResult = unsafe await self.application(
                application, didReceiveRemoteNotification: payload)
            completionHandler(result)
        }
    }

    /// Calls the form that says nothing of a result, and says that there was nothing new.
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: sending [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        application.notifications.older.didReceive(push: userInfo)
        return .noData
    }
}
