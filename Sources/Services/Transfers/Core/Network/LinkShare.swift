internal import Model

/// How much of the machine's link is for transfers that give way.
///
/// Nobody says how much the link can carry. While these transfers may move as much as they like, what all move together
/// is what it can carry; so the first look at an app's traffic beside them measures the link, and each further one
/// leaves the others what they took and a margin. Traffic that grows into the margin shrinks the share with each look,
/// down to a rest that keeps connections alive; traffic that stays as it is, such as a film's, leaves them the
/// remainder.
struct LinkShare: Sendable {
    /// Bytes a second for all of them together; `nil`: as much as they like.
    private(set) var limit: Int64?
    /// What the link can carry, as far as is known.
    private var capacity: Int64 = 0
    /// What the others moved in a second, smoothed: the kernel's counts come in bursts.
    private var others: Int64 = 0
    private var total: Int64 = 0
    private var quiet = Span.zero

    mutating func note(_ sample: LinkSample, _ rules: TransferRules) {
        guard sample.elapsed >= rules.shortestLinkSample else { return }
        let own = rate(sample.own - sample.free, sample.elapsed)
        let foreign = rate(max(0, sample.link - sample.own) + max(0, sample.free), sample.elapsed)
        others = (others + foreign) / 2
        total = (total + own + foreign) / 2
        // What the counts of both differ by is no traffic.
        let least = max(rules.quietLink, own / 32)
        guard foreign > least else {
            quiet = quiet + sample.elapsed
            if quiet >= rules.linkRest { goOn() }
            return
        }
        quiet = .zero
        // A single packet is none either.
        if others > least { giveWay(sample, rules) }
    }

    private mutating func giveWay(_ sample: LinkSample, _ rules: TransferRules) {
        // Held back, they say nothing of the link but that it carries this much.
        capacity = sample.isHeld ? max(capacity, total) : max(total, capacity / 10 * 9)
        let least = max(rules.leastLinkShare, capacity / 32)
        let share = max(least, capacity / 4 * 3 - others)
        // Down at once, up step by step.
        limit = limit.map { min(share, $0 + capacity / 16) } ?? share
    }

    /// The others are quiet: a little more each time, as they may begin again.
    private mutating func goOn() {
        guard let now = limit else { return }
        limit = now >= capacity ? nil : now + max(1, now / 4)
    }

    private func rate(_ bytes: Int64, _ elapsed: Span) -> Int64 {
        // No link of this world is faster.
        Int64(Double(min(max(0, bytes), 1 << 40)) / elapsed.seconds)
    }
}
