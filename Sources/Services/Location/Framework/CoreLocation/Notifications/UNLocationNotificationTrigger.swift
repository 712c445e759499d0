internal import NotificationsWire
public import UserNotifications
internal import Wire

extension UNLocationNotificationTrigger {
    /// A notification that is shown when the device enters or leaves a region, whether or not the app runs then. The
    /// app needs leave to know where the device is, at least while it is used, and to some metres.
    ///
    /// - Parameters:
    ///   - region: a `CLCircularRegion`; its `notifyOnEntry` and `notifyOnExit` say which crossings count. Of another
    ///     kind nothing is monitored here, and the request is refused when it is added.
    ///   - repeats: each crossing shows it; otherwise the first one does.
    ///
    /// From Apple's *UNLocationNotificationTrigger*.
    public convenience init(region: CLRegion, repeats: Bool) {
        let circle = region as? CLCircularRegion
        self.init(
            NotificationRegion(
                identifier: region.identifier, latitude: circle?.center.latitude ?? 0,
                longitude: circle?.center.longitude ?? 0, radius: circle?.radius ?? 0, onEntry: region.notifyOnEntry,
                onExit: region.notifyOnExit), repeats: repeats)
    }

    /// The region, as it was when the trigger was made.
    public var region: CLRegion {
        let region = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: circle.latitude, longitude: circle.longitude),
            radius: circle.radius, identifier: circle.identifier)
        region.notifyOnEntry = circle.onEntry
        region.notifyOnExit = circle.onExit
        return region
    }
}
