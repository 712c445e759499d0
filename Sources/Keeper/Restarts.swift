package import LinuxSystem

/// Decides whether a daemon that ended is started again, and when (`docs/PROTOCOL.md`, section 5).
package struct Restarts {
    /// How one daemon lived and ended.
    package struct Life {
        /// `nil`: it could not be started.
        package let status: ProcessStatus?
        package let milliseconds: Int64
        /// It said that it serves.
        package let hasServed: Bool

        package init(status: ProcessStatus?, milliseconds: Int64, hasServed: Bool) {
            self.status = status
            self.milliseconds = milliseconds
            self.hasServed = hasServed
        }
    }

    package enum Decision: Equatable {
        case end
        case start(afterMilliseconds: Int64)
    }

    /// Ends in a row, each soon after a start, that were the daemon's own doing.
    package private(set) var quickEnds = 0
    private var quickKills = 0
    /// Whether any daemon of this system ever served.
    private var hasServed: Bool

    /// A daemon that lives as long as this has outlived what ended the one before.
    private static let longLife: Int64 = 10_000
    private static let firstAttempts = 5
    private static let troubleAfter = 6
    private static let longestPause: Int64 = 60_000

    package init(hasServed: Bool) { self.hasServed = hasServed }

    /// So many quick ends that nobody can count on the next daemon: the apps run without one.
    package var isTroubled: Bool { quickEnds >= Self.troubleAfter }

    package mutating func next(after life: Life) -> Decision {
        if life.status == .exited(0) { return .end }
        if life.hasServed { hasServed = true }
        guard hasServed else { return first(life) }
        if life.hasServed, life.status == .signaled(9) { return killed(life) }
        quickEnds = life.milliseconds < Self.longLife ? quickEnds + 1 : 0
        return .start(afterMilliseconds: Self.pause(quickEnds, atMost: Self.longestPause))
    }

    /// What ends by its own decision before it ever served gives a reason that does not go away by repetition. One that
    /// crashed or was killed may have been unlucky.
    private mutating func first(_ life: Life) -> Decision {
        guard case .signaled? = life.status else { return .end }
        quickEnds += 1
        guard quickEnds < Self.firstAttempts else { return .end }
        return .start(afterMilliseconds: Self.pause(quickEnds, atMost: Self.longestPause))
    }

    /// Killed from outside while it served: nothing is wrong with it, and the apps wait for the next one.
    private mutating func killed(_ life: Life) -> Decision {
        quickKills = life.milliseconds < 200 ? quickKills + 1 : 0
        return .start(afterMilliseconds: Self.pause(quickKills, atMost: 1000))
    }

    /// None after the first three; then each is twice as long as the one before.
    private static func pause(_ count: Int, atMost limit: Int64) -> Int64 {
        count > 3 ? min(limit, 10 << Int64(min(20, count - 3))) : 0
    }
}
