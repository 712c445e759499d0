/// Apple's `CLAuthorizationStatus`.
package enum LocationAuthorization: String, Hashable, Sendable, Codable, CaseIterable {
    case notDetermined, denied, whenInUse, always

    package var allows: Bool { self == .whenInUse || self == .always }
}

/// Apple's `CLActivityType`: what the device moves with.
package enum LocationActivity: String, Hashable, Sendable, Codable, CaseIterable {
    case other, automotiveNavigation, fitness, otherNavigation, airborne
}

/// What an app wants of standard updates.
package struct UpdateSettings: Hashable, Sendable, Codable {
    /// Metres; 0 and less: the best there is.
    package var accuracy: Double
    /// Metres between two fixes; 0 and less: every one.
    package var distanceFilter: Double
    package var activity: LocationActivity
    /// They may stop while the device stands still.
    package var pausesAutomatically: Bool
    /// They go on when it leaves the screen.
    package var allowsBackground: Bool
    /// The user is to see that they do, also where the app may always know.
    package var showsIndicator: Bool

    package init(
        accuracy: Double = 0, distanceFilter: Double = 0, activity: LocationActivity = .other,
        pausesAutomatically: Bool = true, allowsBackground: Bool = false, showsIndicator: Bool = false
    ) {
        self.accuracy = accuracy
        self.distanceFilter = distanceFilter
        self.activity = activity
        self.pausesAutomatically = pausesAutomatically
        self.allowsBackground = allowsBackground
        self.showsIndicator = showsIndicator
    }
}

/// What an app is told, in order, each once; fixes of standard updates are told beside it, the newest at any time.
package enum LocationNews: Hashable, Sendable, Codable {
    case significantChange(Fix)
    case entered(Region, Fix)
    case exited(Region, Fix)
    case visit(Visit)
    /// Standard updates have stopped since nothing moves, or go on.
    case paused
    case resumed

    /// An app that does not run is woken, or launched, to hear it.
    package var wakes: Bool {
        switch self {
        case .significantChange, .entered, .exited, .visit: true
        case .paused, .resumed: false
        }
    }
}

/// Why there is no fix, or no registration: Apple's `CLError.Code` as far as something here fails by it.
package enum LocationFailure: String, Hashable, Sendable, Codable, CaseIterable {
    case locationUnknown, denied, network, headingFailure
    case regionMonitoringDenied, regionMonitoringFailure, regionMonitoringSetupDelayed
}

/// What surrounds an app, as it is now.
package struct LocationSurroundings: Hashable, Sendable, Codable {
    package var authorization: LocationAuthorization
    package var isReduced: Bool
    /// The last fix, as exact as the app may know it.
    package var lastFix: Fix?
    package var hasSignificantChanges: Bool
    package var hasRegions: Bool
    package var hasHeading: Bool
    package var regions: [Region]

    package init(
        authorization: LocationAuthorization = .notDetermined, isReduced: Bool = false, lastFix: Fix? = nil,
        hasSignificantChanges: Bool = false, hasRegions: Bool = true, hasHeading: Bool = false, regions: [Region] = []
    ) {
        self.authorization = authorization
        self.isReduced = isReduced
        self.lastFix = lastFix
        self.hasSignificantChanges = hasSignificantChanges
        self.hasRegions = hasRegions
        self.hasHeading = hasHeading
        self.regions = regions
    }
}

/// The windows of its declaration: what apps are woken for.
package enum LocationWindow: String, Sendable, CaseIterable { case moved }
