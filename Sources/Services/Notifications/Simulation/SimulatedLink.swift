internal import Model
internal import PushLink
internal import Simulation

/// The device's end of the link, as `LinkAgent` is in `greenroom-pushd`: when it connects, what it says, and what it
/// makes of silence. What is said takes the time and the energy that the simulated network takes for its bytes.
struct SimulatedLink: Sendable {
    /// Valid transitions: off ↔ waiting → connecting → open → waiting.
    enum Phase: Hashable {
        case off
        /// `nil`: until something changes.
        case waiting(until: Instant?)
        case connecting(until: Instant)
        case open
    }

    /// What goes over the network in one direction, one portion after another.
    struct Lane<Record: Sendable>: Sendable {
        var waiting: [Record] = []
        /// What is on its way.
        var moving: [Record] = []

        mutating func clear() { (waiting, moving) = ([], []) }
    }

    private(set) var phase = Phase.off
    private var backoff = Backoff()
    private var random: SplitMix64
    private var isWanted = false
    /// As the daemon says; `nil`: there is none.
    private var network: String?
    private var openedAt = Instant.zero
    /// The way that the connection was made through is gone, and nobody has said so.
    private(set) var isDead = false
    var up = Lane<AgentRecord>()
    var down = Lane<GatewayRecord>()
    /// The gateway closes behind what it has said.
    var endsBehind = false
    // Of this connection.
    private var registering: Set<String> = []
    private var unregistering: Set<String> = []
    private var unacknowledged: Set<Int64> = []

    /// For a welcome to come, as the real agent has it.
    private static let patience = Span.seconds(20)
    private static let steady = Span.seconds(60)

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    var isOpen: Bool { phase == .open }
    /// There is a connection, or one is being made.
    var isConnected: Bool {
        switch phase {
        case .off, .waiting: false
        case .connecting, .open: true
        }
    }

    var deadline: Instant? {
        switch phase {
        case .off, .open: nil
        case .waiting(let until): until
        case .connecting(let until): until
        }
    }

    /// What follows from a change, for the shell.
    enum Outcome: Hashable {
        case connect
        case close
    }

    // MARK: Whether there is to be a connection

    mutating func want(_ isWanted: Bool, at now: Instant) -> [Outcome] {
        guard isWanted != self.isWanted else { return [] }
        self.isWanted = isWanted
        return consider(now)
    }

    /// Through another network nothing of the old connection arrives.
    mutating func set(network: String?, at now: Instant) -> [Outcome] {
        guard network != self.network else { return [] }
        self.network = network
        let left = leave()
        backoff.succeeded()
        return left + consider(now)
    }

    mutating func consider(_ now: Instant) -> [Outcome] {
        guard isWanted else {
            // The end of the last topic is yet to be heard of.
            if isOpen, !unregistering.isEmpty { return [] }
            return leave()
        }
        guard case .off = phase else { return [] }
        guard network != nil else {
            phase = .waiting(until: nil)
            return []
        }
        phase = .connecting(until: now + Self.patience)
        (isDead, endsBehind) = (false, false)
        (registering, unregistering, unacknowledged) = ([], [], [])
        return [.connect]
    }

    private mutating func leave(for next: Phase = .off) -> [Outcome] {
        let wasConnected = isConnected
        phase = next
        up.clear()
        down.clear()
        return wasConnected ? [.close] : []
    }

    /// The connection is over, or was never there; another one follows.
    mutating func lost(at now: Instant, after seconds: Double? = nil) -> [Outcome] {
        guard isConnected else { return [] }
        if isOpen, now - openedAt >= Self.steady { backoff.succeeded() }
        let part = Double(random.next() >> 11) / Double(1 << 53)
        let wait = seconds.map { backoff.wait(after: $0, part) } ?? backoff.wait(part)
        return leave(for: isWanted ? .waiting(until: network == nil ? nil : now + wait) : .off)
    }

    mutating func timePassed(_ now: Instant) -> [Outcome] {
        guard let deadline, deadline <= now else { return [] }
        switch phase {
        case .off, .open: return []
        case .waiting:
            phase = .off
            return consider(now)
        case .connecting: return lost(at: now)
        }
    }

    mutating func die() { if isConnected { isDead = true } }

    mutating func opened(at now: Instant) {
        phase = .open
        openedAt = now
    }

    var networkName: String { network ?? "" }

    // MARK: What is said

    mutating func register(_ topic: String) {
        if isOpen, registering.insert(topic).inserted { up.waiting.append(.register(topic: topic)) }
    }

    mutating func unregister(_ topic: String) {
        if isOpen, unregistering.insert(topic).inserted { up.waiting.append(.unregister(topic: topic)) }
    }

    mutating func acknowledge(_ number: Int64) {
        if isOpen, unacknowledged.remove(number) != nil { up.waiting.append(.ack(number: number)) }
    }

    mutating func ping() { say(.ping) }

    mutating func say(_ record: AgentRecord) { if isOpen { up.waiting.append(record) } }

    mutating func heard(_ record: GatewayRecord) {
        switch record {
        case .token(let topic, _): registering.remove(topic)
        case .unregistered(let topic): unregistering.remove(topic)
        case .refused(let topic, _):
            registering.remove(topic)
            unregistering.remove(topic)
        case .push(let push): unacknowledged.insert(push.number)
        case .challenge, .welcome, .pong, .goaway: break
        }
    }
}
