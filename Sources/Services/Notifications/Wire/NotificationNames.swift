package import Wire

/// The methods of an app's connection to the notification service (`docs/NOTIFICATIONS.md`).
package enum NotificationClientMethod: String, Sendable, CaseIterable {
    case hello, authorize, settings
    case add, pending, removePending, delivered, removeDelivered
    case setCategories, categories, setBadge
    case register, unregister
    /// What the user did with a notification that brings the app to the screen, while the app has not dealt with it.
    case opening
}

/// What the service sends to an app. All but `badge` are requests, answered when the app's delegate is done.
///
/// Each is numbered by `seq`, which is also the request's `id` and never given twice over the lives of both sides; one
/// that waits for its moment may be overtaken. The app answers with that `id`, on whichever connection there is then,
/// and gives the last answers again on each new connection: an answer that is not expected is ignored.
package enum NotificationClientMessage: String, Sendable, CaseIterable {
    case willPresent, didReceive, push, openSettings
    case badge
}

/// The methods of the control connection that tools may use.
package enum NotificationToolMethod: String, Sendable, CaseIterable {
    case hello, list, show, act, dismiss, allow, deny, push, status, why, gateway, region
}

/// What the service says to the bundle's helper that may change a push before it is shown, on the helper's standard
/// input: the request `mutate` and, when its time is almost over, the notification `expires`.
package enum NotificationHelperMessage: String, Sendable, CaseIterable { case mutate, expires }

/// The windows of its declaration: what apps are woken for.
package enum NotificationWindow: String, Sendable, CaseIterable { case push, response }

package enum NotificationRole: String, Sendable, CaseIterable { case tool }

/// What the user, or the default, allows.
package enum NotificationAuthorization: String, Sendable, CaseIterable {
    case notDetermined, denied, authorized, provisional
}

/// What an app asks to be allowed, by the names of Apple's `UNAuthorizationOptions`.
package enum NotificationOption: String, Sendable, CaseIterable {
    case badge, sound, alert, carPlay, criticalAlert, providesAppNotificationSettings, provisional, announcement
    case timeSensitive
}

/// How an app on screen lets a notification be shown.
package enum NotificationPresentation: String, Sendable, CaseIterable { case badge, sound, list, banner }

package enum NotificationSetting: String, Sendable, CaseIterable { case notSupported, disabled, enabled }
package enum NotificationAlertStyle: String, Sendable, CaseIterable { case none, banner, alert }
package enum NotificationLevel: String, Sendable, CaseIterable { case passive, active, timeSensitive, critical }

package enum NotificationActionOption: String, Sendable, CaseIterable {
    case authenticationRequired, destructive, foreground
}

package enum NotificationCategoryOption: String, Sendable, CaseIterable {
    case customDismissAction, allowInCarPlay, hiddenPreviewsShowTitle, hiddenPreviewsShowSubtitle, allowAnnouncement
}

/// What came of a push, as the app's completion handler said it.
package enum NotificationPushResult: String, Sendable, CaseIterable { case newData, noData, failed }

/// Where a notification is that `list` tells of.
package enum NotificationPlace: String, Sendable, CaseIterable { case pending, delivered }

/// The actions that every notification has, in the place of an action's identifier.
package enum NotificationActionName {
    /// The user opened it.
    package static let open = "com.apple.UNNotificationDefaultActionIdentifier"
    /// The user dismissed it; told to the app where its category has `customDismissAction`.
    package static let dismiss = "com.apple.UNNotificationDismissActionIdentifier"
}

/// The `data.code` of an error that Apple's `UNError` has a number for.
package enum NotificationErrorCode: Int, Sendable, CaseIterable {
    case notificationsNotAllowed = 1
    case attachmentInvalidURL = 100
    case attachmentUnrecognizedType, attachmentInvalidFileSize, attachmentNotInDataStore
    case attachmentMoveIntoDataStoreFailed, attachmentCorrupt
    case notificationInvalidNoDate = 1400
    case notificationInvalidNoContent
    case contentProvidingObjectNotAllowed = 1500
    case contentProvidingInvalid
    case badgeInputInvalid = 1600
}

extension RPCError {
    /// A refusal that an app gets as a `UNError`.
    package static func notification(_ code: NotificationErrorCode, _ message: String) -> RPCError {
        RPCError(.refused, message, data: ["code": .int(Int64(code.rawValue))])
    }

    package var notificationCode: NotificationErrorCode? { data["code"]?.int.flatMap(NotificationErrorCode.init) }
}

/// The version of the notification service's protocol.
package let notificationProtocolVersion = 1

/// Bounds of the service's protocol.
package enum NotificationLimits {
    /// Requests that are pending for an app.
    package static let pending = 64
    /// Bytes of a request as JSON: 64 of them fit in one line.
    package static let request = 12 * 1024
    /// Bytes of an identifier: of a request, a category, an action, a thread.
    package static let identifier = 512
    /// Categories of an app, and actions of one.
    package static let categories = 64
    package static let actions = 16
    /// Bytes of the payload of a push; of one that announces a call.
    package static let payload = 4096
    package static let callPayload = 5120
    /// Answers to numbered requests that an app keeps for repetitions: more than the service leaves unanswered at a
    /// time.
    package static let keptAnswers = 256
    /// Seconds that an app on screen has to say how a notification is shown.
    package static let presentation = 10.0
    /// Seconds by which a date may have passed that is shown all the same, at once.
    package static let past = 5.0
    /// Seconds between two of a repeating interval, at least.
    package static let shortestRepetition = 60.0
    /// Seconds that the bundle's helper has to change a push.
    package static let mutation = 30.0
}

/// The parameters of `hello`: a tool has a role; an app says what it has been asked already.
package enum NotificationHello: WireRecord {
    case control(NotificationRole)
    /// `running` has the numbers that this process gave its delegate, and has no answer to yet. They are not asked
    /// again: their answers come when the delegate is done.
    case client(running: [Int64] = [])

    package init(json: JSONValue) throws(RPCError) {
        try json.checkVersion(notificationProtocolVersion)
        if let role: NotificationRole = try json.optionalWord("role") {
            self = .control(role)
        } else {
            let running = json["running"] == nil ? [] : try json.array("running")
            self = .client(running: running.compactMap(\.int).map(Int64.init))
        }
    }

    package var json: JSONValue {
        let version = JSONValue.int(Int64(notificationProtocolVersion))
        return switch self {
        case .control(let role): ["protocol": version, "role": .string(role.rawValue)]
        case .client(let running): ["protocol": version, "running": .array(running.map(JSONValue.int))]
        }
    }
}
