internal import Model

/// The background tasks of one app, and the clock of the time that they share.
struct BackgroundTasks: Hashable, Codable, Sendable {
    struct Task: Hashable, Codable {
        let id: TaskID
        let assertion: AssertionID
        let name: String
    }

    enum Clock: Hashable, Codable {
        /// On screen. Valid transitions are to: running.
        case stopped
        /// Something else lets it run in the background. Valid transitions are to: running, stopped.
        case unlimited(limit: Span)
        /// Valid transitions are to: expiring, unlimited, stopped.
        case running(since: Instant, limit: Span)
        /// The expiration handlers were called. Valid transitions are to: running, unlimited, stopped.
        case expiring(since: Instant, limit: Span)
    }

    private(set) var held: [Task] = []
    var clock = Clock.stopped
    /// How often the time was nearly over, in this process: each time the handlers of all tasks are called.
    var round: UInt32 = 0
    /// How often the process ended a task that it did not have.
    var strayEnds: Int32 = 0

    var isEmpty: Bool { held.isEmpty }

    func task(_ id: TaskID) -> Task? { held.first { $0.id == id } }

    mutating func add(_ task: Task) { held.append(task) }

    mutating func remove(_ id: TaskID) -> Task? {
        held.firstIndex { $0.id == id }.map { held.remove(at: $0) }
    }

    /// How long the tasks may take where the app is, if that is limited.
    var limit: Span? {
        switch clock {
        case .stopped: nil
        case .unlimited(let limit), .running(_, let limit), .expiring(_, let limit): limit
        }
    }

    /// When the handlers are to be called, or the time is over.
    func nextStep(notice: Span) -> Instant? {
        guard !held.isEmpty else { return nil }
        switch clock {
        case .stopped, .unlimited: return nil
        case .running(let since, let limit): return since + max(.zero, limit - notice)
        case .expiring(let since, _): return since + notice
        }
    }

    /// When the time is over, as far as that is known.
    func end(notice: Span) -> Instant? {
        switch clock {
        case .stopped, .unlimited: nil
        case .running(let since, let limit): since + max(limit, notice)
        case .expiring(let since, _): since + notice
        }
    }

    func isOver(at now: Instant) -> Bool {
        switch clock {
        case .stopped, .unlimited: false
        case .running(let since, let limit): since + limit <= now
        case .expiring: true
        }
    }
}

// A checkpoint from before there were background tasks says nothing of them.
extension KeyedDecodingContainer {
    func decode(_ type: BackgroundTasks.Type, forKey key: Key) throws -> BackgroundTasks {
        try decodeIfPresent(type, forKey: key) ?? BackgroundTasks()
    }
}
