package import Model

/// How many requests each device token may have: a bucket that fills again.
package struct RequestBudget: Sendable {
    private struct Bucket {
        var left: Double
        var at: Instant
    }

    private var buckets: [Registrations.Key: Bucket] = [:]

    package init() {}

    /// Tokens that are remembered.
    package var count: Int { buckets.count }

    /// Takes one; `false` if there is none.
    package mutating func take(_ key: Registrations.Key, rules: PushRules, now: Instant) -> Bool {
        let full = Double(rules.requestBurst)
        var bucket = buckets[key] ?? Bucket(left: full, at: now)
        bucket.left = min(full, bucket.left + (now - bucket.at).seconds * rules.requestsPerSecond)
        bucket.at = now
        let isThere = bucket.left >= 1
        if isThere { bucket.left -= 1 }
        if buckets.count >= rules.countedTokens, buckets[key] == nil { makeRoom(rules, now) }
        buckets[key] = bucket
        return isThere
    }

    /// Forgets the buckets that are full by now, or all: some then get more than they should, which costs less than to
    /// remember every token there is.
    private mutating func makeRoom(_ rules: PushRules, _ now: Instant) {
        let full = Double(rules.requestBurst)
        buckets = buckets.filter {
            $0.value.left + (now - $0.value.at).seconds * rules.requestsPerSecond < full
        }
        if buckets.count > rules.countedTokens / 2 { buckets = [:] }
    }
}
