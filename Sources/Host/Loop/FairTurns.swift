/// Somebody who has sent something, and whose messages are handled one at a time.
package protocol TurnTaker: AnyObject {
    /// Handles one message; whether there may be more.
    func takeTurn() -> Bool
}

/// Whose turn it is among peers that nobody can limit otherwise: one message each, one after the other, and all of them
/// together for a few milliseconds of each turn of the loop. So neither apps nor timers wait for hundreds that ask as
/// fast as they can, and who asks for one thing does not wait for who asks without an end.
package final class FairTurns<Peer: TurnTaker> {
    private let clock: () -> Int64
    /// Calls once in the next turn of the loop.
    private let soon: (@escaping () -> Void) -> Void
    /// In the order of their turns.
    private var waiting: [Peer] = []
    /// What is left of the time, which begins anew when the loop has come round for those who wait.
    private var left = share
    private var isScheduled = false

    private static var share: Int64 { 2_000_000 }

    package init(clock: @escaping () -> Int64, soon: @escaping (@escaping () -> Void) -> Void) {
        self.clock = clock
        self.soon = soon
    }

    /// It has something to say: now, if nobody waits and there is time, or when its turn comes. Not called again before
    /// that.
    package func add(_ peer: Peer) {
        if waiting.isEmpty, left > 0, !handle(peer) { return }
        waiting.append(peer)
        schedule()
    }

    /// - Returns: whether it may have more to say.
    private func handle(_ peer: Peer) -> Bool {
        let began = clock()
        let hasMore = peer.takeTurn()
        left -= max(0, clock() - began)
        return hasMore
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        soon { [weak self] in self?.run() }
    }

    private func run() {
        isScheduled = false
        left = Self.share
        // Whoever comes meanwhile is behind those who were there.
        let present = waiting
        waiting = []
        var rest = present[...]
        while left > 0, let peer = rest.popFirst() {
            if handle(peer) { waiting.append(peer) }
        }
        waiting = rest + waiting
        if !waiting.isEmpty { schedule() }
    }
}
