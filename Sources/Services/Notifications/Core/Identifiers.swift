package import Model

/// One of an app's connections, numbered by the shell and never again for another one in the same process.
package struct ConnectionID: Hashable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// Names a notification that was shown, for as long as the service's records live; also the tool's `n12`. One that
/// replaces another has its number.
package struct NotificationID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: NotificationID, b: NotificationID) -> Bool { a.rawValue < b.rawValue }
}

/// Names a request among those that wait: an app's own identifier is its own affair.
package struct RequestKey: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var identifier: String

    package init(_ app: AppIdentifier, _ identifier: String) {
        self.app = app
        self.identifier = identifier
    }
}

/// Numbers what an app is told; it grows by one an app for ever.
package typealias TellingNumber = UInt64

/// One thing that an app is told, exactly once.
package struct TellingID: Hashable, Sendable, Codable {
    package var app: AppIdentifier
    package var number: TellingNumber

    package init(_ app: AppIdentifier, _ number: TellingNumber) {
        self.app = app
        self.number = number
    }
}

/// Names a notification whose content a helper of its app may change before it is shown.
package struct MutationID: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt64
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
    package static func < (a: MutationID, b: MutationID) -> Bool { a.rawValue < b.rawValue }
}

/// Names a message of a provider: the `apns-id`, a UUID.
package struct PushID: Hashable, Sendable, Codable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Fails unless the text is a UUID, in letters of either case.
    package init?(_ text: String) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var digits = 0
        var place = 0
        for byte in text.utf8 {
            defer { place += 1 }
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard place < 36, let digit = Self.digit(byte) else { return nil }
            if digits < 16 { halves.high = halves.high << 4 | digit } else { halves.low = halves.low << 4 | digit }
            digits += 1
        }
        guard place == 36 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    package var description: String {
        func hex(_ value: UInt64, _ width: Int) -> String {
            let text = String(value, radix: 16, uppercase: true)
            return String(repeating: "0", count: width - text.count) + text
        }
        return "\(hex(high >> 32, 8))-\(hex(high >> 16 & 0xFFFF, 4))-\(hex(high & 0xFFFF, 4))-"
            + "\(hex(low >> 48, 4))-\(hex(low & 0xFFFF_FFFF_FFFF, 12))"
    }
}
