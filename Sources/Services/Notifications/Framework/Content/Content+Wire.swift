package import NotificationsWire
package import Wire

// Content as it travels.

/// What the older API has beside, in the object that an app lets a notification carry.
private let olderKey = "$local"

extension UNNotificationContent {
    /// - Throws: if the app lets it carry what a property list does not have.
    func record() throws -> NotificationContentInfo {
        var info = values.info
        info.badge = values.badge.map(\.int64Value)
        info.sound = values.sound.map(\.info.text)
        info.attachments = values.attachments.map(\.info)
        guard var object = JSONObject(values.userInfo) else {
            throw UNError(
                .notificationInvalidNoContent,
                "userInfo has a key that is no string, or a value that is of no type of property lists")
        }
        if let older = values.older { object[olderKey] = older }
        info.userInfo = object.isEmpty ? nil : JSONValue.object(object).description
        return info
    }

    package convenience init(_ info: NotificationContentInfo) {
        var values = Values()
        values.info = info
        values.badge = info.badge.map { NSNumber(value: $0) }
        values.sound = info.sound.map { UNNotificationSound(NotificationSoundInfo(text: $0)) }
        values.attachments = info.attachments.map(UNNotificationAttachment.init)
        if let text = info.userInfo, var object = (try? JSONValue(parsing: text, limits: .answer))?.object {
            values.older = object[olderKey]
            object[olderKey] = nil
            values.userInfo = object.dictionary
        }
        self.init(values)
    }

    /// What the older API has beside.
    package var older: JSONValue? { values.older }

    package convenience init(_ content: UNNotificationContent, older: JSONValue) {
        var values = content.values
        values.older = older
        self.init(values)
    }
}

extension NotificationLevel {
    init(_ level: UNNotificationInterruptionLevel) {
        self =
            switch level {
            case .passive: .passive
            case .active: .active
            case .timeSensitive: .timeSensitive
            case .critical: .critical
            }
    }

    var level: UNNotificationInterruptionLevel {
        switch self {
        case .passive: .passive
        case .active: .active
        case .timeSensitive: .timeSensitive
        case .critical: .critical
        }
    }
}
