/// Somebody who has sent something, and whose messages are handled one at a time.
package protocol TurnTaker: AnyObject {
    /// Nanoseconds that its messages have taken so far.
    var timeTaken: Int64 { get set }
    /// Handles one message; whether there may be more.
    func takeTurn() -> Bool
}

/// Whose turn it is among peers that nobody can limit otherwise: whoever has taken the least time so far, and all of
/// them together a few milliseconds of each turn of the loop. So neither apps nor timers wait for hundreds that ask as
/// fast as they can, and who asks for one thing does not wait for who asks without an end.
package final class FairTurns<Peer: TurnTaker> {
    private let clock: () -> Int64
    /// Calls once in the next turn of the loop.
    private let soon: (@escaping () -> Void) -> Void
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
        let took = max(0, clock() - began)
        peer.timeTaken += took
        left -= took
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
        while left > 0, let place = waiting.indices.min(by: { waiting[$0].timeTaken < waiting[$1].timeTaken }) {
            if !handle(waiting[place]) { waiting.remove(at: place) }
        }
        if !waiting.isEmpty { schedule() }
    }
}
