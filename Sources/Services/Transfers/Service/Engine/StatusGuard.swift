internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP1
internal import NIOHTTP2

/// The server's answer was no HTTP.
struct BadStatus: Error {}

/// In front of the library's reader of answers in HTTP/2, which takes any integer for a status and traps on one below
/// zero: a status has three digits (RFC 9113, section 8.3.2).
final class StatusGuard: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = HTTP2Frame.FramePayload

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .headers(let headers) = unwrapInboundIn(data),
            headers.headers[":status"].contains(where: { !Self.isStatus($0) })
        {
            isOver = true
            context.fireErrorCaught(BadStatus())
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }

    static func isStatus(_ text: String) -> Bool {
        let digits = Array(text.utf8)
        return digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) } && digits[0] != 0x30
    }

    static func install(in channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
            try pipeline.addHandler(StatusGuard(), position: .before(codec))
        }
    }
}

/// The same in HTTP/1: the library takes a status below 100 for an answer between (1xx), and traps on its body.
final class HeadGuard: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        if case .head(let head) = unwrapInboundIn(data), !(100...999).contains(head.status.code) {
            isOver = true
            context.fireErrorCaught(BadStatus())
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }

    static func install(in channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(HeadGuard(), position: .after(decoder))
        }
    }
}
