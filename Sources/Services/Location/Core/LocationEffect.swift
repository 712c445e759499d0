package import LocationModel
package import Model

/// What the shell is to do, in this order.
package enum LocationEffect: Hashable, Sendable {
    /// Durable before anything that follows.
    case store(LocationRecord)
    case erase(AppIdentifier)

    // Apps.
    case reply(RequestID, LocationReply)
    case refuse(RequestID, LocationRefusal)
    /// Answered by `answered`. It waits in the app's connection while that cannot read.
    case tell(ConnectionID, NewsNumber, LocationNews)
    /// What standard updates bring.
    case fixes(ConnectionID, [Fix])
    case failed(ConnectionID, LocationFailure, String)
    case heading(ConnectionID, Heading)
    case surround(ConnectionID, LocationSurroundings)

    // The system.
    /// Answered by `held`.
    case hold(AppIdentifier, process: Int64, LocationHold, because: String)
    case drop(AppIdentifier, process: Int64, LocationHold)
    case stopped(OrderID)
    /// It is told over its connection, up to this number. Answered by `woken`.
    case wake(AppIdentifier, upTo: NewsNumber, because: String)
    /// What it did about an app, for whoever asks why.
    case note(AppIdentifier, String)

    // Other services.
    /// Answered by `crossingTold`.
    case crossed(AppIdentifier, AppRecord.Crossing, asker: String)

    // Sources.
    /// Whether somebody needs it now.
    case power(FixSource, Bool)
    /// For whom the satellites' receiver is on: those share what it costs. Empty: it is off, or for nobody's sake.
    case users([AppIdentifier])
    case compass(Bool)

    package var isRecord: Bool {
        switch self {
        case .store, .erase: true
        default: false
        }
    }
}

package enum LocationReply: Hashable, Sendable {
    case done
    case hello(LocationSurroundings)
    case fix(Fix)
    case state(RegionState)
    case authorization(LocationAuthorization, isReduced: Bool)
}

/// Why a request was refused.
package enum LocationRefusal: Error, Hashable, Sendable {
    /// Nothing was said before on this connection.
    case notGreeted
    case denied
    /// Regions, visits and significant changes are for apps that may always know.
    case needsAlways
    case noCellRadio
    case noRegions
    case tooManyRegions(Int)
    case invalidRegion(String)
    case noSuchRegion(String)
    /// No source has said where the device is.
    case unknown(String)
    case tooMany
    case noSuchApp
    case noCompass

    package var sentence: String {
        switch self {
        case .notGreeted: "hello comes first"
        case .denied:
            "the user does not let this app know where the device is: greenroom location allow APP changes that"
        case .needsAlways:
            "this needs the user's leave for always: call requestAlwaysAuthorization, or run greenroom location allow "
                + "APP --always"
        case .noCellRadio: "this device has no cell radio, so it knows of no significant change: use standard updates"
        case .noRegions: "this device does not monitor regions: use significant changes or standard updates"
        case .tooManyRegions(let most): "the app monitors \(most) regions already: stop one of them first"
        case .invalidRegion(let sentence): sentence
        case .noSuchRegion(let name): "the app does not monitor a region “\(name)”"
        case .unknown(let sentence): sentence
        case .tooMany: "the app waits for so many answers already that it gets no more: wait for some of them"
        case .noSuchApp: "no such app has used location"
        case .noCompass: "this device has no compass"
        }
    }
}
