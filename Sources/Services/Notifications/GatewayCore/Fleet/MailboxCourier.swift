package import Model

/// What became of a message.
package enum MailboxOutcome: Hashable, Sendable {
    /// It is durable, or its device has it.
    case accepted
    /// It was to be delivered now or never, and never it was.
    case dropped
    /// The device has not connected for longer than tokens live; since when, in milliseconds since 1970.
    case gone(since: Int64)
    case full
    /// The store does not answer.
    case unavailable
    /// The device is not at this gateway.
    case moved
}

/// What was read from the store.
package enum MailboxReading: Hashable, Sendable {
    /// The value that the write of this sequence left; `nil` and zero if there is none.
    case found(Mailbox?, sequence: UInt64)
    case failed
}

package enum MailboxWriting: Hashable, Sendable {
    case done(sequence: UInt64)
    /// Another write came first.
    case conflict
    /// It may be done, or be done later.
    case unknown
}

/// Brings one device's messages from the gateway that accepts them to the gateway where the device is connected, or
/// into its mailbox.
///
///     idle ──accept──→ reading ──absent──→ writing ──→ idle
///                         └──present──→ idle, and the other gateway answers
///
/// While a read or a write is under way, what comes gathers for the next. Messages keep their order.
package struct MailboxCourier<Waiter: Sendable>: Sendable {
    package enum Action: Sendable {
        /// Answered by `read`. A replica may be behind; the leader is not.
        case read(fromLeader: Bool)
        /// Only if the stored value is still that of this sequence. Answered by `wrote`.
        case write(Mailbox, after: UInt64)
        /// Give the message to the gateway where the device is. Answered by `told`.
        case tell(node: UInt64, PushMessage, ticket: UInt64)
        /// That gateway's mailbox was written here, since it did not answer.
        case warn(node: UInt64)
        /// Call `resume` after a moment.
        case pause
        case answer(Waiter, MailboxOutcome)
        case superseded(Int)
    }

    private struct Item: Sendable {
        var message: PushMessage
        var waiter: Waiter
        var deadline: Instant
    }

    private enum State: Sendable {
        case idle
        case reading
        case writing(Mailbox, [Item], replacing: UInt64?)
        case pausing
    }

    private var state = State.idle
    private var waiting: [Item] = []
    /// What other gateways were given and have not answered, by tickets.
    private var told: [UInt64: (item: Item, node: UInt64)] = [:]
    private var lastTicket: UInt64 = 0
    /// Where the device is, as far as is known.
    package private(set) var holder: UInt64?
    /// A gateway that the store says the device is at, and that does not know of it.
    private var vacant: UInt64?
    private var needsLeader = false

    private let rules: PushRules
    private let limit: Int

    /// - Parameters:
    ///   - holder: where the device was a moment ago.
    ///   - limit: bytes of a mailbox.
    package init(holder: UInt64?, rules: PushRules, limit: Int) {
        self.holder = holder
        self.rules = rules
        self.limit = limit
    }

    /// It has nothing to do.
    package var isIdle: Bool {
        if case .idle = state { return waiting.isEmpty && told.isEmpty }
        return false
    }

    package mutating func accept(_ message: PushMessage, _ waiter: Waiter, until deadline: Instant) -> [Action] {
        waiting.append(Item(message: message, waiter: waiter, deadline: deadline))
        return next()
    }

    private mutating func next() -> [Action] {
        guard case .idle = state, !waiting.isEmpty else { return [] }
        if let holder { return tell(holder) }
        state = .reading
        return [.read(fromLeader: needsLeader)]
    }

    private mutating func tell(_ node: UInt64) -> [Action] {
        let items = waiting
        waiting = []
        return items.map { item in
            lastTicket += 1
            told[lastTicket] = (item, node)
            return .tell(node: node, item.message, ticket: lastTicket)
        }
    }

    /// Takes items back that were on their way, to where they belong among those that came later.
    private mutating func takeBack(_ items: [Item]) {
        waiting = (waiting + items).sorted { $0.message.number < $1.message.number }
    }

    // MARK: The store

    package mutating func read(_ reading: MailboxReading, now: WallTime) -> [Action] {
        guard case .reading = state else { return [] }
        state = .idle
        switch reading {
        case .failed:
            needsLeader = true
            return pause()
        case .found(let mailbox, let sequence):
            if let mailbox, mailbox.isPresent, let node = mailbox.visit?.node, node != vacant {
                holder = node
                vacant = nil
                return next()
            }
            return write(mailbox ?? Mailbox(seen: now.milliseconds), after: sequence, now: now)
        }
    }

    /// The device is not connected.
    private mutating func write(_ mailbox: Mailbox, after sequence: UInt64, now: WallTime) -> [Action] {
        var mailbox = mailbox
        var actions: [Action] = []
        var added: [Item] = []
        let replacing = mailbox.isPresent ? mailbox.visit?.node : nil
        let gone = mailbox.gone(at: now, rules: rules)
        mailbox.isPresent = false
        for item in waiting {
            if !item.message.isStored {
                actions.append(.answer(item.waiter, .dropped))
            } else if let gone {
                actions.append(.answer(item.waiter, .gone(since: gone)))
            } else {
                switch mailbox.accept(item.message, .topic, limit: limit) {
                case .added(_, let superseded):
                    added.append(item)
                    if !superseded.isEmpty { actions.append(.superseded(superseded.count)) }
                case .known: actions.append(.answer(item.waiter, .accepted))
                case .full: actions.append(.answer(item.waiter, .full))
                }
            }
        }
        waiting = []
        guard !added.isEmpty else { return actions }
        state = .writing(mailbox, added, replacing: replacing)
        return actions + [.write(mailbox, after: sequence)]
    }

    package mutating func wrote(_ writing: MailboxWriting, now: WallTime) -> [Action] {
        guard case .writing(let mailbox, let items, let replaced) = state else { return [] }
        state = .idle
        switch writing {
        case .done(let sequence):
            needsLeader = false
            vacant = nil
            var actions = items.map { Action.answer($0.waiter, .accepted) }
            if let replaced { actions.append(.warn(node: replaced)) }
            // What has gathered needs no reading: if the value changes, so does the sequence.
            if !waiting.isEmpty { actions += write(mailbox, after: sequence, now: now) }
            return actions
        case .conflict:
            needsLeader = true
            takeBack(items)
            return next()
        case .unknown:
            // To put a message in that is there already changes nothing.
            needsLeader = true
            takeBack(items)
            return pause()
        }
    }

    // MARK: The other gateway

    /// What the gateway answered that was given a message; `nil`: nothing.
    package mutating func told(_ ticket: UInt64, _ outcome: MailboxOutcome?) -> [Action] {
        guard let (item, node) = told.removeValue(forKey: ticket) else { return [] }
        switch outcome {
        case .accepted, .dropped, .full, .gone, .unavailable:
            return [.answer(item.waiter, outcome ?? .unavailable)]
        case .moved:
            if holder == node { holder = nil }
            // If the store still says that the device is there, then it was, and its gateway is no more.
            vacant = node
            needsLeader = true
            takeBack([item])
            return next()
        case nil:
            if holder == node { holder = nil }
            guard item.message.isStored else { return [.answer(item.waiter, .dropped)] }
            needsLeader = true
            takeBack([item])
            return pause()
        }
    }

    // MARK: Time

    private mutating func pause() -> [Action] {
        guard case .idle = state else { return [] }
        state = .pausing
        return [.pause]
    }

    package mutating func resume() -> [Action] {
        guard case .pausing = state else { return [] }
        state = .idle
        return next()
    }

    /// Called now and then. Requests do not wait for ever; what is being written has a limit of its own.
    package mutating func tick(at now: Instant) -> [Action] {
        var actions: [Action] = []
        waiting.removeAll { item in
            guard item.deadline < now else { return false }
            actions.append(.answer(item.waiter, .unavailable))
            return true
        }
        for (ticket, entry) in told where entry.item.deadline < now {
            told[ticket] = nil
            if holder == entry.node { holder = nil }
            actions.append(.answer(entry.item.waiter, .unavailable))
        }
        return actions
    }
}

extension WallTime {
    var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
