package import Model

/// What one process was woken for.
struct Windows: Hashable, Codable, Sendable {
    struct Window: Hashable, Codable, Sendable {
        enum Phase: Hashable, Codable, Sendable {
            /// Its app has yet to be there: it is launched or thawed, or is in another callback. Valid transitions are
            /// to: open; on screen it is given up.
            case waiting
            /// The app was called. Valid transitions are to: expiring, stopped.
            case open(since: Instant)
            /// The expiration handler was called. Valid transitions are to: stopped.
            case expiring(since: Instant)
            /// On screen, where nothing counts. Valid transitions are to: open.
            case stopped
        }

        let id: WindowID
        let kind: WindowKind
        var phase = Phase.waiting
        /// Of a task of `BGTaskScheduler`: what it was asked with, for when it is given up.
        var request: BackgroundTaskRequest?

        var isWaiting: Bool { phase == .waiting }
    }

    var held: [Window] = []

    var isEmpty: Bool { held.isEmpty }

    func holds(_ kind: WindowKind) -> Bool { held.contains { $0.kind.isSame(as: kind) } }

    func place(_ id: WindowID) -> Int? { held.firstIndex { $0.id == id } }

    /// The first of a service that its app has yet to hear of.
    func waiting(for callback: CallbackKind) -> Int? {
        held.firstIndex { $0.isWaiting && $0.kind.service.callback == callback }
    }
}

/// What stands between an app and being woken, whether it runs or not.
package struct WakeState: Hashable, Codable, Sendable {
    /// The user closed it in the switcher, and has not opened it since.
    package internal(set) var isClosedByUser = false
    /// The user does not want it to refresh in the background.
    package internal(set) var isRefreshOff = false
    /// The least time between fetches; `nil`: never.
    package internal(set) var fetchInterval: Span?
    /// By the clock that nobody sets.
    var lastFetch: Instant?
    /// The planner plans for it.
    var isPlanned = false
    /// Once its process is gone it is launched for this.
    var afterEnd: WindowKind?
    /// Launches for tasks of each kind, as far as they count; `nil`: none.
    var refreshes: LaunchCount?
    var processings: LaunchCount?

    subscript(kind: BackgroundTaskRequest.Kind) -> LaunchCount? {
        get {
            switch kind {
            case .refresh: refreshes
            case .processing: processings
            }
        }
        set {
            switch kind {
            case .refresh: refreshes = newValue
            case .processing: processings = newValue
            }
        }
    }
}

/// Counts what has an allowance of launches, by the clock that nobody sets.
struct LaunchCount: Hashable, Codable, Sendable {
    private(set) var last: Instant
    private var dayBegan: Instant
    private var today: Int32

    private static let day = Span.seconds(86_400)

    init(at now: Instant) { (last, dayBegan, today) = (now, now, 1) }

    mutating func add(at now: Instant) {
        if now - dayBegan >= Self.day { (dayBegan, today) = (now, 0) }
        if today < .max { today += 1 }
        last = now
    }

    /// A launch came to nothing: the user was faster.
    func withoutLast() -> LaunchCount? {
        guard today > 1 else { return nil }
        var count = self
        count.today -= 1
        count.last = dayBegan
        return count
    }

    /// From when on another launch is allowed, and whether it is the day that has to pass; `nil`: now.
    func next(at now: Instant, _ rules: Allowances.Launches) -> (at: Instant, isDay: Bool)? {
        if today >= max(1, rules.daily), now - dayBegan < Self.day { return (dayBegan + Self.day, true) }
        return now - last < rules.pause ? (last + rules.pause, false) : nil
    }
}

// A checkpoint from before apps were woken says nothing of it.
extension KeyedDecodingContainer {
    func decode(_ type: Windows.Type, forKey key: Key) throws -> Windows {
        try decodeIfPresent(type, forKey: key) ?? Windows()
    }
}
