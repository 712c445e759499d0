internal import LinuxSystem
internal import Logging
internal import Model
internal import NATSClient
internal import NIOCore
internal import PushCore
internal import Synchronization

extension NATSStore {
    /// Connects to the store, makes what is missing in it, and reads what gateways share.
    ///
    /// - Parameter secret: this gateway's own. The fleet's goes, if there is a fleet.
    static func open(
        _ settings: FleetSettings, secret: [UInt8], gateway: GatewaySettings, metrics: GatewayMetrics, logger: Logger,
        group: any EventLoopGroup
    ) async throws -> NATSStore {
        let health = FleetHealth()
        let client: NATSClient
        do {
            client = try await NATSClient.connect(settings.client) { health.heard($0, logger) }
        } catch {
            throw GatewayError("\(error)")
        }
        let names = FleetNames(prefix: settings.prefix)
        let streams = FleetStreams(client: client, names: names, settings: settings, logger: logger)
        let log = FleetLog(client, names, logger)
        do {
            let contents = try await retrying(for: settings.patience) { () async throws(NATSError) in
                try await prepare(log, streams, FleetLog.Contents(secret: secret, parts: settings.parts))
            }
            guard let common = contents.secret, common.count == 32, let parts = contents.parts, parts > 0 else {
                throw GatewayError("the fleet of \(settings.prefix) has no usable secret and layout")
            }
            if common != secret { logger.notice("device tokens are those of the fleet: its secret is another one") }
            let book = TokenBook(
                secret: common, rules: gateway.rules, registrations: contents.endings, topics: [:])
            for topic in contents.topics { book.add(topic: topic) }
            let fleet = Fleet(client, names, parts: parts, rules: gateway.rules, metrics: metrics, logger: logger)
            let store = NATSStore(
                fleet, log, book, streams, parts: parts, storeLimit: gateway.storeLimit, health: health, group: group)
            try store.start()
            health.follow { [weak store] in store?.connectionCame() }
            return store
        } catch {
            await client.close()
            if error is GatewayError { throw error }
            throw GatewayError("NATS at \(settings.client.places) cannot be used: \(error)")
        }
    }

    private static func prepare(
        _ log: FleetLog, _ streams: FleetStreams, _ own: FleetLog.Contents
    ) async throws(NATSError) -> FleetLog.Contents {
        try await streams.makeFleet()
        var contents = try await log.read()
        if contents.secret == nil || contents.parts == nil {
            for case .failed(let error) in await log.found(secret: own.secret ?? [], parts: own.parts ?? 1) {
                throw error
            }
            contents = try await log.read()
        }
        _ = try await streams.makeMailboxes(contents.parts ?? 1)
        return contents
    }

    private static func retrying<Value>(
        for patience: Span, _ body: () async throws(NATSError) -> Value
    ) async throws(NATSError) -> Value {
        let end = Instant.now + patience
        while true {
            do throws(NATSError) {
                return try await body()
            } catch {
                guard Instant.now < end, error.isPassing else { throw error }
                // Nothing says when the servers have chosen a leader.
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}

extension NATSError {
    /// Whether the same request may do later.
    fileprivate var isPassing: Bool {
        switch self {
        case .disconnected, .timedOut, .noResponders, .overloaded: true
        // JetStream: it has no leader yet; a stream's leader is not there; the peers are not known yet, or not all of
        // them are there that copies are wanted of.
        case .refused(let code, _): [10_005, 10_008, 10_009, 10_118].contains(code)
        case .setting, .unreadable: false
        }
    }
}

/// Whether the store can be used.
final class FleetHealth: Sendable {
    private struct State: Sendable {
        /// Since when there is no connection.
        var away: Instant? = .now
        var answers = true
        var whenConnected: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// A connection that breaks is there again within this time if there is another server.
    private static let moment = Span.seconds(2)

    var trouble: String? {
        state.withLock { state in
            if let away = state.away, Instant.now - away > Self.moment { return "NATS is away" }
            return state.answers ? nil : "JetStream does not answer"
        }
    }

    func answers(_ answers: Bool) { state.withLock { $0.answers = answers } }

    func follow(_ whenConnected: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenConnected = whenConnected }
    }

    func heard(_ event: NATSClient.Event, _ logger: Logger) {
        switch event {
        case .connected:
            logger.info("NATS is there")
            state.withLock { state in
                state.away = nil
                return state.whenConnected
            }?()
        case .disconnected:
            logger.warning("NATS is away")
            state.withLock { $0.away = $0.away ?? .now }
        }
    }
}
