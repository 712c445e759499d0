package import Wire

/// How the connection to the gateway is.
package enum NotificationLinkState: String, Sendable, CaseIterable { case off, waiting, connecting, connected }

/// The answer of the tools' `status`.
package struct NotificationStatus: WireRecord {
    package var presenter: NotificationPresenterStatus
    package var link: NotificationLinkStatus
    package var apps: [NotificationAppStatus]

    package init(
        presenter: NotificationPresenterStatus, link: NotificationLinkStatus, apps: [NotificationAppStatus] = []
    ) {
        self.presenter = presenter
        self.link = link
        self.apps = apps
    }

    package init(json: JSONValue) throws(RPCError) {
        presenter = try NotificationPresenterStatus(json: json.object("presenter"))
        link = try NotificationLinkStatus(json: json.object("link"))
        apps = try json.records("apps")
    }

    package var json: JSONValue {
        ["presenter": presenter.json, "link": link.json, "apps": .array(apps.map(\.json))]
    }
}

/// What shows notifications.
package struct NotificationPresenterStatus: WireRecord {
    /// Its name and version, as it says them; `nil` where there is none.
    package var name: String?
    /// Why there is none.
    package var trouble: String?

    package init(name: String?, trouble: String? = nil) {
        self.name = name
        self.trouble = trouble
    }

    package init(json: JSONValue) throws(RPCError) {
        name = try json.optionalString("name")
        trouble = try json.optionalString("trouble")
    }

    package var json: JSONValue { ["name": JSONValue(name), "trouble": JSONValue(trouble)] }
}

/// The connection to the gateway, and what keeps it alive.
package struct NotificationLinkStatus: WireRecord {
    package var state: NotificationLinkState
    package var gateway: String?
    /// The gateway's name, as it said it.
    package var server: String?
    /// The device's id, in hexadecimal digits.
    package var device: String?
    /// Since when it is so, in seconds since 1970.
    package var since: Double?
    /// When it is tried again.
    package var next: Double?
    package var trouble: String?
    /// The last push that was acknowledged.
    package var acknowledged: Int64?
    /// Seconds between keep-alives, on this network.
    package var keepAlive: Double?
    /// When the last one was answered, and when the next one is due.
    package var lastKeepAlive: Double?
    package var nextKeepAlive: Double?

    package init(
        state: NotificationLinkState, gateway: String? = nil, server: String? = nil, device: String? = nil,
        since: Double? = nil, next: Double? = nil, trouble: String? = nil, acknowledged: Int64? = nil,
        keepAlive: Double? = nil, lastKeepAlive: Double? = nil, nextKeepAlive: Double? = nil
    ) {
        self.state = state
        self.gateway = gateway
        self.server = server
        self.device = device
        self.since = since
        self.next = next
        self.trouble = trouble
        self.acknowledged = acknowledged
        self.keepAlive = keepAlive
        self.lastKeepAlive = lastKeepAlive
        self.nextKeepAlive = nextKeepAlive
    }

    package init(json: JSONValue) throws(RPCError) {
        state = try json.word("state")
        gateway = try json.optionalString("gateway")
        server = try json.optionalString("server")
        device = try json.optionalString("device")
        since = try json.optionalNumber("since")
        next = try json.optionalNumber("next")
        trouble = try json.optionalString("trouble")
        acknowledged = try json.optionalInteger("acknowledged")
        keepAlive = try json.optionalNumber("keepAlive")
        lastKeepAlive = try json.optionalNumber("lastKeepAlive")
        nextKeepAlive = try json.optionalNumber("nextKeepAlive")
    }

    package var json: JSONValue {
        [
            "state": .string(state.rawValue),
            "gateway": JSONValue(gateway),
            "server": JSONValue(server),
            "device": JSONValue(device),
            "since": JSONValue(since),
            "next": JSONValue(next),
            "trouble": JSONValue(trouble),
            "acknowledged": acknowledged.map(JSONValue.int) ?? .null,
            "keepAlive": JSONValue(keepAlive),
            "lastKeepAlive": JSONValue(lastKeepAlive),
            "nextKeepAlive": JSONValue(nextKeepAlive),
        ]
    }
}

/// What the service keeps for an app.
package struct NotificationAppStatus: WireRecord {
    package var app: String
    package var authorization: NotificationAuthorization
    /// In hexadecimal digits, if the app is registered for pushes and there is one.
    package var token: String?
    package var badge: Int64
    package var pending: Int64
    package var delivered: Int64
    package var silent: NotificationSilentStatus

    package init(
        app: String, authorization: NotificationAuthorization, token: String? = nil, badge: Int64 = 0,
        pending: Int64 = 0, delivered: Int64 = 0, silent: NotificationSilentStatus
    ) {
        self.app = app
        self.authorization = authorization
        self.token = token
        self.badge = badge
        self.pending = pending
        self.delivered = delivered
        self.silent = silent
    }

    package init(json: JSONValue) throws(RPCError) {
        app = try json.string("app")
        authorization = try json.word("authorization")
        token = try json.optionalString("token")
        badge = try json.integer("badge")
        pending = try json.integer("pending")
        delivered = try json.integer("delivered")
        silent = try NotificationSilentStatus(json: json.object("silent"))
    }

    package var json: JSONValue {
        [
            "app": .string(app),
            "authorization": .string(authorization.rawValue),
            "token": JSONValue(token),
            "badge": .int(badge),
            "pending": .int(pending),
            "delivered": .int(delivered),
            "silent": silent.json,
        ]
    }
}

/// An app's silent pushes.
package struct NotificationSilentStatus: WireRecord {
    /// Since the service knows the app.
    package var came: Int64
    package var passed: Int64
    /// How many of them within the last hour.
    package var passedThisHour: Int64
    /// How many may pass at once now, and at most.
    package var left: Int64
    package var capacity: Int64
    /// Since when one waits, in seconds since 1970.
    package var waitingSince: Double?
    /// When it passes at the latest, as far as that is known.
    package var next: Double?
    package var sentence: String

    package init(
        came: Int64 = 0, passed: Int64 = 0, passedThisHour: Int64 = 0, left: Int64, capacity: Int64,
        waitingSince: Double? = nil, next: Double? = nil, sentence: String
    ) {
        self.came = came
        self.passed = passed
        self.passedThisHour = passedThisHour
        self.left = left
        self.capacity = capacity
        self.waitingSince = waitingSince
        self.next = next
        self.sentence = sentence
    }

    package init(json: JSONValue) throws(RPCError) {
        came = try json.integer("came")
        passed = try json.integer("passed")
        passedThisHour = try json.integer("passedThisHour")
        left = try json.integer("left")
        capacity = try json.integer("capacity")
        waitingSince = try json.optionalNumber("waitingSince")
        next = try json.optionalNumber("next")
        sentence = try json.string("sentence")
    }

    package var json: JSONValue {
        [
            "came": .int(came),
            "passed": .int(passed),
            "passedThisHour": .int(passedThisHour),
            "left": .int(left),
            "capacity": .int(capacity),
            "waitingSince": JSONValue(waitingSince),
            "next": JSONValue(next),
            "sentence": .string(sentence),
        ]
    }
}
