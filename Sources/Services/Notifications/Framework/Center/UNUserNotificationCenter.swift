internal import NotificationsWire
internal import Synchronization
internal import Wire

/// The app's way to notifications: what it may do, what is pending, what was shown, and what the user did about it.
///
/// Everything may be called on any thread. Completion handlers are called on a thread of the system's, and the methods
/// without one return when the system has answered.
// What it has is its client, which is safe to share.
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let app = UNUserNotificationCenter(.shared)
    private let client: NotificationClient

    package init(_ client: NotificationClient) {
        self.client = client
        super.init()
        client.state.withLock { [self] in $0.delivery.center = self }
    }

    /// The one of this app.
    open class func current() -> UNUserNotificationCenter { app }

    /// What decides about notifications while the app is on the screen, and hears what the user does about them. It is
    /// held weakly. Set it before `application(_:didFinishLaunchingWithOptions:)` returns: until then the system keeps
    /// what it has for it.
    open weak var delegate: (any UNUserNotificationCenterDelegate)? {
        get { client.delegate }
        set { client.delegate = newValue }
    }

    /// Whether notifications can have a view of the app's: not here.
    open var supportsContentExtensions: Bool { false }

    // MARK: Authorization

    /// Asks to notify the user.
    ///
    /// - Parameters:
    ///   - options: in which ways.
    ///   - completionHandler: called with whether the app may, when that is decided, or with an error if nobody can be
    ///     asked.
    @preconcurrency
    open func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let params = NotificationAuthorize(options: options.words).json
        client.request(.authorize, params, as: NotificationGranted.self, isErrand: false) { result in
            switch result {
            case .success(let answer): completionHandler(answer.granted, nil)
            case .failure(let error): completionHandler(false, error)
            }
        }
    }

    /// Asks to notify the user.
    ///
    /// - Parameter options: in which ways.
    /// - Returns: whether the app may, when that is decided.
    open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            requestAuthorization(options: options) { granted, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(granted))
            }
        }
    }

    /// What the app may do now.
    @preconcurrency
    open func getNotificationSettings(completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void) {
        client.request(.settings, [:], as: NotificationSettingsInfo.self) { result in
            // Where there is nothing that notifies, nothing is supported.
            let nothing = NotificationSettingsInfo(
                authorization: .notDetermined, alert: .notSupported, sound: .notSupported, badge: .notSupported,
                list: .notSupported, lockScreen: .notSupported)
            completionHandler(UNNotificationSettings((try? result.get()) ?? nothing))
        }
    }

    /// What the app may do now.
    open func notificationSettings() async -> UNNotificationSettings {
        await withCheckedContinuation { continuation in
            getNotificationSettings { continuation.resume(returning: $0) }
        }
    }

    // MARK: Categories

    /// Replaces the app's categories.
    open func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        let infos = categories.map(\.info).sorted { $0.identifier < $1.identifier }
        client.tell(.setCategories, NotificationCategories(categories: infos).json)
    }

    /// The app's categories.
    @preconcurrency
    open func getNotificationCategories(completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void) {
        client.request(.categories, [:], as: NotificationCategories.self) { result in
            let infos = (try? result.get())?.categories ?? []
            completionHandler(Set(infos.map(UNNotificationCategory.init)))
        }
    }

    /// The app's categories.
    open func notificationCategories() async -> Set<UNNotificationCategory> {
        await withCheckedContinuation { continuation in
            getNotificationCategories { continuation.resume(returning: $0) }
        }
    }

    // MARK: Pending requests

    /// Asks to have something shown. It survives the app and the device being off. 64 requests of an app are kept, the
    /// soonest.
    ///
    /// - Parameters:
    ///   - request: what, and when. A request with the same identifier is replaced, pending or shown.
    ///   - completionHandler: called when it cannot be lost any more, or with an error: a `UNError`, or what the system
    ///     says if as many sooner ones are pending as may be.
    @preconcurrency
    open func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        do {
            let params = NotificationRequestParameters(request: try request.checked())
            client.tell(.add, params.json) { completionHandler?($0) }
        } catch {
            DispatchQueue.global().async { completionHandler?(error) }
        }
    }

    /// Asks to have something shown, and returns when it cannot be lost any more.
    ///
    /// - Throws: a `UNError`, or what the system says if as many sooner ones are pending as may be.
    open func add(_ request: UNNotificationRequest) async throws {
        try await completion { add(request, withCompletionHandler: $0) }
    }

    /// The requests that wait, the soonest first.
    @preconcurrency
    open func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        client.list(.pending, NotificationPendingPage.self) { completionHandler($0.map { UNNotificationRequest($0) }) }
    }

    /// The requests that wait, the soonest first.
    open func pendingNotificationRequests() async -> [UNNotificationRequest] {
        await withCheckedContinuation { continuation in
            getPendingNotificationRequests { continuation.resume(returning: $0) }
        }
    }

    /// Takes requests back.
    open func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        client.tell(.removePending, NotificationRemoval(identifiers: identifiers).json)
    }

    /// Takes all requests back.
    open func removeAllPendingNotificationRequests() {
        client.tell(.removePending, NotificationRemoval(identifiers: nil).json)
    }

    // MARK: Delivered notifications

    /// What was shown and is still in the list, the newest first.
    @preconcurrency
    open func getDeliveredNotifications(completionHandler: @escaping @Sendable ([UNNotification]) -> Void) {
        client.list(.delivered, NotificationDeliveredPage.self) { completionHandler($0.map { UNNotification($0) }) }
    }

    /// What was shown and is still in the list, the newest first.
    open func deliveredNotifications() async -> [UNNotification] {
        await withCheckedContinuation { continuation in
            getDeliveredNotifications { continuation.resume(returning: $0) }
        }
    }

    /// Takes notifications away from the screen and from the list.
    open func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        client.tell(.removeDelivered, NotificationRemoval(identifiers: identifiers).json)
    }

    /// Takes all notifications of the app away from the screen and from the list.
    open func removeAllDeliveredNotifications() {
        client.tell(.removeDelivered, NotificationRemoval(identifiers: nil).json)
    }

    // MARK: The badge

    /// Sets the number on the app's icon; 0 takes it away.
    ///
    /// - Parameter completionHandler: called when it is set, or with `UNError.badgeInputInvalid` if it is negative.
    @preconcurrency
    open func setBadgeCount(
        _ newBadgeCount: Int, withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        client.setBadge(newBadgeCount) { completionHandler?($0) }
    }

    /// Sets the number on the app's icon; 0 takes it away.
    ///
    /// - Throws: `UNError.badgeInputInvalid` if it is negative.
    open func setBadgeCount(_ newBadgeCount: Int) async throws {
        try await completion { setBadgeCount(newBadgeCount, withCompletionHandler: $0) }
    }

    private func completion(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            body { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
        }
    }
}

extension UNNotificationRequest {
    /// - Throws: a `UNError` if there is nothing to be shown, heard or counted, or if its time never comes.
    fileprivate func checked() throws -> NotificationRequestInfo {
        let info = try record()
        let content = info.content
        let isSeen = ![content.title, content.subtitle, content.body].allSatisfy(\.isEmpty)
        guard isSeen || content.badge != nil || content.sound != nil || !content.attachments.isEmpty else {
            throw UNError(.notificationInvalidNoContent)
        }
        // Without a year everything comes again.
        if case .calendar(let components, _)? = info.trigger,
            components.isEmpty || components.year != nil || components.calendar != nil,
            let calendar = trigger as? UNCalendarNotificationTrigger,
            calendar.nextTriggerDate(after: Date(timeIntervalSinceNow: -NotificationLimits.past)) == nil
        {
            throw UNError(.notificationInvalidNoDate)
        }
        return info
    }
}
