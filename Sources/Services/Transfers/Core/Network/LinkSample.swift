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

/// What a connection has carried since it began: bytes without headers, and segments.
package struct ConnectionCounts: Hashable, Sendable {
    package var received: Int64
    package var receivedSegments: Int64
    package var sent: Int64
    package var segments: Int64

    package init(received: Int64, receivedSegments: Int64, sent: Int64, segments: Int64) {
        self.received = received
        self.receivedSegments = receivedSegments
        self.sent = sent
        self.segments = segments
    }

    /// Bytes that came since. What comes out of order is counted only when the gap is closed, its segments at once: so
    /// these count, with the bytes that one has on average.
    fileprivate func came(since before: ConnectionCounts?) -> Int64 {
        guard receivedSegments > 0 else { return 0 }
        let segments = max(0, receivedSegments - (before?.receivedSegments ?? 0))
        return Int64(Double(segments) * Double(max(0, received)) / Double(receivedSegments))
    }
}

/// Turns what each connection has carried since its beginning into what all carried between two looks.
package struct ConnectionTotals: Sendable {
    private var last: [UInt64: (counts: ConnectionCounts, came: Int64, moved: Int64)]?

    /// Ethernet, IPv4 and TCP: what a segment has around its bytes.
    private static let header: Int64 = 66

    package init() {}

    /// - Parameter packets: what the link carried; a link within the machine has large ones of many segments.
    /// - Returns: bytes with headers; `nil` at the first look, which has none to compare with.
    package mutating func moved(_ now: [UInt64: ConnectionCounts], packets: Int64) -> Int64? {
        var (sum, segments): (Int64, Int64) = (0, 0)
        var next: [UInt64: (counts: ConnectionCounts, came: Int64, moved: Int64)] = [:]
        for (connection, counts) in now {
            let before = last?[connection]?.counts
            let came = last == nil ? 0 : counts.came(since: before)
            let moved = came + max(0, counts.sent - (before?.sent ?? 0))
            sum += moved
            segments += max(0, counts.segments - (before?.segments ?? 0))
            next[connection] = (counts, came, moved)
        }
        // What ended in between moved about as much as in the time before.
        for (connection, entry) in last ?? [:] where now[connection] == nil { sum += entry.moved }
        defer { last = next }
        return last == nil ? nil : sum + min(segments, max(0, packets)) * Self.header
    }

    /// Bytes that came on a connection between the last two looks.
    package func came(on connection: UInt64) -> Int64 { last?[connection]?.came ?? 0 }
}
