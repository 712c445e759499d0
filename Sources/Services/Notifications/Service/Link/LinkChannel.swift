internal import LinuxSystem
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS
internal import PushLink
internal import Synchronization
internal import SystemPackage

/// One TLS connection to a gateway: records in, records out.
///
/// Nothing more is read before what was read is handled, so a gateway that floods has to wait, and what is kept of it
/// is one piece and the beginning of a line. NIO has a thread from the first connection on and none before: a device
/// without a gateway pays nothing for it.
final class LinkChannel: Sendable {
    enum News: Sendable {
        /// - Parameter isLocal: what is sent stays on the machine.
        case connected(isLocal: Bool)
        /// The next ones come after `readOn`.
        case records([GatewayRecord])
        /// Nothing follows.
        case ended(String)
    }

    struct Counts: Sendable {
        var sent: Int64 = 0
        var received: Int64 = 0
        /// When the first and the last of them came or went, by the wall clock; `nil`: nothing did.
        var time: ClosedRange<Int64>?
    }

    private static let patience = TimeAmount.seconds(20)
    /// Bytes that may wait for a gateway that does not read.
    private static let mostWaiting = 256 << 10

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    fileprivate struct State {
        var channel: (any Channel)?
        var isClosed = false
        var hasEnded = false
        var counts = Counts()
    }

    private let state = Mutex(State())
    private let onNews: @Sendable (News) -> Void

    /// - Parameter onNews: called on a thread of NIO, in order.
    init(_ onNews: @escaping @Sendable (News) -> Void) { self.onNews = onNews }

    func connect(to target: LinkTarget) {
        let context: NIOSSLContext
        do {
            context = try NIOSSLContext(configuration: Self.configuration(target))
        } catch {
            tell(.ended("the gateway's certificates cannot be read: \(error)"))
            return
        }
        let isAddress = (try? SocketAddress(ipAddress: target.host, port: target.port)) != nil
        let bootstrap = ClientBootstrap(group: Self.group)
            .connectTimeout(Self.patience)
            .channelOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 16_384)
            )
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: Self.mostWaiting))
            .channelInitializer { [self] channel in
                channel.eventLoop.submit { [self] in
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(CountingHandler { [self] in count($0) })
                    try pipeline.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : target.host))
                    try pipeline.addHandler(RecordHandler(self, patience: Self.patience))
                }
            }
        bootstrap.connect(host: target.host, port: target.port).whenComplete { [self] result in
            switch result {
            case .success(let channel): use(channel)
            case .failure(let error): tell(.ended(Self.sentence(error)))
            }
        }
    }

    /// Why there can be no connection to it; `nil`: there may be one.
    static func trouble(with target: LinkTarget) -> String? {
        do {
            _ = try NIOSSLContext(configuration: configuration(target))
            return nil
        } catch {
            return "the file holds no certificates in PEM"
        }
    }

    private static func configuration(_ target: LinkTarget) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = [LinkRules.applicationProtocol]
        if let roots = target.roots {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(roots.utf8)))
        }
        return configuration
    }

    /// The connection, however early it is given up: what is told of it may be heard before its future is.
    fileprivate func use(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            state.channel = channel
            return state.isClosed
        }
        if isClosed { channel.close(promise: nil) }
    }

    // MARK: Out

    /// A gateway that does not read is left.
    func send(_ record: AgentRecord) {
        guard let channel = state.withLock({ $0.channel }) else { return }
        guard channel.isWritable else {
            tell(.ended("the gateway does not read what it is sent"))
            channel.close(promise: nil)
            return
        }
        channel.writeAndFlush(channel.allocator.buffer(bytes: record.line), promise: nil)
    }

    /// What was told is handled.
    func readOn() { state.withLock { $0.channel }?.read() }

    /// Nothing is told any more.
    func close() {
        let channel = state.withLock { state in
            (state.isClosed, state.hasEnded) = (true, true)
            return state.channel
        }
        channel?.close(promise: nil)
    }

    // MARK: In

    fileprivate func tell(_ news: News) {
        let isWanted = state.withLock { state in
            defer { if case .ended = news { state.hasEnded = true } }
            return !state.hasEnded
        }
        if isWanted { onNews(news) }
    }

    private func count(_ counts: Counts) {
        let now = Clock.wall()
        state.withLock { state in
            state.counts.sent += counts.sent
            state.counts.received += counts.received
            // The wall clock may be set back.
            let first = min(now, state.counts.time?.lowerBound ?? now)
            state.counts.time = first...now
        }
    }

    /// Bytes of TLS since the last look.
    func takeCounts() -> Counts {
        state.withLock { state in
            defer { state.counts = Counts() }
            return state.counts
        }
    }

    fileprivate static func sentence(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            // What it was with the last address says as much as all of them.
            let reason = error.connectionErrors.last.map { sentence($0.error) } ?? "its name leads nowhere"
            return "\(error.host) port \(error.port) cannot be reached: \(reason)"
        case let error as IOError: return Errno(rawValue: error.errnoCode).description
        case NIOSSLError.handshakeFailed:
            return "TLS failed: this device does not trust the gateway's certificate, or it does not speak TLS 1.2. If "
                + "the gateway has an authority of its own, name it: greenroom push gateway URL --ca FILE"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return "TLS failed"
        case ChannelError.connectTimeout: return "the gateway does not answer"
        default: return "\(error)"
        }
    }
}

/// Counts what goes over the network, TLS and all.
private final class CountingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private let onCount: (LinkChannel.Counts) -> Void

    init(_ onCount: @escaping (LinkChannel.Counts) -> Void) { self.onCount = onCount }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        onCount(LinkChannel.Counts(received: Int64(unwrapInboundIn(data).readableBytes)))
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        onCount(LinkChannel.Counts(sent: Int64(unwrapOutboundIn(data).readableBytes)))
        context.write(data, promise: promise)
    }
}

/// Cuts what comes into records, and reads on when it is told to.
private final class RecordHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let owner: LinkChannel
    private let patience: TimeAmount
    private var reader = LinkReader<GatewayRecord>()
    private var records: [GatewayRecord] = []
    private var limit: Scheduled<Void>?
    private var isSecure = false

    init(_ owner: LinkChannel, patience: TimeAmount) {
        self.owner = owner
        self.patience = patience
    }

    func channelActive(context: ChannelHandlerContext) {
        limit = context.eventLoop.assumeIsolated().scheduleTask(in: patience) { [self] in
            end("the gateway does not answer", context)
        }
        context.fireChannelActive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let name) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        limit?.cancel()
        guard name == LinkRules.applicationProtocol else {
            return end("what answers there does not speak \(LinkRules.applicationProtocol)", context)
        }
        isSecure = true
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        owner.use(context.channel)
        owner.tell(.connected(isLocal: context.remoteAddress?.isLocal ?? false))
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        reader.append(Array(unwrapInboundIn(data).readableBytesView))
        do throws(LinkError) {
            while let record = try reader.next() { records.append(record) }
        } catch {
            // What came whole before it counts.
            tell()
            end("the gateway sent what is no record: \(error)", context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isSecure, !tell() { context.read() }
    }

    /// Whether there was something to tell.
    @discardableResult
    private func tell() -> Bool {
        guard !records.isEmpty else { return false }
        let records = records
        self.records = []
        owner.tell(.records(records))
        return true
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many just close.
        if case NIOSSLError.uncleanShutdown = error { return }
        end(LinkChannel.sentence(error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        limit?.cancel()
        owner.tell(.ended("the gateway closed the connection" + (isSecure ? "" : " before TLS")))
    }

    private func end(_ reason: String, _ context: ChannelHandlerContext) {
        owner.tell(.ended(reason))
        context.close(promise: nil)
    }
}

extension SocketAddress {
    /// It is reached without any network.
    fileprivate var isLocal: Bool {
        guard let address = ipAddress else { return true }
        return address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.")
    }
}
