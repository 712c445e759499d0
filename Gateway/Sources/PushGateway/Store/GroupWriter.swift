internal import Dispatch
internal import Model
internal import NIOCore
internal import PushCore
internal import Synchronization

/// Writes what many connections want to have written in few transactions: while one is under way, what comes gathers
/// for the next.
final class GroupWriter: Sendable {
    typealias Writes = PendingWrites<StoreWaiter<StoreOutcome>, MessageDatabase.Job>

    private struct State: Sendable {
        var pending = Writes()
        var isScheduled = false
        var isClosed = false
        /// When what has expired is removed next. While nothing is written it may as well stay.
        var purge = Instant.zero
    }

    private let database: MessageDatabase
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "greenroom.push.store")

    init(_ database: MessageDatabase) { self.database = database }

    /// `false`: the disk does not keep up.
    func insert(_ message: PushMessage, _ superseding: Superseding, _ waiter: StoreWaiter<StoreOutcome>) -> Bool {
        change { !$0.isClosed && $0.pending.insert(message, superseding, waiter) }
    }

    func delete(_ number: Int64) {
        let waiter = change { $0.pending.delete(number) }
        waiter?(.accepted)
    }

    func append(_ job: MessageDatabase.Job) { change { $0.pending.append(job) } }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, schedules) = state.withLock { state in
            let result = body(&state)
            let schedules = !state.isScheduled && !state.pending.isEmpty
            if schedules { state.isScheduled = true }
            return (result, schedules)
        }
        if schedules { queue.async { self.drain() } }
        return result
    }

    private func drain() {
        while true {
            let now = Instant.now
            let entries = state.withLock { state in
                if !state.pending.isEmpty, now > state.purge {
                    state.purge = now + .seconds(60)
                    state.pending.append(.purge)
                }
                let entries = state.pending.take()
                if entries.isEmpty { state.isScheduled = false }
                return entries
            }
            if entries.isEmpty { return }
            answer(database.write(entries))
        }
    }

    /// One task an event loop, however many wait on it.
    private func answer(_ answers: [(StoreWaiter<StoreOutcome>, StoreOutcome)]) {
        var loops: [ObjectIdentifier: (any EventLoop, [(StoreWaiter<StoreOutcome>, StoreOutcome)])] = [:]
        for answer in answers {
            let loop = answer.0.eventLoop
            loops[ObjectIdentifier(loop), default: (loop, [])].1.append(answer)
        }
        for (loop, answers) in loops.values {
            loop.execute {
                for (waiter, outcome) in answers { waiter.body(outcome) }
            }
        }
    }

    /// Ends after everything has been written.
    func close() async {
        state.withLock { $0.isClosed = true }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            queue.async {
                self.drain()
                self.database.close()
                continuation.resume()
            }
        }
    }
}
