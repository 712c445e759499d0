internal import CoreMetrics
internal import Logging
internal import Model
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import PushCore
internal import PushLink
internal import Synchronization

/// Where devices connect.
final class LinkServer: Sendable {
    let rules: PushRules
    let proof: LinkProof
    let store: any MessageStore
    let metrics: GatewayMetrics
    let logger: Logger
    let admission: AdmissionHandler
    private let places: ConnectionPlaces
    /// Places that devices leave to providers.
    private var spare: Int { min(128, places.most / 4) }
    private let sweepers: [ObjectIdentifier: LinkSweeper]
    private let open = Atomic(0)

    init(
        group: any EventLoopGroup, rules: PushRules, proof: LinkProof, store: any MessageStore,
        metrics: GatewayMetrics, logger: Logger, places: ConnectionPlaces
    ) {
        self.places = places
        self.rules = rules
        self.proof = proof
        self.store = store
        self.metrics = metrics
        self.logger = logger
        admission = AdmissionHandler(rules, unproven: metrics.unproven)
        var sweepers: [ObjectIdentifier: LinkSweeper] = [:]
        for loop in group.makeIterator() { sweepers[ObjectIdentifier(loop)] = LinkSweeper(loop, rules) }
        self.sweepers = sweepers
    }

    var count: Int { open.load(ordering: .relaxed) }

    func start(_ group: any EventLoopGroup, _ address: ListenAddress, _ tls: NIOSSLContext) async throws -> any Channel
    {
        try await ServerBootstrap(group: group)
            // As much as Linux allows unless it was set otherwise. More would not help: devices give up after 20 s.
            .serverChannelOption(.backlog, value: 4096)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            // Whether there is a place is asked before each connection.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let places = PlaceHandler(self.places, sparing: self.spare)
                    try channel.pipeline.syncOperations.addHandlers(places, self.admission)
                }
            }
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = LinkConnection(self, channel.eventLoop)
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: tls, configuration: Self.tlsConfiguration), connection)
                }
            }
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 * 1024, high: 64 * 1024))
            .childChannelOption(.allowRemoteHalfClosure, value: false)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 16_384)
            )
            .bind(host: address.host, port: address.port)
            .get()
    }

    /// An idle connection keeps no buffers for what it may send.
    private static var tlsConfiguration: NIOSSLHandler.Configuration {
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = 0
        return configuration
    }

    func opened(_ connection: LinkConnection, on loop: any EventLoop) {
        sweepers[ObjectIdentifier(loop)]?.add(connection)
        metrics.devices.set(open.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// It has to be looked at soon: its device does not read.
    func watch(_ connection: LinkConnection, on loop: any EventLoop) {
        sweepers[ObjectIdentifier(loop)]?.watch(connection)
    }

    func closed(_ connection: LinkConnection, on loop: any EventLoop) {
        sweepers[ObjectIdentifier(loop)]?.remove(connection)
        metrics.devices.set(open.wrappingSubtract(1, ordering: .relaxed).newValue)
    }

    /// Tells every device to come back to another gateway, or to this one when it is there again. The more there are,
    /// the longer the time over which they should do so.
    func end() async {
        let after = max(1, Double(count) / 500)
        for sweeper in sweepers.values { await sweeper.endAll(after: after) }
    }
}

/// The connections of one event loop, looked at together now and then: a timer for each of a hundred thousand would
/// wake the machine all the time. Those that are open and quiet are looked at seldom, since there is nothing to find
/// but a silence of many minutes.
///
/// Unchecked: touched on its event loop only.
private final class LinkSweeper: @unchecked Sendable {
    private let loop: any EventLoop
    private var connections: [ObjectIdentifier: LinkConnection] = [:]
    /// Those that have not said who they are, or do not read.
    private var watched: [ObjectIdentifier: LinkConnection] = [:]
    private var task: Scheduled<Void>?
    private var next = Instant.zero
    private var lastOfAll = Instant.now

    private static let pause = Span.seconds(5)
    private let pauseOfAll: Span

    init(_ loop: any EventLoop, _ rules: PushRules) {
        self.loop = loop
        pauseOfAll = min(.seconds(60), max(Self.pause, .seconds(rules.deviceSilence.seconds / 10)))
    }

    func add(_ connection: LinkConnection) {
        connections[ObjectIdentifier(connection)] = connection
        watch(connection)
    }

    func watch(_ connection: LinkConnection) {
        guard connections[ObjectIdentifier(connection)] != nil else { return }
        watched[ObjectIdentifier(connection)] = connection
        schedule(in: Self.pause)
    }

    func remove(_ connection: LinkConnection) {
        connections[ObjectIdentifier(connection)] = nil
        watched[ObjectIdentifier(connection)] = nil
    }

    private func schedule(in pause: Span) {
        let time = Instant.now + pause
        guard task == nil || time < next else { return }
        task?.cancel()
        next = time
        task = loop.scheduleTask(in: TimeAmount(pause)) { self.sweep() }
    }

    private func sweep() {
        let now = Instant.now
        task = nil
        let isTimeForAll = now - lastOfAll >= pauseOfAll
        if isTimeForAll { lastOfAll = now }
        for connection in Array((isTimeForAll ? connections : watched).values) {
            connection.tick(at: now)
            if connection.isSettled { watched[ObjectIdentifier(connection)] = nil }
        }
        if !connections.isEmpty { schedule(in: watched.isEmpty ? pauseOfAll : Self.pause) }
    }

    func endAll(after: Double) async {
        try? await loop.submit {
            for connection in Array(self.connections.values) { connection.end(.shutdown, after: after) }
        }.get()
    }
}
