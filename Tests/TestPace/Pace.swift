internal import LinuxSystem

/// How long tests wait. A limit that a quiet machine keeps easily grows with what `Scripts/run-tests.py` measured at
/// the start, so that it means the same on a slow machine.
package enum Pace {
    /// How many times as slow as a quiet machine this one is; at least 1.
    package static let slowness: Double = {
        let measured = CurrentProcess.environment("GREENROOM_SLOWNESS").flatMap { Double($0) } ?? 1
        return measured.isFinite ? min(8, max(1, measured)) : 1
    }()

    /// A limit in seconds.
    package static func seconds(_ quiet: Double) -> Double { quiet * slowness }

    /// A limit in nanoseconds.
    package static func nanoseconds(seconds quiet: Double) -> Int64 { Int64(seconds(quiet) * 1e9) }

    /// A limit as a duration.
    package static func duration(seconds quiet: Double) -> Duration { .seconds(seconds(quiet)) }
}
