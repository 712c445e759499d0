/// What a payload says to the system: its `aps`.
struct PushPayload: Hashable, Sendable {
    /// Something to see, to hear, or a badge; with the payload as its user info.
    var content: NotificationContent?
    /// The app is to be woken.
    var isContentAvailable = false
    /// A helper of the app may change it.
    var isMutable = false

    /// - Throws: a reason for people.
    init(_ text: String) throws(Unreadable) {
        guard let payload = JSONValue(text) else { throw Unreadable("it is not JSON") }
        guard case .object = payload else { throw Unreadable("it is not an object") }
        guard let aps = payload["aps"] else { throw Unreadable("it has no aps") }
        guard case .object = aps else { throw Unreadable("its aps is not an object") }
        isContentAvailable = try Self.flag("content-available", of: aps)
        isMutable = try Self.flag("mutable-content", of: aps)
        var content = NotificationContent()
        content.userInfo = text
        try Self.readAlert(aps["alert"], into: &content)
        content.badge = try Self.badge(aps["badge"])
        content.sound = try Self.sound(aps["sound"])
        content.category = try Self.text("category", of: aps) ?? ""
        content.thread = try Self.text("thread-id", of: aps) ?? ""
        content.targetContent = try Self.text("target-content-id", of: aps)
        switch aps["interruption-level"]?.string {
        case "passive": content.interruption = .passive
        case "time-sensitive": content.interruption = .timeSensitive
        case "critical": content.interruption = .critical
        default: break
        }
        if case .number(let number)? = aps["relevance-score"] { content.relevance = number }
        if content.hasAlert || content.badge != nil || content.sound != nil { self.content = content }
    }

    struct Unreadable: Error, Hashable {
        var reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private static func readAlert(_ alert: JSONValue?, into content: inout NotificationContent) throws(Unreadable) {
        switch alert {
        case nil, .null: return
        case .string(let text): content.body = text
        case .object:
            guard let alert else { return }
            content.title = try text("title", "title-loc-key", of: alert) ?? ""
            content.subtitle = try text("subtitle", "subtitle-loc-key", of: alert) ?? ""
            content.body = try text("body", "loc-key", of: alert) ?? ""
            content.launchImage = try text("launch-image", of: alert) ?? ""
        case .bool, .number, .array: throw Unreadable("its alert is neither a text nor an object")
        }
    }

    private static func text(_ key: String, of object: JSONValue) throws(Unreadable) -> String? {
        switch object[key] {
        case nil, .null: return nil
        case .string(let text): return text
        case .bool, .number, .array, .object: throw Unreadable("its \(key) is not a text")
        }
    }

    /// There are no translations here: a key stands for its text.
    private static func text(_ key: String, _ other: String, of object: JSONValue) throws(Unreadable) -> String? {
        if let text = try text(key, of: object) { return text }
        return try text(other, of: object)
    }

    private static func flag(_ key: String, of object: JSONValue) throws(Unreadable) -> Bool {
        switch object[key] {
        case nil, .null: return false
        case .bool(let value): return value
        case .number(let value): return value == 1
        // Seen from old libraries.
        case .string("1"): return true
        case .string, .array, .object: throw Unreadable("its \(key) is not 1")
        }
    }

    private static func badge(_ value: JSONValue?) throws(Unreadable) -> Int? {
        switch value {
        case nil, .null: return nil
        case .number:
            guard let number = value?.integer, number >= 0 else { throw Unreadable("its badge is no count") }
            return number
        case .bool, .string, .array, .object: throw Unreadable("its badge is no count")
        }
    }

    private static func sound(_ value: JSONValue?) throws(Unreadable) -> String? {
        switch value {
        case nil, .null: return nil
        case .string(let name): return name.isEmpty ? nil : name
        case .object:
            guard let name = value?["name"]?.string else { throw Unreadable("its sound has no name") }
            return name
        case .bool, .number, .array: throw Unreadable("its sound is neither a name nor an object")
        }
    }
}
