internal import Model

/// How long something is to take in virtual time that took a different time whenever it was recorded. What counts is
/// whether a person acted before it was done or after: the duration is the one with which most of that stays so, and of
/// those the one nearest to the middle of what was seen.
struct LikelyDuration {
    struct Sample {
        var took: Span
        /// What came next, came so much after its beginning: before its end, or behind it.
        var next: Span?
    }

    static func of(_ samples: [Sample]) -> Span? {
        let seen = samples.map(\.took).sorted()
        guard !seen.isEmpty else { return nil }
        let middle = seen[seen.count / 2]
        let within = samples.compactMap { sample in sample.next.flatMap { $0 < sample.took ? $0 : nil } }.sorted()
        let behind = samples.compactMap { sample in sample.next.flatMap { $0 < sample.took ? nil : $0 } }.sorted()
        var best = (span: middle, kept: -1)
        for span in seen {
            // Virtual time adds a little of its own.
            let end = span + span / 10 + .milliseconds(1)
            let kept = count(within) { $0 < span } + behind.count - count(behind) { $0 < end }
            let isNearer = abs((span - middle).nanoseconds) < abs((best.span - middle).nanoseconds)
            if kept > best.kept || kept == best.kept && isNearer { best = (span, kept) }
        }
        return best.span
    }

    /// How many come first, of those in ascending order.
    private static func count(_ spans: [Span], _ isFirst: (Span) -> Bool) -> Int {
        var range = spans.indices
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = isFirst(spans[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension Span {
    static func / (span: Span, divisor: Int64) -> Span { Span(nanoseconds: span.nanoseconds / divisor) }
}
