package import Wire

/// What an app is allowed: the answer of `settings`.
package struct NotificationSettingsInfo: WireRecord {
    package var authorization: NotificationAuthorization
    /// What it asked for.
    package var options: [NotificationOption]
    package var alert: NotificationSetting
    package var sound: NotificationSetting
    package var badge: NotificationSetting
    /// Kept in the list of those that were shown.
    package var list: NotificationSetting
    package var lockScreen: NotificationSetting
    package var criticalAlert: NotificationSetting
    package var timeSensitive: NotificationSetting
    package var alertStyle: NotificationAlertStyle

    package init(
        authorization: NotificationAuthorization, options: [NotificationOption] = [],
        alert: NotificationSetting = .disabled, sound: NotificationSetting = .disabled,
        badge: NotificationSetting = .disabled, list: NotificationSetting = .disabled,
        lockScreen: NotificationSetting = .disabled, criticalAlert: NotificationSetting = .notSupported,
        timeSensitive: NotificationSetting = .notSupported, alertStyle: NotificationAlertStyle = .none
    ) {
        self.authorization = authorization
        self.options = options
        self.alert = alert
        self.sound = sound
        self.badge = badge
        self.list = list
        self.lockScreen = lockScreen
        self.criticalAlert = criticalAlert
        self.timeSensitive = timeSensitive
        self.alertStyle = alertStyle
    }

    package init(json: JSONValue) throws(RPCError) {
        authorization = try json.word("authorization")
        options = try json.words("options")
        let settings = try json.object("settings")
        alert = try settings.word("alert")
        sound = try settings.word("sound")
        badge = try settings.word("badge")
        list = try settings.word("list")
        lockScreen = try settings.word("lockScreen")
        criticalAlert = try settings.word("criticalAlert")
        timeSensitive = try settings.word("timeSensitive")
        alertStyle = try settings.word("alertStyle")
    }

    package var json: JSONValue {
        [
            "authorization": .string(authorization.rawValue),
            "options": .words(options),
            "settings": [
                "alert": .string(alert.rawValue),
                "sound": .string(sound.rawValue),
                "badge": .string(badge.rawValue),
                "list": .string(list.rawValue),
                "lockScreen": .string(lockScreen.rawValue),
                "criticalAlert": .string(criticalAlert.rawValue),
                "timeSensitive": .string(timeSensitive.rawValue),
                "alertStyle": .string(alertStyle.rawValue),
            ],
        ]
    }
}

/// The answer of an app's `hello`: its settings, and what it would otherwise ask for at once.
package struct NotificationGreeting: WireRecord {
    package var settings: NotificationSettingsInfo
    package var badge: Int64
    /// Its token, in hexadecimal digits, if it is registered for pushes and there is one.
    package var registered: String?

    package init(settings: NotificationSettingsInfo, badge: Int64, registered: String? = nil) {
        self.settings = settings
        self.badge = badge
        self.registered = registered
    }

    package init(json: JSONValue) throws(RPCError) {
        settings = try NotificationSettingsInfo(json: json)
        badge = try json.integer("badge")
        registered = try json.optionalString("registered")
    }

    package var json: JSONValue {
        var object = settings.json.object ?? [:]
        object["badge"] = .int(badge)
        object["registered"] = JSONValue(registered)
        return .object(object)
    }
}

/// The parameters of `authorize`, answered by `NotificationGranted` when it is decided.
package struct NotificationAuthorize: WireRecord {
    package var options: [NotificationOption]

    package init(options: [NotificationOption]) { self.options = options }
    package init(json: JSONValue) throws(RPCError) { options = try json.words("options") }
    package var json: JSONValue { ["options": .words(options)] }
}

/// The answer of `authorize`.
package struct NotificationGranted: WireRecord {
    package var granted: Bool

    package init(granted: Bool) { self.granted = granted }
    package init(json: JSONValue) throws(RPCError) { granted = try json.bool("granted") }
    package var json: JSONValue { ["granted": .bool(granted)] }
}

/// The parameters of `add`, and of `mutate`, said to the bundle's helper.
///
/// `add` is answered when the request is durable, by the error `tooMuch` if 64 sooner ones are pending; `mutate` by
/// `NotificationMutated`.
package struct NotificationRequestParameters: WireRecord {
    package var request: NotificationRequestInfo

    package init(request: NotificationRequestInfo) { self.request = request }

    package init(json: JSONValue) throws(RPCError) {
        request = try NotificationRequestInfo(json: json.object("request"))
    }

    package var json: JSONValue { ["request": request.json] }
}

/// The answer of `add`.
package struct NotificationAdded: WireRecord {
    /// The identifiers of later ones that were given up since only the soonest 64 are kept.
    package var dropped: [String]

    package init(dropped: [String] = []) { self.dropped = dropped }
    package init(json: JSONValue) throws(RPCError) { dropped = try json.strings("dropped") }
    package var json: JSONValue { ["dropped": .array(dropped.map(JSONValue.string))] }
}

/// The parameters of `pending` and `delivered`.
package struct NotificationPageParameters: WireRecord {
    /// The identifier of the last one that is known.
    package var after: String?

    package init(after: String? = nil) { self.after = after }
    package init(json: JSONValue) throws(RPCError) { after = try json.optionalString("after") }
    package var json: JSONValue { ["after": JSONValue(after)] }
}

/// The answer of `pending`: the soonest first.
package struct NotificationPendingPage: WireRecord {
    package var requests: [NotificationRequestInfo]
    package var more: Bool

    package init(requests: [NotificationRequestInfo], more: Bool = false) {
        self.requests = requests
        self.more = more
    }

    package init(json: JSONValue) throws(RPCError) {
        requests = try json.records("requests")
        more = try json.bool("more", default: false)
    }

    package var json: JSONValue { ["requests": .array(requests.map(\.json)), "more": .bool(more)] }
}

/// The answer of `delivered`: the newest first.
package struct NotificationDeliveredPage: WireRecord {
    package var notifications: [NotificationInfo]
    package var more: Bool

    package init(notifications: [NotificationInfo], more: Bool = false) {
        self.notifications = notifications
        self.more = more
    }

    package init(json: JSONValue) throws(RPCError) {
        notifications = try json.records("notifications")
        more = try json.bool("more", default: false)
    }

    package var json: JSONValue { ["notifications": .array(notifications.map(\.json)), "more": .bool(more)] }
}

/// The parameters of `removePending` and `removeDelivered`.
package struct NotificationRemoval: WireRecord {
    /// `nil`: all of them.
    package var identifiers: [String]?

    package init(identifiers: [String]?) { self.identifiers = identifiers }

    package init(json: JSONValue) throws(RPCError) {
        identifiers = json["identifiers"] == nil ? nil : try json.strings("identifiers")
    }

    package var json: JSONValue {
        guard let identifiers else { return [:] }
        return ["identifiers": .array(identifiers.map(JSONValue.string))]
    }
}

/// The parameters of `setCategories`, and the answer of `categories`.
package struct NotificationCategories: WireRecord {
    package var categories: [NotificationCategoryInfo]

    package init(categories: [NotificationCategoryInfo]) { self.categories = categories }
    package init(json: JSONValue) throws(RPCError) { categories = try json.records("categories") }
    package var json: JSONValue { ["categories": .array(categories.map(\.json))] }
}

/// The parameters of `setBadge`, and of the notification `badge`, which follows each change that the app did not ask
/// for.
package struct NotificationBadge: WireRecord {
    package var count: Int64

    package init(count: Int64) { self.count = count }
    package init(json: JSONValue) throws(RPCError) { count = try json.integer("count") }
    package var json: JSONValue { ["count": .int(count)] }
}

/// The answer of `register`, which comes when there is a token.
package struct NotificationToken: WireRecord {
    /// Hexadecimal digits.
    package var token: String

    package init(token: String) { self.token = token }
    package init(json: JSONValue) throws(RPCError) { token = try json.string("token") }
    package var json: JSONValue { ["token": .string(token)] }
}

extension JSONValue {
    static func words<Word: RawRepresentable<String>>(_ words: [Word]) -> JSONValue {
        .array(words.map { .string($0.rawValue) })
    }
}
