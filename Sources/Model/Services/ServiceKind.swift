/// The services that need a key of `UIBackgroundModes` (L11), as apps of the simulator use them by name; what serves
/// apps on a device declares itself (`ServiceDeclaration`).
package enum ServiceKind: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case audio, location, voip, fetch, remoteNotification

    package var mode: BackgroundModes {
        switch self {
        case .audio: .audio
        case .location: .location
        case .voip: .voip
        case .fetch: .fetch
        case .remoteNotification: .remoteNotification
        }
    }

    /// Of use in the foreground, so it needs the key only to go on in the background.
    package var hasForegroundUse: Bool {
        switch self {
        case .audio, .location: true
        case .voip, .fetch, .remoteNotification: false
        }
    }

    /// What lets an app run on that uses it; `nil`: using it is no reason.
    package var assertion: AssertionKind? {
        switch self {
        case .audio: .audio
        case .location: .location
        case .voip, .fetch, .remoteNotification: nil
        }
    }

    /// Those that are used for a while; the others are single events.
    package static let lasting: [ServiceKind] = [.audio, .location, .voip]

    /// Those that let apps run.
    package static let entitling = allCases.filter { $0.assertion != nil }

    /// Satellites are received for it.
    package var usesSatellites: Bool { self == .location }
}
