internal import NIOCore
internal import Synchronization

/// The places for connections: fewer than the process may have descriptors. Without them the kernel would tell of the
/// same connection again and again, and nothing would accept it.
final class ConnectionPlaces: Sendable {
    private struct State: Sendable {
        var count = 0
        var waiting: [@Sendable () -> Void] = []
    }

    let most: Int
    private let state = Mutex(State())

    /// - Parameter most: connections of all servers together.
    init(most: Int) { self.most = most }

    /// Whether one more connection may be accepted. If not, `later` is called once there is a place.
    ///
    /// - Parameter spare: places that are left to others.
    func hasPlace(sparing spare: Int, later: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.count < most - spare { return true }
            state.waiting.append(later)
            return false
        }
    }

    func enter() { state.withLock { $0.count += 1 } }

    func leave() {
        let waiting = state.withLock { state in
            state.count -= 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for later in waiting { later() }
    }
}

/// Accepts connections of a server's channel while there are places; the others wait in the listen backlog.
///
/// Unchecked: touched on the server channel's event loop only.
final class PlaceHandler: ChannelDuplexHandler, @unchecked Sendable {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never

    private let places: ConnectionPlaces
    private let spare: Int
    private var context: ChannelHandlerContext?
    /// It is called when there is a place: further reads before that change nothing.
    private var isWaiting = false

    init(_ places: ConnectionPlaces, sparing spare: Int = 0) { (self.places, self.spare) = (places, spare) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) { readIfPlace() }

    private func readIfPlace() {
        guard let context, !isWaiting else { return }
        let loop = context.eventLoop
        // Others may be faster then, so it is asked again.
        let hasPlace = places.hasPlace(sparing: spare) {
            loop.execute {
                self.isWaiting = false
                self.readIfPlace()
            }
        }
        if hasPlace { context.read() } else { isWaiting = true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        places.enter()
        unwrapInboundIn(data).closeFuture.whenComplete { [places] _ in places.leave() }
        context.fireChannelRead(data)
    }
}
