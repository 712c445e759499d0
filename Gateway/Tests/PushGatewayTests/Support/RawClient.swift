import NIOCore
import NIOPosix
import NIOSSL

/// Bytes to a port, over TLS or not, and what comes back.
final class RawClient: Sendable {
    let channel: any Channel
    let bytes: Inbox<[UInt8]>

    private init(_ channel: any Channel, _ bytes: Inbox<[UInt8]>) {
        self.channel = channel
        self.bytes = bytes
    }

    static func connect(_ port: Int, tls context: NIOSSLContext?) async throws -> RawClient {
        let bytes = Inbox<[UInt8]>("bytes")
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    }
                    try channel.pipeline.syncOperations.addHandler(ByteCollector(bytes))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        return RawClient(channel, bytes)
    }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Everything until the other end closes.
    func allBytes(within seconds: Double = 30) async throws -> [UInt8] {
        var all: [UInt8] = []
        do {
            while true { all += try await bytes.next(within: seconds) }
        } catch is Inbox<[UInt8]>.Ended {
            return all
        }
    }

    func close() { channel.close(promise: nil) }
}

private final class ByteCollector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let bytes: Inbox<[UInt8]>

    init(_ bytes: Inbox<[UInt8]>) { self.bytes = bytes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes.put(Array(unwrapInboundIn(data).readableBytesView))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) { bytes.end() }
}
