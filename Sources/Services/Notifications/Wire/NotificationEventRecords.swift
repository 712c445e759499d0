package import Wire

/// The parameters of `willPresent`: the app is on screen and is asked whether the notification is shown.
package struct NotificationWillPresent: WireRecord {
    package var seq: Int64
    package var notification: NotificationInfo

    package init(seq: Int64, notification: NotificationInfo) {
        self.seq = seq
        self.notification = notification
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        notification = try NotificationInfo(json: json.object("notification"))
    }

    package var json: JSONValue { ["seq": .int(seq), "notification": notification.json] }
}

/// The answer of `willPresent`. With none of them it is not shown.
package struct NotificationPresentationAnswer: WireRecord {
    package var options: [NotificationPresentation]

    package init(options: [NotificationPresentation]) { self.options = options }
    package init(json: JSONValue) throws(RPCError) { options = try json.words("options") }
    package var json: JSONValue { ["options": .words(options)] }
}

/// The parameters of `didReceive`, answered by `{}`, and the payload of the window `response`, as JSON text. There
/// the response may be left out, where it would be too long: it comes on the app's connection then.
package struct NotificationDidReceive: WireRecord {
    package var seq: Int64
    package var response: NotificationResponseInfo?

    package init(seq: Int64, response: NotificationResponseInfo?) {
        self.seq = seq
        self.response = response
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        response = try json.optionalRecord("response")
    }

    package var json: JSONValue { ["seq": .int(seq), "response": response?.json ?? .null] }
}

/// The answer of `opening`: what `didReceive` says, or will say, as well. A scene is given it when it connects.
package struct NotificationOpening: WireRecord {
    package var told: NotificationDidReceive?

    package init(told: NotificationDidReceive?) { self.told = told }
    package init(json: JSONValue) throws(RPCError) { told = try json.optionalRecord("told") }
    package var json: JSONValue { ["told": told?.json ?? .null] }
}

/// The parameters of `push`, for an app that is connected and runs; and in the words of the window `push`, for one that
/// has to be woken or launched for it. By the number the app knows it if it comes both ways.
package struct NotificationPush: WireRecord {
    package var seq: Int64
    /// The whole payload, a JSON object, as text.
    package var payload: String
    /// It carries no alert, sound or badge.
    package var silent: Bool

    package init(seq: Int64, payload: String, silent: Bool) {
        self.seq = seq
        self.payload = payload
        self.silent = silent
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        payload = try json.string("payload")
        silent = try json.bool("silent", default: false)
    }

    package var json: JSONValue { ["seq": .int(seq), "payload": .string(payload), "silent": .bool(silent)] }

    /// In the window the payload is no text in a text, so that there is room for the longest.
    package var windowText: String { "{\"seq\":\(seq),\"silent\":\(silent),\"payload\":\(payload)}" }

    package init(window json: JSONValue) throws(RPCError) {
        self.init(
            seq: try json.integer("seq"), payload: try json.object("payload").description,
            silent: try json.bool("silent", default: false))
    }
}

/// The answer of `push`.
package struct NotificationPushAnswer: WireRecord {
    package var result: NotificationPushResult

    package init(result: NotificationPushResult) { self.result = result }
    package init(json: JSONValue) throws(RPCError) { result = try json.word("result") }
    package var json: JSONValue { ["result": .string(result.rawValue)] }
}

/// The parameters of `openSettings`: the user wants the app's own settings of notifications. Answered by `{}`.
package struct NotificationOpenSettings: WireRecord {
    package var seq: Int64
    /// The one from which the user came.
    package var notification: NotificationInfo?

    package init(seq: Int64, notification: NotificationInfo? = nil) {
        self.seq = seq
        self.notification = notification
    }

    package init(json: JSONValue) throws(RPCError) {
        seq = try json.integer("seq")
        notification = try json.optionalRecord("notification")
    }

    package var json: JSONValue { ["seq": .int(seq), "notification": notification?.json ?? .null] }
}

/// The answer of `mutate`: what is shown in place of the original.
package struct NotificationMutated: WireRecord {
    package var content: NotificationContentInfo

    package init(content: NotificationContentInfo) { self.content = content }

    package init(json: JSONValue) throws(RPCError) {
        content = try NotificationContentInfo(json: json.object("content"))
    }

    package var json: JSONValue { ["content": content.json] }
}
