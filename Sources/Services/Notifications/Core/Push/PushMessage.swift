package import Model

/// What a message is for: `apns-push-type`.
package enum PushType: String, Sendable, Codable, CaseIterable {
    case alert, background, location, voip, complication, fileprovider, mdm, liveactivity, pushtotalk, widgets, controls
}

/// A provider's message, as it reaches the device.
package struct PushMessage: Hashable, Sendable, Codable {
    package var id: PushID
    /// The app's identifier, perhaps with a suffix that says what for: `org.example.chat.voip`.
    package var topic: String
    package var type: PushType
    /// 10, 5 or 1.
    package var priority: Int
    /// A later message of the same one replaces what was shown.
    package var collapse: String?
    /// JSON, as the provider wrote it.
    package var payload: String
    /// When the gateway accepted it.
    package var received: WallTime
    /// It is of no use afterwards; `nil`: the provider did not say.
    package var expires: WallTime?

    package init(
        id: PushID, topic: String, type: PushType = .alert, priority: Int = 10, collapse: String? = nil,
        payload: String, received: WallTime, expires: WallTime? = nil
    ) {
        self.id = id
        self.topic = topic
        self.type = type
        self.priority = priority
        self.collapse = collapse
        self.payload = payload
        self.received = received
        self.expires = expires
    }

    /// What a topic may end in beside the app's identifier.
    package static let topicSuffixes = [
        ".voip", ".voip-ptt", ".complication", ".pushkit.fileprovider", ".location-query", ".push-type.liveactivity",
        ".push-type.widgets", ".push-type.controls",
    ]

    package var app: AppIdentifier? {
        for suffix in Self.topicSuffixes where topic.hasSuffix(suffix) {
            return AppIdentifier(String(topic.dropLast(suffix.count)))
        }
        return AppIdentifier(topic)
    }
}

package enum PushResult: String, Sendable, Codable, CaseIterable { case newData, noData, failed }
