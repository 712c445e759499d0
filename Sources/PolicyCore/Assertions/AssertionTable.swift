package import Model

/// The assertions of one app: which service lets it run, why, since when, until when.
///
/// An app may have a thousand tasks and has a handful of everything else, so they are kept apart, each in the order of
/// their numbers: nothing that every event asks for looks at every task.
package struct AssertionTable: Hashable, Sendable {
    package private(set) var tasks: [Assertion] = []
    package private(set) var others: [Assertion] = []
    /// When the tasks have to be ended, for whoever asks; what then happens is not decided here.
    private var taskEnd: Instant?

    package init() {}

    package var isEmpty: Bool { tasks.isEmpty && others.isEmpty }

    /// The one that has been held for longest.
    var first: Assertion? {
        guard let task = tasks.first.map(withEnd) else { return others.first }
        guard let other = others.first else { return task }
        return task.id < other.id ? task : other
    }

    /// All of them, in the order in which they were taken.
    package var held: [Assertion] {
        guard !tasks.isEmpty else { return others }
        var all: [Assertion] = []
        all.reserveCapacity(tasks.count + others.count)
        var rest = others[...]
        for task in tasks {
            while let other = rest.first, other.id < task.id { all.append(rest.removeFirst()) }
            all.append(withEnd(task))
        }
        return all + rest
    }

    private func withEnd(_ task: Assertion) -> Assertion {
        var task = task
        task.expires = taskEnd
        return task
    }

    func holds(_ kind: AssertionKind) -> Bool {
        kind == .task ? !tasks.isEmpty : others.contains { $0.kind == kind }
    }

    mutating func take(_ assertion: Assertion) {
        if assertion.kind == .task { tasks.append(assertion) } else { others.append(assertion) }
    }

    mutating func drop(_ id: AssertionID) {
        if let place = tasks.place(of: id) { tasks.remove(at: place) }
        if let place = others.place(of: id) { others.remove(at: place) }
    }

    mutating func drop(_ kind: AssertionKind) {
        if kind == .task { tasks = [] } else { others.removeAll { $0.kind == kind } }
    }

    mutating func dropExpired(at now: Instant) {
        others.removeAll { assertion in assertion.expires.map { $0 <= now } ?? false }
    }

    mutating func dropAll() { self = AssertionTable() }

    mutating func setTaskEnd(_ end: Instant?) { taskEnd = tasks.isEmpty ? nil : end }

    /// Of several activities, the one that has lasted longest: what comes and goes beside it does not change the app's.
    var activity: Purpose? {
        for place in others.indices { if let activity = others[place].activity { return activity } }
        return nil
    }

    /// The highest priority that a service declares for a hold of this app.
    var claimedPriority: AppPriority? {
        var most: AppPriority?
        for place in others.indices {
            guard let claimed = others[place].claim?.priority, claimed.rank > (most?.rank ?? 0) else { continue }
            most = claimed
        }
        return most
    }

    /// Updates the claims of a service whose declaration has changed.
    mutating func setClaim(_ id: AssertionID, _ hold: ServiceDeclaration.Hold) {
        guard let place = others.place(of: id) else { return }
        others[place].claim?.activity = hold.activity
        others[place].claim?.priority = hold.priority
    }

    var nextExpiry: Instant? { others.lazy.compactMap(\.expires).min() }
}

extension [Assertion] {
    /// Assertions stand in the order of their numbers.
    package func place(of id: AssertionID) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].id == id ? low : nil
    }
}

// Checkpoints have them as one list.
extension AssertionTable: Codable {
    private enum CodingKeys: String, CodingKey { case held }

    package init(from decoder: any Decoder) throws {
        let all = try decoder.container(keyedBy: CodingKeys.self).decode([StoredAssertion].self, forKey: .held)
            .compactMap(\.assertion)
        tasks = all.filter { $0.kind == .task }
        others = all.filter { $0.kind != .task }
        taskEnd = tasks.first?.expires
        for place in tasks.indices { tasks[place].expires = nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(held, forKey: .held)
    }
}
