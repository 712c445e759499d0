package import Model
package import PushLink

/// The header fields of a request that a gateway knows.
package struct PushFields: Sendable {
    package private(set) var method = ""
    package private(set) var path = ""
    package private(set) var authorization: String?
    private var id: String?
    private var topic: String?
    private var type: String?
    private var priority: String?
    private var expiration: String?
    private var collapse: String?
    private var hasDuplicates = false

    package init() {}

    package mutating func add(_ name: String, _ value: String) {
        switch name {
        case ":method": method = value
        case ":path": path = value
        case "authorization": set(\.authorization, value)
        case "apns-id": set(\.id, value)
        case "apns-topic": set(\.topic, value)
        case "apns-push-type": set(\.type, value)
        case "apns-priority": set(\.priority, value)
        case "apns-expiration": set(\.expiration, value)
        case "apns-collapse-id": set(\.collapse, value)
        default: break
        }
    }

    private mutating func set(_ field: WritableKeyPath<PushFields, String?>, _ value: String) {
        if self[keyPath: field] != nil { hasDuplicates = true }
        self[keyPath: field] = value
    }

    /// The `apns-id` that the answer repeats: the provider finds the request by it, whatever becomes of it, so also by
    /// one that is no identifier as long as it can stand in a header.
    package var echo: String? { id.flatMap { Self.isPlain($0) ? $0 : nil } }

    /// The text of the device token. The first of the checks: what comes later may cost more.
    package func token() throws(PushRejection) -> Substring {
        guard !hasDuplicates else { throw PushRejection(.duplicateHeaders) }
        guard method == "POST" else { throw PushRejection(.methodNotAllowed) }
        let prefix = "/3/device"
        guard path.hasPrefix(prefix) else { throw PushRejection(.badPath) }
        let rest = path.dropFirst(prefix.count)
        guard rest.isEmpty || rest.first == "/" else { throw PushRejection(.badPath) }
        let token = rest.dropFirst()
        guard !token.isEmpty else { throw PushRejection(.missingDeviceToken) }
        guard !token.contains("/") else { throw PushRejection(.badPath) }
        return token
    }

    /// Everything that the other fields say. Comes after the provider is known.
    package func options(
        for provider: ProviderIdentity, rules: PushRules, now: WallTime
    ) throws(PushRejection) -> PushOptions {
        guard id.map(Self.isIdentifier) ?? true else { throw PushRejection(.badMessageId) }
        let topic = try allowedTopic(provider)
        let type = try pushType()
        if let suffix = type?.topicSuffix, !topic.hasSuffix(suffix) { throw PushRejection(.badTopic) }
        let priority = try numericPriority()
        let expires = try expirationDate(rules, now)
        if let collapse, !(1...LinkRules.collapseLength).contains(collapse.utf8.count) {
            throw PushRejection(.badCollapseId)
        }
        return PushOptions(
            id: id, topic: topic, type: type ?? LinkPushType.allCases.first { $0.isToldByTopic(topic) },
            priority: priority, expires: expires, collapse: collapse)
    }

    private func allowedTopic(_ provider: ProviderIdentity) throws(PushRejection) -> String {
        guard let topic = topic ?? provider.onlyTopic else { throw PushRejection(.missingTopic) }
        guard LinkRules.isTopic(topic) else { throw PushRejection(.badTopic) }
        guard provider.allows(topic) else { throw PushRejection(.topicDisallowed) }
        return topic
    }

    private func pushType() throws(PushRejection) -> LinkPushType? {
        guard let type else { return nil }
        guard let known = LinkPushType(rawValue: type) else { throw PushRejection(.invalidPushType) }
        return known
    }

    private func numericPriority() throws(PushRejection) -> Int? {
        switch priority {
        case nil: nil
        case "10": 10
        case "5": 5
        case "1": 1
        default: throw PushRejection(.badPriority)
        }
    }

    private func expirationDate(_ rules: PushRules, _ now: WallTime) throws(PushRejection) -> Int64 {
        let latest = (now + rules.longestStorage).nanoseconds / 1_000_000_000
        guard let expiration else { return latest }
        // An integer, as the header is defined; the sign and spaces that `Int64` would take are none of it.
        guard (1...19).contains(expiration.utf8.count), expiration.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let seconds = Int64(expiration)
        else { throw PushRejection(.badExpirationDate) }
        // What has expired already is delivered now or never, as 0 is.
        return seconds > now.nanoseconds / 1_000_000_000 ? min(seconds, latest) : 0
    }

    private static func isPlain(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// 8-4-4-4-12 hexadecimal digits.
    private static func isIdentifier(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            if [8, 13, 18, 23].contains(index) {
                guard byte == UInt8(ascii: "-") else { return false }
            } else {
                let letter = byte | 0x20
                guard (0x30...0x39).contains(byte) || (0x61...0x66).contains(letter) else { return false }
            }
        }
        return true
    }
}

/// What a provider wants of a push.
package struct PushOptions: Hashable, Sendable {
    /// `nil`: the gateway makes one.
    package var id: String?
    package var topic: String
    /// `nil`: the payload tells whether it is an alert.
    package var type: LinkPushType?
    /// `nil`: what is usual of its type.
    package var priority: Int?
    /// Seconds since 1970; 0: now or never.
    package var expires: Int64
    package var collapse: String?

    package init(
        id: String?, topic: String, type: LinkPushType?, priority: Int?, expires: Int64, collapse: String?
    ) {
        self.id = id
        self.topic = topic
        self.type = type
        self.priority = priority
        self.expires = expires
        self.collapse = collapse
    }
}

extension LinkPushType {
    /// How the topic of such a push ends.
    package var topicSuffix: String? {
        switch self {
        case .alert, .background, .mdm: nil
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    fileprivate func isToldByTopic(_ topic: String) -> Bool {
        // The topic of device management is the subject of a certificate.
        if self == .mdm { return topic.hasPrefix("com.apple.mgmt.") }
        return topicSuffix.map(topic.hasSuffix) ?? false
    }

    /// An app's identifier, for any of its topics.
    package static func app(of topic: String) -> String {
        let suffix = allCases.compactMap(\.topicSuffix).first { topic.hasSuffix($0) && topic.count > $0.count }
        return suffix.map { String(topic.dropLast($0.count)) } ?? topic
    }
}
