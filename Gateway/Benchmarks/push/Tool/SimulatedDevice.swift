internal import Crypto
internal import Foundation
internal import LinuxSystem
internal import Model
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import PushLink

/// One device. There are a hundred thousand of them in a process: what is not needed while it is quiet is not kept.
///
/// Unchecked: touched on its event loop only.
final class SimulatedDevice: @unchecked Sendable {
    private let loop: any EventLoop
    private let seed: UInt64
    private let source: SocketAddress?
    private var backoff = Backoff()
    private var channel: (any Channel)?
    private var isClosed = false
    private var opened: EventLoopPromise<String>?

    /// As the agent has it: for each of a connection, a handshake and a welcome.
    static let patience = TimeAmount.seconds(20)
    /// A connection that lasted so long was none of those that end at once.
    static let steady = TimeAmount.seconds(60)

    init(_ loop: any EventLoop, seed: UInt64, source: SocketAddress?) {
        self.loop = loop
        self.seed = seed
        self.source = source
    }

    /// The device token.
    func open(_ fleet: Fleet) async throws -> String {
        let promise = loop.makePromise(of: String.self)
        loop.execute {
            self.opened = promise
            self.connect(fleet)
        }
        return try await promise.futureResult.get()
    }

    func close() async {
        let promise = loop.makePromise(of: Void.self)
        loop.execute {
            self.isClosed = true
            guard let channel = self.channel else { return promise.succeed() }
            channel.close().whenComplete { _ in promise.succeed() }
        }
        try? await promise.futureResult.get()
    }

    private func connect(_ fleet: Fleet) {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(Self.patience)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2048))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var configuration = NIOSSLHandler.Configuration()
                    configuration.maximumPreservedOutboundBufferCapacity = 0
                    try channel.pipeline.syncOperations.addHandlers(
                        try NIOSSLClientHandler(
                            context: fleet.context, serverHostname: fleet.name, configuration: configuration),
                        DeviceConnection(self, fleet))
                }
            }
        (source.map { bootstrap.bind(to: $0) } ?? bootstrap).connect(to: fleet.address).whenComplete { result in
            switch result {
            case .success(let channel): self.channel = channel
            case .failure: self.ended(fleet, wasOpen: false, wasSteady: false, after: nil)
            }
        }
    }

    func key() throws -> P256.Signing.PrivateKey {
        var bytes = Array(SHA256.hash(data: Array("\(seed)".utf8)))
        // Below the order of the curve.
        bytes[0] &= 0x7F
        return try P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    func has(token: String) {
        opened?.succeed(token)
        opened = nil
    }

    /// - Parameter after: what the gateway asked for.
    func ended(_ fleet: Fleet, wasOpen: Bool, wasSteady: Bool, after: Double?) {
        channel = nil
        fleet.ended(wasOpen: wasOpen)
        guard !isClosed else { return }
        if wasSteady { backoff.succeeded() }
        let part = Double.random(in: 0...1)
        let wait = after.map { backoff.wait(after: $0, part) } ?? backoff.wait(part)
        loop.scheduleTask(in: .nanoseconds(wait.nanoseconds)) {
            if !self.isClosed { self.connect(fleet) }
        }
    }
}

/// The bytes of a device's connection.
private final class DeviceConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let device: SimulatedDevice
    private let fleet: Fleet
    private var reader = LinkReader<GatewayRecord>()
    private var openedAt: NIODeadline?
    private var limit: Scheduled<Void>?
    private var hasEnded = false
    private var after: Double?

    init(_ device: SimulatedDevice, _ fleet: Fleet) {
        self.device = device
        self.fleet = fleet
    }

    func channelActive(context: ChannelHandlerContext) {
        wait(context)
        context.fireChannelActive()
    }

    private func wait(_ context: ChannelHandlerContext) {
        limit?.cancel()
        limit = context.eventLoop.assumeIsolated().scheduleTask(in: SimulatedDevice.patience) {
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent, let key = try? device.key() {
            wait(context)
            send(.hello(key: Array(key.publicKey.x963Representation)), context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(Array(unwrapInboundIn(data).readableBytesView))
        do {
            while let record = try reader.next() { try hear(record, context) }
        } catch {
            context.close(promise: nil)
        }
    }

    private func hear(_ record: GatewayRecord, _ context: ChannelHandlerContext) throws {
        switch record {
        case .challenge(let nonce):
            let text = LinkRules.proof(nonce: nonce, gateway: fleet.name)
            send(.prove(signature: Array(try device.key().signature(for: text).rawRepresentation)), context)
        case .welcome:
            limit?.cancel()
            limit = nil
            openedAt = .now()
            fleet.welcomed()
            send(.register(topic: fleet.topic), context)
        case .token(_, let token): device.has(token: token)
        case .push(let push):
            fleet.received()
            if !fleet.isMute { send(.ack(number: push.number), context) }
        case .goaway(let after, _):
            self.after = after
            context.close(promise: nil)
        case .unregistered, .refused, .pong: break
        }
    }

    private func send(_ record: AgentRecord, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: record.line)), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !hasEnded else { return }
        hasEnded = true
        limit?.cancel()
        let isSteady = openedAt.map { .now() - $0 >= SimulatedDevice.steady } ?? false
        device.ended(fleet, wasOpen: openedAt != nil, wasSteady: isSteady, after: after)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
