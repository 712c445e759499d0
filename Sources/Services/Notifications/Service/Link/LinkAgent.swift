internal import Dispatch
internal import LinuxSystem
internal import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import PushLink

/// The device's end of the link: connects to the gateway while an app wants pushes, proves the device's key, and
/// connects again when the connection ends, later each time.
///
/// Unchecked: used on the service's queue only.
final class LinkAgent: @unchecked Sendable {
    /// What the service makes of it. All of it is called on the queue.
    protocol Client: AnyObject {
        func link(_ news: LinkNews)
        /// To be acknowledged when it is durable.
        func link(received push: LinkPush)
        /// What went over the network.
        func link(moved traffic: LinkTraffic)
        /// `state` and `deadline` are others.
        func linkChanged()
    }

    /// Valid transitions: off ↔ waiting → connecting → open → waiting.
    private enum Phase {
        case off
        /// `nil`: until something changes.
        case waiting(until: Instant?)
        case connecting(LinkChannel, LinkSession, until: Instant)
        case open(LinkChannel, LinkSession)

        var kind: Int {
            switch self {
            case .off: 0
            case .waiting: 1
            case .connecting: 2
            case .open: 3
            }
        }
    }

    private let queue: DispatchQueue
    private let folder: String
    private weak var client: (any Client)?
    private var phase = Phase.off { didSet { if oldValue.kind != phase.kind { moved() } } }
    private var key: DeviceKey?
    private var backoff: Backoff
    /// News of a channel that is given up is not heard.
    private var channels: UInt64 = 0
    private var openedAt = Instant.zero
    private var isLocal = false
    private var waitsForRoom = false
    private var hasEnded = false
    private var meter = LinkTraffic()
    private var isCounting = false

    private(set) var target: LinkTarget?
    /// Why the last connection ended, or never began.
    private(set) var trouble: String?
    private(set) var server: String?
    private(set) var acknowledged: Int64?
    private(set) var lastAnswer: Int64?
    private var since = Clock.wall()
    /// What the machine is connected by; `nil`: nothing.
    private var network: String?
    private var isWanted = false

    /// For a welcome to come.
    private static let patience = Span.seconds(20)
    /// A connection that lasted so long was none of those that end at once.
    private static let steady = Span.seconds(60)

    init(_ queue: DispatchQueue, folder: String, firstRetry: Span) {
        (self.queue, self.folder) = (queue, folder)
        backoff = Backoff(first: firstRetry)
    }

    func begin(_ client: any Client) { self.client = client }

    // MARK: Status

    enum State: Hashable {
        case off
        case waiting(until: Instant?)
        case connecting, connected
    }

    var state: State {
        switch phase {
        case .off: .off
        case .waiting(let until): .waiting(until: until)
        case .connecting: .connecting
        case .open: .connected
        }
    }

    /// By the wall clock.
    var stateSince: Int64 { since }
    var device: String? { key?.device }

    /// When `timePassed` has to be called at the latest.
    var deadline: Instant? {
        switch phase {
        case .off, .open: nil
        case .waiting(let until): until
        case .connecting(_, _, let until): until
        }
    }

    private func moved() {
        since = Clock.wall()
        // Not in the middle of it.
        queue.async { [weak self] in self?.client?.linkChanged() }
    }

    // MARK: Whether there is to be a connection

    /// Another gateway, or none: what was is over.
    func set(_ target: LinkTarget?) {
        guard target != self.target else { return }
        leave()
        self.target = target
        (trouble, server, acknowledged, lastAnswer) = (nil, nil, nil, nil)
        backoff.succeeded()
        consider()
    }

    /// Whether an app is registered for pushes.
    func want(_ isWanted: Bool) {
        guard isWanted != self.isWanted else { return }
        self.isWanted = isWanted
        consider()
    }

    /// Through another network nothing of the old connection arrives.
    func set(network: String?) {
        guard network != self.network else { return }
        self.network = network
        leave()
        backoff.succeeded()
        consider()
    }

    func end() {
        leave()
        hasEnded = true
    }

    private func consider() {
        guard let target, isWanted, !hasEnded else {
            // The end of the last topic is yet to be heard of.
            if target != nil, !hasEnded, case .open(_, let session) = phase, session.awaitsEnd { return }
            leave()
            return
        }
        guard case .off = phase else { return }
        guard network != nil else {
            phase = .waiting(until: nil)
            return
        }
        connect(to: target)
    }

    private func leave(for next: Phase = .off) {
        let before = phase
        // Whoever hears of it finds it so.
        phase = next
        switch before {
        case .off, .waiting: break
        case .connecting(let channel, _, _): drop(channel)
        case .open(let channel, _):
            drop(channel)
            client?.link(.down)
        }
    }

    private func drop(_ channel: LinkChannel) {
        channels += 1
        waitsForRoom = false
        count(channel)
        channel.close()
    }

    /// The connection is over, or was never there; another one follows.
    private func lost(_ reason: String, after seconds: Double? = nil) {
        let now = Instant(nanoseconds: Clock.boot())
        if case .open = phase, now - openedAt >= Self.steady { backoff.succeeded() }
        trouble = reason
        let part = Double.random(in: 0...1)
        let wait = seconds.map { backoff.wait(after: $0, part) } ?? backoff.wait(part)
        let isOver = target == nil || !isWanted || hasEnded
        leave(for: isOver ? .off : .waiting(until: network == nil ? nil : now + wait))
    }

    func timePassed(_ now: Instant) {
        guard let deadline, deadline <= now else { return }
        switch phase {
        case .off, .open: break
        case .waiting:
            phase = .off
            consider()
        case .connecting: lost("the gateway does not answer")
        }
    }

    private func connect(to target: LinkTarget) {
        do throws(DeviceKey.Failure) {
            if key == nil { key = try DeviceKey(in: folder) }
        } catch {
            Diagnostics.write(error.description)
            trouble = error.description
            // Somebody has to do something about it; until then nothing changes.
            phase = .waiting(until: Instant(nanoseconds: Clock.boot()) + Backoff.longest)
            return
        }
        guard let key else { return }
        channels += 1
        let number = channels
        let channel = LinkChannel { [weak self, queue] news in
            queue.async { [weak self] in self?.heard(news, of: number) }
        }
        phase = .connecting(
            channel, LinkSession(device: key.device), until: Instant(nanoseconds: Clock.boot()) + Self.patience * 2)
        channel.connect(to: target)
    }

    // MARK: What comes

    private func heard(_ news: LinkChannel.News, of number: UInt64) {
        guard number == channels else { return }
        switch (news, phase) {
        case (.connected(let isLocal), .connecting(let channel, let session, _)):
            self.isLocal = isLocal
            guard let key else { return }
            phase = .connecting(channel, session, until: Instant(nanoseconds: Clock.boot()) + Self.patience)
            channel.send(.hello(key: key.publicKey))
        case (.records(let records), .connecting(let channel, _, _)), (.records(let records), .open(let channel, _)):
            for record in records {
                // What follows a fault is not heard, nor what follows the end.
                guard number == channels else { return }
                heard(record)
            }
            guard number == channels else { return }
            count(channel)
            waitsForRoom = true
            readOn()
        case (.ended(let reason), .connecting), (.ended(let reason), .open): lost(reason)
        case (.connected, _), (.records, _), (.ended, _): break
        }
    }

    private func heard(_ record: GatewayRecord) {
        do throws(LinkFault) {
            switch try hear(record) {
            case nil: break
            case .sign(let nonce): prove(nonce)
            case .opened(let keepAlive, let server): opened(keepAlive, server)
            case .token(let topic, let token): client?.link(.token(topic: topic, token))
            case .unregistered: consider()
            case .refused(let topic, let reason): client?.link(.tokenRefused(topic: topic, reason))
            case .push(let push):
                meter.pushes[push.topic, default: 0] += Int64(push.payload.utf8.count)
                client?.link(received: push)
                return
            case .pong:
                lastAnswer = Clock.wall()
                client?.link(.keepAliveAnswered)
                return
            case .leave(let after, let reason):
                return lost("the gateway sent the device away: \(reason.prefix(100))", after: after)
            }
            if case .open = phase { client?.link(.traffic) }
        } catch {
            lost(error.description)
        }
    }

    private func hear(_ record: GatewayRecord) throws(LinkFault) -> LinkSession.Outcome? {
        switch phase {
        case .off, .waiting: return nil
        case .connecting(let channel, var session, let until):
            let outcome = try session.hear(record)
            phase = .connecting(channel, session, until: until)
            return outcome
        case .open(let channel, var session):
            let outcome = try session.hear(record)
            phase = .open(channel, session)
            return outcome
        }
    }

    private func prove(_ nonce: [UInt8]) {
        guard case .connecting(let channel, _, _) = phase, let target,
            let signature = key?.signature(of: LinkRules.proof(nonce: nonce, gateway: target.host))
        else { return lost("the device cannot prove its key") }
        channel.send(.prove(signature: signature))
    }

    private func opened(_ keepAlive: Int, _ server: String) {
        guard case .connecting(let channel, let session, _) = phase, let network else { return }
        phase = .open(channel, session)
        openedAt = Instant(nanoseconds: Clock.boot())
        self.server = server
        client?.link(.up(network: network, longestKeepAlive: .seconds(Double(keepAlive))))
    }

    /// The gateway waits while what it sent is not yet durable.
    private func readOn() {
        guard waitsForRoom else { return }
        switch phase {
        case .off, .waiting: break
        case .connecting(let channel, let session, _), .open(let channel, let session):
            guard !session.isFull else { return }
            waitsForRoom = false
            channel.readOn()
        }
    }

    // MARK: What is said

    private func say(_ record: AgentRecord, if mayBeSaid: (inout LinkSession) -> Bool) {
        guard case .open(let channel, var session) = phase else { return }
        let isSaid = mayBeSaid(&session)
        phase = .open(channel, session)
        guard isSaid else { return }
        channel.send(record)
        countSoon()
    }

    /// While there is no connection it is not said; whoever wants it says it again when there is one.
    func register(_ topic: String) { say(.register(topic: topic)) { $0.register(topic) } }
    func unregister(_ topic: String) { say(.unregister(topic: topic)) { $0.unregister(topic) } }
    func ping() { say(.ping) { $0.ping() } }
    func hold(_ topic: String, _ hold: GatewayHold) { say(.hold(topic, hold)) { $0.isOpen } }
    func patience(_ span: Span) { say(.patience(span)) { $0.isOpen } }

    func acknowledge(_ number: Int64) {
        say(.ack(number: number)) { $0.acknowledge(number) }
        acknowledged = max(acknowledged ?? 0, number)
        readOn()
    }

    /// Nothing comes any more.
    func isDead() {
        if case .open = phase { lost("a keep-alive was not answered") }
    }

    // MARK: What it costs

    /// What comes together is told together.
    private func countSoon() {
        guard !isCounting else { return }
        isCounting = true
        queue.asyncAfter(deadline: .now() + 1) { [weak self] in
            guard let self else { return }
            isCounting = false
            switch phase {
            case .off, .waiting: break
            case .connecting(let channel, _, _), .open(let channel, _): count(channel)
            }
            guard meter.sent + meter.received > 0 else { return }
            let traffic = meter
            meter = LinkTraffic()
            if !isLocal { client?.link(moved: traffic) }
        }
    }

    private func count(_ channel: LinkChannel) {
        let counts = channel.takeCounts()
        guard let time = counts.time else { return }
        if meter.sent + meter.received == 0 { meter.from = time.lowerBound }
        meter.to = time.upperBound
        meter.sent += counts.sent
        meter.received += counts.received
        countSoon()
    }
}

/// What went over the network within a second or so.
struct LinkTraffic: Sendable {
    var sent: Int64 = 0
    var received: Int64 = 0
    /// When its first and its last bytes went or came, by the wall clock.
    var from: Int64 = 0
    var to: Int64 = 0
    /// Bytes of payloads, by their topics.
    var pushes: [String: Int64] = [:]
}
