internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import TransferCore

/// The connections: one client for each way to connect.
final class HTTPClients: Sendable {
    private struct State {
        var clients: [ConnectionSettings: HTTPClient] = [:]
        var isShutDown = false
    }

    let group: MultiThreadedEventLoopGroup
    private let state = Mutex(State())

    init(threads: Int) { group = MultiThreadedEventLoopGroup(numberOfThreads: threads) }

    /// The client for these settings. `onInformational` hears answers between, where an attempt has connections of its
    /// own.
    func client(
        _ settings: ConnectionSettings, onInformational: (@Sendable (HTTPResponseHead) -> Void)? = nil
    ) throws -> HTTPClient {
        if let known = state.withLock({ $0.clients[settings] }) { return known }
        let made = HTTPClient(
            eventLoopGroupProvider: .shared(group),
            configuration: try Self.configuration(settings, onInformational))
        let (used, isSurplus) = state.withLock { state -> (HTTPClient, Bool) in
            if let known = state.clients[settings] { return (known, true) }
            state.clients[settings] = made
            return (made, false)
        }
        if isSurplus { Self.end(made) }
        return used
    }

    /// Ends the connections of one attempt.
    func release(_ settings: ConnectionSettings) {
        guard let owner = settings.owner else { return }
        let clients = state.withLock { state -> [HTTPClient] in
            let own = state.clients.keys.filter { $0.owner == owner }
            return own.compactMap { state.clients.removeValue(forKey: $0) }
        }
        for client in clients { Self.end(client) }
    }

    private static func end(_ client: HTTPClient) {
        client.shutdown { _ in }
    }

    private static func configuration(
        _ settings: ConnectionSettings, _ onInformational: (@Sendable (HTTPResponseHead) -> Void)?
    ) throws -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion =
            switch settings.tlsMinimum {
            case "1.0": .tlsv1
            case "1.1": .tlsv11
            case "1.3": .tlsv13
            default: .tlsv12
            }
        var roots: [NIOSSLCertificate] = []
        for pem in settings.trustRoots { roots += try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)) }
        if !roots.isEmpty { tls.trustRoots = .certificates(roots) }
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(20)),
            // How many may run is the policy's to decide.
            connectionPool: .init(idleTimeout: .seconds(15), concurrentHTTP1ConnectionsPerHostSoftLimit: 256),
            proxy: settings.isForwarded ? nil : settings.proxy.map(proxy), ignoreUncleanSSLShutdown: false,
            decompression: .disabled)
        // Retrying is the policy's.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let prepared = prepare(channel, onInformational).flatMap { HeadGuard.install(in: channel) }
            guard settings.isForwarded else { return prepared }
            return prepared.flatMap { Forwarding.install(in: channel) }
        }
        configuration.http2ConnectionDebugInitializer = { prepare($0, nil) }
        configuration.http2StreamChannelDebugInitializer = { stream in
            StatusGuard.install(in: stream).flatMap { listen(stream, onInformational) }
        }
        return configuration
    }

    private static func proxy(_ proxy: TransferConfiguration.Proxy) -> HTTPClient.Configuration.Proxy {
        switch proxy.kind {
        case .socks: return .socksServer(host: proxy.host, port: Int(proxy.port))
        case .http:
            let authorization = proxy.user.map {
                HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
            }
            return .server(host: proxy.host, port: Int(proxy.port), authorization: authorization)
        }
    }

    /// Fewer and larger pieces: what comes goes to a file.
    private static func prepare(
        _ channel: any Channel, _ onInformational: (@Sendable (HTTPResponseHead) -> Void)?
    ) -> EventLoopFuture<Void> {
        let allocator = AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 1 << 16, maximum: 1 << 18)
        return channel.setOption(.recvAllocator, value: allocator).flatMap { listen(channel, onInformational) }
    }

    private static func listen(
        _ channel: any Channel, _ onInformational: (@Sendable (HTTPResponseHead) -> Void)?
    ) -> EventLoopFuture<Void> {
        guard let onInformational else { return channel.eventLoop.makeSucceededVoidFuture() }
        return channel.eventLoop.submit {
            // Behind the decoder: the handler after it drops what is no final answer.
            let pipeline = channel.pipeline.syncOperations
            let listener = InformationalListener(onInformational)
            if let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self) {
                try pipeline.addHandler(listener, position: .after(decoder))
            } else if let codec = try? pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self) {
                try pipeline.addHandler(listener, position: .after(codec))
            }
        }
    }

    /// Waits until nothing is connected any more.
    func shutDown() {
        let clients = state.withLock { state -> [HTTPClient] in
            let clients = Array(state.clients.values)
            state.clients = [:]
            state.isShutDown = true
            return clients
        }
        for client in clients { try? client.syncShutdown() }
        try? group.syncShutdownGracefully()
    }
}

/// Tells of answers between (1xx), which are not passed on as answers.
private final class InformationalListener: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private let onInformational: @Sendable (HTTPResponseHead) -> Void

    init(_ onInformational: @escaping @Sendable (HTTPResponseHead) -> Void) {
        self.onInformational = onInformational
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), (100..<200).contains(head.status.code) {
            onInformational(head)
        }
        context.fireChannelRead(data)
    }
}
