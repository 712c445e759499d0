internal import Wire

/// A push on its way to a device.
package struct LinkPush: Hashable, Sendable {
    /// Greater than that of every earlier message to this device.
    package var number: Int64
    /// The provider's `apns-id`, or the one that the gateway made.
    package var id: String
    package var topic: String
    package var type: LinkPushType
    /// 10, 5 or 1.
    package var priority: Int
    /// Seconds since 1970; 0: it was to be delivered now or never.
    package var expires: Int64
    package var collapse: String?
    /// When the gateway accepted it, in seconds since 1970.
    package var at: Double
    /// A JSON dictionary, as the provider wrote it.
    package var payload: String

    package init(
        number: Int64, id: String, topic: String, type: LinkPushType, priority: Int, expires: Int64,
        collapse: String? = nil, at: Double, payload: String
    ) {
        self.number = number
        self.id = id
        self.topic = topic
        self.type = type
        self.priority = priority
        self.expires = expires
        self.collapse = collapse
        self.at = at
        self.payload = payload
    }

    init(_ members: LinkMembers) throws(LinkError) {
        number = try members.integer("n", 1...LinkRules.greatestNumber)
        id = try members.text("id", bytes: 36...36)
        topic = try members.topic()
        type = try members.word("type")
        priority = Int(try members.integer("priority", 1...10))
        guard [1, 5, 10].contains(priority) else {
            throw .badMember(record: "push", member: "priority", wanted: "10, 5 or 1")
        }
        expires = try members.integer("expires", 0...LinkRules.latestTime)
        collapse = try members.optionalText("collapse", bytes: 1...LinkRules.collapseLength)
        at = try members.number("at", 0...Double(LinkRules.latestTime))
        payload = try members.text("payload", bytes: 2...LinkRules.payloadLength)
    }

    fileprivate var members: KeyValuePairs<String, JSONValue> {
        [
            "n": .int(number), "id": .string(id), "topic": .string(topic), "type": .string(type.rawValue),
            "priority": .int(Int64(priority)), "expires": .int(expires), "collapse": JSONValue(collapse),
            "at": .double(at), "payload": .string(payload),
        ]
    }
}

/// What the gateway says to the agent on a device.
package enum GatewayRecord: LinkRecord {
    case challenge(nonce: [UInt8])
    /// The key is proven. `keepAlive`: the gateway ends a connection on which nothing came for so many seconds.
    case welcome(device: String, keepAlive: Int, server: String)
    case token(topic: String, token: String)
    case unregistered(topic: String)
    /// The topic gets no token: there are too many of them, or the gateway cannot write.
    case refused(topic: String, reason: String)
    case push(LinkPush)
    case pong
    /// The connection ends. Connect again after so many seconds, and a random part of them more.
    case goaway(after: Double, reason: String)

    package init(_ members: LinkMembers) throws(LinkError) {
        let text = 1...LinkRules.textLength
        switch members.record {
        case "challenge": self = .challenge(nonce: try members.bytes("nonce", count: LinkRules.nonceLength))
        case "welcome":
            self = .welcome(
                device: try members.digits("device", count: LinkRules.deviceDigits),
                keepAlive: Int(try members.integer("keepAlive", 1...Int64(LinkRules.longestWait))),
                server: try members.text("server", bytes: text))
        case "token":
            self = .token(
                topic: try members.topic(), token: try members.digits("token", count: LinkRules.tokenDigits))
        case "unregistered": self = .unregistered(topic: try members.topic())
        case "refused":
            self = .refused(topic: try members.topic(), reason: try members.text("reason", bytes: text))
        case "push": self = .push(try LinkPush(members))
        case "pong": self = .pong
        case "goaway":
            self = .goaway(
                after: try members.number("after", 0...Double(LinkRules.longestWait)),
                reason: try members.text("reason", bytes: text))
        default: throw members.unknown
        }
    }

    package var line: [UInt8] {
        switch self {
        case .challenge(let nonce): Self.line("challenge", ["nonce": .string(LinkBase64.text(nonce))])
        case .welcome(let device, let keepAlive, let server):
            Self.line(
                "welcome",
                ["device": .string(device), "keepAlive": .int(Int64(keepAlive)), "server": .string(server)])
        case .token(let topic, let token): Self.line("token", ["topic": .string(topic), "token": .string(token)])
        case .unregistered(let topic): Self.line("unregistered", ["topic": .string(topic)])
        case .refused(let topic, let reason):
            Self.line("refused", ["topic": .string(topic), "reason": .string(reason)])
        case .push(let push): Self.line("push", push.members)
        case .pong: Self.line("pong")
        case .goaway(let after, let reason):
            Self.line("goaway", ["after": .double(after), "reason": .string(reason)])
        }
    }
}
