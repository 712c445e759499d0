internal import Dispatch
internal import Model
internal import Synchronization

/// The requests that have no answer yet. Each is answered once: by a message, by the end of its time, or by the end of
/// the connection.
///
/// libnats has asynchronous publishes of its own, with acknowledgements. It is not used for them: one that is never
/// acknowledged stays there for ever, and requests that are no publishes need the same.
final class Replies: Sendable {
    typealias Answer = @Sendable (Result<NATSMessage, NATSError>) -> Void

    private struct Pending: Sendable {
        var deadline: DispatchTime
        var answer: Answer
    }

    private struct State: Sendable {
        var pending: [UInt64: Pending] = [:]
        var last: UInt64 = 0
        var isWatching = false
    }

    private let state = Mutex(State())
    private let queue: DispatchQueue

    private static let pause = DispatchTimeInterval.milliseconds(100)

    init(_ queue: DispatchQueue) { self.queue = queue }

    func add(within timeout: Span, _ answer: @escaping Answer) -> UInt64 {
        let (number, watches) = state.withLock { state in
            state.last += 1
            state.pending[state.last] = Pending(
                deadline: .now() + .nanoseconds(Int(timeout.nanoseconds)), answer: answer)
            let watches = !state.isWatching
            state.isWatching = true
            return (state.last, watches)
        }
        if watches { watch() }
        return number
    }

    func answer(_ number: UInt64, _ result: Result<NATSMessage, NATSError>) {
        let pending = state.withLock { $0.pending.removeValue(forKey: number) }
        pending?.answer(result)
    }

    func failAll(_ error: NATSError) {
        let all = state.withLock { state in
            defer { state.pending = [:] }
            return state.pending.values.map(\.answer)
        }
        for answer in all { answer(.failure(error)) }
    }

    /// While there are requests, and not after them.
    private func watch() {
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = DispatchTime.now()
        let (late, watches) = state.withLock { state in
            let late = state.pending.filter { $0.value.deadline < now }
            for number in late.keys { state.pending[number] = nil }
            state.isWatching = !state.pending.isEmpty
            return (late.values.map(\.answer), state.isWatching)
        }
        for answer in late { answer(.failure(.timedOut)) }
        if watches { watch() }
    }
}
