package import LocationModel
package import Model

/// What happened.
package enum LocationEvent: Hashable, Sendable {
    /// Nothing but time has passed.
    case timer
    case conditions(LocationConditions)
    /// What the clock on the wall says, in seconds since 1970: first of all, and when somebody has set it.
    case clock(Double)

    // The system.
    /// greenroomd is there, and `appState` has come for each app that it knows.
    case systemAttached
    case systemDetached
    case appState(AppIdentifier, AppStanding)
    case forgotten(AppIdentifier)
    /// The answer to `hold`.
    case held(AppIdentifier, LocationHold, HoldAnswer)
    /// The system holds it no longer.
    case holdEnded(AppIdentifier, LocationHold)
    /// It left the screen without the key: what is held is to end. Answered by `stopped`.
    case stop(AppIdentifier, LocationHold, OrderID)
    /// The answer to `wake`.
    case woken(AppIdentifier, NewsNumber, WakeAnswer)
    case windowEnded(AppIdentifier)

    // Apps.
    case attached(ConnectionID, AppDescription)
    case detached(ConnectionID)
    case app(ConnectionID, RequestID, AppRequest)
    /// It is done with what it was told.
    case answered(ConnectionID, NewsNumber)

    // Sources.
    case source(FixSource, SourceState)
    case fix(Fix)
    case tower(CellTower?)
    case heading(Heading)
    /// There is a compass, or none.
    case compass(isThere: Bool)

    // Other services.
    /// The service watches these places for the app, in place of those before.
    case places(asker: String, AppIdentifier, [Region], RequestID)
    /// The answer to `crossed`.
    case crossingTold(AppIdentifier, Int64, CrossingAnswer)

    // People.
    case permit(AppIdentifier, LocationAuthorization, isReduced: Bool, RequestID)
}

package struct LocationConditions: Hashable, Sendable {
    /// The screen is locked or off.
    package var isLocked: Bool

    package init(isLocked: Bool = false) { self.isLocked = isLocked }
}

/// How an app is.
package struct AppStanding: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable { case active, inactive, background, suspended, none }

    package var state: State
    /// The number of its process.
    package var process: Int64
    package var isVisible: Bool

    package init(_ state: State, process: Int64, isVisible: Bool) {
        self.state = state
        self.process = process
        self.isVisible = isVisible
    }

    package static let gone = AppStanding(.none, process: 0, isVisible: false)

    /// Its process hears what it is told.
    package var isRunning: Bool { state == .active || state == .inactive || state == .background }
}

package struct AppDescription: Hashable, Sendable {
    package var app: AppIdentifier
    package var process: Int64
    /// For people.
    package var name: String
    /// It has the key `location`.
    package var hasKey: Bool

    package init(_ app: AppIdentifier, process: Int64, name: String, hasKey: Bool) {
        self.app = app
        self.process = process
        self.name = name
        self.hasKey = hasKey
    }
}

package enum HoldAnswer: Hashable, Sendable {
    case allowed
    /// It lacks the key and is not on the screen, or its process is gone.
    case refused
    /// The system died before it answered; what is held is stated anew.
    case lost
}

/// The system's word on `wake`.
package enum WakeAnswer: Hashable, Sendable {
    case allowed
    /// Not now: it is tried again.
    case notNow
    case never
    /// The system died before it answered.
    case lost
}

/// What another service makes of a crossing.
package enum CrossingAnswer: Hashable, Sendable {
    case heard
    /// It knows no such app, or nothing of places: it would refuse the next one, too.
    case refused
    /// It ended before it answered, or is too busy. It is told again.
    case lost
}

/// What an app asks for.
package enum AppRequest: Hashable, Sendable {
    /// First of all on each connection: how its side stands, for a service that may be a new one.
    case hello(updates: UpdateSettings?, heading: Bool, running: Set<NewsNumber>)
    case update(UpdateSettings)
    case stopUpdates
    /// One fix. Answered by `fix`.
    case once(UpdateSettings)
    case significantChanges(Bool)
    case visits(Bool)
    case heading(Bool)
    case monitor(Region)
    case unmonitor(String)
    case state(String)
    case authorize(Authorize)

    package enum Authorize: Hashable, Sendable { case whenInUse, always, fullAccuracy }
}
