internal import Synchronization

/// Whether a tool is still connected, for work that is done elsewhere.
final class Presence: Sendable {
    private let state = Atomic(true)

    var isThere: Bool { state.load(ordering: .relaxed) }

    func end() { state.store(false, ordering: .relaxed) }
}
