internal import Foundation
package import NotificationsWire

/// What an app asks to have shown, and when.
// Its state is constant; the content is a copy.
open class UNNotificationRequest: NSObject, NSCopying, @unchecked Sendable {
    /// Names it: another request with the same identifier replaces it.
    public let identifier: String
    /// What it says.
    public let content: UNNotificationContent
    /// When it is shown; `nil` is now.
    public let trigger: UNNotificationTrigger?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - identifier: names it: another request with the same identifier replaces it.
    ///   - content: what it says; it is copied.
    ///   - trigger: when it is shown; `nil` is now.
    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content.copy() as? UNNotificationContent ?? content
        self.trigger = trigger
        super.init()
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it asks for the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationRequest else { return false }
        return identifier == other.identifier && content == other.content && trigger == other.trigger
    }

    /// Fits `isEqual(_:)`.
    open override var hash: Int { identifier.hashValue }
}

/// A notification that was shown, or is about to be.
// Its state is constant.
open class UNNotification: NSObject, NSCopying, @unchecked Sendable {
    /// When it was due or, of a push, when it came.
    public let date: Date
    /// What was asked for.
    public let request: UNNotificationRequest

    package init(_ info: NotificationInfo) {
        date = Date(timeIntervalSince1970: info.due ?? info.date)
        request = UNNotificationRequest(info.request)
        super.init()
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether it is the same notification.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotification else { return false }
        return date == other.date && request == other.request
    }

    /// Fits `isEqual(_:)`.
    open override var hash: Int { date.hashValue ^ request.hash }
}

/// The user opened the notification.
public let UNNotificationDefaultActionIdentifier = NotificationActionName.open
/// The user dismissed the notification.
public let UNNotificationDismissActionIdentifier = NotificationActionName.dismiss

/// What the user did about a notification.
// Its state is constant.
open class UNNotificationResponse: NSObject, NSCopying, @unchecked Sendable {
    /// The notification.
    public let notification: UNNotification
    /// An action of its category, `UNNotificationDefaultActionIdentifier` or `UNNotificationDismissActionIdentifier`.
    public let actionIdentifier: String

    init(_ info: NotificationResponseInfo) {
        notification = UNNotification(info.notification)
        actionIdentifier = info.action
        super.init()
    }

    package static func make(_ info: NotificationResponseInfo) -> UNNotificationResponse {
        info.text.map { UNTextInputNotificationResponse(info, text: $0) } ?? UNNotificationResponse(info)
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// What the user wrote about a notification.
// As its superclass.
open class UNTextInputNotificationResponse: UNNotificationResponse, @unchecked Sendable {
    /// The text.
    public let userText: String

    init(_ info: NotificationResponseInfo, text: String) {
        userText = text
        super.init(info)
    }
}

extension UNNotificationRequest {
    /// - Throws: a `UNError` if it cannot be shown.
    package func record() throws -> NotificationRequestInfo {
        NotificationRequestInfo(identifier: identifier, content: try content.record(), trigger: trigger?.record())
    }

    package convenience init(_ info: NotificationRequestInfo) {
        self.init(
            identifier: info.identifier, content: UNNotificationContent(info.content),
            trigger: info.trigger.map(UNNotificationTrigger.make))
    }
}
