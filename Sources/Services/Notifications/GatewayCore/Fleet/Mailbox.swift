package import Model

/// What a fleet of gateways keeps for one device: the messages that it has not acknowledged, and the gateway that it is
/// connected to.
///
/// A mailbox is one value of the fleet's store. It is replaced as a whole, by a write that fails if the value has
/// changed since it was read. So gateways need no other agreement: whatever two of them do with one device at the same
/// time happens in one order or the other.
package struct Mailbox: Hashable, Sendable {
    /// A device's stay at a gateway.
    package struct Visit: Hashable, Sendable {
        /// The gateway's process.
        package var node: UInt64
        package var number: UInt64

        package init(node: UInt64, number: UInt64) {
            self.node = node
            self.number = number
        }
    }

    /// The device's newest connection. It stays here when it has ended.
    package var visit: Visit?
    /// The device is at `visit`, as far as its gateway has said.
    package var isPresent = false
    /// When the device connected last, in milliseconds since 1970.
    package var seen: Int64
    /// The greatest number that any of its messages had.
    package private(set) var greatest: Int64 = 0
    /// By their numbers.
    package private(set) var messages: [PushMessage] = []

    package init(seen: Int64) { self.seen = seen }

    init(visit: Visit?, isPresent: Bool, seen: Int64, greatest: Int64, messages: [PushMessage]) {
        self.visit = visit
        self.isPresent = isPresent
        self.seen = seen
        self.greatest = greatest
        self.messages = messages
    }

    package enum Acceptance: Hashable, Sendable {
        /// It has this number now, and these are superseded by it.
        case added(Int64, superseded: [Int64])
        /// It is here already under this number: its provider or a gateway sent it again.
        case known(Int64)
        case full
    }

    /// A number for a message: its own, unless a clock that is behind gave it.
    package mutating func number(_ message: PushMessage) -> Int64 {
        greatest = max(greatest + 1, message.number)
        return greatest
    }

    /// - Parameter limit: bytes that the mailbox may have.
    package mutating func accept(_ message: PushMessage, _ superseding: Superseding, limit: Int) -> Acceptance {
        if let known = messages.first(where: { $0.isSame(as: message) }) { return .known(known.number) }
        let superseded = messages.filter { superseding.covers($0, in: message) }.map(\.number)
        var present = self
        present.messages.removeAll { superseded.contains($0.number) }
        var message = message
        message.number = present.number(message)
        present.messages.append(message)
        guard present.encodedCount <= limit else { return .full }
        self = present
        return .added(message.number, superseded: superseded)
    }

    /// `nil`: there is none with this number.
    package mutating func remove(_ number: Int64) -> PushMessage? {
        guard let index = messages.firstIndex(where: { $0.number == number }) else { return nil }
        return messages.remove(at: index)
    }

    /// Gives back the numbers of those that it removes.
    package mutating func removeAll(where isUnwanted: (PushMessage) -> Bool) -> [Int64] {
        let numbers = messages.filter(isUnwanted).map(\.number)
        if !numbers.isEmpty { messages.removeAll(where: isUnwanted) }
        return numbers
    }

    /// Takes in a message that another gateway has put into the stored mailbox. If its number may have been given here
    /// as well, it gets another one.
    package mutating func insert(_ message: PushMessage) {
        var message = message
        message.number = number(message)
        messages.append(message)
    }

    /// No number is given again that another state of this mailbox has given.
    package mutating func number(after other: Mailbox) { greatest = max(greatest, other.greatest) }

    package func contains(_ message: PushMessage) -> Bool { messages.contains { $0.isSame(as: message) } }

    /// Since when the device has not connected, in milliseconds since 1970, if that is too long.
    package func gone(at now: WallTime, rules: PushRules) -> Int64? {
        now - WallTime(nanoseconds: seen * 1_000_000) > rules.deviceLifetime ? seen : nil
    }
}

extension PushMessage {
    /// Whether it is the same request of a provider, whatever number it has.
    func isSame(as other: PushMessage) -> Bool {
        id == other.id && topic == other.topic && collapse == other.collapse && payload == other.payload
    }
}

extension Superseding {
    /// Whether an earlier message goes when a later one of the same device comes.
    func covers(_ earlier: PushMessage, in later: PushMessage) -> Bool {
        switch self {
        case .nothing: false
        case .collapse: earlier.topic == later.topic && earlier.collapse == later.collapse
        case .topic: earlier.topic == later.topic
        }
    }
}
