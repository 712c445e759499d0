package import Model

extension WallTime {
    static func + (a: WallTime, b: Span) -> WallTime { WallTime(nanoseconds: a.nanoseconds &+ b.nanoseconds) }
    static func - (a: WallTime, b: WallTime) -> Span { Span(nanoseconds: a.nanoseconds &- b.nanoseconds) }

    /// For people: whole seconds.
    var sentence: String { String(iso8601.prefix(19)) + "Z" }
}

/// Reproducible random numbers (SplitMix64): the seed comes from the shell.
struct Jitter: Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// Evenly spread from the first to the second.
    mutating func span(_ shortest: Span, _ longest: Span) -> Span {
        guard shortest < longest else { return shortest }
        let width = UInt64(longest.nanoseconds - shortest.nanoseconds)
        return Span(nanoseconds: shortest.nanoseconds + Int64(next().multipliedFullWidth(by: width).high))
    }
}

extension TransferRules {
    /// The longest wait after so many failures in a row: the jitter is all of it.
    package func longestWait(failures: Int32) -> Span {
        let doublings = Int64(min(max(failures - 1, 0), 30))
        return min(longestRetry, firstRetry * (1 << doublings))
    }

    /// How long tasks wait that an app makes in the background after transfers have woken it so often.
    package func delay(wakes: Int32) -> Span {
        wakes <= 0 ? .zero : min(longestDelay, firstDelay * (1 << Int64(min(wakes - 1, 20))))
    }
}
