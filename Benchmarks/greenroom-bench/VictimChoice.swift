internal import Glibc
internal import Model
internal import PolicyCore

/// The Core when memory is short: from the news to the effects that end whoever goes.
struct VictimChoice {
    private var system: System
    private var now: Int64
    private static let budget: Int64 = 32 << 30

    /// As many suspended apps, each of another size.
    init(apps: Int) throws {
        (system, now) = try CoreSpeed(apps: apps).resting
        handle(.memoryConfigured(budget: Self.budget))
        handle(.memorySensed(available: Self.budget))
        for app in system.allApps {
            let size = Int64(app.index.rawValue) * 2_654_435_761 % 97 + 4
            handle(.footprintSampled(app.index, app.generation, Model.Footprint(dirty: size << 20)))
        }
    }

    /// Nanoseconds of the processor, which nobody else's work is part of, for one choice each; so much is missing that
    /// several have to go.
    func measure(rounds: Int) throws -> (times: Samples, ended: Int) {
        var times = Samples()
        var ended = 0
        for _ in 0..<rounds {
            var copy = self
            copy.makeOwn()
            copy.handle(.memorySensed(available: Self.budget - 1))
            let start = Self.processorTime()
            let effects = copy.handle(.memorySensed(available: Self.budget / 1000 * 30))
            times.append(Self.processorTime() - start)
            ended = effects.count { if case .kill = $0.action { true } else { false } }
            guard ended > 0 else { throw BenchError("nobody is chosen") }
        }
        return (times, ended)
    }

    /// What the copy shares with the original would be copied when it is changed first, in the time that is measured:
    /// the daemon has one system.
    private mutating func makeOwn() {
        guard let app = system.allApps.first else { return }
        handle(.footprintSampled(app.index, app.generation, app.memory.footprint))
    }

    /// Of this thread.
    private static func processorTime() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    @discardableResult
    private mutating func handle(_ event: Event) -> [Effect] {
        now += 10_000
        return system.handle(event, at: Instant(nanoseconds: now))
    }
}
