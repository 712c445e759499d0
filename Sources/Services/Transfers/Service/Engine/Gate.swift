internal import Model
internal import Synchronization
internal import TransferCore

/// Lets the bytes of transfers that give way through at a rate, and all others as they come.
///
/// A connection that nobody reads fills its buffer, and then the server stops: so a download is slowed by reading it
/// slowly, as an upload is by sending it slowly.
final class Gate: Sendable {
    private struct Waiter {
        let id: TransferID
        /// It goes on when so many bytes have been granted.
        let mark: Int64
        let release: @Sendable () -> Void
    }

    private struct State {
        var yielding: Set<TransferID> = []
        var limit: Int64?
        /// Bytes that came to the gate and that were granted, of those that give way; both only grow.
        var asked: Int64 = 0
        var granted: Int64 = 0
        var waiters: [Waiter] = []
        var wasHeld = false
        var free: Int64 = 0
    }

    private let state = Mutex(State())

    /// These give way from now on, and together move so many bytes a second at most.
    func set(_ yielding: [TransferID], limit: Int64?) {
        let released = state.withLock { state -> [Waiter] in
            state.yielding = Set(yielding)
            // What had not been limited owes nothing.
            if state.limit == nil || limit == nil { state.granted = state.asked }
            state.limit = limit
            return Self.release(&state)
        }
        for waiter in released { waiter.release() }
    }

    /// Bytes that have moved. Answers whether more has to wait; `release` is called when it may move.
    func pass(_ id: TransferID, _ count: Int, _ release: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.yielding.contains(id) else {
                state.free += Int64(count)
                return false
            }
            guard state.limit != nil else { return false }
            state.asked += Int64(count)
            guard state.asked > state.granted else { return false }
            state.wasHeld = true
            state.waiters.append(Waiter(id: id, mark: state.asked, release: release))
            return true
        }
    }

    /// Grants what the time is worth; what is not used is not saved up.
    func refill(_ elapsed: Span) {
        let released = state.withLock { state -> [Waiter] in
            guard let limit = state.limit else { return [] }
            let worth = Int64(Double(limit) * min(elapsed.seconds, 1))
            state.granted = min(state.granted, state.asked) + worth
            return Self.release(&state)
        }
        for waiter in released { waiter.release() }
    }

    /// Bytes of transfers that give way to nothing, and whether any other had to wait, since this was asked last.
    func takeCounts() -> (free: Int64, isHeld: Bool) {
        state.withLock { state in
            defer { (state.free, state.wasHeld) = (0, false) }
            return (state.free, state.wasHeld || !state.waiters.isEmpty)
        }
    }

    /// Those that need not wait any longer.
    private static func release(_ state: inout State) -> [Waiter] {
        let (granted, yielding) = (state.granted, state.yielding)
        func isHeld(_ waiter: Waiter) -> Bool { waiter.mark > granted && yielding.contains(waiter.id) }
        let released = state.waiters.filter { !isHeld($0) }
        if !released.isEmpty { state.waiters.removeAll { !isHeld($0) } }
        return released
    }
}
