package import Wire

/// What a notification says, shows and carries.
package struct NotificationContentInfo: WireRecord {
    package var title: String
    package var subtitle: String
    package var body: String
    /// `nil` leaves the app's badge as it is; 0 removes it.
    package var badge: Int64?
    /// As `NotificationSoundInfo` writes it; `nil` is silence.
    package var sound: String?
    package var category: String
    package var thread: String
    /// A JSON object, as text; `nil` for none. Only the app reads it.
    package var userInfo: String?
    package var level: NotificationLevel
    /// From 0 to 1.
    package var relevance: Double
    package var launchImage: String
    package var targetContent: String?
    package var filterCriteria: String?
    package var attachments: [NotificationAttachmentInfo]

    package init(
        title: String = "", subtitle: String = "", body: String = "", badge: Int64? = nil, sound: String? = nil,
        category: String = "", thread: String = "", userInfo: String? = nil, level: NotificationLevel = .active,
        relevance: Double = 0, launchImage: String = "", targetContent: String? = nil, filterCriteria: String? = nil,
        attachments: [NotificationAttachmentInfo] = []
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.badge = badge
        self.sound = sound
        self.category = category
        self.thread = thread
        self.userInfo = userInfo
        self.level = level
        self.relevance = relevance
        self.launchImage = launchImage
        self.targetContent = targetContent
        self.filterCriteria = filterCriteria
        self.attachments = attachments
    }

    package init(json: JSONValue) throws(RPCError) {
        title = try json.optionalString("title") ?? ""
        subtitle = try json.optionalString("subtitle") ?? ""
        body = try json.optionalString("body") ?? ""
        badge = try json.optionalInteger("badge")
        sound = try json.optionalString("sound")
        category = try json.optionalString("category") ?? ""
        thread = try json.optionalString("thread") ?? ""
        userInfo = try json.optionalString("userInfo")
        level = try json.optionalWord("level") ?? .active
        relevance = try json.optionalNumber("relevance") ?? 0
        launchImage = try json.optionalString("launchImage") ?? ""
        targetContent = try json.optionalString("targetContent")
        filterCriteria = try json.optionalString("filterCriteria")
        attachments = try json.records("attachments")
    }

    package var json: JSONValue {
        [
            "title": .string(title),
            "subtitle": .string(subtitle),
            "body": .string(body),
            "badge": badge.map(JSONValue.int) ?? .null,
            "sound": JSONValue(sound),
            "category": .string(category),
            "thread": .string(thread),
            "userInfo": JSONValue(userInfo),
            "level": .string(level.rawValue),
            "relevance": .double(relevance),
            "launchImage": .string(launchImage),
            "targetContent": JSONValue(targetContent),
            "filterCriteria": JSONValue(filterCriteria),
            "attachments": .array(attachments.map(\.json)),
        ]
    }
}

/// A sound of a notification, and how it is written: `default`, a file's name, and for one that sounds even where
/// others are silent `critical:VOLUME:` before either.
package struct NotificationSoundInfo: Hashable, Sendable {
    /// A file of the bundle or of `Library/Sounds` in the container; `nil` is the device's own.
    package var name: String?
    /// From 0 to 1, of a critical alert.
    package var criticalVolume: Double?

    package static let standard = "default"

    package init(name: String? = nil, criticalVolume: Double? = nil) {
        self.name = name
        self.criticalVolume = criticalVolume
    }

    package init(text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        var name = text
        if parts.count == 3, parts[0] == "critical", let volume = Double(parts[1]), (0...1).contains(volume) {
            criticalVolume = volume
            name = String(parts[2])
        }
        self.name = name == Self.standard ? nil : name
    }

    package var text: String {
        let name = name ?? Self.standard
        guard let criticalVolume else { return name }
        return "critical:\(criticalVolume):\(name)"
    }
}

/// A file that is shown with a notification.
package struct NotificationAttachmentInfo: WireRecord {
    package var identifier: String
    /// Absolute, in the app's container.
    package var path: String
    /// A uniform type identifier.
    package var type: String

    package init(identifier: String, path: String, type: String) {
        self.identifier = identifier
        self.path = path
        self.type = type
    }

    package init(json: JSONValue) throws(RPCError) {
        identifier = try json.string("identifier")
        path = try json.string("path")
        type = try json.optionalString("type") ?? ""
    }

    package var json: JSONValue {
        ["identifier": .string(identifier), "path": .string(path), "type": .string(type)]
    }
}
