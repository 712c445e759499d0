/// What a manager tells. All of it is called on the main thread.
///
/// Apple's methods are optional; here they have extensions that do nothing, unless they say otherwise. From Apple's
/// *CLLocationManagerDelegate*.
public protocol CLLocationManagerDelegate: AnyObject {
    /// There are new locations, the newest last: of standard updates, of `requestLocation()`, or a significant change.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// There is a new location. Called by the extension's `locationManager(_:didUpdateLocations:)`, so only where a
    /// delegate does not implement that one. Apple has deprecated it.
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation)
    /// There is no location or heading: a `CLError`. After `CLError.locationUnknown` updates may still come.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// The device has entered a monitored region.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    /// The device has left a monitored region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    /// The answer to `requestState(for:)`; also called each time that the device has crossed a region's edge.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    /// The region is monitored from now on.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
    /// The region is not monitored: a `CLError`.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)
    /// The device has come to a place where it stays, or has left one.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)
    /// The same as `locationManagerDidChangeAuthorization(_:)`, after it. Apple has deprecated it.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
    /// What the app may know is another thing, or known at all: called once soon after the manager has its delegate.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// Standard updates have stopped, as nothing moves.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
    /// Standard updates go on.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
    /// The device points elsewhere.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /// Beacons are heard: never here.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint)
    /// Beacons cannot be heard: `CLError.rangingUnavailable`.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error)
    /// Beacons are heard: never here. Apple has deprecated it.
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
    /// Beacons cannot be heard: `CLError.rangingUnavailable`. Apple has deprecated it.
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
    /// Updates are not deferred any more; here they never are: `CLError.deferredFailed`.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    /// Whether the user is asked to turn the device so that its compass adjusts itself. Nothing here asks.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool
}

extension CLLocationManagerDelegate {
    /// Calls the older method for each of them.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            let before = manager.replaceOlder(by: location)
            locationManager(manager, didUpdateTo: location, from: before ?? location)
        }
    }

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
    /// Does nothing.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {}
    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {}
    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {}
    /// Not.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }
}
