import UIKit
import UserNotifications

/// Tells the user of an episode when it is there, not before.
final class Announcements: NSObject, Sendable {
    private var center: UNUserNotificationCenter { .current() }

    /// Before the launch is over: then the system gives it what the user has tapped.
    @MainActor func begin() { center.delegate = self }

    /// When it makes sense to the user, who has just subscribed to something.
    func ask() { center.requestAuthorization(options: [.alert, .sound]) { _, _ in } }

    func announce(_ id: String, _ title: String) {
        let content = UNMutableNotificationContent()
        content.title = "New episode"
        content.body = "\(title) is ready to play."
        content.sound = .default
        // The episode's name: announced twice, it is shown once.
        center.add(UNNotificationRequest(identifier: id, content: content, trigger: nil))
    }
}

extension Announcements: UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        // The list is on the screen.
        completionHandler([])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        print("· playing \(response.notification.request.identifier)")
        completionHandler()
    }
}
