import UIKit
import UserNotifications

/// What the app's URLs order.
@MainActor
struct Orders {
    private let log: Log
    private var center: UNUserNotificationCenter { .current() }

    init(_ log: Log) { self.log = log }

    // MARK: Manners, which outlive the process

    private static func file(_ name: String) -> String { "\(NSHomeDirectory())/Documents/\(name).manner" }

    static func manner(_ name: String) -> String? { try? String(contentsOfFile: file(name), encoding: .utf8) }

    private func keep(_ name: String, _ manner: String) {
        try? manner.write(toFile: Self.file(name), atomically: true, encoding: .utf8)
    }

    // MARK: Orders

    func obey(_ order: String, _ words: [String: String]) -> Bool {
        switch order {
        case "register": register()
        case "unregister": UIApplication.shared.unregisterForRemoteNotifications()
        case "add": add(words)
        case "cancel": center.removePendingNotificationRequests(withIdentifiers: [words["id"] ?? ""])
        case "withdraw": center.removeDeliveredNotifications(withIdentifiers: [words["id"] ?? ""])
        case "badge": center.setBadgeCount(Int(words["count"] ?? "") ?? 0) { [log] _ in log.write("badge set") }
        case "list": list()
        case "present": keep("present", words["as"] ?? "")
        case "push": keep("push", words["manner"] ?? "")
        case "older": older.schedule(words)
        case "older-cancel": older.cancel()
        default: return false
        }
        return true
    }

    private func register() {
        keep("registered", "yes")
        let done = UNNotificationAction(identifier: "done", title: "Done")
        let open = UNNotificationAction(identifier: "look", title: "Look", options: .foreground)
        center.setNotificationCategories([
            UNNotificationCategory(identifier: "task", actions: [done, open], intentIdentifiers: [])
        ])
        center.requestAuthorization(options: [.alert, .badge, .sound]) { [log] granted, _ in
            log.write("authorization", ["granted": granted])
        }
        UIApplication.shared.registerForRemoteNotifications()
    }

    private func add(_ words: [String: String]) {
        let content = UNMutableNotificationContent()
        content.title = words["title"] ?? ""
        content.body = words["body"] ?? ""
        content.categoryIdentifier = words["category"] ?? ""
        content.badge = words["badge"].flatMap { Int($0) }.map { NSNumber(value: $0) }
        content.userInfo = ["message": words["message"] ?? ""]
        let id = words["id"] ?? "one"
        center.add(UNNotificationRequest(identifier: id, content: content, trigger: trigger(words))) { [log] error in
            var members = ["id": id]
            members["error"] = error?.localizedDescription
            log.write("added", members)
        }
    }

    private func trigger(_ words: [String: String]) -> UNNotificationTrigger? {
        if let seconds = words["after"].flatMap({ Double($0) }) {
            return UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: words["repeats"] != nil)
        }
        guard let time = words["at"].flatMap({ Double($0) }) else { return nil }
        let units: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        let date = Date(timeIntervalSince1970: time)
        return UNCalendarNotificationTrigger(
            dateMatching: Calendar(identifier: .gregorian).dateComponents(units, from: date), repeats: false)
    }

    private func list() {
        center.getPendingNotificationRequests { [log] in log.write("pending", ["ids": $0.map(\.identifier)]) }
        center.getDeliveredNotifications { [log] in log.write("delivered", ["ids": $0.map(\.request.identifier)]) }
    }

    /// The older API is deprecated, and so is what uses it, but for this requirement.
    private var older: any OlderOrders { self }
}

@MainActor
private protocol OlderOrders {
    func schedule(_ words: [String: String])
    func cancel()
}

extension Orders: OlderOrders {
    @available(*, deprecated)
    fileprivate func schedule(_ words: [String: String]) {
        let application = UIApplication.shared
        let settings = UIUserNotificationSettings(types: [.alert, .badge], categories: nil)
        application.registerUserNotificationSettings(settings)
        let notification = UILocalNotification()
        notification.alertBody = words["body"]
        notification.userInfo = ["message": words["message"] ?? ""]
        notification.applicationIconBadgeNumber = words["badge"].flatMap { Int($0) } ?? 0
        notification.fireDate = words["after"].flatMap { Double($0) }.map { Date(timeIntervalSinceNow: $0) }
        if notification.fireDate == nil {
            application.presentLocalNotificationNow(notification)
        } else {
            application.scheduleLocalNotification(notification)
        }
    }

    @available(*, deprecated)
    fileprivate func cancel() { UIApplication.shared.cancelAllLocalNotifications() }
}
