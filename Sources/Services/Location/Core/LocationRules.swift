package import Model

/// The numbers by which location is decided; the profile of the device chooses among them.
package struct LocationRules: Hashable, Sendable {
    /// Regions of an app.
    package var mostRegions = 20
    /// That another service watches for an app: as many notifications may wait.
    package var mostPlaces = 64
    /// That another service has yet to hear of, for an app; the oldest are dropped.
    package var mostCrossings = 100
    /// How long the device has to be on the other side before that is told, and metres that it has to be off.
    package var dwell = Span.seconds(20)
    package var exitDistance = 200.0
    /// How long the next process of the service goes on waiting for a crossing that this one was not sure of.
    package var candidateLife = Span.seconds(120)
    /// Region monitoring is there at all.
    package var hasRegions = true

    /// Metres and time between two significant changes; `nil`: every tower is one.
    package var significantDistance: Double? = 500
    package var significantPause = Span.seconds(300)
    /// While the screen is off, changes are told at most so often, the newest place of them.
    package var sleepingPause = Span.seconds(900)

    /// Metres within which somebody stays, and how long, for that to be a visit.
    package var visitRadius = 150.0
    package var visitTime = Span.seconds(300)

    /// An app without an answer yet is asked about as soon as it starts something; before iOS 8 no app asked itself.
    package var asksByItself = false
    /// An app that does not say `allowsBackgroundLocationUpdates` is suspended when it leaves the screen.
    package var needsBackgroundFlag = true

    /// A fix of a cheaper source is waited for so long before a dearer one is powered.
    package var patience = Span.seconds(10)
    /// Until a source that has given fixes counts as one that gives none: where nothing moves some say nothing.
    package var silence = Span.seconds(60)
    /// For an app that wants one fix.
    package var onceTime = Span.seconds(10)
    /// Updates pause when the device has moved less than `stillDistance` for so long.
    package var stillDistance = 40.0

    /// A look by satellites for regions ends after so long without a fix.
    package var lookTime = Span.seconds(45)
    /// Between two looks, at least, and how often in a row the device may stand still before only a sign that it moves
    /// leads to another.
    package var shortestLookPause = Span.seconds(20)
    package var firstStillPause = Span.seconds(60)
    package var mostStillLooks = 5
    /// Metres to an edge that a device may go without coming into another cell: with one so near there are looks also
    /// when nothing moves, twice an hour.
    package var watchedGap = 700.0
    /// Metres a second that somebody may set out with between two looks, and above which a jump is not believed.
    package var leastSpeed = 2.0
    /// After which half of the speed that it had counts still.
    package var paceTime = Span.seconds(120)
    package var mostSpeed = 340.0
    /// A fix that is no better is no reason to believe that a region was left or entered.
    package var decisiveAccuracy = 100.0

    /// Until the system is asked again to wake an app that it could not wake.
    package var wakePause = Span.seconds(2)
    package var mostWakes = 5
    package var mostNews = 64
    /// For an app to connect again to a service that is new.
    package var reconnectTime = Span.seconds(5)
    package var mostRequests = 32
    /// Towers of which it remembers where they stand.
    package var mostTowers = 2000

    package init() {}

    /// - Parameter profile: by its name; of others the newest numbers hold.
    package init(profile: String) {
        guard let hasRegions = Self.oldDevices[profile] else { return }
        significantDistance = nil
        significantPause = .zero
        self.hasRegions = hasRegions
        asksByItself = true
        needsBackgroundFlag = false
    }

    /// And whether they monitor regions.
    private static let oldDevices = ["iphone-os-3": false, "iphone-3gs": false, "iphone-4": true]

    /// How long the device has to stand still before updates pause.
    func stillTime(_ isOnFoot: Bool) -> Span { .seconds(isOnFoot ? 900 : 600) }
}
