package import Model
package import PushLink

/// The cryptography of a link, which is its owner's.
package struct LinkProof: Sendable {
    /// The names by which devices reach this gateway.
    package var names: [String]
    /// SHA-256.
    package var digest: @Sendable ([UInt8]) -> [UInt8]
    /// Whether a signature is that of a key over a text.
    package var isSigned: @Sendable (_ key: [UInt8], _ text: [UInt8], _ signature: [UInt8]) -> Bool

    package init(
        names: [String], digest: @escaping @Sendable ([UInt8]) -> [UInt8],
        isSigned: @escaping @Sendable (_ key: [UInt8], _ text: [UInt8], _ signature: [UInt8]) -> Bool
    ) {
        self.names = names
        self.digest = digest
        self.isSigned = isSigned
    }

    func isProven(key: [UInt8], nonce: [UInt8], signature: [UInt8]) -> Bool {
        names.contains { isSigned(key, LinkRules.proof(nonce: nonce, gateway: $0), signature) }
    }
}

/// The gateway's end of a device's connection.
///
///     greeting ──hello──→ challenged ──prove──→ open ──→ closed
///
/// What a device is sent and has not acknowledged is bounded. Beyond that bound, or while it does not read, the device
/// is *behind*: nothing more is kept for it here, since the store has it, and is loaded from there.
package struct LinkSession: Sendable {
    package enum Action: Hashable, Sendable {
        case send(GatewayRecord)
        /// The device has proven that it is this one: any older connection of it ends.
        case attach(DeviceID)
        /// Load so many messages of the store, urgent ones first. Answered by `loaded` or `loadFailed`.
        case load(DeviceID, limit: Int)
        /// It need not be kept any longer.
        case acknowledge(DeviceID, Int64)
        /// Answered by `send` of a token.
        case register(DeviceID, topic: String)
        case unregister(DeviceID, topic: String)
        /// Close the connection once everything has been sent.
        case close
    }

    private struct Open: Sendable {
        var device: DeviceID
        var unacknowledged: Set<Int64> = []
        var isBehind = true
        var isLoading = false
        /// Something came for the store during the loading.
        var hasMissed = false
        /// What was acknowledged during the loading may be among what is loaded.
        var settled: Set<Int64> = []
        /// What may wait for something else, and what does.
        var quiet = QuietMessages()
        /// It is behind only because what waited is loaded.
        var sendsQuiet = false
    }

    private enum State: Sendable {
        case greeting
        case challenged(key: [UInt8], nonce: [UInt8])
        case open(Open)
        case closed
    }

    private var state = State.greeting
    private let began: Instant
    private var heard: Instant
    /// Since when the other end has read nothing of what waits for it.
    private var stalled: Instant?
    /// Records but acknowledgements, in this minute.
    private var records = 0
    private var minute: Instant

    private static let recordsPerMinute = 4000

    package init(at now: Instant) {
        began = now
        heard = now
        minute = now
    }

    package var device: DeviceID? {
        if case .open(let open) = state { return open.device }
        return nil
    }

    /// The device takes messages as they come.
    package var isReading: Bool {
        if case .open(let open) = state { return !open.isBehind || open.sendsQuiet }
        return false
    }

    /// Nothing is due but the end of a long silence.
    package var isSettled: Bool {
        switch state {
        case .greeting, .challenged: false
        case .open, .closed: stalled == nil
        }
    }

    package var isClosed: Bool {
        if case .closed = state { return true }
        return false
    }

    // MARK: From the device

    /// - Parameter nonce: makes a random challenge.
    package mutating func receive(
        _ record: AgentRecord, rules: PushRules, proof: LinkProof, nonce: () -> [UInt8], at now: Instant
    ) -> [Action] {
        heard = now
        guard isWithinRate(record, now) else { return end(.badRecord) }
        switch (state, record) {
        case (.greeting, .hello(let key)):
            let nonce = nonce()
            state = .challenged(key: key, nonce: nonce)
            return [.send(.challenge(nonce: nonce))]
        case (.challenged(let key, let nonce), .prove(let signature)):
            guard let device = DeviceID(digest: proof.digest(key)),
                proof.isProven(key: key, nonce: nonce, signature: signature)
            else { return end(.badProof) }
            var open = Open(device: device)
            open.isLoading = true
            state = .open(open)
            let keepAlive = Int(rules.deviceSilence.seconds)
            return [
                .send(.welcome(device: device.description, keepAlive: keepAlive, server: proof.names.first ?? "")),
                .attach(device), .load(device, limit: rules.unacknowledged),
            ]
        case (.open(var open), .ack(let number)):
            // A number that it was not sent is not its own to acknowledge.
            guard open.unacknowledged.remove(number) != nil else { return [] }
            if open.isLoading { open.settled.insert(number) }
            let load = catchUp(&open, rules)
            state = .open(open)
            return [.acknowledge(open.device, number)] + load
        case (.open(var open), .register), (.open(var open), .unregister), (.open(var open), .ping),
            (.open(var open), .hold), (.open(var open), .patience):
            let actions = said(record, &open, rules)
            state = .open(open)
            return actions
        case (.closed, _): return []
        case (.greeting, _), (.challenged, _), (.open, .hello), (.open, .prove): return end(.badRecord)
        }
    }

    private mutating func isWithinRate(_ record: AgentRecord, _ now: Instant) -> Bool {
        if case .ack = record { return true }
        if now - minute > .seconds(60) {
            minute = now
            records = 0
        }
        records += 1
        return records <= Self.recordsPerMinute
    }

    /// What a device says that it has proven to be.
    private func said(_ record: AgentRecord, _ open: inout Open, _ rules: PushRules) -> [Action] {
        switch record {
        case .hello, .prove, .ack: return []
        case .register(let topic): return [.register(open.device, topic: topic)] + sendQuiet(&open, rules)
        case .unregister(let topic): return [.unregister(open.device, topic: topic)] + sendQuiet(&open, rules)
        case .ping: return [.send(.pong)] + sendQuiet(&open, rules)
        case .hold(let topic, let hold):
            return open.quiet.set(hold, topic, at: heard) ? sendQuiet(&open, rules) : []
        case .patience(let seconds):
            open.quiet.set(patience: .seconds(Double(seconds)))
            return []
        }
    }

    /// The device's radio is awake: what has waited for that is loaded.
    private func sendQuiet(_ open: inout Open, _ rules: PushRules) -> [Action] {
        guard !open.quiet.isEmpty else { return [] }
        open.quiet.takeAll()
        open.sendsQuiet = open.sendsQuiet || !open.isBehind
        open.isBehind = true
        open.hasMissed = open.isLoading
        return catchUp(&open, rules)
    }

    // MARK: To the device

    /// When `tick` sends what has waited until now without anything else to go with.
    package var due: Instant? {
        if case .open(let open) = state { return open.quiet.due }
        return nil
    }

    /// A message was accepted for the device.
    /// - Returns: nothing if the device is behind; what the store does not have is lost then.
    package mutating func deliver(_ message: PushMessage, rules: PushRules, at now: Instant) -> [Action] {
        guard case .open(var open) = state else { return [] }
        if !open.isBehind, stalled == nil, open.unacknowledged.count < rules.unacknowledged {
            if let limit = open.quiet.limit(of: message, heard: heard, at: now) {
                let old = open.quiet.keep(message, until: limit)
                state = .open(open)
                return old.map { [.acknowledge(open.device, $0)] } ?? []
            }
            open.unacknowledged.insert(message.number)
            let quiet = sendQuiet(&open, rules)
            state = .open(open)
            return [.send(message.record)] + quiet
        }
        if message.isStored {
            open.isBehind = true
            open.hasMissed = open.isLoading
            state = .open(open)
        }
        return []
    }

    /// What the store has for the device.
    /// - Parameter isAll: there is nothing after these.
    package mutating func loaded(
        _ messages: [PushMessage], isAll: Bool, rules: PushRules, now: WallTime
    ) -> [Action] {
        guard case .open(var open) = state else { return [] }
        open.isLoading = false
        var actions: [Action] = []
        var isWhole = isAll
        for message in messages.sorted(by: PushMessage.isSooner)
        where !open.unacknowledged.contains(message.number) && !open.settled.contains(message.number)
            && !message.hasExpired(at: now)
        {
            guard open.unacknowledged.count < rules.unacknowledged else {
                isWhole = false
                break
            }
            open.unacknowledged.insert(message.number)
            actions.append(.send(message.record))
        }
        open.isBehind = !isWhole || open.hasMissed
        open.hasMissed = false
        open.sendsQuiet = false
        open.settled = []
        actions += catchUp(&open, rules)
        state = .open(open)
        return actions
    }

    /// The store could not be read. Asked again by the next acknowledgement or tick: at once would be a busy loop.
    package mutating func loadFailed() {
        guard case .open(var open) = state else { return }
        open.isLoading = false
        open.settled = []
        state = .open(open)
    }

    /// Loads more when there is room for it.
    private func catchUp(_ open: inout Open, _ rules: PushRules) -> [Action] {
        guard open.isBehind, !open.isLoading, stalled == nil,
            open.unacknowledged.count <= rules.unacknowledged / 2
        else { return [] }
        open.isLoading = true
        // What is on its way is in the store as well, and comes again.
        return [.load(open.device, limit: rules.unacknowledged + open.unacknowledged.count)]
    }

    /// The store has something that the device was not given.
    package mutating func missed(rules: PushRules) -> [Action] {
        guard case .open(var open) = state else { return [] }
        open.isBehind = true
        open.hasMissed = open.isLoading
        let load = catchUp(&open, rules)
        state = .open(open)
        return load
    }

    /// The other end reads again, or not any more.
    package mutating func writable(_ isWritable: Bool, rules: PushRules, at now: Instant) -> [Action] {
        stalled = isWritable ? nil : stalled ?? now
        guard isWritable, case .open(var open) = state else { return [] }
        let load = catchUp(&open, rules)
        state = .open(open)
        return load
    }

    // MARK: The end

    /// Called now and then.
    package mutating func tick(rules: PushRules, at now: Instant) -> [Action] {
        if let stalled, now - stalled > rules.deviceStall { return end(.tooSlow) }
        switch state {
        case .greeting, .challenged: return now - began > rules.greeting ? end(.idleTimeout) : []
        case .open(var open):
            if now - heard > rules.deviceSilence { return end(.idleTimeout) }
            let isDue = open.quiet.due.map { $0 <= now } ?? false
            let load = isDue ? sendQuiet(&open, rules) : catchUp(&open, rules)
            state = .open(open)
            return load
        case .closed: return []
        }
    }

    /// - Parameter after: when the device should come back, in seconds; `nil`: as the reason has it.
    package mutating func end(_ reason: LinkGoodbye, after: Double? = nil) -> [Action] {
        guard !isClosed else { return [] }
        state = .closed
        return [.send(.goaway(after: after ?? reason.pause, reason: reason.rawValue)), .close]
    }

    /// The connection is gone.
    package mutating func closed() { state = .closed }
}

extension LinkGoodbye {
    /// Seconds after which a device should connect again. One that does what it should not, or has a twin, waits.
    fileprivate var pause: Double {
        switch self {
        case .idleTimeout: 0
        case .shutdown, .serviceUnavailable: 2
        case .tooSlow: 10
        case .replaced, .badRecord, .badProof: 60
        }
    }
}
