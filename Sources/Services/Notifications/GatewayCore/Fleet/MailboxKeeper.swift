package import Model

/// Keeps the mailbox of a device that is connected here.
///
///     opening ──written──→ open ──release──→ releasing ──written──→ closed
///
/// It has two mailboxes: the one that should be stored, and the one that is, as far as it knows. While they differ and
/// the difference matters, it writes. So it does not matter what happened in between: whatever the store says is
/// compared, and written again if need be. There is one read or write at a time; what comes meanwhile goes with the
/// next one.
package struct MailboxKeeper<Waiter: Sendable>: Sendable {
    package enum Action: Sendable {
        /// Answered by `read`. A replica may be behind; the leader is not.
        case read(fromLeader: Bool)
        /// Only if the stored value is still that of this sequence. Answered by `wrote`.
        case write(Mailbox, after: UInt64)
        /// Call `resume` after a moment.
        case pause
        /// Call `flush` after a moment: the device may acknowledge before.
        case flushSoon
        case answer(Waiter, MailboxOutcome)
        case deliver(PushMessage)
        /// The device can be loaded from here.
        case opened
        /// Something came for the device that was not delivered: it has to load again.
        case missed
        /// The device has connected to this gateway after it was at another one, which may not know it.
        case replaces(Mailbox.Visit, by: UInt64)
        /// The device has connected to another gateway.
        case replaced
        /// There is nothing more to do here.
        case closed
        case superseded(Int)
        case expired(Int)
    }

    private enum Phase: Sendable {
        case opening
        case open
        case releasing
        case closed
    }

    private enum Transfer: Sendable {
        case none
        case reading
        case writing(Mailbox)
        case pausing
    }

    private struct Waiting: Sendable {
        var key: Key
        var waiter: Waiter
    }

    package let visit: Mailbox.Visit
    private let limit: Int
    private var phase = Phase.opening
    private var transfer = Transfer.none
    /// The mailbox as it should be.
    private var mailbox: Mailbox
    /// The mailbox as it is stored; `nil` before it was read.
    private var stored: (mailbox: Mailbox?, sequence: UInt64)?
    /// Writes of which nothing is known: the stored mailbox may be one of these.
    private var uncertain: [Mailbox] = []
    private var mustRead = true
    private var needsLeader = false
    private var isFlushDue = false
    private var isFlushAwaited = false
    /// Messages that wait until this is open.
    private var early: [(message: PushMessage, isReading: Bool, waiter: Waiter)] = []
    /// What waits for messages to be stored, by their numbers. What waits for one that is superseded waits for it or
    /// for the later one.
    private var waiters: [Int64: [Waiting]] = [:]
    /// What waits until no message of a topic is stored.
    private var removals: [(topic: String, waiter: Waiter)] = []
    private var previous: Mailbox.Visit?

    /// - Parameter limit: bytes of a mailbox.
    package init(visit: Mailbox.Visit, limit: Int, now: WallTime) {
        self.visit = visit
        self.limit = limit
        mailbox = Mailbox(seen: now.milliseconds)
        mailbox.visit = visit
        mailbox.isPresent = true
    }

    /// Begins: the device is connected.
    package mutating func open(now: WallTime) -> [Action] { step(now) }

    package var isOpen: Bool {
        if case .open = phase { return true }
        return false
    }

    /// The device is not here any more. If it comes again, that is another visit, which needs a keeper of its own: it
    /// may have been elsewhere in between.
    package var isEnding: Bool {
        switch phase {
        case .opening, .open: false
        case .releasing, .closed: true
        }
    }

    /// What the device has not acknowledged, the urgent ones first.
    package func page(limit: Int, now: WallTime) -> (messages: [PushMessage], isAll: Bool) {
        let all = mailbox.messages.filter { !$0.hasExpired(at: now) }.sorted(by: PushMessage.isSooner)
        return (Array(all.prefix(limit)), all.count <= limit)
    }

    // MARK: What should be stored

    /// - Parameter isReading: the device takes messages as they come.
    package mutating func accept(
        _ message: PushMessage, isReading: Bool, _ waiter: Waiter, now: WallTime
    ) -> [Action] {
        switch phase {
        case .opening:
            early.append((message, isReading, waiter))
            return []
        case .releasing, .closed: return [.answer(waiter, .moved)]
        case .open: return add(message, isReading, waiter) + step(now)
        }
    }

    private mutating func add(_ message: PushMessage, _ isReading: Bool, _ waiter: Waiter) -> [Action] {
        guard message.isStored else {
            var message = message
            message.number = mailbox.number(message)
            return [.deliver(message), .answer(waiter, .accepted)]
        }
        switch mailbox.accept(message, Superseding.of(message, isReading: isReading), limit: limit) {
        case .full: return [.answer(waiter, .full)]
        case .known(let number):
            if isStored(message, as: number) { return [.answer(waiter, .accepted)] }
            waiters[number, default: []].append(Waiting(key: Key(number: number, id: message.id), waiter: waiter))
            return []
        case .added(let number, let superseded):
            var message = message
            message.number = number
            // As soon as this one is durable, those are superseded for good.
            waiters[number] =
                superseded.flatMap { waiters.removeValue(forKey: $0) ?? [] }
                + [Waiting(key: Key(message), waiter: waiter)]
            var actions: [Action] = superseded.isEmpty ? [] : [.superseded(superseded.count)]
            actions.append(.deliver(message))
            if !isReading {
                isFlushDue = true
            } else if !isFlushAwaited {
                isFlushAwaited = true
                actions.append(.flushSoon)
            }
            return actions
        }
    }

    private func isStored(_ message: PushMessage, as number: Int64) -> Bool {
        stored?.mailbox?.messages.contains { $0.number == number && $0.isSame(as: message) } ?? false
    }

    /// The device has a message.
    package mutating func acknowledge(_ number: Int64, now: WallTime) -> [Action] {
        _ = mailbox.remove(number)
        return answer([number], .accepted) + answerAll { $0.number == number } + step(now)
    }

    /// The device wants no more messages of a topic.
    package mutating func remove(topic: String, _ waiter: Waiter, now: WallTime) -> [Action] {
        let removed = mailbox.removeAll { $0.topic == topic }
        removals.append((topic, waiter))
        isFlushDue = true
        return answer(removed, .accepted) + settle() + step(now)
    }

    package mutating func flush(now: WallTime) -> [Action] {
        isFlushAwaited = false
        isFlushDue = true
        return step(now)
    }

    /// The device is not connected any more.
    package mutating func release(now: WallTime) -> [Action] {
        switch phase {
        case .opening, .open: phase = .releasing
        case .releasing, .closed: return []
        }
        mailbox.isPresent = false
        let left = early.map { Action.answer($0.waiter, .moved) }
        early = []
        return left + step(now)
    }

    // MARK: The store

    /// What to do next, if there is nothing under way.
    private mutating func step(_ now: WallTime) -> [Action] {
        guard case .none = transfer else { return [] }
        if case .closed = phase { return [] }
        guard !mustRead, let stored else {
            transfer = .reading
            return [.read(fromLeader: needsLeader)]
        }
        guard isDue(stored.mailbox) else {
            isFlushDue = false
            if case .releasing = phase { return close() }
            return []
        }
        isFlushDue = false
        let expired = mailbox.removeAll { $0.hasExpired(at: now) }
        transfer = .writing(mailbox)
        var actions = answer(expired, .accepted)
        if !expired.isEmpty { actions.append(.expired(expired.count)) }
        return actions + [.write(mailbox, after: stored.sequence)]
    }

    /// A message that is on its way to the device need not be written yet. All else has to be.
    private func isDue(_ stored: Mailbox?) -> Bool {
        guard let stored, stored.visit == visit, stored.isPresent == mailbox.isPresent else { return true }
        let wanted = mailbox.messages.map(Key.init)
        let present = stored.messages.map(Key.init)
        guard wanted != present else { return false }
        return isFlushDue || !mailbox.isPresent || !Set(present).isSubset(of: wanted)
    }

    /// Two gateways that do not hear each other may give two messages one number.
    private struct Key: Hashable {
        var number: Int64
        var id: String

        init(number: Int64, id: String) { (self.number, self.id) = (number, id) }
        init(_ message: PushMessage) { (number, id) = (message.number, message.id) }
    }

    private mutating func close() -> [Action] {
        phase = .closed
        let left = waiters.values.flatMap { $0 }.map(\.waiter) + early.map(\.waiter) + removals.map(\.waiter)
        (waiters, early, removals) = ([:], [], [])
        return left.map { .answer($0, .moved) } + [.closed]
    }

    package mutating func wrote(_ writing: MailboxWriting, now: WallTime) -> [Action] {
        guard case .writing(let written) = transfer else { return [] }
        transfer = .none
        if case .closed = phase { return [] }
        switch writing {
        case .done(let sequence): return hasStored(written, sequence) + step(now)
        case .conflict:
            (mustRead, needsLeader) = (true, true)
            return step(now)
        case .unknown:
            uncertain.append(written)
            (mustRead, needsLeader) = (true, true)
            transfer = .pausing
            return [.pause]
        }
    }

    private mutating func hasStored(_ written: Mailbox, _ sequence: UInt64) -> [Action] {
        stored = (written, sequence)
        uncertain = []
        needsLeader = false
        var actions = answerStored(written) + settle()
        guard case .opening = phase, written.visit == visit else { return actions }
        phase = .open
        if let previous, previous.node != visit.node { actions.append(.replaces(previous, by: sequence)) }
        previous = nil
        let waiting = early
        early = []
        for (message, isReading, waiter) in waiting { actions += add(message, isReading, waiter) }
        // Last of all: whatever is loaded from here has been delivered before, so that a device gets nothing twice.
        return actions + [.opened]
    }

    private mutating func answer(_ numbers: [Int64], _ outcome: MailboxOutcome) -> [Action] {
        numbers.flatMap { waiters.removeValue(forKey: $0) ?? [] }.map { .answer($0.waiter, outcome) }
    }

    private mutating func answerStored(_ stored: Mailbox) -> [Action] {
        guard !waiters.isEmpty else { return [] }
        let keys = Set(stored.messages.map(Key.init))
        let present = Set(mailbox.messages.map(Key.init)).intersection(keys).map(\.number)
        return answer(present.sorted(), .accepted) + answerAll { keys.contains($0) }
    }

    /// Answers what waits for these messages themselves, even if they are superseded by now.
    private mutating func answerAll(_ isDone: (Key) -> Bool) -> [Action] {
        var actions: [Action] = []
        for (number, waiting) in waiters {
            let left = waiting.filter { !isDone($0.key) }
            guard left.count < waiting.count else { continue }
            waiters[number] = left.isEmpty ? nil : left
            actions += waiting.filter { isDone($0.key) }.map { .answer($0.waiter, .accepted) }
        }
        return actions
    }

    /// Answers what waits until topics are gone.
    private mutating func settle() -> [Action] {
        guard !removals.isEmpty, let stored else { return [] }
        let topics = Set((stored.mailbox?.messages ?? []).map(\.topic))
        let done = removals.filter { !topics.contains($0.topic) }
        removals.removeAll { !topics.contains($0.topic) }
        return done.map { .answer($0.waiter, .accepted) }
    }

    package mutating func read(_ reading: MailboxReading, now: WallTime) -> [Action] {
        guard case .reading = transfer else { return [] }
        transfer = .none
        if case .closed = phase { return [] }
        guard case .found(let found, let sequence) = reading, sequence >= stored?.sequence ?? 0 || found == nil else {
            // It did not answer, or answered what was before: then it is not the leader, or not any more.
            needsLeader = true
            transfer = .pausing
            return [.pause]
        }
        mustRead = false
        if found?.visit == visit || stored?.mailbox?.visit == visit {
            return rebase(found, sequence, now)
        }
        if let found, found.isPresent, !uncertain.isEmpty, found.visit != stored?.mailbox?.visit {
            // While the store did not answer, the device went on to another gateway.
            return [.replaced] + close()
        }
        return begin(found, sequence) + step(now)
    }

    /// The device has just come here.
    private mutating func begin(_ found: Mailbox?, _ sequence: UInt64) -> [Action] {
        stored = (found, sequence)
        uncertain = []
        if let found {
            let seen = mailbox.seen
            let isPresent = mailbox.isPresent
            previous = found.isPresent ? found.visit : nil
            mailbox = found
            (mailbox.visit, mailbox.isPresent, mailbox.seen) = (visit, isPresent, seen)
        }
        // It was here for a moment only, and left no trace.
        if case .releasing = phase { return close() }
        return []
    }

    /// Compares the stored mailbox with what is known of it.
    private mutating func rebase(_ found: Mailbox?, _ sequence: UInt64, _ now: WallTime) -> [Action] {
        guard found == nil || found?.visit == visit else {
            // The device is elsewhere, or was since then.
            return [.replaced] + (found.map { answerStored($0) } ?? []) + close()
        }
        if let stored, stored.sequence == sequence, found != nil { return step(now) }
        guard let found, !found.isPresent, !uncertain.contains(found) else {
            // It is what was written here last, or it is lost.
            return hasStored(found ?? Mailbox(seen: mailbox.seen), sequence) + step(now)
        }
        // Another gateway has written it, since it could not reach this one.
        let known = [stored?.mailbox].compactMap { $0 } + uncertain
        let added = found.messages.filter { message in
            !known.contains { $0.contains(message) } && !mailbox.contains(message)
        }
        let superseded = mailbox.removeAll { message in
            known.contains { $0.contains(message) } && !found.contains(message)
                && added.contains { $0.topic == message.topic }
        }
        for message in added { mailbox.insert(message) }
        mailbox.number(after: found)
        let actions = hasStored(found, sequence) + answer(superseded, .accepted)
        return actions + (added.isEmpty ? [] : [.missed]) + step(now)
    }

    /// Called a moment after `pause`.
    package mutating func resume(now: WallTime) -> [Action] {
        guard case .pausing = transfer else { return [] }
        transfer = .none
        return step(now)
    }

    /// Another gateway says that it wrote this mailbox, or the connection to the store was interrupted.
    package mutating func check(fromLeader: Bool, now: WallTime) -> [Action] {
        guard stored != nil else { return [] }
        mustRead = true
        needsLeader = needsLeader || fromLeader
        return step(now)
    }

    /// Another gateway has the device, and wrote that in the store. What of this one's messages is stored is known when
    /// it was read.
    package mutating func replaced(_ visit: UInt64, by sequence: UInt64, now: WallTime) -> [Action] {
        guard visit == self.visit.number, !isEnding, let stored, stored.sequence < sequence else { return [] }
        return [.replaced] + release(now: now) + check(fromLeader: true, now: now)
    }
}
