package import Model

/// What is fetched when, and what apps have asked `BGTaskScheduler` for.
package struct FetchState: Hashable, Codable, Sendable {
    /// A request that waits.
    struct Pending: Hashable, Codable, Sendable {
        let app: AppIndex
        let request: BackgroundTaskRequest
    }

    package internal(set) var planner: FetchPlanner
    /// In the order in which they came; those of an app are few (`WindowRules`).
    var pending: [Pending] = [] {
        didSet { changes &+= 1 }
    }
    /// Grows with every change of what apps wish for.
    package internal(set) var changes: UInt64 = 0
    /// Apps that the planner plans for.
    var users: Int32 = 0
    /// When to look again, unless something changes before.
    var nextLook: Instant?
    /// The last time that something was fetched: the radio lingers.
    var lastTraffic: Instant?
    /// Something happened in this event that bears on what is due.
    var mustLook = false

    init(rules: FetchRules) { planner = FetchPlanner(rules: rules) }

    private enum CodingKeys: String, CodingKey { case planner, pending, changes, users, nextLook, lastTraffic }

    var isInUse: Bool { users > 0 || !pending.isEmpty }

    /// With something that is due the device is not left alone for longer.
    static let longestPause = Span.seconds(60)
    /// Nor looked at more often.
    static let shortestPause = Span.seconds(1)
}

/// What is known of an app's next fetch.
package struct FetchOutlook: Hashable, Sendable {
    /// What is missing; `nil`: it is due.
    package var obstacle: WakeObstacle?
    /// When it is looked at next; `nil`: when something changes.
    package var next: WallTime?
    package var plan: FetchPlan?
}

// A checkpoint from before anything was fetched says nothing of it.
extension KeyedDecodingContainer {
    func decode(_ type: FetchState.Type, forKey key: Key) throws -> FetchState {
        try decodeIfPresent(type, forKey: key) ?? FetchState(rules: FetchRules())
    }
}
