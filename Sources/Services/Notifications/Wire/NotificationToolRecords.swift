package import Wire

/// The parameters of the tools' `list`.
package struct NotificationListParameters: WireRecord {
    /// Those of one app only.
    package var app: String?
    /// The id of the last one that is known.
    package var after: String?

    package init(app: String? = nil, after: String? = nil) {
        self.app = app
        self.after = after
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.optionalString("app")
        after = try json.optionalString("after")
    }

    package var json: JSONValue { ["app": JSONValue(app), "after": JSONValue(after)] }
}

/// A notification, as `list` has it.
package struct NotificationEntry: WireRecord {
    /// What `act` and `dismiss` take.
    package var id: String
    package var app: String
    package var place: NotificationPlace
    /// When a pending one is due, as far as that is known, or when it was shown; in seconds since 1970.
    package var date: Double?
    /// When one that is shown late was due.
    package var due: Double?
    package var request: NotificationRequestInfo
    /// What can be done about it beside opening and dismissing it.
    package var actions: [NotificationActionInfo]

    /// The app's name for what belongs together; empty: no thread.
    package var thread: String { request.content.thread }

    package init(
        id: String, app: String, place: NotificationPlace, date: Double? = nil, due: Double? = nil,
        request: NotificationRequestInfo, actions: [NotificationActionInfo] = []
    ) {
        self.id = id
        self.app = app
        self.place = place
        self.date = date
        self.due = due
        self.request = request
        self.actions = actions
    }

    package init(json: JSONValue) throws(RPCError) {
        id = try json.string("id")
        app = try json.string("app")
        place = try json.word("place")
        date = try json.optionalNumber("date")
        due = try json.optionalNumber("due")
        request = try NotificationRequestInfo(json: json.object("request"))
        actions = try json.records("actions")
    }

    package var json: JSONValue {
        [
            "id": .string(id), "app": .string(app), "place": .string(place.rawValue), "date": JSONValue(date),
            "due": JSONValue(due), "thread": .string(thread), "request": request.json,
            "actions": .array(actions.map(\.json)),
        ]
    }
}

/// The answer of `list`: the pending ones, the soonest first, then those shown, the newest first.
package struct NotificationList: WireRecord {
    package var notifications: [NotificationEntry]
    package var more: Bool

    package init(notifications: [NotificationEntry] = [], more: Bool = false) {
        self.notifications = notifications
        self.more = more
    }

    package init(json: JSONValue) throws(RPCError) {
        notifications = try json.records("notifications")
        more = try json.bool("more", default: false)
    }

    package var json: JSONValue { ["notifications": .array(notifications.map(\.json)), "more": .bool(more)] }
}

/// The parameters of `show`: a notification in an app's name.
package struct NotificationShow: WireRecord {
    package var app: String
    package var request: NotificationRequestInfo

    package init(app: String, request: NotificationRequestInfo) {
        self.app = app
        self.request = request
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        request = try NotificationRequestInfo(json: json.object("request"))
    }

    package var json: JSONValue { ["app": .string(app), "request": request.json] }
}

/// The parameters of `dismiss`, and the answer of `show` and `push`.
package struct NotificationName: WireRecord {
    package var id: String

    package init(id: String) { self.id = id }
    package init(json: JSONValue) throws(RPCError) { id = try json.string("id") }
    package var json: JSONValue { ["id": .string(id)] }
}

/// The parameters of `act`: what the user does about one that is shown.
package struct NotificationAct: WireRecord {
    package var id: String
    /// `nil` opens it.
    package var action: String?
    package var text: String?

    package init(id: String, action: String? = nil, text: String? = nil) {
        self.id = id
        self.action = action
        self.text = text
    }

    package init(json: JSONValue) throws(RPCError) {
        id = try json.string("id")
        action = try json.optionalString("action")
        text = try json.optionalString("text")
    }

    package var json: JSONValue { ["id": .string(id), "action": JSONValue(action), "text": JSONValue(text)] }
}

/// The parameters of `allow`, `deny` and `why`.
package struct NotificationApp: WireRecord {
    package var app: String

    package init(app: String) { self.app = app }
    package init(json: JSONValue) throws(RPCError) { app = try json.string("app") }
    package var json: JSONValue { ["app": .string(app)] }
}

/// The answer of `why`.
package struct NotificationExplanation: WireRecord {
    package var sentence: String

    package init(sentence: String) { self.sentence = sentence }
    package init(json: JSONValue) throws(RPCError) { sentence = try json.string("sentence") }
    package var json: JSONValue { ["sentence": .string(sentence)] }
}

/// The parameters of `push`: as if it had come from the gateway.
package struct NotificationToolPush: WireRecord {
    package var app: String
    /// A JSON object, as text.
    package var payload: String
    /// As in the header `apns-push-type`; `nil` is what the payload says: `background` if it has content available
    /// and nothing to show, else `alert`.
    package var type: String?
    /// 10, 5 or 1.
    package var priority: Int64?
    package var collapse: String?

    package init(
        app: String, payload: String, type: String? = nil, priority: Int64? = nil, collapse: String? = nil
    ) {
        self.app = app
        self.payload = payload
        self.type = type
        self.priority = priority
        self.collapse = collapse
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        payload = try json.string("payload")
        type = try json.optionalString("type")
        priority = try json.optionalInteger("priority")
        collapse = try json.optionalString("collapse")
    }

    package var json: JSONValue {
        [
            "app": .string(app), "payload": .string(payload), "type": JSONValue(type),
            "priority": priority.map(JSONValue.int) ?? .null, "collapse": JSONValue(collapse),
        ]
    }
}

/// The parameters of `gateway`: where pushes come from.
package struct NotificationGateway: WireRecord {
    /// `nil`: from nowhere.
    package var url: String?
    /// A file with certificates, PEM, in place of the machine's own.
    package var ca: String?

    package init(url: String?, ca: String? = nil) {
        self.url = url
        self.ca = ca
    }

    package init(json: JSONValue) throws(RPCError) {
        url = try json.optionalString("url")
        ca = try json.optionalString("ca")
    }

    package var json: JSONValue { ["url": JSONValue(url), "ca": JSONValue(ca)] }
}

/// The parameters of `region`, which the location service says: the device has entered or left a region of an app.
package struct NotificationCrossing: WireRecord {
    package var app: String
    /// The region's identifier, as in the app's trigger.
    package var region: String
    /// Otherwise it was left.
    package var entered: Bool

    package init(app: String, region: String, entered: Bool) {
        self.app = app
        self.region = region
        self.entered = entered
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        region = try json.string("region")
        entered = try json.bool("entered")
    }

    package var json: JSONValue {
        ["app": .string(app), "region": .string(region), "entered": .bool(entered)]
    }
}

/// The answer of `region`.
package struct NotificationCrossed: WireRecord {
    /// How many of the app's requests waited for that.
    package var notifications: Int64

    package init(notifications: Int64) { self.notifications = notifications }
    package init(json: JSONValue) throws(RPCError) { notifications = try json.integer("notifications") }
    package var json: JSONValue { ["notifications": .int(notifications)] }
}
