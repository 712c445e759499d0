package import Model

/// Limits how often something may happen: a number at once, and a number a second after that.
package struct Allowance: Sendable {
    private let most: Double
    private let perSecond: Double
    private var left: Double
    private var at: Instant?

    package init(most: Int, perSecond: Double) {
        (self.most, self.perSecond) = (Double(most), perSecond)
        left = self.most
    }

    /// Takes one; `false` if there is none.
    package mutating func take(at now: Instant) -> Bool {
        if let at, now > at { left = min(most, left + (now - at).seconds * perSecond) }
        at = max(at ?? now, now)
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
