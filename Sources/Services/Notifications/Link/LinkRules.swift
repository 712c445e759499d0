/// What agent and gateway agree on before either says a word (`docs/PUSH.md`, "The link").
package enum LinkRules {
    /// The protocol that both name when TLS is set up (ALPN).
    package static let applicationProtocol = "greenroom-push/1"
    package static let version = 1
    /// Bytes of a line, its newline included.
    package static let lineLength = 16 * 1024
    /// Bytes of a public key: an uncompressed point of P-256 (ANSI X9.63).
    package static let keyLength = 65
    package static let nonceLength = 32
    /// Bytes of a signature: r and s, 32 bytes each.
    package static let signatureLength = 64
    /// Hexadecimal digits of a device's identifier: the first twelve bytes of SHA-256 of its key.
    package static let deviceDigits = 24
    /// Hexadecimal digits of a device token.
    package static let tokenDigits = 64
    package static let topicLength = 255
    package static let collapseLength = 64
    /// Bytes of the longest payload, that of a VoIP push.
    package static let payloadLength = 5120
    /// Bytes of a reason, and of a gateway's name.
    package static let textLength = 255
    /// Seconds of the longest keep-alive interval, and of the longest wait that a gateway may ask for.
    package static let longestWait = 86_400
    /// The largest number of a message: every JSON library can represent it.
    package static let greatestNumber: Int64 = 1 << 53
    /// A moment in the year 5138: what a clock or a header says after it is no time.
    package static let latestTime: Int64 = 100_000_000_000

    /// The bytes whose signature proves that an agent has its key: the protocol, what the gateway has just made up,
    /// and the host name that the agent dialled. A gateway that passes the challenge of another one on gets a
    /// signature that is good for its own name only.
    package static func proof(nonce: [UInt8], gateway: String) -> [UInt8] {
        Array(applicationProtocol.utf8) + nonce + Array(gateway.lowercased().utf8)
    }

    /// Letters, digits, `.`, `-` and `_`: what bundle identifiers and the suffixes of topics are made of.
    package static func isTopic(_ text: String) -> Bool {
        (1...topicLength).contains(text.utf8.count) && text.utf8.allSatisfy(isTopicByte)
    }

    private static func isTopicByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// What a push is for (`apns-push-type`).
package enum LinkPushType: String, Sendable, CaseIterable, Codable {
    case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip
    case widgets
}

/// The reasons that a gateway gives in `goaway`. Others may come: an agent treats them alike.
package enum LinkGoodbye: String, Sendable, CaseIterable {
    /// The gateway ends; another one may be there at once.
    case shutdown = "Shutdown"
    /// The same device has connected again.
    case replaced = "Replaced"
    /// What the agent said is no record, or not one for this moment.
    case badRecord = "BadRecord"
    /// The signature is not that of the key.
    case badProof = "BadProof"
    /// Nothing came for longer than `keepAlive`, or the agent did not say who it is in time.
    case idleTimeout = "IdleTimeout"
    /// The agent does not read what it is sent.
    case tooSlow = "TooSlow"
    case serviceUnavailable = "ServiceUnavailable"
}

/// Why bytes are no record of the link. The connection cannot go on after one.
package enum LinkError: Error, Hashable, Sendable, CustomStringConvertible {
    case lineTooLong
    case notJSON(String)
    /// There is no such record, at least not in this direction.
    case unknownRecord(String)
    /// A member is missing or impossible.
    case badMember(record: String, member: String, wanted: String)

    package var description: String {
        switch self {
        case .lineTooLong: "a line is longer than \(LinkRules.lineLength) bytes"
        case .notJSON(let reason): "the line is not JSON: \(reason)"
        case .unknownRecord(let name): "there is no record \(name) in this direction"
        case .badMember(let record, let member, let wanted): "\(member) of \(record) must be \(wanted)"
        }
    }
}
