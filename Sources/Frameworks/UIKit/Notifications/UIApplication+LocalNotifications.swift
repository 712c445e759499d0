internal import Foundation
internal import UserNotifications

extension UIApplication {
    /// Has it shown at its time. It survives the app and the device being off; 64 of an app are kept, the soonest.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter addNotificationRequest:withCompletionHandler:]"
    )
    public func scheduleLocalNotification(_ notification: UILocalNotification) {
        let identifier = UUID().uuidString
        notification.identifiers.append(identifier)
        NotificationClient.shared.schedule(notification.request(identifier: identifier))
    }

    /// Has it shown now, also from the background.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter addNotificationRequest:withCompletionHandler:]"
    )
    public func presentLocalNotificationNow(_ notification: UILocalNotification) {
        let identifier = UUID().uuidString
        notification.identifiers.append(identifier)
        let request = notification.request(identifier: identifier)
        NotificationClient.shared.schedule(
            UNNotificationRequest(identifier: identifier, content: request.content, trigger: nil))
    }

    /// Takes it back, or withdraws it if it is shown already: the object that was scheduled or one that is equal.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter removePendingNotificationRequestsWithIdentifiers:]"
    )
    public func cancelLocalNotification(_ notification: UILocalNotification) {
        guard notification.identifiers.isEmpty else {
            return NotificationClient.shared.remove(notification.identifiers)
        }
        let pending = scheduledLocalNotifications ?? []
        NotificationClient.shared.remove(pending.filter { $0 == notification }.flatMap(\.identifiers))
    }

    /// Takes all of the app's notifications back, and withdraws those that are shown, but for pushes.
    @available(
        *, deprecated,
        message: "Use UserNotifications Framework's -[UNUserNotificationCenter removeAllPendingNotificationRequests]"
    )
    public func cancelAllLocalNotifications() { NotificationClient.shared.removeAllLocal() }

    /// Those that wait for their time, the soonest first. Reading it waits for the system; setting it replaces them.
    @available(
        *, deprecated,
        message:
            "Use UserNotifications Framework's -[UNUserNotificationCenter getPendingNotificationRequestsWithCompletionHandler:]"
    )
    public var scheduledLocalNotifications: [UILocalNotification]? {
        get { NotificationClient.shared.pendingNow().map { UILocalNotification($0) } }
        set {
            NotificationClient.shared.removePending()
            for notification in newValue ?? [] { scheduleLocalNotification(notification) }
        }
    }
}
