internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import TransferCore

/// Requests for http that an HTTP proxy forwards: they go to the proxy, and name the whole address (RFC 9112, 3.2.2).
/// The client library knows tunnels only, which proxies refuse to most ports but that of https.
enum Forwarding {
    /// Where a request is sent.
    static func url(_ address: Address, _ settings: ConnectionSettings) -> String {
        guard let proxy = settings.proxy, settings.reaching(address).isForwarded else { return address.text }
        return "http://\(authority(proxy.host, Int(proxy.port), standard: nil))\(address.target)"
    }

    /// The handler on the connection reads from `Host` whom the request is for.
    static func prepare(
        _ headers: inout HTTPHeaders, _ address: Address, through proxy: TransferConfiguration.Proxy
    ) {
        headers.replaceOrAdd(name: "Host", value: authority(address.host, address.port, standard: 80))
        if let user = proxy.user {
            let basic = HTTPClient.Authorization.basic(username: user, password: proxy.password ?? "")
            headers.replaceOrAdd(name: "Proxy-Authorization", value: basic.headerValue)
        }
    }

    private static func authority(_ host: String, _ port: Int, standard: Int?) -> String {
        // A literal address of IPv6 has brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return port == standard ? name : "\(name):\(port)"
    }

    static func install(in channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let encoder = try pipeline.handler(type: HTTPRequestEncoder.self)
            try pipeline.addHandler(Handler(), position: .after(encoder))
        }
    }

    private final class Handler: ChannelOutboundHandler {
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            guard case .head(var head) = unwrapOutboundIn(data), let host = head.headers.first(name: "host") else {
                context.write(data, promise: promise)
                return
            }
            head.uri = "http://\(host)\(head.uri)"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        }
    }
}
