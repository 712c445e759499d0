package import Model

/// What happened to a service. All services share these events but `own`.
package enum ServiceEvent<Words: ServiceWords>: Hashable, Sendable {
    /// Nothing but time has passed.
    case timer
    /// Wall clock minus boot clock: at the start of a process, and whenever somebody has set the clock.
    case clock(Span)
    /// The device's profile, when the daemon has said it.
    case profile(String)
    case conditions(DeviceFacts)

    // The daemon.
    /// The daemon is there, and `appState` has come for each app that it knows.
    case systemAttached
    case systemDetached
    case appState(AppIdentifier, AppStanding)
    /// A program with the service's mode has started, that does not speak to the service itself.
    case programStarted(AppDescription)
    /// The user has closed it in the switcher.
    ///
    /// - Parameter endsWork: the profile ends what the app left with services, too.
    case closedByUser(AppIdentifier, endsWork: Bool)
    case forgotten(AppIdentifier)
    /// The answer to `hold`.
    case held(AppIdentifier, Words.Hold, HoldAnswer)
    /// The daemon holds it no longer.
    case holdEnded(AppIdentifier, Words.Hold)
    /// What is held is to end. The policy answers with `stopped`.
    case stop(AppIdentifier, Words.Hold, OrderID)
    /// The answer to `wake`.
    case woken(AppIdentifier, NewsNumber, WakeAnswer)
    /// The app is done with what it was woken for, or has had its time.
    case windowEnded(AppIdentifier, Words.Window, WindowEnd)

    // Apps.
    case attached(ConnectionID, AppDescription)
    case detached(ConnectionID)
    case app(ConnectionID, RequestID, Words.Request)
    /// The answer to `tell`; also on another connection of the app than the one that was told.
    case answered(ConnectionID, NewsNumber, Words.Answer)

    // People.
    case tool(RequestID, Words.Command)

    // Other services.
    case asked(RequestID, by: String, Words.Inquiry)
    /// The answer to `ask`.
    case replied(Words.Question, ServiceAnswer)

    /// What happens in the world of this service alone.
    case own(Words.Event)
}
