internal import CoreMetrics
internal import Logging
internal import Model
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import PushCore
internal import Wire

/// A provider's connection: streams of frames become requests, and answers become frames.
///
/// Streams are no channels of their own: a request is a few kilobytes, and a channel for each costs more than all the
/// rest of it.
///
/// Unchecked: touched on its event loop only.
final class ProviderConnection: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = Never
    typealias OutboundOut = HTTP2Frame

    struct Request {
        var fields = PushFields()
        var body: [UInt8] = []
        var opened: Instant
        /// Bytes of the body, kept or not, and of padding: what the client had to have leave to send.
        var length = 0
        var isTooLarge = false
        var isWhole = false
        /// The store has the message.
        var isSubmitted = false
    }

    let server: ProviderServer
    let eventLoop: any EventLoop
    let certificate: CertificateFacts?
    var session = ProviderSession()
    /// Requests that have not been answered.
    var requests: [HTTP2StreamID: Request] = [:]
    /// Tokens that are being verified, with the requests that wait for it; the first one is under way.
    var verifications: [(token: String, streams: [HTTP2StreamID])] = []
    /// The token of the last request, which is most likely that of the next one.
    var lastToken: (text: String, verified: TokenVerifier.Verified)?

    private var context: ChannelHandlerContext?
    /// Why the connection ends.
    private var ending: PushReason?
    private var isClosing = false
    private var lastStream = HTTP2StreamID.rootStream
    private var whenEnded: EventLoopPromise<Void>?
    /// What the client may still send on all streams together.
    private var window = 65_535
    private var needsFlush = false
    private var holdsRead = false
    private var stalled: Instant?
    private var hasSpoken = false
    private var watch = FrameWatch()
    private var lastFrame = Instant.now
    private var sweep: RepeatedTask?

    init(_ server: ProviderServer, _ eventLoop: any EventLoop, _ certificate: CertificateFacts?) {
        self.server = server
        self.eventLoop = eventLoop
        self.certificate = certificate
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        server.opened(self)
        let pause = TimeAmount(min(.seconds(5), server.connectionRules.slowRequest))
        sweep = eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in self.tick() }
    }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    func channelInactive(context: ChannelHandlerContext) {
        forget()
        context.fireChannelInactive()
    }

    private func forget() {
        guard context != nil else { return }
        context = nil
        sweep?.cancel()
        requests = [:]
        verifications = []
        server.closed(self)
        whenEnded?.succeed()
        whenEnded = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The HTTP/2 handler has told the client already, where there is something to tell.
        if error.isOfOneStream { return }
        server.logger.debug("a provider's connection broke", metadata: ["error": "\(error)"])
        server.metrics.badConnections.increment()
        context.close(promise: nil)
    }

    func read(context: ChannelHandlerContext) {
        // A client that does not read its answers gets no more of them.
        if context.channel.isWritable { context.read() } else { holdsRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalled = context.channel.isWritable ? nil : stalled ?? .now
        if context.channel.isWritable, holdsRead {
            holdsRead = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Called with the bytes of which the HTTP/2 handler makes frames, before it has them.
    func bytesCame(_ bytes: ByteBufferView) {
        guard !watch.isFlooding else { return }
        watch.read(bytes, at: .now)
        guard watch.isFlooding, let context else { return }
        server.logger.info("a provider's connection ends: it sends frames that ask for nothing")
        server.metrics.badConnections.increment()
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        lastFrame = .now
        hasSpoken = true
        switch frame.payload {
        case .headers(let headers): receive(headers, frame.streamID)
        case .data(let data): receive(data, frame.streamID)
        case .rstStream: requests[frame.streamID] = nil
        case .goAway:
            ending = ending ?? .shutdown
            closeWhenIdle()
        case .priority, .settings, .pushPromise, .ping, .windowUpdate, .alternativeService, .origin: break
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent { requests[closed.streamID] = nil }
        if let updated = event as? NIOHTTP2WindowUpdatedEvent, updated.streamID == .rootStream,
            let size = updated.inboundWindowSize
        {
            window = size
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        returnWindow()
        flush()
        context.fireChannelReadComplete()
    }

    // MARK: Requests

    private func receive(_ frame: HTTP2Frame.FramePayload.Headers, _ stream: HTTP2StreamID) {
        // A second block of headers is the trailers: nothing in them matters.
        if requests[stream] == nil {
            // What follows the answer to a body that had no end is no new request.
            guard !isClosing, stream > lastStream else { return }
            lastStream = stream
            var request = Request(opened: lastFrame)
            for (name, value, _) in frame.headers { request.fields.add(name, value) }
            requests[stream] = request
            if let ending { return answer(stream, PushRejection(ending)) }
        }
        if frame.endStream { finish(stream) }
    }

    private func receive(_ frame: HTTP2Frame.FramePayload.Data, _ stream: HTTP2StreamID) {
        guard case .byteBuffer(let bytes) = frame.data else { return }
        // What comes after the answer is of no interest.
        guard requests[stream] != nil else { return }
        keep(bytes, padding: frame.paddingBytes.map { $0 + 1 } ?? 0, of: stream)
        if frame.endStream { finish(stream) }
    }

    /// A body that is too large is read to its end and thrown away, since most clients hear an answer only then. One
    /// that has no end is answered before.
    private func keep(_ bytes: ByteBuffer, padding: Int, of stream: HTTP2StreamID) {
        guard var request = requests.removeValue(forKey: stream) else { return }
        let before = request.length
        request.length += bytes.readableBytes + padding
        let size = request.body.count + bytes.readableBytes
        if !request.isTooLarge, size <= max(server.rules.longestPayload, server.rules.longestVoIPPayload) {
            request.body.append(contentsOf: bytes.readableBytesView)
        } else {
            request.isTooLarge = true
            request.body = []
        }
        requests[stream] = request
        guard request.length / Self.windowPart > before / Self.windowPart else { return }
        if request.length < Self.mostThrownAway {
            write(.windowUpdate(windowSizeIncrement: Self.windowPart), stream)
        } else if before < Self.mostThrownAway {
            evaluate(stream)
        }
    }

    private static let windowPart = 32_768
    private static let mostThrownAway = 1 << 20

    private func finish(_ stream: HTTP2StreamID) {
        guard let request = requests[stream] else { return }
        requests[stream]?.isWhole = true
        requests[stream]?.opened = lastFrame
        if request.length < Self.mostThrownAway { evaluate(stream) }
    }

    /// The client may send again what came, whatever became of it; a stream's own window is larger than any request.
    private func returnWindow() {
        guard window < 32_768 else { return }
        write(.windowUpdate(windowSizeIncrement: 65_535 - window), .rootStream)
        window = 65_535
    }

    // MARK: Answers

    func accept(_ stream: HTTP2StreamID, id: String) {
        guard let request = requests.removeValue(forKey: stream) else { return }
        server.metrics.answer.recordNanoseconds((Instant.now - request.opened).nanoseconds)
        var headers = HPACKHeaders([(":status", "200")])
        headers.add(name: "apns-id", value: id, indexing: .nonIndexable)
        write(.headers(.init(headers: headers, endStream: true)), stream)
        afterAnswer()
    }

    func answer(_ stream: HTTP2StreamID, _ rejection: PushRejection, id: String? = nil) {
        guard let request = requests.removeValue(forKey: stream) else { return }
        server.metrics.reject(rejection.reason)
        // Every answer has an identifier, by which a provider can ask what became of a request.
        let id = id ?? request.fields.echo ?? RandomBytes.identifier()
        respond(stream, status: rejection.reason.status, id: id, body: rejection.body)
        if !request.isWhole { stopReading(stream) }
        afterAnswer()
    }

    /// A client that goes on to send is told that nobody reads it. The answer leaves before: it would be lost with the
    /// stream.
    private func stopReading(_ stream: HTTP2StreamID) {
        flush()
        write(.rstStream(.noError), stream)
    }

    func respond(_ stream: HTTP2StreamID, status: Int, id: String?, body: [UInt8]) {
        var headers = HPACKHeaders([(":status", "\(status)"), ("content-type", "application/json")])
        if let id { headers.add(name: "apns-id", value: id, indexing: .nonIndexable) }
        write(.headers(.init(headers: headers, endStream: false)), stream)
        write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)), stream)
    }

    private func afterAnswer() { if ending != nil { closeWhenIdle() } }

    /// The state of the gateway, for those who balance load among several.
    func health(_ stream: HTTP2StreamID) {
        guard let request = requests.removeValue(forKey: stream) else { return }
        let trouble = server.store.trouble
        let status = JSONValue.object(["status": .string(trouble ?? "ok")])
        respond(stream, status: trouble == nil ? 200 : 503, id: nil, body: status.encoded)
        if !request.isWhole { stopReading(stream) }
        afterAnswer()
    }

    private func write(_ payload: HTTP2Frame.FramePayload, _ stream: HTTP2StreamID) {
        guard let context else { return }
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
        guard !needsFlush else { return }
        // Answers come many at a time: what is written until then leaves together.
        needsFlush = true
        eventLoop.execute { self.flush() }
    }

    private func flush() {
        guard needsFlush, let context else { return }
        needsFlush = false
        context.flush()
    }

    // MARK: The end

    private func tick() {
        guard let context else { return }
        let now = Instant.now
        let rules = server.connectionRules
        if let stalled, now - stalled > rules.slowRequest { return context.close(promise: nil) }
        if !hasSpoken, now - lastFrame > rules.handshake { return context.close(promise: nil) }
        // Slow headers, most likely.
        if let since = watch.unfinished, now - since > rules.slowRequest { return goAway(.idleTimeout) }
        for (stream, request) in requests where !request.isWhole && now - request.opened > rules.slowRequest {
            answer(stream, PushRejection(.idleTimeout))
        }
        if requests.isEmpty, ending == nil, now - lastFrame > rules.idle { goAway(.idleTimeout) }
    }

    /// Answers what is under way, says why, and closes.
    ///
    /// GOAWAY is the last frame, and what comes before it is answered with the reason: the HTTP/2 library takes a body
    /// that crosses an earlier GOAWAY for an error, and all that is under way would be lost with the connection.
    func goAway(_ reason: PushReason) {
        guard ending == nil else { return }
        ending = reason
        server.logger.info("a provider's connection ends", metadata: ["reason": "\(reason.rawValue)"])
        closeWhenIdle()
        eventLoop.scheduleTask(in: TimeAmount(server.connectionRules.grace)) { self.close() }
    }

    private func closeWhenIdle() { if requests.isEmpty { close() } }

    private func close() {
        guard let context, !isClosing else { return }
        isClosing = true
        // Bodies wait for a flush where frames do not: many clients read nothing that comes after this one.
        flush()
        let text = ending.map { ByteBuffer(bytes: PushRejection($0).body) }
        let channel = context.channel
        // After what has been written. A request of a later stream may be sent again elsewhere: it was not read.
        let last = HTTP2Frame.FramePayload.goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: text)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: last))).whenComplete { _ in
            channel.close(promise: nil)
        }
        eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }

    /// The gateway ends.
    func end() async {
        let promise = eventLoop.makePromise(of: Void.self)
        eventLoop.execute {
            guard self.context != nil else { return promise.succeed() }
            self.whenEnded.map { promise.futureResult.cascade(to: $0) }
            self.whenEnded = promise
            self.goAway(.shutdown)
        }
        try? await promise.futureResult.get()
    }
}
