internal import CQuiescence
internal import Synchronization

/// The clock of a simulated device: it stands still while code runs, and goes from event to event.
///
/// Give it to an app that takes an `any Clock<Duration>`. What sleeps on it belongs to the app's process: it does not
/// wake while the app is suspended, wakes at once when the app runs again and is overdue, and is gone with the process.
/// While no app runs, it belongs to the test.
///
/// It may be used on any thread. Who sleeps on it from elsewhere than the main actor and what that calls is not waited
/// for (`docs/TESTING.md`).
public struct SimulatedClock: Clock, Sendable {
    /// A moment of a simulated device.
    public struct Instant: InstantProtocol, Sendable {
        /// Since the device was made.
        public let sinceStart: Duration

        /// A moment so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(sinceStart: sinceStart + duration) }

        /// The time from this moment to another.
        public func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        /// Whether the first moment is earlier.
        public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
    }

    let sleepers: Sleepers

    /// The present moment of the device.
    public var now: Instant { Instant(sinceStart: .nanoseconds(sleepers.now)) }

    /// One nanosecond, exactly.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Waits until the device has come to a moment. What falls on one moment wakes in the order in which it went to
    /// sleep.
    ///
    /// - Parameter tolerance: without meaning here.
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await sleepers.sleep(until: Self.nanoseconds(deadline.sinceStart))
    }

    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        // Further away than any test gets.
        guard !overflow, abs(seconds) < 4_000_000_000 else { return seconds < 0 ? -.max / 2 : .max / 2 }
        return whole + attoseconds / 1_000_000_000
    }
}

/// Who sleeps on a simulated clock.
final class Sleepers: Sendable {
    private struct State: Sendable {
        var now: Int64 = 0
        var next: UInt64 = 1
        /// By their numbers.
        var sleeping: [UInt64: Sleeper] = [:]
        /// Those that the device does not know yet.
        var new: [(number: UInt64, deadline: Int64)] = []
    }

    private let state = Mutex(State())

    /// Nanoseconds since the device was made.
    var now: Int64 {
        get { state.withLock { $0.now } }
        set {
            state.withLock { $0.now = newValue }
            quiescence_set_time(newValue, dateAtStart &+ newValue)
        }
    }

    /// The device's date when it was made, in nanoseconds since 1970.
    private let dateAtStart: Int64

    init(dateAtStart: Int64) { self.dateAtStart = dateAtStart }

    /// Without timers that were cancelled, which find that out when their moment has come.
    var count: Int { state.withLock { $0.sleeping.values.count(where: \.isWaiting) } }

    func sleep(until deadline: Int64) async throws {
        let number = state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        try await withTaskCancellationHandler {
            try await unsafe withUnsafeThrowingContinuation { continuation in
                begin(unsafe Sleeper.task(SleepingTask(continuation)), number, deadline)
            }
        } onCancel: {
            take(number)?.resume(isCancelled: true)
        }
    }

    private func begin(_ sleeper: Sleeper, _ number: UInt64, _ deadline: Int64) {
        let isCancelled = Task.isCancelled
        let sleeps = state.withLock { state in
            guard !isCancelled, deadline > state.now else { return false }
            state.sleeping[number] = sleeper
            state.new.append((number, deadline))
            return true
        }
        guard sleeps else { return sleeper.resume(isCancelled: isCancelled) }
        // The handler may have run before there was anybody to wake.
        if Task.isCancelled { take(number)?.resume(isCancelled: true) }
    }

    /// Something that is no task of Swift's, and cannot be cancelled: it finds that out when its moment has come.
    func add(_ item: VirtualTime.Item, until deadline: Int64) {
        state.withLock { state in
            state.sleeping[state.next] = .item(item)
            state.new.append((state.next, deadline))
            state.next += 1
        }
    }

    private func take(_ number: UInt64) -> Sleeper? {
        state.withLock { $0.sleeping.removeValue(forKey: number) }
    }

    /// Those who went to sleep since the last time, in that order.
    func takeNew() -> [(number: UInt64, deadline: Int64)] {
        state.withLock { state in
            defer { state.new = [] }
            return state.new
        }
    }

    func wake(_ number: UInt64) { take(number)?.resume(isCancelled: false) }

    /// Whoever sleeps, never wakes: their process is gone.
    func forget() {
        state.withLock { state in
            state.sleeping = [:]
            state.new = []
        }
    }
}

private enum Sleeper: Sendable {
    case task(SleepingTask)
    case item(VirtualTime.Item)

    var isWaiting: Bool {
        switch self {
        case .task: true
        case .item(let item): item.isWaiting
        }
    }

    func resume(isCancelled: Bool) {
        switch self {
        case .task(let task): task.resume(isCancelled: isCancelled)
        case .item(let item): item.fire()
        }
    }
}

/// A task that may be dropped: then it never goes on, which a checked continuation would complain of.
@safe private struct SleepingTask: Sendable {
    private let continuation: UnsafeContinuation<Void, any Error>

    @unsafe init(_ continuation: UnsafeContinuation<Void, any Error>) { unsafe self.continuation = continuation }

    func resume(isCancelled: Bool) {
        if isCancelled {
            unsafe continuation.resume(throwing: CancellationError())
        } else {
            unsafe continuation.resume()
        }
    }
}
