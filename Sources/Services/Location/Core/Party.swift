package import LocationModel
package import Model
package import ServiceCore

/// An app that uses location, as it is now.
package struct Party: Sendable {
    /// The system's word that the app may run.
    package enum Holding: Hashable, Sendable {
        /// Valid transitions are to: asked.
        case none
        /// Valid transitions are to: held (allowed), none (refused, or the system is gone).
        case asked
        /// Valid transitions are to: none.
        case held
    }

    /// How an app that does not run comes to hear what it has to.
    package enum Waking: Hashable, Sendable {
        /// It waits until the app runs for another reason. Valid transitions are to: wanted.
        case idle
        /// Valid transitions are to: asked, idle (it runs, or nothing is left to hear).
        case wanted(at: Instant, tries: Int)
        /// Valid transitions are to: allowed, wanted (not now), idle (never).
        case asked(tries: Int)
        /// It has been woken, and may hear it. Valid transitions are to: idle (its time is over), wanted (it died).
        case allowed(tries: Int)
    }

    enum Awaited: Hashable, Sendable {
        /// When the system is there, its time begins.
        case system
        case until(Instant)
    }

    struct Once: Sendable {
        let request: RequestID
        let settings: UpdateSettings
        let since: Instant
    }

    /// The standard updates of its process.
    package struct Updates: Sendable {
        package internal(set) var settings: UpdateSettings
        package let since: Instant
        var lastTold: Fix?
        var lastToldAt: Instant?
        /// When a fix is overdue, and whether that was said.
        var waitsSince: Instant
        var hasFailed = false
        /// Since when the device has not left this place.
        var still: (place: Coordinate, since: Instant)?
        package internal(set) var isPaused = false

        /// How long it may wait before a dearer source helps, and before it is told that there is no fix.
        func patience(_ rules: LocationRules) -> (help: Span, failure: Span) {
            lastTold == nil ? (rules.patience, rules.onceTime) : (rules.silence, rules.silence)
        }

        init(_ settings: UpdateSettings, at now: Instant) {
            self.settings = settings
            since = now
            waitsSince = now
        }
    }

    package let app: AppIdentifier
    package internal(set) var standing = AppStanding.gone
    package internal(set) var connection: ConnectionID?
    var isGreeted = false
    /// It is about to connect again, and goes on as it was until it has, or until then.
    var awaited: Awaited?
    package internal(set) var updates: Updates?
    var once: [Once] = []
    var wantsHeading = false
    /// The user is to see that it knows the location out of sight, and that was said.
    var isIndicated = false
    var holds: [LocationHold: Holding] = [:]
    /// The system refused to hold it as it stands; asked again when that changes.
    var isRefused = false
    /// What it has to stop for the system.
    var stops: [LocationHold: OrderID] = [:]
    /// What it has been told over the connection that it has now.
    var sent: Set<NewsNumber> = []
    var waking = Waking.idle
    var surroundings: LocationSurroundings?
    /// A significant change that waits until it may be told.
    var changePending: Fix?
    var changedAt: Instant?

    init(_ app: AppIdentifier) { self.app = app }

    func holding(_ hold: LocationHold) -> Holding { holds[hold] ?? .none }

    /// Something is under way with it, that time or a fix may decide.
    func isBusy(_ record: AppRecord?) -> Bool {
        updates != nil || !once.isEmpty || waking != .idle || awaited != nil || changePending != nil || wantsHeading
            || !stops.isEmpty || holds.values.contains { $0 != .none } || record?.news.isEmpty == false
    }

    func deadlines(_ system: LocationSystem) -> [Instant?] {
        var all: [Instant?] = once.map { $0.since + system.rules.onceTime }
        if case .until(let until) = awaited { all.append(until) }
        if case .wanted(let at, _) = waking, system.hasSystem, at > system.now { all.append(at) }
        guard let updates, system.receives(self), !system.isKnownByCell(updates.settings) else { return all }
        let patience = updates.patience(system.rules)
        if !updates.hasFailed { all.append(updates.waitsSince + patience.failure) }
        // Until then a cheaper source has time.
        let help = updates.waitsSince + patience.help
        if help > system.now { all.append(help) }
        if updates.settings.pausesAutomatically, let still = updates.still {
            all.append(still.since + system.rules.stillTime(updates.settings.activity == .fitness))
        }
        return all
    }
}

/// What was seen of a region, for its state and for people.
struct RegionTrace: Sendable {
    /// It may have been entered or left, since then.
    var candidate: (state: RegionState, since: Instant)?
    /// When a candidate was stored last.
    var storedAt: Instant?
    /// Of the last fix that was good enough: metres to the centre, its accuracy, and when.
    var last: (distance: Double, accuracy: Double, at: Instant)?
    /// What was told last, how long after the first fix on that side, and when.
    var told: (state: RegionState, delay: Span, at: Instant)?
}
