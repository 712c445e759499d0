internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Wire

/// `/metrics` and `/healthz` over HTTP/1.1 without TLS, for the machine itself or a network of one's own.
enum MetricsServer {
    static func start(
        _ group: any EventLoopGroup, _ address: ListenAddress, _ registry: PrometheusRegistry,
        trouble: @escaping @Sendable () -> String?
    ) async throws -> any Channel {
        try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                    try channel.pipeline.syncOperations.addHandler(MetricsHandler(registry, trouble))
                    channel.eventLoop.scheduleTask(in: .seconds(60)) { channel.close(promise: nil) }
                }
            }
            .bind(host: address.host, port: address.port)
            .get()
    }
}

private final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let registry: PrometheusRegistry
    private let trouble: @Sendable () -> String?
    private var head: HTTPRequestHead?

    init(_ registry: PrometheusRegistry, _ trouble: @escaping @Sendable () -> String?) {
        self.registry = registry
        self.trouble = trouble
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            self.head = nil
            let (status, type, text) = answer(head)
            respond(context, head, status, type, text)
        }
    }

    private func answer(_ head: HTTPRequestHead) -> (HTTPResponseStatus, String, String) {
        guard head.method == .GET || head.method == .HEAD else {
            return (.methodNotAllowed, "text/plain", "only GET\n")
        }
        switch head.uri {
        case "/metrics": return (.ok, "text/plain; version=0.0.4; charset=utf-8", registry.text)
        case "/healthz":
            let trouble = trouble()
            let status = JSONValue.object(["status": .string(trouble ?? "ok")])
            return (trouble == nil ? .ok : .serviceUnavailable, "application/json", "\(status)\n")
        default: return (.notFound, "text/plain", "there are /metrics and /healthz\n")
        }
    }

    private func respond(
        _ context: ChannelHandlerContext, _ head: HTTPRequestHead, _ status: HTTPResponseStatus, _ type: String,
        _ text: String
    ) {
        let headers: HTTPHeaders = [
            "content-type": type, "content-length": "\(text.utf8.count)", "connection": "close",
        ]
        let channel = context.channel
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: head.version, status: status, headers: headers))),
            promise: nil)
        if head.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
