internal import LinuxSystem

/// Detects a connected service that does not answer, for example because it hangs.
///
/// Used on the daemon's loop only.
final class AnswerWatch {
    private struct Request {
        let began: Int64
        let limit: Int64
        var end: Int64 { began + limit }
    }

    private let loop: Loop
    private let onSilence: (_ limit: Int64) -> Void
    private var requests: [UInt64: Request] = [:]
    private var next: UInt64 = 1
    private var armed: Int64?

    /// - Parameter onSilence: called with the limit of a request that has no answer after it.
    init(_ loop: Loop, onSilence: @escaping (_ limit: Int64) -> Void) {
        (self.loop, self.onSilence) = (loop, onSilence)
    }

    /// A request was sent.
    ///
    /// - Parameter limit: nanoseconds, without the time in which the device sleeps.
    func began(limit: Int64) -> UInt64 {
        let number = next
        next += 1
        let request = Request(began: Clock.monotonic(), limit: limit)
        requests[number] = request
        arm(request.end)
        return number
    }

    /// The request has an answer, or will not get one.
    func ended(_ number: UInt64) { requests[number] = nil }

    /// One timer serves all requests, because most answers arrive immediately.
    private func arm(_ end: Int64) {
        guard armed.map({ end < $0 }) ?? true else { return }
        armed = end
        loop.after(nanoseconds: max(0, end - Clock.monotonic())) { [weak self] in self?.look(end) }
    }

    private func look(_ end: Int64) {
        guard armed == end else { return }
        armed = nil
        guard let first = requests.values.min(by: { $0.end < $1.end }) else { return }
        guard first.end <= Clock.monotonic() else { return arm(first.end) }
        requests = [:]
        onSilence(first.limit)
    }
}
