internal import CoreMetrics
internal import Model
internal import NIOCore
internal import PushCore
internal import Synchronization

/// Accepts a connection when there is a place for it. Until then it waits in the listen backlog.
///
/// Unchecked: `context` and `look` are touched on the server channel's event loop only.
final class AdmissionHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    /// An event of a connection that has been unproven for too long while others wait.
    struct Overdue: Sendable {}

    private struct State: Sendable {
        var control: AdmissionControl<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
        var loop: (any EventLoop)?
    }

    private let state: Mutex<State>
    private let unproven: Meter
    private var context: ChannelHandlerContext?
    private var look: Scheduled<Void>?

    init(_ rules: PushRules, unproven: Meter) {
        state = Mutex(State(control: AdmissionControl(rules)))
        self.unproven = unproven
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        state.withLock { $0.loop = context.eventLoop }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        look?.cancel()
        state.withLock { $0.loop = nil }
    }

    // MARK: The server channel

    func read(context: ChannelHandlerContext) {
        if state.withLock({ $0.control.hasPlace() }) { context.read() } else { lookLater() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let channel = unwrapInboundIn(data)
        let id = ObjectIdentifier(channel)
        unproven.set(
            state.withLock { state in
                state.control.enter(id, at: .now)
                state.channels[id] = channel
                return state.control.count
            })
        // Some end before they have a handler that could say so.
        channel.closeFuture.whenComplete { _ in self.leave(id, isProven: false) }
        context.fireChannelRead(data)
    }

    // MARK: Connections

    /// A connection is proven, or ends. On any event loop, and as often as one likes.
    func leave(_ channel: any Channel, isProven: Bool) { leave(ObjectIdentifier(channel), isProven: isProven) }

    private func leave(_ id: ObjectIdentifier, isProven: Bool) {
        let (isNews, count, loop) = state.withLock { state in
            let isNews = state.channels.removeValue(forKey: id) != nil
            let isFree = state.control.leave(id, isProven: isProven)
            return (isNews, state.control.count, isFree ? state.loop : nil)
        }
        if isNews { unproven.set(count) }
        loop?.execute { self.context?.read() }
    }

    private func lookLater() {
        let now = Instant.now
        guard look == nil, let context, let time = state.withLock({ $0.control.watch(at: now) }) else { return }
        look = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time - now)) { self.endOverdue() }
    }

    private func endOverdue() {
        look = nil
        let overdue = state.withLock { state in
            state.control.overdue(at: .now).compactMap { state.channels[$0] }
        }
        for channel in overdue { channel.pipeline.fireUserInboundEventTriggered(Overdue()) }
        lookLater()
    }
}
