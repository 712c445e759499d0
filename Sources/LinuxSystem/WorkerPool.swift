package import Dispatch
internal import Synchronization

/// Several threads, and no more: what waits takes none. Each is a queue of its own, since a concurrent queue has
/// libdispatch count its threads every second from then on, and an idle system sleeps.
package final class WorkerPool: Sendable {
    private struct State {
        var free: [DispatchQueue]
        var waiting: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>

    /// - Parameter width: how many threads work at the same time, at least one.
    package init(label: String, width: Int, qos: DispatchQoS = .unspecified) {
        state = Mutex(
            State(free: (1...max(1, width)).map { DispatchQueue(label: "\(label)-\($0)", qos: qos) }))
    }

    package func run(_ work: @escaping @Sendable () -> Void) {
        let queue = state.withLock { state -> DispatchQueue? in
            if let queue = state.free.popLast() { return queue }
            state.waiting.append(work)
            return nil
        }
        if let queue { start(work, on: queue) }
    }

    private func start(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
        queue.async { [self] in
            work()
            let next = state.withLock { state -> (@Sendable () -> Void)? in
                if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                state.free.append(queue)
                return nil
            }
            if let next { start(next, on: queue) }
        }
    }
}
