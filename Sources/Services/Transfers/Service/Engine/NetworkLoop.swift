internal import Curl
internal import Dispatch
internal import Foundation
internal import LinuxSystem
internal import Synchronization

/// The thread of the network: libcurl's sockets on an epoll of its own, and what others want of it.
final class NetworkLoop: Sendable {
    /// Names a request on the loop.
    struct RequestID: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    enum Order: Sendable {
        case begin(RequestID, CurlRequest, Exchange)
        /// What paused goes on.
        case resume(RequestID)
        case cancel(RequestID)
        /// `look` is called so often, in nanoseconds, until `unwatch`.
        case watch(Exchange, every: Int64)
        case unwatch(Exchange)
        case end
    }

    private struct State {
        var orders: [Order] = []
        var lastRequest: UInt64 = 0
    }

    private let state = Mutex(State())
    private let wakeup: EventFD
    private let hasEnded = DispatchSemaphore(value: 0)

    init() throws(SystemError) {
        let wakeup = try EventFD()
        let epoll = try Epoll()
        try epoll.add(wakeup.descriptor.rawValue, .readable, token: Network.wakeupToken)
        self.wakeup = wakeup
        let network = Network(epoll)
        // Nobody else knows it.
        nonisolated(unsafe) let confined = network
        Thread.detachNewThread { [self] in
            unsafe confined.run(self)
            hasEnded.signal()
        }
    }

    func makeRequest() -> RequestID {
        state.withLock { state in
            state.lastRequest += 1
            return RequestID(number: state.lastRequest)
        }
    }

    /// From any thread; orders are followed one after another.
    func post(_ order: Order) {
        let isFirst = state.withLock { state in
            state.orders.append(order)
            return state.orders.count == 1
        }
        if isFirst { wakeup.signal() }
    }

    /// Ends all connections, and waits for that for two seconds at most.
    func end() {
        post(.end)
        _ = hasEnded.wait(timeout: .now() + 2)
    }

    fileprivate func takeOrders() -> [Order] {
        wakeup.drain()
        return state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }
}

/// What only the thread of the network touches.
private final class Network {
    static let wakeupToken: UInt64 = 0
    /// Connections that nobody used for so long are closed.
    private static let patience: Int64 = 15_000_000_000

    private struct Watch {
        let exchange: Exchange
        let interval: Int64
        var next: Int64
    }

    private let epoll: Epoll
    /// There is none while nothing is transferred: what it keeps costs memory, and its connections a radio.
    private var set: CurlSet?
    private var nextToken = wakeupToken + 1
    private var requests: [NetworkLoop.RequestID: (transfer: CurlTransfer, hop: Hop)] = [:]
    private var watches: [ObjectIdentifier: Watch] = [:]
    private var idleSince: Int64?
    private var isOver = false

    init(_ epoll: Epoll) { self.epoll = epoll }

    func run(_ loop: NetworkLoop) {
        var ready: [Epoll.Ready] = []
        while !isOver {
            do throws(SystemError) {
                try epoll.wait(milliseconds: timeLeft(), &ready)
            } catch {
                // Only a descriptor that is none fails, and this one lives as long as the loop.
                Diagnostics.write("the network cannot be waited for: \(error)")
                return
            }
            for event in ready where event.token != Self.wakeupToken { set?.handle(event) }
            if ready.contains(where: { $0.token == Self.wakeupToken }) { loop.takeOrders().forEach(follow) }
            timePassed()
        }
    }

    // MARK: Orders

    private func follow(_ order: NetworkLoop.Order) {
        switch order {
        case .begin(let id, let request, let exchange): begin(id, request, exchange)
        case .resume(let id): if let transfer = requests[id]?.transfer { set?.resume(transfer) }
        case .cancel(let id): if let transfer = requests[id]?.transfer { set?.cancel(transfer) }
        case .watch(let exchange, let interval):
            watches[ObjectIdentifier(exchange)] = Watch(
                exchange: exchange, interval: interval, next: Clock.monotonic() + interval)
        case .unwatch(let exchange): watches[ObjectIdentifier(exchange)] = nil
        case .end:
            isOver = true
            (requests, watches) = ([:], [:])
            set?.end()
            set = nil
        }
    }

    private func begin(_ id: NetworkLoop.RequestID, _ request: CurlRequest, _ exchange: Exchange) {
        let hop = Hop(exchange) { [weak self] in self?.requests[id] = nil }
        // Whoever cancels it before it is here says so only there.
        guard !exchange.isStopped else {
            hop.transferEnded(.cancelled)
            return
        }
        if set == nil { set = CurlSet(epoll, firstToken: nextToken) }
        guard let set, let transfer = CurlTransfer(request, delegate: hop) else {
            hop.transferEnded(.unsupportedURL)
            return
        }
        idleSince = nil
        requests[id] = (transfer, hop)
        set.begin(transfer)
    }

    // MARK: Time

    private func timeLeft() -> CInt? {
        let now = Clock.monotonic()
        var least = set?.timeLeft(at: now)
        for watch in watches.values { least = min(least ?? .max, max(0, watch.next - now)) }
        if let idleSince, set != nil { least = min(least ?? .max, max(0, idleSince + Self.patience - now)) }
        // Not a moment too early, which would be once more.
        return least.map { CInt(clamping: ($0 + 999_999) / 1_000_000) }
    }

    private func timePassed() {
        let now = Clock.monotonic()
        set?.timePassed(at: now)
        for (key, watch) in watches where watch.next <= now {
            watches[key]?.next = now + watch.interval
            watch.exchange.look()
        }
        guard let set, requests.isEmpty else {
            idleSince = nil
            return
        }
        guard let idleSince else {
            self.idleSince = now
            return
        }
        if now - idleSince >= Self.patience {
            nextToken = set.unusedToken
            set.end()
            self.set = nil
            self.idleSince = nil
        }
    }
}
