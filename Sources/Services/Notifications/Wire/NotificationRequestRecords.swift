package import Wire

/// What an app asks to have shown.
package struct NotificationRequestInfo: WireRecord {
    /// Another with the same identifier replaces it, pending or shown.
    package var identifier: String
    package var content: NotificationContentInfo
    /// `nil` is now.
    package var trigger: NotificationTriggerInfo?

    package init(identifier: String, content: NotificationContentInfo, trigger: NotificationTriggerInfo? = nil) {
        self.identifier = identifier
        self.content = content
        self.trigger = trigger
    }

    package init(json: JSONValue) throws(RPCError) {
        identifier = try json.string("identifier")
        content = try NotificationContentInfo(json: json.object("content"))
        trigger = try json.optionalRecord("trigger")
    }

    package var json: JSONValue {
        ["identifier": .string(identifier), "content": content.json, "trigger": trigger?.json ?? .null]
    }
}

/// One that was shown, or is about to be.
package struct NotificationInfo: WireRecord {
    /// When it was shown, in seconds since 1970.
    package var date: Double
    /// When it should have been, where the device was off then; in seconds since 1970.
    package var due: Double?
    package var request: NotificationRequestInfo

    package init(date: Double, due: Double? = nil, request: NotificationRequestInfo) {
        self.date = date
        self.due = due
        self.request = request
    }

    package init(json: JSONValue) throws(RPCError) {
        date = try json.number("date")
        due = try json.optionalNumber("due")
        request = try NotificationRequestInfo(json: json.object("request"))
    }

    package var json: JSONValue {
        ["date": .double(date), "due": JSONValue(due), "request": request.json]
    }
}

/// What the user did about a notification.
package struct NotificationResponseInfo: WireRecord {
    package var notification: NotificationInfo
    /// An action of its category, or one of `NotificationActionName`.
    package var action: String
    /// What was typed, of an action that asks for text.
    package var text: String?

    package init(notification: NotificationInfo, action: String, text: String? = nil) {
        self.notification = notification
        self.action = action
        self.text = text
    }

    package init(json: JSONValue) throws(RPCError) {
        notification = try NotificationInfo(json: json.object("notification"))
        action = try json.string("action")
        text = try json.optionalString("text")
    }

    package var json: JSONValue {
        ["notification": notification.json, "action": .string(action), "text": JSONValue(text)]
    }
}

/// What can be done about notifications of a kind.
package struct NotificationCategoryInfo: WireRecord {
    package var identifier: String
    package var actions: [NotificationActionInfo]
    package var intents: [String]
    package var options: [NotificationCategoryOption]
    /// In place of the body where previews are hidden.
    package var placeholder: String
    /// How several of a thread are summed up.
    package var summary: String

    package init(
        identifier: String, actions: [NotificationActionInfo] = [], intents: [String] = [],
        options: [NotificationCategoryOption] = [], placeholder: String = "", summary: String = ""
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intents = intents
        self.options = options
        self.placeholder = placeholder
        self.summary = summary
    }

    package init(json: JSONValue) throws(RPCError) {
        identifier = try json.string("identifier")
        actions = try json.records("actions")
        intents = try json.strings("intents")
        options = try json.words("options")
        placeholder = try json.optionalString("placeholder") ?? ""
        summary = try json.optionalString("summary") ?? ""
    }

    package var json: JSONValue {
        [
            "identifier": .string(identifier),
            "actions": .array(actions.map(\.json)),
            "intents": .array(intents.map(JSONValue.string)),
            "options": .words(options),
            "placeholder": .string(placeholder),
            "summary": .string(summary),
        ]
    }
}

/// One thing that can be done about a notification.
package struct NotificationActionInfo: WireRecord {
    /// What asks for text.
    package struct TextInput: WireRecord {
        package var button: String
        package var placeholder: String

        package init(button: String, placeholder: String) {
            self.button = button
            self.placeholder = placeholder
        }

        package init(json: JSONValue) throws(RPCError) {
            button = try json.string("button")
            placeholder = try json.string("placeholder")
        }

        package var json: JSONValue { ["button": .string(button), "placeholder": .string(placeholder)] }
    }

    package var identifier: String
    package var title: String
    package var options: [NotificationActionOption]
    /// The name of a picture.
    package var icon: String?
    package var textInput: TextInput?

    package init(
        identifier: String, title: String, options: [NotificationActionOption] = [], icon: String? = nil,
        textInput: TextInput? = nil
    ) {
        self.identifier = identifier
        self.title = title
        self.options = options
        self.icon = icon
        self.textInput = textInput
    }

    package init(json: JSONValue) throws(RPCError) {
        identifier = try json.string("identifier")
        title = try json.string("title")
        options = try json.words("options")
        icon = try json.optionalString("icon")
        textInput = try json.optionalRecord("textInput")
    }

    package var json: JSONValue {
        [
            "identifier": .string(identifier), "title": .string(title), "options": .words(options),
            "icon": JSONValue(icon), "textInput": textInput?.json ?? .null,
        ]
    }
}
