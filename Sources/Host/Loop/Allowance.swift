/// Limits the processor time that the daemon spends on a peer, over all of its connections. A peer has a stock of time,
/// which grows by a share of the time that passes.
package final class Allowance {
    /// The largest stock, in nanoseconds.
    private let burst: Int64
    private let share: (parts: Int64, of: Int64)
    /// The stock. It is below zero after work that took more than the stock.
    private var left: Int64
    private var filledAt: Int64

    /// - Parameters:
    ///   - burst: the largest stock, in nanoseconds.
    ///   - parts: the numerator of the share.
    ///   - whole: the denominator of the share.
    package init(burst: Int64, adding parts: Int64, of whole: Int64, at now: Int64) {
        self.burst = burst
        share = (parts, whole)
        left = burst
        filledAt = now
    }

    package var isSpent: Bool { left <= 0 }

    package func fill(at now: Int64) {
        // The rest of the division counts at the next call.
        let added = (now - filledAt) / share.of
        left = min(burst, left + added * share.parts)
        filledAt += added * share.of
    }

    package func spend(_ time: Int64) { left -= max(0, time) }

    /// The nanoseconds until the stock is that large.
    package func pause(until wanted: Int64) -> Int64 { max(0, wanted - left) / share.parts * share.of }
}
