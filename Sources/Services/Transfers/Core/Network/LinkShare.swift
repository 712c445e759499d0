internal import Model

/// How much of the machine's link is for transfers that give way.
///
/// Nobody says how much the link can carry. While these transfers may move as much as they like, what all move together
/// is what it can carry; so the first looks at an app's traffic beside them measure the link. Then they go back to a
/// rest that keeps connections alive: how much the app wants shows only when nothing is in its way. With each further
/// look they take a little more, and leave the others what they move and a margin to grow into. Traffic that wants all
/// grows into it, traffic that stays as it is, such as a film's, leaves them the remainder.
struct LinkShare: Sendable {
    /// Bytes a second for all of them together; `nil`: as much as they like.
    private(set) var limit: Int64?
    /// What the link can carry, as far as is known.
    private var capacity: Int64 = 0
    /// What the others moved in a second, smoothed: the kernel's counts come in bursts.
    private var others: Int64 = 0
    private var total: Int64 = 0
    private var quiet = Span.zero
    /// The same as `others`, but slower: no single packet makes it large.
    private var signs: Int64 = 0

    mutating func note(_ sample: LinkSample, _ rules: TransferRules) {
        guard sample.elapsed >= rules.shortestLinkSample else { return }
        let own = rate(sample.own - sample.free, sample.elapsed)
        let foreign = rate(max(0, sample.link - sample.own) + max(0, sample.free), sample.elapsed)
        others = (others + foreign) / 2
        total = (total + own + foreign) / 2
        // What the counts of both differ by is no traffic.
        let least = max(rules.quietLink, own / 32)
        signs = signs / 4 * 3 + foreign / 4
        guard foreign > least, signs > least else {
            quiet = quiet + sample.elapsed
            if quiet >= rules.linkRest { goOn() }
            return
        }
        giveWay(sample, rules, isAnew: limit == nil || quiet >= rules.linkRest)
        quiet = .zero
    }

    private mutating func giveWay(_ sample: LinkSample, _ rules: TransferRules, isAnew: Bool) {
        // Held back, they say nothing of the link but that it carries this much.
        capacity = sample.isHeld ? max(capacity, total) : max(total, capacity / 10 * 9)
        let least = max(rules.leastLinkShare, capacity / 32)
        let share = max(least, capacity / 4 * 3 - others)
        // Down at once, up step by step.
        limit = isAnew ? least : min(share, (limit ?? 0) + capacity / 64)
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
