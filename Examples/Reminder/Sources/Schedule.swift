import UIKit
import UserNotifications

/// Has the system remind the user of what is on the list.
final class Schedule: Sendable {
    static let done = "done"
    static let snooze = "snooze"
    static let snoozeTime = 600.0

    private static let category = "reminder"
    private let list: ReminderList
    private var center: UNUserNotificationCenter { .current() }

    init(_ list: ReminderList) { self.list = list }

    func begin() {
        let actions = [
            UNNotificationAction(identifier: Self.done, title: "Done"),
            UNNotificationAction(identifier: Self.snooze, title: "Snooze"),
        ]
        center.setNotificationCategories([
            UNNotificationCategory(identifier: Self.category, actions: actions, intentIdentifiers: [])
        ])
    }

    func ask() { center.requestAuthorization(options: [.alert, .sound, .badge]) { _, _ in } }

    func updateBadge() { center.setBadgeCount(list.overdue()) }

    /// Asks anew for everything that is to come.
    func update(then completion: @escaping @Sendable () -> Void = {}) {
        let now = Date()
        updateBadge()
        center.removeAllPendingNotificationRequests()
        let coming = list.all.compactMap { reminder in reminder.next(after: now).map { (reminder, $0) } }
        let overdue = list.overdue(at: now)
        let sorted = coming.sorted { $0.1 < $1.1 }
        // The last answer comes when all of it is durable: the system hears an app in its order.
        let group = DispatchGroup()
        for (number, (reminder, date)) in sorted.enumerated() {
            group.enter()
            center.add(request(reminder, date, badge: overdue + number + 1, now)) { error in
                if let error { print("· \(reminder.text) cannot be scheduled: \(error.localizedDescription)") }
                group.leave()
            }
        }
        group.notify(queue: .global(), execute: completion)
    }

    private func request(_ reminder: Reminder, _ date: Date, badge: Int, _ now: Date) -> UNNotificationRequest {
        let content = UNMutableNotificationContent()
        content.title = reminder.text
        content.sound = .default
        content.categoryIdentifier = Self.category
        content.badge = NSNumber(value: badge)
        let trigger: UNNotificationTrigger =
            switch reminder.time {
            case .daily(let hour, let minute):
                UNCalendarNotificationTrigger(
                    dateMatching: DateComponents(hour: hour, minute: minute), repeats: true)
            case .once:
                UNTimeIntervalNotificationTrigger(
                    timeInterval: max(date.timeIntervalSince(now), 0.001), repeats: false)
            }
        return UNNotificationRequest(identifier: reminder.text, content: content, trigger: trigger)
    }
}
