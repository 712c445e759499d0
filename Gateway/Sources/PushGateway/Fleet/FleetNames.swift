internal import PushCore

/// The subjects and streams of a fleet.
///
///     push.fleet.secret, push.fleet.layout      what all gateways share
///     push.fleet.topic.HASH                     a topic that some device has registered
///     push.fleet.ending.DEVICE.HASH             a registration that has ended
///     push.changes.…                            the same, as they are stored
///     push.mailbox.PART.DEVICE                  a device's mailbox
///     push.node.NODE                            a gateway's own subject, which is in no stream
struct FleetNames: Sendable {
    let prefix: String

    var fleetStream: String { prefix + "-fleet" }
    var fleet: String { prefix + ".fleet.>" }
    var changes: String { prefix + ".changes.>" }
    var secret: String { prefix + ".fleet.secret" }
    var layout: String { prefix + ".fleet.layout" }

    func topic(_ hash: TopicHash) -> String { "\(prefix).fleet.topic.\(Hexadecimal.text(hash))" }

    func ending(_ key: Registrations.Key) -> String {
        "\(prefix).fleet.ending.\(key.device).\(Hexadecimal.text(key.topic))"
    }

    /// What a subject of the fleet's stream is about.
    enum Item: Hashable {
        case secret
        case layout
        case topic
        case ending(Registrations.Key)
    }

    func item(_ subject: String) -> Item? {
        let words = subject.split(separator: ".")
        guard words.count >= 3, words[0] == prefix, words[1] == "fleet" else { return nil }
        switch (words[2], words.count) {
        case ("secret", 3): return .secret
        case ("layout", 3): return .layout
        case ("topic", 4): return .topic
        case ("ending", 5):
            guard let device = Hexadecimal.bytes(words[3]).flatMap({ DeviceID($0) }),
                let hash = UInt64(words[4], radix: 16)
            else { return nil }
            return .ending(Registrations.Key(device: device, topic: TopicHash(rawValue: hash)))
        default: return nil
        }
    }

    func mailboxStream(_ part: Int) -> String { "\(prefix)-mailboxes-\(part)" }
    func mailboxes(_ part: Int) -> String { "\(prefix).mailbox.\(part).*" }

    /// - Parameter parts: as many as the fleet was made with.
    func mailbox(_ device: DeviceID, of parts: Int) -> (stream: String, subject: String) {
        let part = device.spread % parts
        return (mailboxStream(part), "\(prefix).mailbox.\(part).\(device)")
    }

    func node(_ node: UInt64) -> String { "\(prefix).node.\(String(node, radix: 16))" }
}

extension Hexadecimal {
    fileprivate static func text(_ hash: TopicHash) -> String {
        text((0..<6).map { UInt8(truncatingIfNeeded: hash.rawValue >> UInt64(40 - 8 * $0)) })
    }
}

/// What one gateway says to another.
enum NodeMessage: Hashable, Sendable {
    /// Answered by an outcome.
    case deliver(PushMessage)
    /// The device that was here on this visit is at another gateway, which wrote that as this sequence.
    case replaced(DeviceID, visit: UInt64, sequence: UInt64)
    /// Another gateway wrote the mailbox of this device, since this one did not answer.
    case written(DeviceID)

    var encoded: [UInt8] {
        switch self {
        case .deliver(let message): [1] + message.encoded
        case .replaced(let device, let visit, let sequence):
            [2] + device.bytes + Self.bytes(visit) + Self.bytes(sequence)
        case .written(let device): [3] + device.bytes
        }
    }

    init?(_ bytes: [UInt8]) {
        let rest = Array(bytes.dropFirst())
        switch bytes.first {
        case 1:
            guard let message = try? PushMessage(encoded: rest) else { return nil }
            self = .deliver(message)
        case 2:
            guard rest.count == 28, let device = DeviceID(rest[..<12]) else { return nil }
            self = .replaced(device, visit: Self.integer(rest[12..<20]), sequence: Self.integer(rest[20...]))
        case 3:
            guard let device = DeviceID(rest) else { return nil }
            self = .written(device)
        default: return nil
        }
    }

    private static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}

extension MailboxOutcome {
    /// As one gateway answers another.
    var encoded: [UInt8] {
        switch self {
        case .accepted: [1]
        case .dropped: [2]
        case .full: [3]
        case .moved: [4]
        // The other gateway cannot tell, and asks the store.
        case .unavailable, .gone: [5]
        }
    }

    init?(_ bytes: [UInt8]) {
        switch bytes {
        case [1]: self = .accepted
        case [2]: self = .dropped
        case [3]: self = .full
        case [4]: self = .moved
        case [5]: self = .unavailable
        default: return nil
        }
    }
}
