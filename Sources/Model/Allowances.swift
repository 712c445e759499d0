/// How often an app may have the system work for it. One that asks again as soon as it was served would otherwise keep
/// the device busy without end.
package struct Allowances: Hashable, Sendable, Codable {
    /// Launches for tasks of `BGTaskScheduler`. Tasks that begin in the same moment are one launch.
    package struct Launches: Hashable, Sendable, Codable {
        /// At least so long from one to the next.
        package var pause: Span
        /// At most so many in a day, which begins with the first.
        package var daily: Int32

        package init(pause: Span, daily: Int32) {
            self.pause = pause
            self.daily = daily
        }
    }

    /// At most so many in a time, which begins with the first.
    package struct Rate: Hashable, Sendable, Codable {
        package var count: Int32
        package var within: Span

        package init(_ count: Int32, within: Span) {
            self.count = count
            self.within = within
        }
    }

    package var refresh = Launches(pause: .seconds(900), daily: 48)
    package var processing = Launches(pause: .seconds(900), daily: 24)
    /// How often apps may put one another on the screen by opening URLs, all apps together.
    package var urls = Rate(10, within: .seconds(10))
    /// Log entries of what one app begins, ends and asks for; what exceeds them is left out of the log.
    package var entries = Rate(200, within: .seconds(10))

    package init() {}

    package func launches(_ kind: BackgroundTaskRequest.Kind) -> Launches {
        switch kind {
        case .refresh: refresh
        case .processing: processing
        }
    }
}

/// Counts what has a `Rate`.
package struct RateCount: Hashable, Sendable, Codable {
    package enum Verdict: Hashable, Sendable {
        case isFine
        /// The first that exceeds it.
        case isFirstTooMany
        case isTooMany
    }

    private var began: Instant
    private var count: Int32 = 0

    package init(at now: Instant) { began = now }

    /// Counts one more. `exceeded`: so many were too many in the time that is over now.
    package mutating func add(at now: Instant, _ rate: Allowances.Rate) -> (verdict: Verdict, exceeded: Int32) {
        var exceeded: Int32 = 0
        if now - began >= rate.within {
            exceeded = max(0, count - rate.count)
            (began, count) = (now, 0)
        }
        if count < .max { count += 1 }
        if count <= rate.count { return (.isFine, exceeded) }
        return (count == rate.count + 1 ? .isFirstTooMany : .isTooMany, exceeded)
    }
}
