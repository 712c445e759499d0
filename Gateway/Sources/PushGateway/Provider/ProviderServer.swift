internal import CoreMetrics
internal import Logging
internal import Model
internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import PushCore
internal import Synchronization

/// Where providers connect: HTTP/2 over TLS, with the settings that Apple's servers have.
final class ProviderServer: Sendable {
    let rules: PushRules
    let connectionRules: ConnectionRules
    let environment: CertificateFacts.Environment
    let verifier: TokenVerifier
    let store: any MessageStore
    let metrics: GatewayMetrics
    let logger: Logger
    private let certificates: ClientCertificates
    private let places: ConnectionPlaces
    private let budget = Mutex(RequestBudget())
    private let connections = Mutex<[ObjectIdentifier: ProviderConnection]>([:])

    init(
        settings: GatewaySettings, verifier: TokenVerifier, certificates: ClientCertificates,
        store: any MessageStore, metrics: GatewayMetrics, logger: Logger, places: ConnectionPlaces
    ) {
        self.places = places
        rules = settings.rules
        connectionRules = settings.connection
        environment = settings.environment
        self.verifier = verifier
        self.certificates = certificates
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    func start(_ group: any EventLoopGroup, _ address: ListenAddress, _ tls: NIOSSLContext) async throws -> any Channel
    {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Whether there is a place is asked before each connection.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(PlaceHandler(self.places))
                }
            }
            .childChannelInitializer { channel in self.initialize(channel, tls) }
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 64 * 1024, high: 256 * 1024))
            .bind(host: address.host, port: address.port)
            .get()
    }

    private func initialize(_ channel: any Channel, _ tls: NIOSSLContext) -> EventLoopFuture<Void> {
        let peer = PeerCertificate()
        let certificates = certificates
        let timeout = channel.eventLoop.scheduleTask(in: .init(connectionRules.handshake)) {
            channel.close(promise: nil)
        }
        return channel.eventLoop.makeCompletedFuture {
            // Any certificate is taken here: the answer to a request then says what is wrong with it.
            let handler = NIOSSLServerHandler(context: tls) { chain, promise in
                Task {
                    peer.facts = await certificates.facts(chain)
                    promise.succeed(.certificateVerified)
                }
            }
            let negotiation = ApplicationProtocolNegotiationHandler { result, channel in
                timeout.cancel()
                // A client that names no protocol means HTTP/2: some of those that send to APNs name none.
                guard result == .negotiated("h2") || result == .fallback else { return channel.close() }
                return channel.eventLoop.makeCompletedFuture { try self.speak(channel, peer) }
            }
            try channel.pipeline.syncOperations.addHandlers(handler, negotiation)
        }
    }

    private func speak(_ channel: any Channel, _ peer: PeerCertificate) throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .headerTableSize, value: 4096),
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 1000),
            HTTP2Setting(parameter: .initialWindowSize, value: 65_535),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 8000),
        ]
        connection.maximumBufferedControlFrames = 2000
        let requests = ProviderConnection(self, channel.eventLoop, peer.facts)
        try channel.pipeline.syncOperations.addHandlers(
            ByteWatch(requests), NIOHTTP2Handler(mode: .server, connectionConfiguration: connection), requests)
    }

    /// Whether one more request for this token is within its budget.
    func takeRequest(for token: DeviceToken) -> Bool {
        let key = Registrations.Key(device: token.device, topic: token.topic)
        let now = Instant.now
        return budget.withLock { $0.take(key, rules: rules, now: now) }
    }

    func opened(_ connection: ProviderConnection) {
        metrics.providers.set(
            connections.withLock { all in
                all[ObjectIdentifier(connection)] = connection
                return all.count
            })
    }

    func closed(_ connection: ProviderConnection) {
        metrics.providers.set(
            connections.withLock { all in
                all[ObjectIdentifier(connection)] = nil
                return all.count
            })
    }

    /// Tells every client that the gateway ends, answers what is under way, and comes back when that is done.
    func end() async {
        let all = connections.withLock { Array($0.values) }
        await withTaskGroup { group in
            for connection in all { group.addTask { await connection.end() } }
        }
    }
}

/// What the certificate of a connection says, once TLS has looked at it.
private final class PeerCertificate: Sendable {
    private let value = Mutex<CertificateFacts?>(nil)

    var facts: CertificateFacts? {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// Sees that bytes come, before they are whole frames.
private final class ByteWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: ProviderConnection

    init(_ connection: ProviderConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.bytesCame(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }
}

extension TimeAmount {
    init(_ span: Span) { self = .nanoseconds(span.nanoseconds) }
}
