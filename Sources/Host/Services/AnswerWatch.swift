internal import LinuxSystem

/// Detects a connected service that does not answer, for example because it hangs.
///
/// Used on the daemon's loop only.
final class AnswerWatch {
    private let loop: Loop
    /// Nanoseconds, without the time in which the device sleeps.
    private let limit: Int64
    private let onSilence: () -> Void
    private var since: [UInt64: Int64] = [:]
    private var next: UInt64 = 1
    private var isArmed = false

    init(_ loop: Loop, limit: Int64, onSilence: @escaping () -> Void) {
        (self.loop, self.limit, self.onSilence) = (loop, limit, onSilence)
    }

    /// A request was sent.
    func began() -> UInt64 {
        let number = next
        next += 1
        since[number] = Clock.monotonic()
        arm(limit)
        return number
    }

    /// The request has an answer, or will not get one.
    func ended(_ number: UInt64) { since[number] = nil }

    /// One timer serves all requests, because most answers arrive immediately.
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
