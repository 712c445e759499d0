package import Model
package import PushLink

/// A device: the first twelve bytes of SHA-256 of its public key.
package struct DeviceID: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt32

    static let length = 12

    /// Fails unless there are twelve bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.length else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Of a SHA-256 of a key, which is longer.
    package init?(digest: [UInt8]) {
        guard digest.count >= Self.length else { return nil }
        self.init(digest[..<Self.length])
    }

    package var bytes: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * $0)) }
            + (0..<4).map { UInt8(truncatingIfNeeded: low >> UInt32(24 - 8 * $0)) }
    }

    package var description: String { Hexadecimal.text(bytes) }

    /// A number that is spread evenly: for choosing among a power of two of things.
    package var spread: Int { Int(truncatingIfNeeded: high >> 32) }
}

/// A push that a gateway has accepted.
package struct PushMessage: Hashable, Sendable {
    /// Grows by every message; the device acknowledges by it.
    package var number: Int64
    package var device: DeviceID
    package var topic: String
    /// The provider's `apns-id`, as it wrote it.
    package var id: String
    package var type: LinkPushType
    package var priority: Int
    /// Seconds since 1970. 0: deliver it now or never.
    package var expires: Int64
    package var collapse: String?
    package var at: WallTime
    package var payload: [UInt8]

    package init(
        number: Int64, device: DeviceID, topic: String, id: String, type: LinkPushType, priority: Int, expires: Int64,
        collapse: String?, at: WallTime, payload: [UInt8]
    ) {
        self.number = number
        self.device = device
        self.topic = topic
        self.id = id
        self.type = type
        self.priority = priority
        self.expires = expires
        self.collapse = collapse
        self.at = at
        self.payload = payload
    }

    /// Whether it is kept until the device has it.
    package var isStored: Bool { expires > 0 }

    package func hasExpired(at now: WallTime) -> Bool { isStored && expires <= now.nanoseconds / 1_000_000_000 }

    /// The record that the device gets. The payload was read as JSON: it is UTF-8.
    package var record: GatewayRecord {
        .push(
            LinkPush(
                number: number, id: id, topic: topic, type: type, priority: priority, expires: expires,
                collapse: collapse, at: Double(at.nanoseconds / 1_000_000) / 1000,
                payload: String(decoding: payload, as: UTF8.self)))
    }

    /// In which order a device that connects gets what waits for it: urgent ones first, then the older ones.
    package static func isSooner(_ a: PushMessage, _ b: PushMessage) -> Bool {
        a.priority != b.priority ? a.priority > b.priority : a.number < b.number
    }
}

/// What a message takes the place of in the store.
package enum Superseding: Hashable, Sendable {
    case nothing
    /// Earlier ones of its topic that have its collapse identifier.
    case collapse
    /// All earlier ones of its topic: one message is kept for an app whose device is not there.
    case topic

    /// - Parameter isReading: the device is connected, and takes messages as they come.
    package static func of(_ message: PushMessage, isReading: Bool) -> Superseding {
        guard isReading else { return .topic }
        return message.collapse == nil ? .nothing : .collapse
    }
}

/// Hands out the numbers of messages.
///
/// They are microseconds since 1970 unless the clock stands still or goes back, so a gateway that starts again goes on
/// above every number that it gave before, without having to remember it.
package struct MessageNumbers: Sendable {
    private var last: Int64

    /// - Parameter stored: the greatest number in the store.
    package init(after stored: Int64) { last = stored }

    package mutating func next(at now: WallTime) -> Int64 {
        last = max(last + 1, now.nanoseconds / 1000)
        return last
    }
}

package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `nil` unless there is an even number of digits, of either case.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? { bytes(digits: Array(String(text).utf8)) }

    /// Of an array, which is read fast whatever kind of text it was.
    private static func bytes(digits: [UInt8]) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(digits[index]), let low = value(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
