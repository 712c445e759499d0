/// Somebody who has sent something, and whose messages are handled one at a time.
package protocol TurnTaker: AnyObject {
    /// When its last message was handled; zero: none was.
    var lastTurn: Int64 { get set }
    /// Handles one message; whether there may be more.
    func takeTurn() -> Bool
}

/// Whose turn it is among peers that nobody can limit otherwise: one message each, one after the other, those first who
/// have let a moment pass since their last one, as a person does. All of them together have a few milliseconds of each
/// turn of the loop, so that neither apps nor timers wait for hundreds that ask as fast as they can, and those hundreds
/// half of a processor.
package final class FairTurns<Peer: TurnTaker> {
    private let clock: () -> Int64
    /// Calls once in the next turn of the loop, or after so many nanoseconds.
    private let soon: (@escaping () -> Void) -> Void
    private let later: (Int64, @escaping () -> Void) -> Void
    /// In the order of their turns: who lets others go on, who asks again at once, and who sent more than one message.
    private var polite: [Peer] = []
    private var asking: [Peer] = []
    private var flooding: [Peer] = []
    /// What is left of the time, which begins anew when the loop has come round for those who wait.
    private var left = share
    /// What they may use of the processor before they have to wait: half of the time that passes is added.
    private var allowance = burst
    private var filledAt: Int64
    private var isDueSoon = false
    private var isDueLater = false

    private static var share: Int64 { 2_000_000 }
    private static var moment: Int64 { 5_000_000 }
    private static var burst: Int64 { 100_000_000 }

    package init(
        clock: @escaping () -> Int64, soon: @escaping (@escaping () -> Void) -> Void,
        later: @escaping (Int64, @escaping () -> Void) -> Void
    ) {
        self.clock = clock
        self.soon = soon
        self.later = later
        filledAt = clock()
    }

    /// It has something to say: now, if nobody waits and there is time, or when its turn comes. Not called again before
    /// that.
    package func add(_ peer: Peer) {
        fill()
        let isPolite = filledAt - peer.lastTurn >= Self.moment
        let isFree = asking.isEmpty && flooding.isEmpty && mayGoOn
        if polite.isEmpty, isFree || isPolite && left > 0 {
            if !handle(peer) { return }
            flooding.append(peer)
        } else if isPolite {
            polite.append(peer)
        } else {
            asking.append(peer)
        }
        schedule()
    }

    private var mayGoOn: Bool { left > 0 && allowance > 0 }

    private func fill() {
        let now = clock()
        allowance = min(Self.burst, allowance + (now - filledAt) / 2)
        filledAt = now
    }

    /// - Returns: whether it may have more to say.
    private func handle(_ peer: Peer) -> Bool {
        let began = clock()
        let hasMore = peer.takeTurn()
        peer.lastTurn = clock()
        let took = max(0, peer.lastTurn - began)
        left -= took
        allowance -= took
        return hasMore
    }

    private func schedule() {
        if allowance > 0 || !polite.isEmpty {
            guard !isDueSoon else { return }
            isDueSoon = true
            soon { [weak self] in
                self?.isDueSoon = false
                self?.run()
            }
        } else if !isDueSoon, !isDueLater {
            isDueLater = true
            later(2 * (Self.share - allowance)) { [weak self] in
                self?.isDueLater = false
                self?.run()
            }
        }
    }

    private func run() {
        left = Self.share
        fill()
        var present = polite[...]
        polite = []
        while left > 0, let peer = present.popFirst() {
            if handle(peer) { flooding.append(peer) }
        }
        polite = present + polite
        present = asking[...]
        asking = []
        while mayGoOn, let peer = present.popFirst() {
            if handle(peer) { flooding.append(peer) }
        }
        // Whoever came meanwhile is behind those who were there.
        asking = present + asking
        present = flooding[...]
        flooding = []
        // One of them in each turn, whoever else asks.
        while allowance > 0, let peer = present.popFirst() {
            if handle(peer) { flooding.append(peer) }
            if !mayGoOn { break }
        }
        flooding = present + flooding
        if !polite.isEmpty || !asking.isEmpty || !flooding.isEmpty { schedule() }
    }
}
