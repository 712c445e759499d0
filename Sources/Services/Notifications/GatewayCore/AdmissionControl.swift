package import Model

/// How many connections may be unproven at once: those whose device has not shown yet that it has its key.
///
/// Handshakes go on side by side, so each of `n` takes as long as all of them. Unbounded, those of a whole fleet would
/// all last longer than the limit for a greeting, end together and begin anew. What waits here waits in the kernel,
/// where it costs nothing and no time of its greeting passes.
///
/// A connection that says nothing keeps its place until the limit for a greeting. While all places are taken that limit
/// is shorter, and a quarter of the places is given up at a time, the oldest first: silent connections make way, and
/// honest ones that are only slow, because the machine is, do not all end together.
package struct AdmissionControl<ID: Hashable & Sendable>: Sendable {
    private let limit: Int
    private let patience: Span
    private var places: [ID: Instant] = [:]
    /// Connections that were told to end. They keep their place until they have.
    private var ending: Set<ID> = []
    private var lastOverdue: Instant?

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
    package mutating func leave(_ id: ID) -> Bool {
        guard places.removeValue(forKey: id) != nil else { return false }
        ending.remove(id)
        guard isFull, places.count < limit else { return false }
        isFull = false
        return true
    }

    /// When `overdue` has to be asked next, if all places stay taken.
    package var deadline: Instant? {
        guard isFull, let oldest = places.filter({ !ending.contains($0.key) }).values.min() else { return nil }
        guard let lastOverdue else { return oldest + patience }
        return max(oldest + patience, lastOverdue + pause)
    }

    /// The connections that have to end, since others wait for their places.
    package mutating func overdue(at now: Instant) -> [ID] {
        guard isFull, let deadline, deadline <= now else { return [] }
        let late = places.filter { !ending.contains($0.key) && $0.value + patience <= now }
        let first = late.sorted { $0.value < $1.value }.prefix(max(1, limit / 4)).map(\.key)
        ending.formUnion(first)
        lastOverdue = now
        return first
    }

    private var pause: Span { .seconds(patience.seconds / 4) }
}
