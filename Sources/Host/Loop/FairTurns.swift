/// Somebody who has sent something, and whose messages are handled one at a time.
package protocol TurnTaker: AnyObject {
    /// Handles one message; whether there may be more.
    func takeTurn() -> Bool
}

/// Whose turn it is among peers that nobody can limit otherwise: one message each, one after the other, those first who
/// have waited for their last answer before they asked again. All of them together have a few milliseconds of each turn
/// of the loop, so that neither apps nor timers wait for hundreds that ask as fast as they can, and three tenths of a
/// processor.
package final class FairTurns<Peer: TurnTaker> {
    private let clock: () -> Int64
    /// What the loop has used of a processor. A message costs what it worked, not what the kernel or others at the
    /// processor made it wait: that would make everybody else wait once more.
    private let worked: () -> Int64
    /// Calls once in the next turn of the loop, or after so many nanoseconds.
    private let soon: (@escaping () -> Void) -> Void
    private let later: (Int64, @escaping () -> Void) -> Void
    /// In the order of their turns: who just asked, and who sent more than one message at once.
    private var asking: [Peer] = []
    private var flooding: [Peer] = []
    /// What is left of the time, which begins anew when the loop has come round for those who wait.
    private var left = share
    /// All peers together have three tenths of a processor.
    private let allowance: Allowance
    private var isScheduled = false
    /// Inside `count`.
    private var isCounting = false

    private static var share: Int64 { 2_000_000 }

    package init(
        clock: @escaping () -> Int64, worked: @escaping () -> Int64,
        soon: @escaping (@escaping () -> Void) -> Void,
        later: @escaping (Int64, @escaping () -> Void) -> Void
    ) {
        self.clock = clock
        self.worked = worked
        self.soon = soon
        self.later = later
        allowance = Allowance(burst: 100_000_000, adding: 3, of: 10, at: clock())
    }

    /// It has something to say: now, if nobody waits and there is time, or when its turn comes. Not called again before
    /// that.
    package func add(_ peer: Peer) {
        allowance.fill(at: clock())
        if asking.isEmpty, flooding.isEmpty, mayGoOn {
            if !handle(peer) { return }
            flooding.append(peer)
        } else {
            asking.append(peer)
        }
        schedule()
    }

    private var mayGoOn: Bool { left > 0 && !allowance.isSpent }

    /// - Returns: whether it may have more to say.
    private func handle(_ peer: Peer) -> Bool {
        let began = clock()
        var hasMore = false
        count { hasMore = peer.takeTurn() }
        left -= max(0, clock() - began)
        return hasMore
    }

    /// Does work for these peers outside of their turns, as an answer that took a while. It uses their time as well.
    package func count(_ work: () -> Void) {
        guard !isCounting else { return work() }
        isCounting = true
        let before = worked()
        work()
        allowance.spend(worked() - before)
        isCounting = false
    }

    private func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        if allowance.isSpent {
            later(allowance.pause(until: Self.share)) { [weak self] in self?.run() }
        } else {
            soon { [weak self] in self?.run() }
        }
    }

    private func run() {
        isScheduled = false
        left = Self.share
        allowance.fill(at: clock())
        var present = asking[...]
        asking = []
        while mayGoOn, let peer = present.popFirst() {
            if handle(peer) { flooding.append(peer) }
        }
        // Whoever came meanwhile is behind those who were there.
        asking = present + asking
        present = flooding[...]
        flooding = []
        // One of them in each turn, whoever else asks.
        while let peer = present.popFirst() {
            if handle(peer) { flooding.append(peer) }
            if !mayGoOn { break }
        }
        flooding = present + flooding
        if !asking.isEmpty || !flooding.isEmpty { schedule() }
    }
}
