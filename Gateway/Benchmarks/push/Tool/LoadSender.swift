internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// A connection of a provider, and the next one when it ends.
///
/// Unchecked: touched on its event loop only.
final class LoadSender: @unchecked Sendable {
    private let loop: any EventLoop
    private let requests: LoadRequests
    private let streams: Int
    /// Requests a second; `nil`: as many as are answered.
    private let rate: Double?
    private let address: SocketAddress
    private let context: NIOSSLContext
    private let name: String
    /// Senders take turns with the tokens.
    private var next: Int
    private let stride: Int

    private var connection: LoadConnection?
    private var meter = LoadMeter()
    private var isRunning = false
    private var isConnecting = false
    private var whenDone: EventLoopPromise<LoadMeter>?
    private var began = Ticks.now
    private var sent = 0
    private var clock: RepeatedTask?

    init(
        _ loop: any EventLoop, number: Int, of count: Int, _ requests: LoadRequests, streams: Int, rate: Double?,
        address: SocketAddress, _ context: NIOSSLContext, _ name: String
    ) {
        self.loop = loop
        self.requests = requests
        self.streams = streams
        self.rate = rate
        self.address = address
        self.context = context
        self.name = name
        next = number
        stride = count
    }

    // MARK: From other threads

    func open() async throws {
        let promise = loop.makePromise(of: Void.self)
        loop.execute { self.connect().cascade(to: promise) }
        try await promise.futureResult.get()
    }

    func begin() {
        loop.execute {
            self.isRunning = true
            self.began = Ticks.now
            if self.rate != nil {
                self.clock = self.loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(5)) { _ in
                    self.sendDue()
                }
            }
            self.fill()
        }
    }

    /// Ends when everything has been answered, or ten seconds later.
    func end() async throws -> LoadMeter {
        let promise = loop.makePromise(of: LoadMeter.self)
        loop.execute {
            self.isRunning = false
            self.clock?.cancel()
            self.whenDone = promise
            self.loop.scheduleTask(in: .seconds(10)) {
                self.meter.lost += self.connection?.count ?? 0
                self.done()
            }
            self.doneIfIdle()
        }
        return try await promise.futureResult.get()
    }

    // MARK: On the event loop

    private func connect() -> EventLoopFuture<Void> {
        isConnecting = true
        let connection = LoadConnection(self)
        let (context, name) = (context, name)
        let ready = loop.makePromise(of: Void.self)
        connection.ready = ready
        ClientBootstrap(group: loop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        try NIOSSLClientHandler(context: context, serverHostname: name),
                        NIOHTTP2Handler(mode: .client), connection)
                }
            }
            .connect(to: address)
            .whenFailure { ready.fail($0) }
        return ready.futureResult.map {
            self.isConnecting = false
            self.connection = connection
            self.meter.connected += 1
            self.fill()
        }.flatMapErrorThrowing { error in
            self.isConnecting = false
            self.meter.failed += 1
            throw error
        }
    }

    private func connectAgain() {
        guard isRunning, !isConnecting, connection == nil else { return }
        loop.scheduleTask(in: .milliseconds(100)) {
            guard self.isRunning, !self.isConnecting, self.connection == nil else { return }
            self.connect().whenFailure { _ in self.connectAgain() }
        }
    }

    private func fill() {
        guard isRunning, rate == nil, let connection else { return }
        while connection.count < streams { send(connection) }
        connection.flush()
    }

    private func sendDue() {
        guard let rate else { return }
        let due = Int(Double(Ticks.now - began) / 1e9 * rate)
        while sent < due {
            sent += 1
            if let connection, connection.count < 1000 { send(connection) } else { meter.unsent += 1 }
        }
        connection?.flush()
    }

    private func send(_ connection: LoadConnection) {
        connection.send(requests.headers(next), requests.body)
        next += stride
    }

    func answered(_ status: String, after nanoseconds: UInt64) {
        meter.statuses[status, default: 0] += 1
        meter.latencies.add(nanoseconds)
        doneIfIdle()
    }

    /// What came in one read has been handled.
    func readComplete() { fill() }

    func ended(_ connection: LoadConnection) {
        guard connection === self.connection else { return }
        meter.lost += connection.count
        self.connection = nil
        connectAgain()
        doneIfIdle()
    }

    private func doneIfIdle() {
        if connection?.count ?? 0 == 0 { done() }
    }

    private func done() {
        whenDone?.succeed(meter)
        whenDone = nil
    }
}

/// The frames of a connection: a request is written, its status comes back.
///
/// Unchecked: touched on its event loop only.
final class LoadConnection: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let sender: LoadSender
    var ready: EventLoopPromise<Void>?
    private var context: ChannelHandlerContext?
    private var stream = HTTP2StreamID(1)
    private var open: [HTTP2StreamID: (began: UInt64, status: String)] = [:]

    init(_ sender: LoadSender) { self.sender = sender }

    var count: Int { open.count }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    private func succeed() {
        ready?.succeed()
        ready = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        ready?.fail(ChannelError.eof)
        ready = nil
        sender.ended(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ready?.fail(error)
        ready = nil
        context.close(promise: nil)
    }

    func send(_ headers: HPACKHeaders, _ body: ByteBuffer) {
        guard let context else { return }
        open[stream] = (Ticks.now, "")
        let payload = HTTP2Frame.FramePayload.headers(.init(headers: headers))
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
        let data = HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(body), endStream: true))
        context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: data)), promise: nil)
        stream = stream.advanced(by: 2)
    }

    func flush() { context?.flush() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            open[frame.streamID]?.status = headers.headers.first(name: ":status") ?? ""
            if headers.endStream { finish(frame.streamID) }
        case .data(let data):
            if data.endStream { finish(frame.streamID) }
        case .rstStream:
            open[frame.streamID]?.status = "reset"
            finish(frame.streamID)
        case .goAway: context.close(promise: nil)
        case .priority, .settings, .pushPromise, .ping, .windowUpdate, .alternativeService, .origin: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        sender.readComplete()
        context.fireChannelReadComplete()
    }

    private func finish(_ stream: HTTP2StreamID) {
        guard let request = open.removeValue(forKey: stream) else { return }
        sender.answered(request.status, after: Ticks.now - request.began)
    }
}
