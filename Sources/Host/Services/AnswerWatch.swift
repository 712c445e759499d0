internal import LinuxSystem

/// Notices a service that does not answer, though it is there: one that hangs, or was stopped.
///
/// Used on the daemon's loop only.
final class AnswerWatch {
    private let loop: Loop
    /// Nanoseconds of the time that the device is awake.
    private let limit: Int64
    private let onSilence: () -> Void
    private var since: [UInt64: Int64] = [:]
    private var next: UInt64 = 1
    private var isArmed = false

    init(_ loop: Loop, limit: Int64, onSilence: @escaping () -> Void) {
        (self.loop, self.limit, self.onSilence) = (loop, limit, onSilence)
    }

    /// It was asked something.
    func began() -> UInt64 {
        let number = next
        next += 1
        since[number] = Clock.monotonic()
        arm(limit)
        return number
    }

    /// It has answered, or will not.
    func ended(_ number: UInt64) { since[number] = nil }

    /// One timer, which is set again while there is something to wait for: most answers come at once.
    private func arm(_ nanoseconds: Int64) {
        guard !isArmed else { return }
        isArmed = true
        loop.after(nanoseconds: nanoseconds) { [weak self] in self?.look() }
    }

    private func look() {
        isArmed = false
        guard let oldest = since.values.min() else { return }
        let left = limit - (Clock.monotonic() - oldest)
        if left > 0 { return arm(left) }
        since = [:]
        onSilence()
    }
}
