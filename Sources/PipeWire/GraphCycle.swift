/// What a stream would like of the graph. Of all wishes the graph serves the one for the shortest cycle, within the
/// limits of its configuration (`clock.min-quantum`, `clock.max-quantum`, `clock.allowed-rates`).
package struct CycleWish: Hashable, Sendable {
    /// Frames of a cycle, and how many of them a second has.
    package struct Length: Hashable, Sendable {
        package var frames: Int
        package var rate: Int

        package init(frames: Int, rate: Int) { (self.frames, self.rate) = (frames, rate) }
    }

    package var length: Length?
    /// Frames per second of the graph.
    package var rate: Int?

    package init(length: Length? = nil, rate: Int? = nil) { (self.length, self.rate) = (length, rate) }

    /// As PipeWire writes it.
    var latency: String? { length.map { "\(max(1, $0.frames))/\(max(1, $0.rate))" } }
    var rateProperty: String? { rate.map { "1/\(max(1, $0))" } }
}

/// What the graph does at once: so many frames, of so many per second.
package struct GraphCycle: Hashable, Sendable {
    package var frames: Int
    package var rate: Int
    /// When it was so, in nanoseconds of the monotonic clock.
    package var time: UInt64

    package init(frames: Int, rate: Int, time: UInt64) { (self.frames, self.rate, self.time) = (frames, rate, time) }

    package var seconds: Double { Double(frames) / Double(rate) }
}
