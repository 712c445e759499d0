internal import LinuxSystem

/// Gives back what a burst took. The C library keeps what is freed, and locked memory is not even reclaimed, so without
/// this a daemon would stay as large as it ever was. Nothing is looked at while nothing happens.
final class MemoryReturn {
    private static let pause: Int64 = 10_000_000_000
    /// Bytes above what it had after the last time: less is not worth the walk through the heap.
    private static let grain: Int64 = 8 << 20
    /// With more events and messages than this in a pause, the burst is not over.
    private static let burst: UInt64 = 5_000

    private var isPlanned = false
    private var seen: UInt64 = 0
    /// Nothing at first: to begin among many apps is a burst too.
    private var least: Int64 = 0

    /// Before the loop waits.
    func settle(_ host: Host) {
        guard !isPlanned, host.work != seen else { return }
        isPlanned = true
        seen = host.work
        host.loop.after(nanoseconds: Self.pause) { [weak self, unowned host] in self?.look(host) }
    }

    private func look(_ host: Host) {
        isPlanned = false
        guard host.work &- seen < Self.burst, let resident = CurrentProcess.anonymousBytes else { return }
        // What happened until now is seen: an idle system is not looked at once more.
        seen = host.work
        guard resident - least >= Self.grain else {
            least = min(least, resident)
            return
        }
        isPlanned = true
        host.workers.run(.slow) {
            CurrentProcess.returnFreeMemory()
            return CurrentProcess.anonymousBytes
        } then: { [weak self] resident in
            self?.isPlanned = false
            if let resident { self?.least = resident }
        }
    }
}

extension Host {
    /// Grows with everything that the daemon does for others: a message that is only answered is no event.
    fileprivate var work: UInt64 { eventCount &+ loop.messageCount }
}

extension Array {
    /// Empties it, and keeps no more room than is usual.
    mutating func clear() {
        if capacity > 1024 { self = [] } else { removeAll(keepingCapacity: true) }
    }
}
