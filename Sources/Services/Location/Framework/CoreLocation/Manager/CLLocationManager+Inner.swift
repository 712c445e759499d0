internal import Dispatch
internal import LocationClient
internal import LocationModel
internal import Synchronization
internal import Wire

/// Holds a delegate weakly.
// A delegate is called on the main thread only; here it is passed on.
struct Hearer: @unchecked Sendable {
    weak var delegate: (any CLLocationManagerDelegate)?
}

extension CLLocationManager {
    struct Inner: Sendable {
        var hearer = Hearer()
        var accuracy = kCLLocationAccuracyBest
        var distanceFilter = kCLDistanceFilterNone
        var activity = CLActivityType.other
        var pauses = true
        var allowsBackground = false
        var showsIndicator = false
        var isUpdating = false
        /// From this the filter counts.
        var lastTold: CLLocation?
        /// What the older method was told before.
        var older: CLLocation?
        /// Identifies the request of `requestLocation()` that is under way.
        var request: Int64?
        var wantsHeading = false
        var headingFilter: CLLocationDegrees = 1
        var orientation = CLDeviceOrientation.portrait
        var lastHeading: Heading?
        /// What the delegate was last told that the app may know.
        var announced: Standing?
        var purpose: String?

        var settings: UpdateSettings {
            // What can be said on the wire: an app may ask for any number.
            func sound(_ number: Double) -> Double { number.isNaN ? 0 : min(max(number, -2), 10_000_000) }
            return UpdateSettings(
                accuracy: sound(accuracy), distanceFilter: sound(distanceFilter),
                activity: LocationActivity(activity), pausesAutomatically: pauses, allowsBackground: allowsBackground,
                showsIndicator: showsIndicator)
        }

        var turned: CLHeading? { lastHeading.map { CLHeading($0.turned(to: orientation)) } }

        /// - Returns: those that are far enough from what was told before.
        mutating func filter(_ locations: [CLLocation]) -> [CLLocation] {
            guard isUpdating else { return [] }
            return locations.filter { location in
                if distanceFilter > 0, let lastTold, location.distance(from: lastTold) < distanceFilter {
                    return false
                }
                lastTold = location
                return true
            }
        }

        /// - Returns: what the delegate hears of it; `nil`: it has turned too little.
        mutating func take(_ heading: Heading) -> CLHeading? {
            guard wantsHeading else { return nil }
            if headingFilter > 0, let lastHeading {
                let turn = abs(heading.magnetic - lastHeading.magnetic).truncatingRemainder(dividingBy: 360)
                guard min(turn, 360 - turn) >= headingFilter else { return nil }
            }
            lastHeading = heading
            return turned
        }
    }

    /// Does something with the delegate, on the main thread.
    func onMain(_ body: @escaping @Sendable (CLLocationManager, any CLLocationManagerDelegate) -> Void) {
        DispatchQueue.main.async { [weak self] in
            guard let self, let delegate = self.delegate else { return }
            body(self, delegate)
        }
    }

    /// What tells the delegate of an error.
    func failure() -> LocationClient.Done {
        { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onMain { $1.locationManager($0, didFailWithError: CLError(error)) }
        }
    }

    /// The app is gone.
    func forget() { inner.withLock { $0 = Inner() } }

    // MARK: What the app may know

    /// Tells the delegate, unless it knows. On the main thread.
    func announce(_ standing: Standing) {
        guard let delegate else { return }
        let isNews = inner.withLock { inner in
            defer { inner.announced = standing }
            return inner.announced != standing
        }
        guard isNews else { return }
        delegate.locationManagerDidChangeAuthorization(self)
        delegate.locationManager(self, didChangeAuthorization: standing.status)
    }

    // MARK: Standard updates

    var isUpdating: Bool { inner.withLock { $0.isUpdating } }

    func change(_ body: (inout Inner) -> Void) {
        let (settings, isUpdating) = inner.withLock { inner in
            body(&inner)
            return (inner.settings, inner.isUpdating)
        }
        if isUpdating { home.client.change(settings, for: number, completion: updateFailure()) }
    }

    func setBackground(_ isAllowed: Bool) {
        guard !isAllowed || home.hasBackgroundMode else {
            home.surroundings.complain(
                "CLLocationManager: allowsBackgroundLocationUpdates stays false: add location to UIBackgroundModes"
                    + " in the app's property list (on iOS the app would end here)")
            return
        }
        change { $0.allowsBackground = isAllowed }
    }

    func beginUpdating() {
        home.add(self)
        let isOneOfSeveral = home.client.hasWishes
        let (settings, isNew) = inner.withLock { inner in
            let isNew = !inner.isUpdating
            (inner.isUpdating, inner.request) = (true, nil)
            if isNew { inner.lastTold = nil }
            return (inner.settings, isNew)
        }
        home.client.begin(settings, for: number, completion: updateFailure())
        // The service has said to the others where the device is, and says it again only when that has changed.
        guard isNew, isOneOfSeveral, let fix = home.client.known?.lastFix else { return }
        DispatchQueue.main.async { [weak self] in self?.takeFirst(CLLocation(fix)) }
    }

    func endUpdating() {
        inner.withLock { ($0.isUpdating, $0.request) = (false, nil) }
        home.client.end(number)
    }

    /// To be made before the service is asked.
    private func updateFailure() -> LocationClient.Done {
        let before = home.client.known.map(Standing.init)
        return { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onMain { manager, delegate in
                guard manager.isUpdating else { return }
                let problem = CLError(error)
                // Before the user was asked nothing has failed: updates begin when the app is authorized.
                let wasKnown = before ?? manager.home.standing
                if problem.code == .denied, wasKnown.status == .notDetermined { return }
                delegate.locationManager(manager, didFailWithError: problem)
            }
        }
    }

    /// On the main thread.
    func take(_ locations: [CLLocation]) {
        guard let delegate else { return }
        let far = inner.withLock { $0.filter(locations) }
        if !far.isEmpty { delegate.locationManager(self, didUpdateLocations: far) }
    }

    private func takeFirst(_ location: CLLocation) {
        if inner.withLock({ $0.lastTold }) == nil { take([location]) }
    }

    /// - Returns: what the older method was told before.
    func replaceOlder(by location: CLLocation) -> CLLocation? {
        inner.withLock { inner in
            defer { inner.older = location }
            return inner.older
        }
    }

    func beginRequest() {
        home.add(self)
        let token = home.client.makeNumber()
        let settings = inner.withLock { inner -> UpdateSettings? in
            guard inner.request == nil else { return nil }
            inner.request = token
            return inner.settings
        }
        guard let settings else { return }
        home.client.once(settings) { [weak self] result in
            self?.onMain { manager, delegate in
                let isWanted = manager.inner.withLock { inner in
                    guard inner.request == token else { return false }
                    inner.request = nil
                    return true
                }
                guard isWanted else { return }
                switch result {
                case .success(let fix): delegate.locationManager(manager, didUpdateLocations: [CLLocation(fix)])
                case .failure(let error): delegate.locationManager(manager, didFailWithError: CLError(error))
                }
            }
        }
    }

    // MARK: Headings

    func beginHeading() {
        home.add(self)
        inner.withLock { inner in
            if !inner.wantsHeading { inner.lastHeading = nil }
            inner.wantsHeading = true
        }
        home.client.wantHeading(true, for: number) { [weak self] result in
            guard case .failure(let error) = result else { return }
            self?.onMain {
                $1.locationManager($0, didFailWithError: CLError(error, missing: .headingFailure))
            }
        }
    }

    /// On the main thread.
    func take(_ heading: Heading) {
        guard let delegate, let told = inner.withLock({ $0.take(heading) }) else { return }
        delegate.locationManager(self, didUpdateHeading: told)
    }

    // MARK: Regions

    var regions: Set<CLRegion> {
        // Those of the last process come with the greeting.
        _ = home.client.surroundings
        return Set(home.client.regions.filter { MonitorRegion($0.identifier) == nil }.map { CLCircularRegion($0) })
    }

    func beginMonitoring(_ region: CLRegion) {
        home.add(self)
        if let problem = problem(with: region) {
            return onMain { $1.locationManager($0, monitoringDidFailFor: region, withError: problem) }
        }
        guard let circle = region as? CLCircularRegion else { return }
        home.client.monitor(circle.model) { [weak self] result in
            self?.onMain { manager, delegate in
                switch result {
                case .success: delegate.locationManager(manager, didStartMonitoringFor: region)
                case .failure(let error):
                    let problem = CLError(error, missing: .regionMonitoringDenied).ofRegion
                    delegate.locationManager(manager, monitoringDidFailFor: region, withError: problem)
                }
            }
        }
    }

    /// Why the service need not be asked.
    private func problem(with region: CLRegion) -> CLError? {
        guard let circle = region as? CLCircularRegion else {
            return CLError(.regionMonitoringFailure, "only circles are monitored here: use CLCircularRegion")
        }
        if MonitorRegion(region.identifier) != nil {
            return CLError(.regionMonitoringFailure, "the identifier begins as those of CLMonitor do: use another one")
        }
        guard CLLocationCoordinate2DIsValid(circle.center), circle.radius.isFinite, circle.radius > 0 else {
            return CLError(.regionMonitoringFailure, "a region needs a valid coordinate and a positive radius")
        }
        return nil
    }

    func determineState(of region: CLRegion) {
        home.client.determineState(of: region.identifier) { [weak self] result in
            self?.onMain { manager, delegate in
                switch result {
                case .success(let state):
                    delegate.locationManager(manager, didDetermineState: CLRegionState(state), for: region)
                case .failure(let error):
                    let problem = CLError(error, missing: .regionMonitoringDenied).ofRegion
                    delegate.locationManager(manager, monitoringDidFailFor: region, withError: problem)
                }
            }
        }
    }
}

extension CLError {
    /// Of a region the app may not even know it is called otherwise.
    fileprivate var ofRegion: CLError {
        code == .denied ? CLError(.regionMonitoringDenied, userInfo: userInfo) : self
    }
}

extension Heading {
    /// Of the edge that is the top when the device is held like this.
    fileprivate func turned(to orientation: CLDeviceOrientation) -> Heading {
        let angle: Double =
            switch orientation {
            case .landscapeLeft: 90
            case .portraitUpsideDown: 180
            case .landscapeRight: 270
            case .unknown, .portrait, .faceUp, .faceDown: 0
            }
        var turned = self
        turned.magnetic = (magnetic + angle).truncatingRemainder(dividingBy: 360)
        turned.geographic = geographic.map { ($0 + angle).truncatingRemainder(dividingBy: 360) }
        return turned
    }
}
