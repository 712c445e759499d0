import UIKit
import UserNotifications

/// Does what its URLs say, and writes down what it hears: README.md.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let log = Log("\(NSHomeDirectory())/Documents/log")
    private lazy var orders = Orders(log)
    private var kept: [@Sendable (UIBackgroundFetchResult) -> Void] = []

    /// One of these identifiers has the API of before there was a notification center.
    private static let isOlder = ProcessInfo.processInfo.environment["GREENROOM_APP"]?.hasSuffix(".older") == true

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        var launch: [String: Any] = ["background": application.applicationState == .background]
        launch["options"] = (launchOptions ?? [:]).keys.map(\.rawValue).sorted()
        let payload = launchOptions?[.remoteNotification] as? [AnyHashable: Any]
        if let payload { launch["payload"] = payload.plain }
        log.write("launched", launch)
        if !Self.isOlder { UNUserNotificationCenter.current().delegate = self }
        // As apps do at each launch.
        if Orders.manner("registered") != nil { application.registerForRemoteNotifications() }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { log.write("active") }
    func applicationDidEnterBackground(_ application: UIApplication) { log.write("background") }

    func application(
        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
    ) -> Bool {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return false }
        let items = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return orders.obey(parts.path, Dictionary(items) { $1 })
    }

    // MARK: Remote notifications

    func application(
        _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        let digits = deviceToken.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        log.write("token", ["token": digits.joined()])
    }

    func application(_ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error) {
        log.write("no token", ["error": error.localizedDescription])
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        log.write(
            "push", ["payload": userInfo.plain, "background": application.applicationState == .background])
        switch Orders.manner("push") {
        // Dropped, it would be as good as called.
        case "never": return kept.append(completionHandler)
        // The test asks for it.
        case "crash": fatalError("as it was ordered")
        default: break
        }
        completionHandler(.newData)
        log.write("push done", ["message": userInfo["message"] ?? ""])
    }

    // MARK: Of before there was a notification center

    @available(*, deprecated)
    func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
        log.write("older", ["body": notification.alertBody ?? "", "info": (notification.userInfo ?? [:]).plain])
    }

    @available(*, deprecated)
    func application(_ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings) {
        log.write("older settings", ["types": Int(notificationSettings.types.rawValue)])
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    private static func members(_ notification: UNNotification) -> [String: Any] {
        let content = notification.request.content
        return [
            "id": notification.request.identifier, "title": content.title, "body": content.body,
            "message": content.userInfo["message"] ?? "", "date": notification.date.timeIntervalSince1970,
        ]
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {
        log.write("present", Self.members(notification))
        switch Orders.manner("present") {
        case "none": completionHandler([])
        case "list": completionHandler([.list])
        default: completionHandler([.banner, .list, .badge, .sound])
        }
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        var members = Self.members(response.notification)
        members["action"] = response.actionIdentifier
        if let text = (response as? UNTextInputNotificationResponse)?.userText { members["text"] = text }
        let isBackground = UIApplication.shared.applicationState == .background
        members["background"] = isBackground
        log.write("response", members)
        completionHandler()
    }
}
