internal import Model

/// When to connect again. A gateway that restarts has every device of a fleet asking at the same moment, so each waits
/// for a random part (full jitter) of a time that doubles.
struct Backoff: Sendable {
    /// The longest wait after the first failure; tests have a shorter one.
    var first = Span.seconds(4)
    static let longest = Span.seconds(600)
    /// A gateway that asks for more is not believed.
    static let longestRequest = Span.seconds(3600)

    private(set) var failures = 0

    mutating func succeeded() { failures = 0 }

    /// - Parameter part: a random number from 0 to 1.
    mutating func wait(_ part: Double) -> Span {
        failures = min(failures + 1, 30)
        let most = min(Self.longest, first * (1 << Int64(min(failures - 1, 20))))
        return Self.part(part, of: most)
    }

    /// What the gateway asked for, and as much again at random: those that it sends away together do not come back
    /// together. A gateway that sends everybody away at once is in trouble, and is given longer each time.
    mutating func wait(after seconds: Double, _ part: Double) -> Span {
        let least = min(max(.seconds(seconds), .zero), Self.longestRequest)
        return least + max(wait(part), Self.part(part, of: least))
    }

    private static func part(_ part: Double, of span: Span) -> Span {
        Span(nanoseconds: Int64(Double(span.nanoseconds) * min(max(part, 0), 1)))
    }
}
