import Model
import Timeline

/// Numbers that look random and are the same in every run.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

enum Sample {
    /// 2026-11-21T10:00:00Z minus a boot an hour before.
    static let offset: Int64 = 1_795_255_200_000_000_000 - 3_600_000_000_000

    static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 3_600_000_000_000) + .seconds(seconds) }

    static func wall(_ seconds: Double) -> WallTime {
        WallTime(nanoseconds: at(seconds).nanoseconds + offset)
    }

    static func record(_ seconds: Double, _ what: Happening) -> TimelineRecord { TimelineRecord(at(seconds), what) }

    static func entry(
        _ seconds: Double, _ app: String?, _ sequence: UInt64, _ event: String, took: Span? = nil
    ) -> TimelineRecord {
        let cause = sequence > 1 ? sequence - 1 : nil
        return record(
            seconds,
            .entry(
                TimelineEntry(
                    app: app, sequence: sequence, event: event, reason: "because of \(event)", cause: cause,
                    took: took)))
    }

    static let journal = "org.example.journal"

    /// Opened, used, left with a task to finish, suspended, opened again.
    static let session: [TimelineRecord] = [
        record(0, .began(Beginning(.fresh, boot: "a", offset: offset))),
        entry(0, nil, 1, "booted"),
        entry(1, nil, 2, "openRequested"),
        record(1, .named(app: journal, name: "Journal")),
        record(1, .state(app: journal, .inactive)),
        entry(1.01, journal, 3, "launched"),
        entry(1.2, journal, 4, "didFinishLaunching", took: .milliseconds(150)),
        record(1.21, .state(app: journal, .active)),
        entry(1.21, journal, 5, "didBecomeActive", took: .milliseconds(10)),
        record(2, .processorUsed(app: journal, used: .milliseconds(250), over: .seconds(1))),
        record(2, .memory(app: journal, Footprint(dirty: 8 << 20, purgeable: 0, clean: 1 << 20))),
        entry(5, nil, 6, "homePressed"),
        record(5.02, .state(app: journal, .inactive)),
        entry(5.02, journal, 7, "willResignActive", took: .milliseconds(20)),
        record(5.03, .assertionBegan(app: journal, HeldAssertion(id: 9, kind: "task", name: "upload"))),
        record(5.04, .state(app: journal, .background)),
        entry(5.04, journal, 8, "didEnterBackground", took: .milliseconds(20)),
        record(6, .processorUsed(app: journal, used: .milliseconds(500), over: .seconds(1))),
        record(7, .assertionEnded(app: journal, id: 9)),
        record(7.1, .state(app: journal, .suspended)),
        entry(7.1, journal, 9, "suspended"),
        entry(9, nil, 10, "openRequested"),
        record(9, .state(app: journal, .background)),
        entry(9, journal, 11, "resumed"),
        record(9.01, .state(app: journal, .active)),
        entry(9.01, journal, 12, "didBecomeActive", took: .milliseconds(10)),
    ]
}
