package import Model

/// What moved over the machine's link within a short time, in bytes of both ways together.
package struct LinkSample: Hashable, Sendable {
    package var elapsed: Span
    /// All that the link carried, whoever sent it.
    package var link: Int64
    /// Of that, what the service's own connections carried.
    package var own: Int64
    /// Of that again, what was for transfers that give way to nothing.
    package var free: Int64
    /// A transfer that gives way had more to move than it was allowed to.
    package var isHeld: Bool

    package init(elapsed: Span, link: Int64, own: Int64, free: Int64 = 0, isHeld: Bool = false) {
        self.elapsed = elapsed
        self.link = link
        self.own = own
        self.free = free
        self.isHeld = isHeld
    }
}

/// Turns what each connection has carried since its beginning into what all carried between two looks.
package struct ConnectionTotals: Sendable {
    private var totals: [UInt64: (bytes: Int64, latest: Int64)]?

    package init() {}

    /// `nil` at the first look, which has none to compare with.
    package mutating func moved(_ now: [UInt64: Int64]) -> Int64? {
        guard let before = totals else {
            totals = now.mapValues { ($0, 0) }
            return nil
        }
        var sum: Int64 = 0
        var next: [UInt64: (bytes: Int64, latest: Int64)] = [:]
        for (connection, bytes) in now {
            let latest = max(0, bytes - (before[connection]?.bytes ?? 0))
            sum += latest
            next[connection] = (bytes, latest)
        }
        // What ended in between moved about as much as in the time before.
        for (connection, last) in before where now[connection] == nil { sum += last.latest }
        totals = next
        return sum
    }
}
