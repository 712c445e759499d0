internal import ArgumentParser
internal import LinuxSystem
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Wire

/// The least that a server can do: HTTP/2 over TLS by NIO, and 200 for everything.
struct Floor: AsyncParsableCommand {
    @Option var certificate: String
    @Option var key: String
    @Option var threads = 2

    func run() async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: threads))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var connection = NIOHTTP2Handler.ConnectionConfiguration()
                    connection.initialSettings = [
                        HTTP2Setting(parameter: .maxConcurrentStreams, value: 1000),
                        HTTP2Setting(parameter: .initialWindowSize, value: 65_535),
                    ]
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLServerHandler(context: context),
                        NIOHTTP2Handler(mode: .server, connectionConfiguration: connection), FloorConnection())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        Output.write(["port": .int(Int64(channel.localAddress?.port ?? 0))])
        try await channel.closeFuture.get()
    }
}

private final class FloorConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private var window = 65_535

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): if headers.endStream { answer(frame.streamID, context) }
        case .data(let data): if data.endStream { answer(frame.streamID, context) }
        case .priority, .rstStream, .settings, .pushPromise, .ping, .goAway, .windowUpdate: break
        case .alternativeService, .origin: break
        }
    }

    private func answer(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let headers = HTTP2Frame.FramePayload.headers(
            .init(headers: HPACKHeaders([(":status", "200")]), endStream: true))
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: headers)), promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let updated = event as? NIOHTTP2WindowUpdatedEvent, updated.streamID == .rootStream,
            let size = updated.inboundWindowSize
        {
            window = size
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if window < 32_768 {
            let update = HTTP2Frame.FramePayload.windowUpdate(windowSizeIncrement: 65_535 - window)
            context.write(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: update)), promise: nil)
            window = 65_535
        }
        context.flush()
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
