internal import Model

/// The connection to the gateway, as far as its keep-alives go.
struct Link: Sendable {
    var isUp = false
    var network = ""
    var interval = Span.zero
    /// What the gateway bears.
    var longest = Span.longest
    /// Something came or went.
    var lastUse = Instant.zero
    /// A keep-alive was sent then, and nothing came since.
    var askedAt: Instant?
    /// So long nothing had gone through the connection when that was sent.
    var silence = Span.zero
    /// Kept by network, the least recently used one goes.
    var networks: [String: NetworkRecord] = [:]
    /// Apps that have registered and have no token.
    var wanted: Set<AppIdentifier> = []
    /// It was said whether there is a gateway.
    var isConfigured: Bool?
    /// What the gateway was told of silent pushes on this connection.
    var advice = GatewayAdvice()
    /// When it was last able to let silent pushes through for nothing.
    var opening: PushOpening?

    /// With a warm radio half of the interval is enough.
    func nextInstant(_ conditions: NotificationConditions) -> Instant? {
        guard isUp else { return nil }
        let span = min(interval, longest)
        return lastUse + (conditions.isRadioWarm ? Span(nanoseconds: span.nanoseconds / 2) : span)
    }
}

extension NotificationSystem {
    mutating func linkNews(_ news: LinkNews) {
        switch news {
        case .up(let network, let longest): linkIsUp(network, longest)
        case .down: linkIsDown()
        case .keepAliveAnswered: keepAliveAnswered()
        case .traffic: linkWasUsed()
        case .token(let topic, let token): tokenArrived(topic, token)
        case .tokenRefused(let topic, let reason): tokenRefused(topic, reason)
        case .gateway(let name): gatewayIs(name)
        }
    }

    // MARK: Keep-alives

    private mutating func linkIsUp(_ network: String, _ longest: Span?) {
        link.isUp = true
        link.network = String(network.prefix(64))
        link.interval = link.networks[link.network]?.keepAlive ?? rules.firstKeepAlive
        link.longest = max(longest ?? .longest, .seconds(1))
        link.lastUse = now
        link.askedAt = nil
        link.advice = GatewayAdvice()
        for app in link.wanted.inOrder {
            effects.append(.register(topic: app.rawValue))
        }
        adviseGateway()
        scheduleKeepAlive()
    }

    private mutating func linkIsDown() {
        // A connection that ends while it is asked was dead for a while; any other end says nothing of the network.
        if link.isUp, link.askedAt != nil { learn(isAlive: false) }
        link.isUp = false
        link.askedAt = nil
        scheduleKeepAlive()
    }

    mutating func linkWasUsed() {
        guard link.isUp else { return }
        link.lastUse = now
        link.askedAt = nil
        adviseGateway()
        scheduleKeepAlive()
    }

    private mutating func keepAliveAnswered() {
        guard link.isUp else { return }
        // Sent before its time it proves nothing.
        if link.askedAt != nil, link.silence >= link.interval { learn(isAlive: true) }
        linkWasUsed()
        releaseAll()
    }

    mutating func scheduleKeepAlive() {
        if let askedAt = link.askedAt { return due.set(.keepAlive, askedAt + rules.keepAliveAnswer) }
        due.set(.keepAlive, link.nextInstant(conditions).map { max($0, now) })
    }

    mutating func keepAliveIsDue() {
        guard link.isUp else { return }
        if let askedAt = link.askedAt {
            guard now - askedAt >= rules.keepAliveAnswer else { return scheduleKeepAlive() }
            effects.append(.linkIsDead)
            return linkIsDown()
        }
        guard let next = link.nextInstant(conditions), next <= now else { return scheduleKeepAlive() }
        link.silence = now - link.lastUse
        link.askedAt = now
        effects.append(.sendKeepAlive)
        scheduleKeepAlive()
    }

    /// A tenth longer each time that it works, and three tenths shorter where it was too long.
    private mutating func learn(isAlive: Bool) {
        let old = link.interval
        let factor: Int64 = isAlive ? 110 : 70
        let new = Span(nanoseconds: min(old, rules.longestKeepAlive).nanoseconds / 100 * factor)
        link.interval = max(rules.shortestKeepAlive, min(rules.longestKeepAlive, new))
        guard link.interval != old else { return }
        let record = NetworkRecord(network: link.network, keepAlive: link.interval, used: wall)
        link.networks[link.network] = record
        store(.network(record))
        guard link.networks.count > rules.mostNetworks else { return }
        let oldest = link.networks.values.min { ($0.used, $0.network) < ($1.used, $1.network) }
        guard let oldest else { return }
        link.networks[oldest.network] = nil
        erase(.network(oldest.network))
    }

    // MARK: Tokens

    mutating func register(_ app: AppIdentifier, _ connection: ConnectionID, _ request: RequestID) {
        if link.isConfigured == false { return effects.append(.refuse(request, .noGateway)) }
        change(app) { $0.isRegistered = true }
        if let token = entries[app]?.record.token { return reply(request, .token(token)) }
        entries[app]?.waiters.append(TokenWaiter(connection: connection, request: request))
        let isNew = link.wanted.insert(app).inserted
        if isNew, link.isUp { effects.append(.register(topic: app.rawValue)) }
    }

    mutating func unregister(_ app: AppIdentifier) {
        guard let entry = entries[app], entry.record.isRegistered else { return }
        for waiter in entry.waiters { effects.append(.refuse(waiter.request, .notRegistered("it unregistered"))) }
        entries[app]?.waiters = []
        change(app) {
            $0.isRegistered = false
            $0.token = nil
        }
        link.wanted.remove(app)
        dropHeld(app, .notRegistered)
        effects.append(.unregister(topic: app.rawValue))
    }

    private mutating func tokenArrived(_ topic: String, _ token: String) {
        guard let app = AppIdentifier(topic), let entry = entries[app], entry.record.isRegistered else { return }
        guard !token.isEmpty, token.utf8.count <= 256, token.allSatisfy(\.isHexDigit) else { return }
        change(app) { $0.token = token }
        link.wanted.remove(app)
        entries[app]?.waiters = []
        for waiter in entry.waiters { reply(waiter.request, .token(token)) }
    }

    private mutating func tokenRefused(_ topic: String, _ reason: String) {
        guard let app = AppIdentifier(topic), let entry = entries[app], link.wanted.remove(app) != nil else { return }
        change(app) { $0.isRegistered = false }
        entries[app]?.waiters = []
        for waiter in entry.waiters {
            effects.append(.refuse(waiter.request, .notRegistered(String(reason.prefix(256)))))
        }
    }

    private mutating func gatewayIs(_ name: String?) {
        link.isConfigured = name != nil
        if name != counters.gateway {
            counters.gateway = name
            changes.counters = true
            for app in entries.keys.inOrder {
                guard let record = entries[app]?.record, record.isRegistered else { continue }
                change(app) { $0.token = nil }
                if name != nil { link.wanted.insert(app) }
            }
        }
        guard name == nil else { return }
        link.wanted = []
        for app in entries.keys.inOrder {
            guard let waiters = entries[app]?.waiters, !waiters.isEmpty else { continue }
            entries[app]?.waiters = []
            for waiter in waiters { effects.append(.refuse(waiter.request, .noGateway)) }
        }
    }

    mutating func modesChanged(_ app: AppIdentifier, _ receivesPushes: Bool) {
        know(app)
        change(app) { $0.receivesPushes = receivesPushes }
        if !receivesPushes, entries[app]?.isOnScreen == false { dropHeld(app, .missingMode) }
    }
}
