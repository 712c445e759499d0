internal import Model
internal import NotificationsCore

/// How long pushes were on their way, or waited, before their apps were told.
struct PushWaits: Sendable {
    private var accepted: [PushID: Instant] = [:]
    private(set) var spans: [Span] = []

    mutating func accepted(_ id: PushID, at now: Instant) { accepted[id] = now }

    /// Told a second time, it counts no more.
    mutating func told(_ telling: Telling, at now: Instant) {
        guard case .push(let push) = telling.kind, let begin = accepted.removeValue(forKey: push.push) else { return }
        spans.append(now - begin)
    }
}
