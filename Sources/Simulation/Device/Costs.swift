package import Model

/// How long the machine takes for what it is asked: from the shortest to the longest time, each drawn anew. The figures
/// are those that the benchmarks measure on real processes, rounded.
package struct Costs: Hashable, Sendable {
    package struct Range: Hashable, Sendable {
        package var shortest: Span
        package var longest: Span

        package init(microseconds shortest: Int64, to longest: Int64) {
            self.shortest = Span(nanoseconds: shortest * 1000)
            self.longest = Span(nanoseconds: longest * 1000)
        }

        package static let nothing = Range(microseconds: 0, to: 0)
    }

    /// From the decision to launch to the birth of the process.
    package var spawn = Range(microseconds: 900, to: 3_000)
    /// A message through a socket, one way.
    package var message = Range(microseconds: 20, to: 90)
    package var prepare = Range(microseconds: 1, to: 5)
    package var freeze = Range(microseconds: 6, to: 900)
    package var verify = Range(microseconds: 150, to: 1_500)
    package var tracer = Range(microseconds: 100, to: 2_000)
    package var kill = Range(microseconds: 50, to: 1_500)
    /// Until the kernel's news of an end is read.
    package var news = Range(microseconds: 10, to: 300)
    package var reconnect = Range(microseconds: 300, to: 20_000)
    /// Reading what an app has in memory.
    package var sample = Range(microseconds: 300, to: 5_000)
    /// Taking what can be taken of it.
    package var reclaim = Range(microseconds: 1_000, to: 60_000)
    /// Until the daemon sees that somebody waits for a lock of a suspended app.
    package var lockLook = Range(microseconds: 500, to: 1_050_000)
    /// A delegate method of which nothing is said.
    package var callback = Range(microseconds: 500, to: 3_500)

    package init() {}

    /// Everything happens at once, in the order in which it was asked for.
    package static let none: Costs = {
        var costs = Costs()
        for cost in [
            \Costs.spawn, \.message, \.prepare, \.freeze, \.verify, \.tracer, \.kill, \.news, \.reconnect, \.callback,
            \.sample, \.reclaim, \.lockLook,
        ] { costs[keyPath: cost] = .nothing }
        return costs
    }()
}

extension SplitMix64 {
    mutating func draw(_ range: Costs.Range) -> Span { span(range.shortest, range.longest) }
}
