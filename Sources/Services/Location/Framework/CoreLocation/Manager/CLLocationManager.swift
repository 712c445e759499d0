internal import LocationClient
internal import LocationModel
internal import LocationWire
internal import Synchronization

/// Tells its delegate where the device is, where it points, and when it enters or leaves regions.
///
/// Its methods may be called on any thread. The delegate is called on the main thread, also where the manager was made
/// on another one: Apple's calls it on the thread that made the manager, which needs a run loop there.
///
/// Significant changes, visits and regions are the app's, not a manager's: the service keeps them when the process
/// ends, wakes or launches the app for them, and every manager with a delegate hears of them. They wait until there is
/// one, so that an app that was launched for them loses nothing. From Apple's *CLLocationManager*.
// What changes is behind a mutex.
open class CLLocationManager: NSObject, @unchecked Sendable {
    let home: LocationHome
    let number: Int64
    let inner = Mutex(Inner())

    /// A manager that does nothing yet.
    public override init() {
        home = .current
        number = home.client.makeNumber()
        super.init()
        home.add(self)
    }

    deinit { home.remove(number) }

    /// What hears of it. Held weakly. Soon after it is set, it hears what the app may know.
    open weak var delegate: (any CLLocationManagerDelegate)? {
        get { inner.withLock { $0.hearer }.delegate }
        set {
            let hearer = Hearer(delegate: newValue)
            inner.withLock { $0.hearer = hearer }
            if newValue != nil { home.delegateAppeared(self) }
        }
    }

    // MARK: What the app may know

    /// What the app may know. The first time it waits for the service, for at most five seconds. `denied` where the
    /// process does not run under a system with a location service.
    open var authorizationStatus: CLAuthorizationStatus { home.awaitedStanding.status }
    /// How exactly the app may know it. The first time it waits for the service, for at most five seconds.
    open var accuracyAuthorization: CLAccuracyAuthorization { home.awaitedStanding.accuracy }
    /// Whether widgets of the app may know it. There are none here.
    open var isAuthorizedForWidgetUpdates: Bool { false }

    /// Asks the user for the location while the app is in use. Where that is settled already, nothing happens.
    open func requestWhenInUseAuthorization() { home.authorize(.whenInUse) }

    /// Asks the user for the location at any time. Where that is settled already, nothing happens.
    open func requestAlwaysAuthorization() { home.authorize(.always) }

    /// Asks the user for the exact location, where the app may know it only roughly.
    ///
    /// - Parameters:
    ///   - purposeKey: of `NSLocationTemporaryUsageDescriptionDictionary` in the app's property list.
    ///   - completion: called on the main thread; with `CLError.promptDeclined` if the location stays rough.
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (((any Error)?) -> Void)? = nil
    ) {
        let completion = OnMain(completion)
        home.requestFullAccuracy { error in completion.value?(error) }
    }

    /// Asks the user for the exact location, where the app may know it only roughly.
    ///
    /// - Throws: `CLError.promptDeclined` if the location stays rough.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            home.requestFullAccuracy { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    // MARK: What the device can

    /// Whether there is a location service. The first time it waits for it, for at most five seconds.
    open class func locationServicesEnabled() -> Bool { LocationHome.current.client.surroundings != nil }
    /// Whether the device has a cell radio, by which significant changes are noticed.
    open class func significantLocationChangeMonitoringAvailable() -> Bool {
        LocationHome.current.client.surroundings?.hasSignificantChanges ?? false
    }
    /// Whether the device has a compass.
    open class func headingAvailable() -> Bool { LocationHome.current.client.surroundings?.hasHeading ?? false }
    /// Whether the device hears beacons: not here.
    open class func isRangingAvailable() -> Bool { false }
    /// Whether the service monitors regions of this class: circles only.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
        guard regionClass is CLCircularRegion.Type else { return false }
        return LocationHome.current.client.surroundings?.hasRegions ?? false
    }
    /// Whether updates can be deferred: not here.
    open class func deferredLocationUpdatesAvailable() -> Bool { false }

    // MARK: Standard updates

    /// Metres within which the app wants to know the location; the service is asked for the finest that any manager
    /// wants. `kCLLocationAccuracyBest` at first.
    open var desiredAccuracy: CLLocationAccuracy {
        get { inner.withLock { $0.accuracy } }
        set { change { $0.accuracy = newValue } }
    }
    /// Metres between two locations that the delegate hears of; `kCLDistanceFilterNone` at first: all of them.
    open var distanceFilter: CLLocationDistance {
        get { inner.withLock { $0.distanceFilter } }
        set { change { $0.distanceFilter = newValue } }
    }
    /// What the device moves with.
    open var activityType: CLActivityType {
        get { inner.withLock { $0.activity } }
        set { change { $0.activity = newValue } }
    }
    /// Whether updates may stop while nothing moves.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { inner.withLock { $0.pauses } }
        set { change { $0.pauses = newValue } }
    }
    /// Whether updates go on in the background. An app that does not have `location` among its `UIBackgroundModes` may
    /// not set it: that ends an app on iOS. Here it stays false, and a line on the standard error says so.
    open var allowsBackgroundLocationUpdates: Bool {
        get { inner.withLock { $0.allowsBackground } }
        set { setBackground(newValue) }
    }
    /// Whether the system shows that the app knows the location in the background, where the app may always know it. If
    /// it may know it only while it is in use, the system shows it in any case. The location service says of which apps
    /// it is to be shown.
    open var showsBackgroundLocationIndicator: Bool {
        get { inner.withLock { $0.showsIndicator } }
        set { change { $0.showsIndicator = newValue } }
    }

    /// The newest location that the app knows; `nil` if it knows or may know none. The first time it waits for the
    /// service, for at most five seconds.
    open var location: CLLocation? {
        guard let known = home.client.surroundings, known.authorization.allows else { return nil }
        return known.lastFix.map(CLLocation.init)
    }

    /// Begins to tell the delegate of locations. Ends a request of `requestLocation()`.
    ///
    /// Where the user was not asked yet, updates begin when the app is authorized.
    open func startUpdatingLocation() { beginUpdating() }

    /// Does not tell of locations any longer. Also ends a request of `requestLocation()`.
    open func stopUpdatingLocation() { endUpdating() }

    /// Asks for one location. The delegate hears of it once, or of a `CLError`. It may take some seconds. While a
    /// request is under way another one does nothing.
    open func requestLocation() { beginRequest() }

    /// Asks for updates to be held back. Updates are not deferred here: the delegate hears `CLError.deferredFailed`.
    open func allowDeferredLocationUpdates(untilTraveled distance: CLLocationDistance, timeout: TimeInterval) {
        onMain {
            $1.locationManager(
                $0, didFinishDeferredUpdatesWithError: CLError(.deferredFailed, "updates are not deferred here"))
        }
    }

    /// Nothing is deferred here.
    open func disallowDeferredLocationUpdates() {}

    // MARK: Headings

    /// Degrees between two headings that the delegate hears of: 1 at first.
    open var headingFilter: CLLocationDegrees {
        get { inner.withLock { $0.headingFilter } }
        set { inner.withLock { $0.headingFilter = newValue } }
    }
    /// How the device is held, which decides what its top is. Only upright positions count.
    open var headingOrientation: CLDeviceOrientation {
        get { inner.withLock { $0.orientation } }
        set { inner.withLock { $0.orientation = newValue } }
    }
    /// The newest heading that this manager has heard of.
    open var heading: CLHeading? { inner.withLock { $0.turned } }

    /// Begins to tell the delegate of headings, or of `CLError.headingFailure`.
    open func startUpdatingHeading() { beginHeading() }

    /// Does not tell of headings any longer.
    open func stopUpdatingHeading() {
        inner.withLock { $0.wantsHeading = false }
        home.client.wantHeading(false, for: number)
    }

    /// Nothing is shown here.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: What outlives the process

    /// Begins to notice when the device has gone some hundred metres, by the cells of its radio.
    open func startMonitoringSignificantLocationChanges() {
        home.client.monitorSignificantChanges(true, completion: failure())
    }

    /// Does not notice it any longer, in the whole app.
    open func stopMonitoringSignificantLocationChanges() {
        home.client.monitorSignificantChanges(false, completion: failure())
    }

    /// Begins to notice where the device stays.
    open func startMonitoringVisits() { home.client.monitorVisits(true, completion: failure()) }

    /// Does not notice it any longer, in the whole app.
    open func stopMonitoringVisits() { home.client.monitorVisits(false, completion: failure()) }

    /// Metres of the largest region; negative where no region is monitored.
    open var maximumRegionMonitoringDistance: CLLocationDistance {
        home.client.surroundings?.hasRegions == true ? Region.largestRadius : -1
    }

    /// The app's regions, also those of other managers and of the last process.
    open var monitoredRegions: Set<CLRegion> { regions }

    /// Begins to monitor a region, instead of one with the same identifier. The delegate hears
    /// `locationManager(_:didStartMonitoringFor:)`, or why not.
    open func startMonitoring(for region: CLRegion) { beginMonitoring(region) }

    /// Does not monitor it any longer; the identifier is what counts.
    open func stopMonitoring(for region: CLRegion) { home.client.unmonitor(region.identifier) }

    /// Asks where the device is in relation to a monitored region.
    open func requestState(for region: CLRegion) { determineState(of: region) }

    // MARK: Beacons

    /// None: this system has no way to hear beacons.
    open var rangedBeaconConstraints: Set<CLBeaconIdentityConstraint> { [] }

    /// The delegate hears `CLError.rangingUnavailable`: this system has no way to hear beacons.
    open func startRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {
        onMain {
            $1.locationManager(
                $0, didFailRangingFor: constraint,
                error: CLError(.rangingUnavailable, "this system has no way to hear beacons"))
        }
    }

    /// None is heard.
    open func stopRangingBeacons(satisfying constraint: CLBeaconIdentityConstraint) {}

    // MARK: Deprecated by Apple

    /// What the app may know.
    @available(*, deprecated, message: "Use the property of an instance")
    open class func authorizationStatus() -> CLAuthorizationStatus { LocationHome.current.awaitedStanding.status }

    /// Whether regions are monitored.
    @available(*, deprecated, renamed: "isMonitoringAvailable(for:)")
    open class func regionMonitoringAvailable() -> Bool { isMonitoringAvailable(for: CLCircularRegion.self) }

    /// Whether regions are monitored, and the app may use that.
    @available(*, deprecated, message: "Use isMonitoringAvailable(for:) and authorizationStatus")
    open class func regionMonitoringEnabled() -> Bool {
        isMonitoringAvailable(for: CLCircularRegion.self) && LocationHome.current.awaitedStanding.allows
    }

    /// None: this system has no way to hear beacons.
    @available(*, deprecated, renamed: "rangedBeaconConstraints")
    open var rangedRegions: Set<CLRegion> { [] }

    /// The delegate hears `CLError.rangingUnavailable`: this system has no way to hear beacons.
    @available(*, deprecated, renamed: "startRangingBeacons(satisfying:)")
    open func startRangingBeacons(in region: CLBeaconRegion) {
        onMain {
            $1.locationManager(
                $0, rangingBeaconsDidFailFor: region,
                withError: CLError(.rangingUnavailable, "this system has no way to hear beacons"))
        }
    }

    /// None is heard.
    @available(*, deprecated, renamed: "stopRangingBeacons(satisfying:)")
    open func stopRangingBeacons(in region: CLBeaconRegion) {}

    /// What for, as the user was told before iOS 6.
    @available(*, deprecated, message: "Use NSLocationWhenInUseUsageDescription in the property list")
    open var purpose: String? {
        get { inner.withLock { $0.purpose } }
        set { inner.withLock { $0.purpose = newValue } }
    }

    /// Begins to monitor a region. How exactly the service does that is its own affair.
    @available(*, deprecated, renamed: "startMonitoring(for:)")
    open func startMonitoring(for region: CLRegion, desiredAccuracy accuracy: CLLocationAccuracy) {
        startMonitoring(for: region)
    }
}
