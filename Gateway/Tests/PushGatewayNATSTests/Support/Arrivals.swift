import Dispatch
import Synchronization

/// What came, in its order, for one that waits for it.
final class Arrivals<Element: Sendable>: Sendable {
    struct Silence: Error {}

    private typealias Continuation = CheckedContinuation<Element?, Never>

    private struct State: Sendable {
        var elements: [Element] = []
        var waiting: (id: UInt64, continuation: Continuation)?
        var last: UInt64 = 0
    }

    private let state = Mutex(State())

    func put(_ element: Element) {
        let waiting = state.withLock { state -> Continuation? in
            guard let waiting = state.waiting else {
                state.elements.append(element)
                return nil
            }
            state.waiting = nil
            return waiting.continuation
        }
        waiting?.resume(returning: element)
    }

    /// What has come and was not taken.
    var count: Int { state.withLock { $0.elements.count } }

    func next(within seconds: Double = 30) async throws -> Element {
        let element = await withCheckedContinuation { (continuation: Continuation) in
            let id = state.withLock { state -> UInt64? in
                if !state.elements.isEmpty {
                    continuation.resume(returning: state.elements.removeFirst())
                    return nil
                }
                state.last += 1
                state.waiting = (state.last, continuation)
                return state.last
            }
            guard let id else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.giveUp(id) }
        }
        guard let element else { throw Silence() }
        return element
    }

    private func giveUp(_ id: UInt64) {
        let continuation = state.withLock { state -> Continuation? in
            guard let waiting = state.waiting, waiting.id == id else { return nil }
            state.waiting = nil
            return waiting.continuation
        }
        continuation?.resume(returning: nil)
    }
}
