package import LocationModel
internal import Model

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
