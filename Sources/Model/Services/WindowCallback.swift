/// The method of its app that a window calls.
package enum WindowCallback: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// One of Greenroom's own, which takes whatever a service has to say.
    case serviceEvents
    /// `handleEventsForBackgroundURLSession`: the payload is the session's identifier.
    case sessionEvents
    /// The same, for a server that wants to know who asks.
    case sessionChallenge
    /// As `serviceEvents`. The payload of an app that has to be launched for it is a launch option as well.
    case serviceEventsAtLaunch
    /// The app comes to the screen: the user wants it there. If it has to be launched, the payload is a launch option.
    case localOpening, remoteOpening
    /// As these, and the app hears nothing of why.
    case opening
    /// As `serviceEventsAtLaunch`, with the launch option of location.
    case locationEventsAtLaunch

    /// Where the device is concerns an app whatever it does otherwise: it needs no key for that, is woken although the
    /// user closed it, and has as long for its tasks as when it leaves the screen.
    package var isForAnyApp: Bool { self == .locationEventsAtLaunch }

    /// It is not woken but opened.
    package var opensApp: Bool { self == .localOpening || self == .remoteOpening || self == .opening }

    /// The launch option for an app that this callback launches; `nil`: none.
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

    /// The launch option's name.
    package var key: String {
        switch self {
        case .local: Self.localKey
        case .remote: Self.remoteKey
        case .location: Self.locationKey
        }
    }

    package static let (localKey, remoteKey, locationKey) = ("localNotification", "remoteNotification", "location")
}
