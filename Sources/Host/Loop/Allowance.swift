/// Processor time that somebody may use before they have to wait: some of it at once, and then a share of the time that
/// passes. All connections of one peer share it.
package final class Allowance {
    /// Nanoseconds, at most.
    private let burst: Int64
    private let share: (parts: Int64, of: Int64)
    /// Below zero when the last work took more than was left.
    private var left: Int64
    private var filledAt: Int64

    /// - Parameters:
    ///   - burst: what may be used at once, in nanoseconds.
    ///   - parts: as many parts of the time that passes are added.
    ///   - whole: the parts that the time has.
    package init(burst: Int64, adding parts: Int64, of whole: Int64, at now: Int64) {
        self.burst = burst
        share = (parts, whole)
        left = burst
        filledAt = now
    }

    package var isSpent: Bool { left <= 0 }

    package func fill(at now: Int64) {
        // A part of a nanosecond that is left over counts the next time.
        let added = (now - filledAt) / share.of
        left = min(burst, left + added * share.parts)
        filledAt += added * share.of
    }

    package func spend(_ time: Int64) { left -= max(0, time) }

    /// How long it takes until so much may be used again.
    package func pause(until wanted: Int64) -> Int64 { max(0, wanted - left) / share.parts * share.of }
}
