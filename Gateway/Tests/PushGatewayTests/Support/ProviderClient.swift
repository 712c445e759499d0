import Foundation
import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL
import Synchronization
import Testing
import Wire

/// What a gateway said to one request.
struct Answer: Sendable {
    var headers = HPACKHeaders()
    var body: [UInt8] = []

    var status: Int { Int(headers.first(name: ":status") ?? "") ?? 0 }
    var id: String? { headers.first(name: "apns-id") }
    var json: JSONValue { (try? JSONValue(parsing: body)) ?? .null }
    var reason: String? { json["reason"]?.string }
    var timestamp: Int? { json["timestamp"]?.int }
}

/// A provider's HTTP/2 connection, frame by frame.
final class ProviderClient: Sendable {
    struct Options: Sendable {
        var protocols = ["h2"]
        /// PEM, with its key.
        var certificate: String?
        var settings: HTTP2Settings = nioDefaultSettings
        var isValidated = true
        var latestTLS: TLSVersion?
    }

    struct GoAway: Sendable {
        var last: Int
        var code: HTTP2ErrorCode
        var text: String
        var reason: String? { (try? JSONValue(parsing: text))?["reason"]?.string }
    }

    enum StreamEnd: Sendable {
        case answered(Answer)
        case reset(HTTP2ErrorCode)
    }

    struct Reset: Error { let code: HTTP2ErrorCode }

    let channel: any Channel
    private let handler: FrameCollector

    var goAways: Inbox<GoAway> { handler.goAways }
    var settings: Inbox<HTTP2Settings> { handler.settings }
    var pings: Inbox<HTTP2PingData> { handler.pings }
    var ends: Inbox<(stream: Int, end: StreamEnd)> { handler.ends }

    private init(_ channel: any Channel, _ handler: FrameCollector) {
        self.channel = channel
        self.handler = handler
    }

    static func tls(_ gateway: TestGateway, _ options: Options) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .file(gateway.authority)
        configuration.applicationProtocols = options.protocols
        configuration.maximumTLSVersion = options.latestTLS
        // A client of long ago: the default would not let it speak at all.
        if options.latestTLS != nil { configuration.minimumTLSVersion = .tlsv1 }
        if let file = options.certificate {
            configuration.certificateChain = try NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: file, format: .pem))
        }
        return try NIOSSLContext(configuration: configuration)
    }

    static func connect(
        to gateway: TestGateway, _ configure: (inout Options) -> Void = { _ in }
    ) async throws -> ProviderClient {
        var options = Options()
        configure(&options)
        let context = try tls(gateway, options)
        let handler = FrameCollector()
        let settled = options
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    var connection = NIOHTTP2Handler.ConnectionConfiguration()
                    connection.initialSettings = settled.settings
                    connection.headerBlockValidation = settled.isValidated ? .enabled : .disabled
                    connection.contentLengthValidation = settled.isValidated ? .enabled : .disabled
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"),
                        NIOHTTP2Handler(mode: .client, connectionConfiguration: connection), handler)
                }
            }
            .connect(host: "127.0.0.1", port: gateway.providerPort).get()
        let client = ProviderClient(channel, handler)
        do {
            try await handler.ready.next()
        } catch {
            channel.close(promise: nil)
            throw handler.failure ?? error
        }
        return client
    }

    // MARK: Requests

    /// Opens a stream with these fields.
    func open(_ fields: [(String, String)], end: Bool = false) async throws -> Int {
        try await open([fields], end: end)[0]
    }

    /// Opens a stream for each of these, in one write.
    func open(_ all: [[(String, String)]], end: Bool = false, body: [UInt8]? = nil) async throws -> [Int] {
        let (channel, handler) = (channel, handler)
        return try await channel.eventLoop.submit {
            let streams = all.map { fields in
                let stream = handler.nextStream()
                let headers = HPACKHeaders(fields)
                channel.write(
                    HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers, endStream: end))),
                    promise: nil)
                if let body {
                    let data = IOData.byteBuffer(ByteBuffer(bytes: body))
                    channel.write(
                        HTTP2Frame(streamID: stream, payload: .data(.init(data: data, endStream: true))), promise: nil)
                }
                return Int(stream)
            }
            channel.flush()
            return streams
        }.get()
    }

    func send(_ bytes: [UInt8], on stream: Int, end: Bool = true, padding: Int? = nil) {
        write(
            .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: end, paddingBytes: padding)), stream)
    }

    func write(_ payload: HTTP2Frame.FramePayload, _ stream: Int = 0) {
        channel.writeAndFlush(HTTP2Frame(streamID: HTTP2StreamID(stream), payload: payload), promise: nil)
    }

    func end(of stream: Int, within seconds: Double = 30) async throws -> StreamEnd {
        do {
            return try await ends.next(within: seconds) { $0.stream == stream }.end
        } catch let error as Inbox<(stream: Int, end: StreamEnd)>.Ended {
            throw handler.failure ?? error
        }
    }

    func answer(to stream: Int, within seconds: Double = 30) async throws -> Answer {
        switch try await end(of: stream, within: seconds) {
        case .answered(let answer): return answer
        case .reset(let code): throw Reset(code: code)
        }
    }

    /// The fields of a request to a token, with those that a test wants, or without.
    func fields(
        _ token: String, _ authorization: String?, topic: String? = TestGateway.topic, _ more: [(String, String)] = []
    ) -> [(String, String)] {
        var fields = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/\(token)"), (":authority", "localhost"),
        ]
        if let authorization { fields.append(("authorization", authorization)) }
        if let topic { fields.append(("apns-topic", topic)) }
        return fields + more
    }

    static let alert = #"{"aps":{"alert":"Hello"}}"#

    /// Sends a push and waits for the answer.
    func push(
        _ token: String, _ authorization: String?, topic: String? = TestGateway.topic, _ more: [(String, String)] = [],
        _ payload: String = alert
    ) async throws -> Answer {
        // In one write: a test that waits for its turn between the two would be slow, not the request.
        let streams = try await open(
            [fields(token, authorization, topic: topic, more)], end: payload.isEmpty,
            body: payload.isEmpty ? nil : Array(payload.utf8))
        return try await answer(to: streams[0])
    }

    /// Sends the same request again and again, by a clock that no other test can hold up, until that is ended.
    func keepPushing(_ fields: [(String, String)], every pause: TimeAmount) -> RepeatedTask {
        let (channel, handler) = (channel, handler)
        let headers = HPACKHeaders(fields)
        return channel.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: pause) { _ in
            let stream = handler.nextStream()
            let body = IOData.byteBuffer(ByteBuffer(string: Self.alert))
            channel.write(HTTP2Frame(streamID: stream, payload: .headers(.init(headers: headers))), promise: nil)
            channel.writeAndFlush(
                HTTP2Frame(streamID: stream, payload: .data(.init(data: body, endStream: true))), promise: nil)
        }
    }

    func close() { channel.close(promise: nil) }

    func closed(within seconds: Double = 30) async throws { try await handler.ends.untilEnd(within: seconds) }

    /// From now on the client reads nothing.
    func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }
}

/// Unchecked: everything that changes is touched on the event loop only, or locked.
private final class FrameCollector: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame

    let goAways = Inbox<ProviderClient.GoAway>("a GOAWAY")
    let settings = Inbox<HTTP2Settings>("SETTINGS")
    let pings = Inbox<HTTP2PingData>("the answer to a PING")
    let ends = Inbox<(stream: Int, end: ProviderClient.StreamEnd)>("an answer")
    let ready = Inbox<Void>("HTTP/2")
    private var last = -1
    private var answers: [HTTP2StreamID: Answer] = [:]
    private let error = Mutex<(any Error)?>(nil)

    var failure: (any Error)? { error.withLock { $0 } }

    func nextStream() -> HTTP2StreamID {
        last += 2
        return HTTP2StreamID(last)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            answers[frame.streamID, default: Answer()].headers = headers.headers
            if headers.endStream { end(frame.streamID) }
        case .data(let body):
            if case .byteBuffer(let bytes) = body.data {
                answers[frame.streamID, default: Answer()].body += Array(bytes.readableBytesView)
            }
            if body.endStream { end(frame.streamID) }
        case .rstStream(let code): ends.put((Int(frame.streamID), .reset(code)))
        case .goAway(let last, let code, let text):
            let text = text.map { String(decoding: $0.readableBytesView, as: UTF8.self) } ?? ""
            goAways.put(ProviderClient.GoAway(last: Int(last), code: code, text: text))
        case .settings(.settings(let all)):
            settings.put(all)
            ready.put(())
        case .ping(let data, ack: true): pings.put(data)
        case .settings, .ping, .priority, .pushPromise, .windowUpdate, .alternativeService, .origin: break
        }
    }

    private func end(_ stream: HTTP2StreamID) {
        guard let answer = answers.removeValue(forKey: stream) else { return }
        ends.put((Int(stream), .answered(answer)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOHTTP2Errors.StreamError { return }
        self.error.withLock { $0 = $0 ?? error }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        goAways.end()
        settings.end()
        pings.end()
        ends.end()
        ready.end()
    }
}
