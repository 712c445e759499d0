package import Model

/// What happened. Events of apps and tools carry the request that they answer.
package enum NotificationEvent: Hashable, Sendable {
    /// Nothing but time has passed.
    case timer
    /// The machine's zone: the first event of a process, and whenever that changes. Until then it is UTC.
    case zoneChanged(ZoneRules)
    /// Wall clock minus boot clock: the second event of a process, and whenever the clock was set. Nothing is shown
    /// before it is known.
    case clockChanged(Span)
    case conditions(NotificationConditions)

    // The system.
    /// greenroomd is there, and `appState` has come for each app that it knows: without it no app can be woken or
    /// opened.
    case systemAttached
    case systemDetached
    case appState(AppIdentifier, NotificationPresence)
    /// Whether the app has `remote-notification` in its UIBackgroundModes; until that is said, it is assumed.
    case appModes(AppIdentifier, receivesPushes: Bool)
    /// In the switcher: no push wakes it until it is opened or the machine starts again.
    case closedByUser(AppIdentifier)
    case forgotten(AppIdentifier, RequestID)
    /// The answer to `wake` and `open`.
    case woken(TellingID, WakeAnswer)
    /// The app is done with what it was woken for.
    case windowEnded(AppIdentifier, WakeWindow, WindowResult)

    // Apps.
    case attached(ConnectionID, AppIdentifier)
    case detached(ConnectionID)
    case app(ConnectionID, RequestID, AppRequest)
    /// The answer to `tell`; also on another connection of the app than the one that was told.
    case answered(ConnectionID, TellingNumber, TellingAnswer)

    // People.
    case tool(RequestID, ToolRequest)
    /// On the screen.
    case acted(NotificationID, ResponseAction)
    /// The banner is gone, and nobody did anything with it.
    case expired(NotificationID)

    // Other services.
    /// A test, in place of a service: all requests that wait for a region of this name.
    case regionCrossed(AppIdentifier, region: String, isEntry: Bool)
    /// The request waits for this place. A crossing that comes again has the number that it had.
    case placeCrossed(RequestID, AppIdentifier, place: String, isEntry: Bool, number: Int64)
    /// The answer to `watch`.
    case watched(AppIdentifier, WatchAnswer)

    // Providers.
    /// - Parameter sequence: the link's, for `acknowledge`; `nil`: it came from a tool.
    case pushArrived(PushMessage, sequence: UInt64?)
    /// The helper's answer to `mutate`; `nil`: there is none, or it has failed. The original is shown then.
    case mutated(MutationID, NotificationContent?)
    case link(LinkNews)
}

package enum NotificationPresence: String, Sendable, Codable, CaseIterable {
    case active, inactive, background, suspended, none

    package var isOnScreen: Bool { self == .active || self == .inactive }
    /// Its process hears what it is told.
    package var isRunning: Bool { isOnScreen || self == .background }
}

package struct NotificationConditions: Hashable, Sendable, Codable {
    package var isCharging: Bool
    package var isLowPower: Bool
    /// What is sent now costs little more.
    package var isRadioWarm: Bool
    /// Waking the radio costs much: it is a mobile one.
    package var isRadioDear: Bool

    package init(
        isCharging: Bool = false, isLowPower: Bool = false, isRadioWarm: Bool = false, isRadioDear: Bool = false
    ) {
        self.isCharging = isCharging
        self.isLowPower = isLowPower
        self.isRadioWarm = isRadioWarm
        self.isRadioDear = isRadioDear
    }
}

/// The system's word on `wake` and `open`.
package enum WakeAnswer: Hashable, Sendable {
    /// The app is called, whatever becomes of this process.
    case allowed
    /// Not now: it handles the events of this window already, or there is no room. It is tried again.
    case notNow
    /// Not at all: it is removed, or closed by the user.
    case never
    /// The system died before it answered.
    case lost
}

/// The names of `notifications.json`.
package enum WakeWindow: String, Sendable, Codable, CaseIterable { case push, response }

package enum WindowResult: String, Sendable, Codable, CaseIterable { case done, late, gone }

/// What an app asks for.
package enum AppRequest: Hashable, Sendable {
    /// First of all on each connection.
    ///
    /// - Parameter running: what this process of the app gave its delegate, and is not done with: it is not told
    ///   again, its answer is still to come.
    case hello(running: Set<TellingNumber> = [])
    case authorize(AuthorizationOptions)
    case settings
    case add(NotificationRequest)
    case pending
    /// `nil`: all.
    case removePending([String]?)
    case delivered
    /// `nil`: all.
    case removeDelivered([String]?)
    case setCategories([NotificationCategory])
    case categories
    case setBadge(Int)
    /// Answered when there is a token.
    case register
    case unregister
    /// What the app comes to the screen for, if it has not dealt with it.
    case opening
}

/// What an app's delegate answers, by what it was told.
package enum TellingAnswer: Hashable, Sendable {
    /// To `willPresent`.
    case present(PresentationOptions)
    /// To `didReceive`.
    case done
    /// To `push`.
    case fetched(PushResult)
}

package enum ToolRequest: Hashable, Sendable {
    /// As if the app had asked for it.
    case show(AppIdentifier, NotificationRequest)
    case act(NotificationID, ResponseAction)
    /// The person allows or denies notifications of the app.
    case decide(AppIdentifier, isAllowed: Bool)
    case push(PushMessage)
    /// As `regionCrossed`.
    case cross(AppIdentifier, region: String, isEntry: Bool)
}

/// What the connection to the gateway has to say.
package enum LinkNews: Hashable, Sendable {
    /// Welcomed. Names the network that it goes through, so that what works there is remembered.
    ///
    /// - Parameter longestKeepAlive: what the gateway bears; `nil`: it does not say.
    case up(network: String, longestKeepAlive: Span?)
    case down
    /// The answer to `sendKeepAlive`.
    case keepAliveAnswered
    /// Something else came or went: a keep-alive would be of no use for a while.
    case traffic
    case token(topic: String, String)
    case tokenRefused(topic: String, String)
    /// Which one is configured; `nil`: none. When the process begins and when that changes: tokens of another one are
    /// worth nothing.
    case gateway(String?)
}
