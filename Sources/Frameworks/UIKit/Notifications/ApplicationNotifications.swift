internal import AppRuntime
internal import Foundation
package import NotificationsWire
package import UserNotifications
internal import Wire

/// What the app hears of notifications through its delegate: pushes, and what no delegate of the notification center
/// takes. Nothing of the service is touched until the app uses notifications or is launched or woken for one.
@MainActor
package final class ApplicationNotifications: NotificationApplication {
    private weak let application: UIApplication?
    /// The one for which the app was launched, as far as the older methods are concerned.
    private var launchedFor: Origin?
    /// The payload of which the delegate is just told, and which the oldest method has had among the launch options.
    private var untold: String?
    /// What the user did that launched the app onto the screen: for the scene that connects first.
    private var opening: UNNotificationResponse?
    /// The number of the last one, since the service names it until the app has dealt with it.
    private var lastOpening: Int64 = -1

    private enum Origin: Equatable {
        case local(NotificationInfo)
        case push(String)
    }

    init(_ application: UIApplication) { self.application = application }

    private var client: NotificationClient { .shared }
    private var delegate: (any UIApplicationDelegate)? { application?.delegate }
    /// Apple's older classes and methods are deprecated, and so is what uses them, but for these requirements.
    var older: any OlderNotifications { self }

    /// The app is being launched.
    func begin() {
        client.use(self)
        ServiceEvents.shared.register("notifications", through: { [client] in client.currentLink }) {
            [weak self] event, done in
            MainActor.assumeIsolated { self?.handle(event, done) ?? done(.done) }
        }
    }

    /// The app has been launched: what came meanwhile is told.
    func finishLaunching() { client.finishLaunching() }

    /// The app's process is gone.
    func end() { client.reset() }

    // MARK: Launch options

    /// What of a notification's words is among the launch options.
    ///
    /// - Parameter isOpened: the app comes to the screen, since the user opened the notification. What the user did
    ///   follows on the app's own connection.
    func launchOptions(
        local: JSONValue?, remote: JSONValue?, isOpened: Bool
    ) -> [UIApplication.LaunchOptionsKey: Any] {
        var options: [UIApplication.LaunchOptionsKey: Any] = [:]
        if let local = local.flatMap(Self.object) {
            if let info = try? NotificationInfo(json: local) {
                if isOpened { launchedFor = .local(info) }
                options[.older] = older.launchValue(UNNotification(info))
            } else {
                options[.older] = local.propertyList
            }
        }
        if let words = remote.flatMap(Self.object) {
            // What wakes the app has a number.
            let remote = isOpened ? words : words["payload"] ?? words
            if isOpened { launchedFor = Self.words(remote.propertyList).map { .push($0) } }
            options[.remoteNotification] = remote.propertyList
        }
        if isOpened {
            client.start()
            // Before the app is told of it, and may be done with it.
            if application?.scenes != nil { opening = opening ?? askForOpening() }
        }
        return options
    }

    /// What a scene is given that brings the app to the screen, once.
    func takeOpening() -> UNNotificationResponse? {
        defer { opening = nil }
        return opening ?? (client.isGreeted ? askForOpening() : nil)
    }

    private func askForOpening() -> UNNotificationResponse? {
        guard let told = client.opening(), told.seq > lastOpening, let response = told.response else { return nil }
        lastOpening = told.seq
        return .make(response)
    }

    /// An object, or one that is written in a text.
    private static func object(_ json: JSONValue) -> JSONValue? {
        guard case .string(let text) = json else { return json }
        return try? JSONValue(parsing: text, limits: .answer)
    }

    /// A payload, the same for each order of its keys.
    private static func words(_ payload: Any) -> String? { JSONValue(propertyList: payload)?.description }

    /// Whether the oldest method is told of a push: as on iOS, not of the one that launched the app.
    func tellsOldest(_ payload: [AnyHashable: Any]) -> Bool { untold == nil || untold != Self.words(payload) }

    // MARK: Windows

    /// What the app was woken for.
    private func handle(_ event: ServiceEvents.Event, _ done: @escaping @Sendable (ServiceEvents.Result) -> Void) {
        switch NotificationWindow(rawValue: event.kind) {
        case .push:
            let words = try? JSONValue(parsing: event.payload, limits: .answer)
            guard let push = words.flatMap({ try? NotificationPush(window: $0) }) else { return done(.noData) }
            client.take(push) { result in
                switch result {
                case .newData: done(.newData)
                case .noData: done(.noData)
                case .failed: done(.failed)
                }
            }
        case .response:
            // It comes on the app's own connection, where it is told once.
            let told = (try? JSONValue(parsing: event.payload)).flatMap { try? NotificationDidReceive(json: $0) }
            client.whenDone(with: told?.seq) { _ in done(.done) }
            client.start()
        case nil: done(.done)
        }
    }

    // MARK: NotificationApplication

    package func didReceive(
        push payload: [AnyHashable: Any], _ completion: @escaping @Sendable (NotificationPushResult) -> Void
    ) {
        guard let application, let delegate else { return completion(.noData) }
        let once = Once<UIBackgroundFetchResult>(otherwise: .noData) { result in
            switch result {
            case .newData: completion(.newData)
            case .noData: completion(.noData)
            case .failed: completion(.failed)
            }
        }
        delegate.application(application, didReceiveRemoteNotification: payload) { result in
            if !once.give(result) {
                ApplicationLauncher.complain(
                    "the completion handler of didReceiveRemoteNotification was called more than once")
            }
        }
    }

    package func willPresent(_ notification: UNNotification) {
        guard notification.request.trigger is UNPushNotificationTrigger else {
            return older.didReceive(notification)
        }
        let payload = notification.request.content.userInfo
        let aps = payload["aps"] as? [AnyHashable: Any]
        // With content available it comes by itself as well, and is told once.
        // As a number, a truth value or a text.
        let isContentAvailable = (aps?["content-available"]).map { ["1", "1.0", "true"].contains("\($0)") } ?? false
        if !isContentAvailable { didReceive(push: payload) { _ in } }
    }

    package func didReceive(_ response: UNNotificationResponse, _ completion: @escaping @Sendable () -> Void) {
        let request = response.notification.request
        let isPush = request.trigger is UNPushNotificationTrigger
        let origin = origin(response.notification)
        let isLaunch = origin != nil && origin == launchedFor
        if isLaunch { launchedFor = nil }
        switch response.actionIdentifier {
        case UNNotificationDismissActionIdentifier: completion()
        case UNNotificationDefaultActionIdentifier where isPush:
            if isLaunch, case .push(let payload)? = origin { untold = payload }
            didReceive(push: request.content.userInfo) { _ in
                completion()
                // By now the oldest method has been left out, or is not the one that was called.
                DispatchQueue.main.async { MainActor.assumeIsolated { self.untold = nil } }
            }
        case UNNotificationDefaultActionIdentifier:
            if !isLaunch { older.didReceive(response.notification) }
            completion()
        default: older.handleAction(response, completion)
        }
    }

    private func origin(_ notification: UNNotification) -> Origin? {
        let content = notification.request.content
        if notification.request.trigger is UNPushNotificationTrigger {
            return Self.words(content.userInfo).map { .push($0) }
        }
        guard case .local(let info) = launchedFor, UNNotification(info) == notification else { return nil }
        return launchedFor
    }
}
