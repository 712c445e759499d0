import UIKit
import UserNotifications

/// Reminds of things, also when it does not run: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let list = ReminderList(folder: URL(fileURLWithPath: NSHomeDirectory()).appending(path: "Documents"))
    private lazy var schedule = Schedule(list)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Before this returns: the app may have been launched for what the user did about a notification.
        UNUserNotificationCenter.current().delegate = self
        schedule.begin()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        schedule.updateBadge()
        print(list.screen)
    }

    /// reminder:add?text=Tea&after=300, or at=18:30, or daily=18:30; reminder:remove?text=Tea
    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let words = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { $1 }
        guard let text = words["text"], !text.isEmpty else { return false }
        switch parts.path {
        case "add":
            guard let time = Reminder.Time(words, now: Date()) else { return false }
            list.add(Reminder(text: text, time: time))
            schedule.ask()
        case "remove": list.remove(text)
        default: return false
        }
        schedule.update()
        print(list.screen)
        return true
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        // A reminder is one also while the list is on the screen.
        completionHandler([.banner, .list, .sound, .badge])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        let text = response.notification.request.content.title
        switch response.actionIdentifier {
        case Schedule.done:
            list.finish(text)
            print("· done: \(text)")
        case Schedule.snooze:
            list.postpone(text, to: Date() + Schedule.snoozeTime)
            print("· snoozed: \(text)")
        default: print("· opened: \(text)")
        }
        schedule.update(then: completionHandler)
    }
}
