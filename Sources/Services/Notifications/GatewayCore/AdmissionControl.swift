package import Model

/// How many connections may be unproven at once: those whose device has not shown yet that it has its key.
///
/// Handshakes go on side by side, so each of `n` takes as long as all of them. Unbounded, those of a whole fleet would
/// all last longer than the limit for a greeting, end together and begin anew. What waits here waits in the kernel,
/// where it costs nothing and no time of its greeting passes.
///
/// A connection that says nothing keeps its place until the limit for a greeting. While all places are taken and
/// few of them are given up by proofs, that limit is shorter, and a quarter of the places is freed at a time, the
/// oldest first: silent connections make way. Connections that are slow because everything is are left in peace: to
/// end and begin them again would make all of them slower.
package struct AdmissionControl<ID: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let patience: Span
    private var places: [ID: Instant] = [:]
    /// Connections that were told to end. They keep their place until they have.
    private var ending: Set<ID> = []
    /// Since when proofs are counted.
    private var watchedSince = Instant.zero
    private var proofs = 0

    /// All places are taken, and one more was asked for.
    package private(set) var isFull = false

    package init(_ rules: PushRules) {
        limit = max(1, rules.unproven)
        patience = rules.crowdedGreeting
    }

    package var count: Int { places.count }

    /// - Returns: whether there is a place for one more. If there is not, `leave` says when there is.
    package mutating func hasPlace() -> Bool {
        isFull = places.count >= limit
        return !isFull
    }

    package mutating func enter(_ id: ID, at now: Instant) { places[id] = now }

    /// The connection is proven, or has ended. One that has left already may leave again.
    /// - Returns: whether a place that was asked for is free now.
    package mutating func leave(_ id: ID, isProven: Bool) -> Bool {
        guard places.removeValue(forKey: id) != nil else { return false }
        ending.remove(id)
        if isProven { proofs += 1 }
        guard isFull, places.count < limit else { return false }
        isFull = false
        return true
    }

    /// Begins to count proofs, if all places are taken.
    /// - Returns: when `overdue` has to be asked.
    package mutating func watch(at now: Instant) -> Instant? {
        guard isFull, let oldest = places.filter({ !ending.contains($0.key) }).values.min() else { return nil }
        watchedSince = now
        proofs = 0
        return max(oldest + patience, now + .seconds(patience.seconds / 4))
    }

    /// The connections that have to end, since others wait for their places and get none.
    package mutating func overdue(at now: Instant) -> [ID] {
        guard isFull, !isMoving(at: now) else { return [] }
        let late = places.filter { !ending.contains($0.key) && $0.value + patience <= now }
        let first = late.sorted { $0.value < $1.value }.prefix(max(1, limit / 4)).map(\.key)
        ending.formUnion(first)
        return first
    }

    /// Half of the places at least are given up by proofs within the shorter limit.
    private func isMoving(at now: Instant) -> Bool {
        Double(proofs) * patience.seconds >= Double(limit) / 2 * (now - watchedSince).seconds
    }
}
