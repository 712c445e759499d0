internal import AppRuntime
internal import UserNotifications

/// Calls of the delegate's older methods. What calls a deprecated method is itself deprecated, but through a protocol.
@MainActor
protocol OlderNotifications {
    /// What is among the launch options.
    func launchValue(_ notification: UNNotification) -> Any
    func didReceive(_ notification: UNNotification)
    func didReceive(push payload: [AnyHashable: Any])
    func handleAction(_ response: UNNotificationResponse, _ completion: @escaping @Sendable () -> Void)
}

extension ApplicationNotifications: OlderNotifications {
    @available(*, deprecated)
    func launchValue(_ notification: UNNotification) -> Any { UILocalNotification(notification.request) }

    @available(*, deprecated)
    func didReceive(_ notification: UNNotification) {
        guard let application = UIApplication.running else { return }
        application.delegate?.application(application, didReceive: UILocalNotification(notification.request))
    }

    @available(*, deprecated)
    func didReceive(push payload: [AnyHashable: Any]) {
        guard tellsOldest(payload), let application = UIApplication.running else { return }
        application.delegate?.application(application, didReceiveRemoteNotification: payload)
    }

    @available(*, deprecated)
    func handleAction(_ response: UNNotificationResponse, _ completion: @escaping @Sendable () -> Void) {
        guard let application = UIApplication.running, let delegate = application.delegate else { return completion() }
        let request = response.notification.request
        var text: [AnyHashable: Any] = [:]
        if let written = (response as? UNTextInputNotificationResponse)?.userText {
            text[UIUserNotificationActionResponseTypedTextKey] = written
        }
        let end = Once(otherwise: ()) { completion() }
        if request.trigger is UNPushNotificationTrigger {
            delegate.application(
                application, handleActionWithIdentifier: response.actionIdentifier,
                forRemoteNotification: request.content.userInfo, withResponseInfo: text
            ) { end.give(()) }
        } else {
            delegate.application(
                application, handleActionWithIdentifier: response.actionIdentifier,
                for: UILocalNotification(request), withResponseInfo: text
            ) { end.give(()) }
        }
    }
}

extension UIApplication.LaunchOptionsKey {
    /// `localNotification`, which is deprecated.
    static let older = UIApplication.LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsLocalNotificationKey")
}

extension UIApplicationDelegate {
    /// Does nothing.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) {}

    /// Does nothing.
    @available(*, deprecated)
    public func application(_ application: UIApplication, didReceive notification: UILocalNotification) {}

    /// Does nothing.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings
    ) {}

    /// Says that it is done.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        for notification: UILocalNotification, completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }

    /// Calls the method without a response's information.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        for notification: UILocalNotification, withResponseInfo responseInfo: [AnyHashable: Any],
        completionHandler: @escaping @Sendable () -> Void
    ) {
        self.application(
            application, handleActionWithIdentifier: identifier, for: notification,
            completionHandler: completionHandler)
    }

    /// Says that it is done.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        forRemoteNotification userInfo: [AnyHashable: Any], completionHandler: @escaping @Sendable () -> Void
    ) { completionHandler() }

    /// Calls the method without a response's information.
    @available(*, deprecated)
    public func application(
        _ application: UIApplication, handleActionWithIdentifier identifier: String?,
        forRemoteNotification userInfo: [AnyHashable: Any], withResponseInfo responseInfo: [AnyHashable: Any],
        completionHandler: @escaping @Sendable () -> Void
    ) {
        self.application(
            application, handleActionWithIdentifier: identifier, forRemoteNotification: userInfo,
            completionHandler: completionHandler)
    }
}
