internal import CoreMetrics
internal import Logging
internal import Model
internal import NIOCore
internal import NIOTLS
internal import PushCore
internal import PushLink
internal import Synchronization

/// A device's connection: the bytes around a `LinkSession`.
///
/// Unchecked: everything but `reading` is touched on the event loop only; `DeviceLink`'s methods hop to it.
final class LinkConnection: ChannelDuplexHandler, DeviceLink, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    private let server: LinkServer
    private let eventLoop: any EventLoop
    private var context: ChannelHandlerContext?
    private var session: LinkSession
    /// The device that the store delivers to through this connection. The session forgets it with its end.
    private var attached: DeviceID?
    private var reader = LinkReader<AgentRecord>()
    /// The channel wants to be read, and is not, since the device does not read either.
    private var holdsRead = false
    private var isEnding = false
    /// The handshake is complete.
    private var isSecure = false
    /// It counts among those that are unproven.
    private var isUnproven = true
    private let reading = Atomic(false)

    init(_ server: LinkServer, _ eventLoop: any EventLoop) {
        self.server = server
        self.eventLoop = eventLoop
        session = LinkSession(at: .now)
    }

    // MARK: From other threads

    var isReading: Bool { reading.load(ordering: .relaxed) }

    func deliver(_ message: PushMessage) {
        eventLoop.execute {
            let actions = self.session.deliver(message, rules: self.server.rules, at: .now)
            if actions.isEmpty, !message.isStored { self.server.metrics.dropped.increment() }
            self.perform(actions)
        }
    }

    func missed() {
        eventLoop.execute { self.perform(self.session.missed(rules: self.server.rules)) }
    }

    func replaced() { eventLoop.execute { self.end(.replaced) } }

    // MARK: The channel

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        server.opened(self, on: eventLoop)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        detach()
        session.closed()
        reading.store(false, ordering: .relaxed)
        server.closed(self, on: eventLoop)
        self.context = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is AdmissionHandler.Overdue {
            if isUnproven { end(.idleTimeout) }
            return
        }
        if case .handshakeCompleted(let negotiated) = event as? TLSUserEvent {
            guard negotiated == LinkRules.applicationProtocol else { return context.close(promise: nil) }
            isSecure = true
        }
        if let event = event as? ChannelEvent, event == .inputClosed { return context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        server.logger.debug("a device's connection broke", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !session.isClosed else { return }
        let buffer = unwrapInboundIn(data)
        reader.append(Array(buffer.readableBytesView))
        do throws(LinkError) {
            while !session.isClosed, let record = try reader.next() {
                perform(
                    session.receive(
                        record, rules: server.rules, proof: server.proof,
                        nonce: { RandomBytes.make(LinkRules.nonceLength) }, at: .now))
            }
        } catch {
            server.logger.debug("a device sent what is no record", metadata: ["error": "\(error)"])
            end(.badRecord)
        }
    }

    func read(context: ChannelHandlerContext) {
        // What it asks for would be answered into a buffer that it does not empty.
        if context.channel.isWritable { context.read() } else { holdsRead = true }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        perform(session.writable(isWritable, rules: server.rules, at: .now))
        if !isWritable { server.watch(self, on: eventLoop) }
        if isWritable, holdsRead {
            holdsRead = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: The session

    /// Called now and then, on the event loop.
    func tick(at now: Instant) { perform(session.tick(rules: server.rules, at: now)) }

    /// It need not be looked at for a while.
    var isSettled: Bool { session.isSettled }

    func end(_ reason: LinkGoodbye, after: Double? = nil) {
        perform(session.end(reason, after: after))
    }

    private func perform(_ actions: [LinkSession.Action]) {
        guard let context, !actions.isEmpty else { return updateReading() }
        var writes = false
        for action in actions {
            switch action {
            case .send(let record):
                write(record, context)
                writes = true
            case .attach(let device):
                attached = device
                server.store.attach(device, self)
            case .load(let device, let limit): load(device, limit)
            case .acknowledge(let device, let number): server.store.acknowledge(device, number)
            case .register(let device, let topic):
                server.store.register(device, topic: topic, answer(topic))
            case .unregister(let device, let topic):
                server.store.unregister(device, topic: topic, answer(topic))
            case .close: close(context)
            }
        }
        if writes { context.flush() }
        updateReading()
    }

    private func updateReading() {
        reading.store(session.isReading, ordering: .relaxed)
        guard isUnproven, session.device != nil || session.isClosed, let context else { return }
        isUnproven = false
        server.admission.leave(context.channel, isProven: session.device != nil)
    }

    private func write(_ record: GatewayRecord, _ context: ChannelHandlerContext) {
        switch record {
        case .push: server.metrics.sent.increment()
        case .goaway(_, let reason):
            if reason == LinkGoodbye.tooSlow.rawValue { countUnread(context) }
            if let reason = LinkGoodbye(rawValue: reason) { server.metrics.end(reason) }
        case .challenge, .welcome, .token, .unregistered, .refused, .pong: break
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: record.line)), promise: nil)
    }

    private func countUnread(_ context: ChannelHandlerContext) {
        let bytes = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)
        server.metrics.unread.record(bytes ?? 0)
    }

    private func load(_ device: DeviceID, _ limit: Int) {
        server.store.load(
            device, limit: limit,
            StoreWaiter(eventLoop: eventLoop) { page in
                guard let page else { return self.session.loadFailed() }
                self.perform(
                    self.session.loaded(page.messages, isAll: page.isAll, rules: self.server.rules, now: .now))
            })
    }

    private func answer(_ topic: String) -> StoreWaiter<RegistrationOutcome> {
        StoreWaiter(eventLoop: eventLoop) { outcome in
            guard !self.session.isClosed else { return }
            switch outcome {
            case .token(let token): self.perform([.send(.token(topic: topic, token: token.text))])
            case .ended: self.perform([.send(.unregistered(topic: topic))])
            case .refused(let reason): self.perform([.send(.refused(topic: topic, reason: reason))])
            }
        }
    }

    private func detach() {
        guard let device = attached else { return }
        attached = nil
        server.store.detach(device, self)
    }

    /// Closes once what was written is out, or soon after: the other end may not read it.
    private func close(_ context: ChannelHandlerContext) {
        guard !isEnding else { return }
        isEnding = true
        detach()
        let channel = context.channel
        // Without a handshake nothing can be said, and nothing is out sooner or later.
        guard isSecure else { return channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(promise: nil) }
        eventLoop.scheduleTask(in: .seconds(5)) { channel.close(promise: nil) }
    }
}
