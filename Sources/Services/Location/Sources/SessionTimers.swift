internal import Dispatch

/// Timers that end with what they are for: one that is left over wakes a process that rests.
///
/// Unchecked: used on its queue only.
final class SessionTimers: @unchecked Sendable {
    private let queue: DispatchQueue
    private var timers: [UInt64: any DispatchSourceTimer] = [:]
    private var next: UInt64 = 0

    init(_ queue: DispatchQueue) { self.queue = queue }

    deinit { for timer in timers.values { timer.cancel() } }

    func after(_ pause: DispatchTimeInterval, _ body: @escaping @Sendable () -> Void) {
        let (timer, number) = (DispatchSource.makeTimerSource(queue: queue), next)
        next += 1
        timer.setEventHandler { [weak self] in
            self?.timers.removeValue(forKey: number)?.cancel()
            body()
        }
        timer.schedule(deadline: .now() + pause)
        timer.activate()
        timers[number] = timer
    }

    func cancel() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
    }
}
