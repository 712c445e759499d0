import Dispatch
import Synchronization

/// What comes from elsewhere, and those that wait for some of it.
final class Inbox<Element: Sendable>: Sendable {
    /// Nothing came that was waited for.
    struct Silence: Error {
        let waitedFor: String
    }

    /// Nothing comes any more.
    struct Ended: Error {}

    private struct Waiter: Sendable {
        var accepts: @Sendable (Element) -> Bool
        var continuation: CheckedContinuation<Result<Element, any Error>, Never>
    }

    private struct State: Sendable {
        var elements: [Element] = []
        var waiters: [(id: Int, waiter: Waiter)] = []
        var last = 0
        var isEnded = false
    }

    private let state = Mutex(State())
    private let name: String

    init(_ name: String) { self.name = name }

    func put(_ element: Element) {
        let waiter = state.withLock { state -> Waiter? in
            guard !state.isEnded else { return nil }
            if let index = state.waiters.firstIndex(where: { $0.waiter.accepts(element) }) {
                return state.waiters.remove(at: index).waiter
            }
            state.elements.append(element)
            return nil
        }
        waiter?.continuation.resume(returning: .success(element))
    }

    /// What has come already may still be taken.
    func end() {
        let waiters = state.withLock { state in
            state.isEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for (_, waiter) in waiters { waiter.continuation.resume(returning: .failure(Ended())) }
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }
    var count: Int { state.withLock { $0.elements.count } }

    /// Everything that has come and was not taken.
    func takeAll() -> [Element] {
        state.withLock { state in
            defer { state.elements = [] }
            return state.elements
        }
    }

    /// The next one that is wanted.
    @discardableResult
    func next(
        within seconds: Double = 120, where accepts: @escaping @Sendable (Element) -> Bool = { _ in true }
    ) async throws -> Element {
        try await withCheckedContinuation { (continuation: CheckedContinuation<Result<Element, any Error>, Never>) in
            let id = state.withLock { state -> Int? in
                if let index = state.elements.firstIndex(where: accepts) {
                    continuation.resume(returning: .success(state.elements.remove(at: index)))
                    return nil
                }
                if state.isEnded {
                    continuation.resume(returning: .failure(Ended()))
                    return nil
                }
                state.last += 1
                state.waiters.append((state.last, Waiter(accepts: accepts, continuation: continuation)))
                return state.last
            }
            guard let id else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { self.giveUp(id, seconds) }
        }.get()
    }

    private func giveUp(_ id: Int, _ seconds: Double) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0).waiter }
        }
        waiter?.continuation.resume(returning: .failure(Silence(waitedFor: "\(name), \(seconds) s")))
    }

    /// Waits for the end. What comes until then is dropped.
    func untilEnd(within seconds: Double = 30) async throws {
        do {
            while true { try await next(within: seconds) }
        } catch is Ended {}
    }
}
