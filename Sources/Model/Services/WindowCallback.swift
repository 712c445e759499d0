/// The app's method that a window calls.
package enum WindowCallback: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Greenroom's own method. It receives any payload of a service.
    case serviceEvents
    /// `handleEventsForBackgroundURLSession`: the payload is the session's identifier.
    case sessionEvents
    /// The same method, when a server requires credentials.
    case sessionChallenge
    /// `serviceEvents`. If the app has to be launched, it also receives the payload as a launch option.
    case serviceEventsAtLaunch
    /// The user opens the app. If the app has to be launched, it receives the payload as a launch option.
    case localOpening, remoteOpening
    /// The user opens the app, and the app does not receive the reason.
    case opening
    /// `serviceEventsAtLaunch` with the launch option for location.
    case locationEventsAtLaunch

    /// Whether an app may receive this callback without a background mode. The system then launches the app even if
    /// the user closed it, and its tasks get the same time as after it leaves the screen.
    package var isForAnyApp: Bool { self == .locationEventsAtLaunch }

    /// Whether this callback opens the app on the screen.
    package var opensApp: Bool { self == .localOpening || self == .remoteOpening || self == .opening }

    /// Returns the launch option for an app that this callback launches, or `nil` if it has none.
    package func launchNotification(_ payload: String) -> LaunchNotification? {
        switch self {
        case .serviceEvents, .sessionEvents, .sessionChallenge, .opening: nil
        case .localOpening: .local(payload: payload)
        case .serviceEventsAtLaunch, .remoteOpening: .remote(payload: payload)
        case .locationEventsAtLaunch: .location(payload: payload)
        }
    }
}

/// A launch option: a notification or a change of location, with the payload of the service.
package enum LaunchNotification: Hashable, Sendable, Codable {
    case local(payload: String)
    case remote(payload: String)
    case location(payload: String)

    package var payload: String {
        switch self {
        case .local(let payload), .remote(let payload), .location(let payload): payload
        }
    }

    /// The name of the launch option.
    package var key: String {
        switch self {
        case .local: Self.localKey
        case .remote: Self.remoteKey
        case .location: Self.locationKey
        }
    }

    package static let (localKey, remoteKey, locationKey) = ("localNotification", "remoteNotification", "location")
}
