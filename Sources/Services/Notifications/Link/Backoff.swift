package import Model

/// When to connect again. A gateway that restarts has every device of a fleet asking at the same moment, so each waits
/// for a random part (full jitter) of a time that doubles.
package struct Backoff: Sendable {
    /// The longest wait after the first failure; tests have a shorter one.
    package var first: Span
    package static let longest = Span.seconds(600)
    /// A gateway that asks for more is not believed.
    package static let longestRequest = Span.seconds(3600)

    private var failures = 0

    package init(first: Span = .seconds(4)) { self.first = first }

    package mutating func succeeded() { failures = 0 }

    /// - Parameter part: a random number from 0 to 1.
    package mutating func wait(_ part: Double) -> Span {
        failures = min(failures + 1, 30)
        let most = min(Self.longest, first * (1 << Int64(min(failures - 1, 20))))
        return Self.part(part, of: most)
    }

    /// What the gateway asked for, and as much again at random: those that it sends away together do not come back
    /// together. A gateway that sends everybody away at once is in trouble, and is given longer each time.
    package mutating func wait(after seconds: Double, _ part: Double) -> Span {
        let least = min(max(.seconds(seconds), .zero), Self.longestRequest)
        return least + max(wait(part), Self.part(part, of: least))
    }

    private static func part(_ part: Double, of span: Span) -> Span {
        Span(nanoseconds: Int64(Double(span.nanoseconds) * min(max(part, 0), 1)))
    }
}
