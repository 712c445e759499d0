internal import LocationModel
internal import Synchronization

/// An area that an app wants to know of when the device enters or leaves it: `CLCircularRegion` is the one that this
/// system monitors.
///
/// Regions are equal if their identifiers are, as an app has one of a name only. From Apple's *CLRegion*.
// What changes is behind a mutex.
open class CLRegion: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    struct Notifies: Sendable {
        var entry = true
        var exit = true
    }

    /// By which the app knows it.
    public let identifier: String
    let notifies: Mutex<Notifies>

    init(identifier: String, _ notifies: Notifies = Notifies()) {
        self.identifier = identifier
        self.notifies = Mutex(notifies)
        super.init()
    }

    /// Whether the delegate hears that the device enters it.
    open var notifyOnEntry: Bool {
        get { notifies.withLock { $0.entry } }
        set { notifies.withLock { $0.entry = newValue } }
    }

    /// Whether the delegate hears that the device leaves it.
    open var notifyOnExit: Bool {
        get { notifies.withLock { $0.exit } }
        set { notifies.withLock { $0.exit = newValue } }
    }

    /// Whether their identifiers are the same.
    open override func isEqual(_ object: Any?) -> Bool { (object as? CLRegion)?.identifier == identifier }

    /// Fits `isEqual(_:)`.
    open override var hash: Int { identifier.hashValue }

    /// For people.
    open override var description: String { "\(type(of: self)) (identifier:'\(identifier)')" }

    /// Another one with the same values.
    open func copy(with zone: NSZone? = nil) -> Any { CLRegion(identifier: identifier, notifies.withLock { $0 }) }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes all of it.
    open func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: "identifier")
        coder.encode(notifyOnEntry, forKey: "notifyOnEntry")
        coder.encode(notifyOnExit, forKey: "notifyOnExit")
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier") else { return nil }
        self.identifier = String(describing: identifier)
        notifies = Mutex(
            Notifies(
                entry: coder.decodeBool(forKey: "notifyOnEntry"), exit: coder.decodeBool(forKey: "notifyOnExit")))
        super.init()
    }
}

/// A circle on the ellipsoid.
///
/// From Apple's *CLCircularRegion*.
// As its superclass; the circle does not change.
open class CLCircularRegion: CLRegion, @unchecked Sendable {
    private let circle: (center: CLLocationCoordinate2D, radius: CLLocationDistance)

    /// - Parameters:
    ///   - radius: metres; at most `CLLocationManager.maximumRegionMonitoringDistance` can be monitored.
    ///   - identifier: unique among the app's regions; at most 512 bytes can be monitored.
    public convenience init(center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String) {
        self.init(center: center, radius: radius, identifier: identifier, Notifies())
    }

    private init(
        center: CLLocationCoordinate2D, radius: CLLocationDistance, identifier: String, _ notifies: Notifies
    ) {
        circle = (center, radius)
        super.init(identifier: identifier, notifies)
    }

    /// Where its middle is.
    open var center: CLLocationCoordinate2D { circle.center }
    /// Metres from the middle to the edge.
    open var radius: CLLocationDistance { circle.radius }

    /// Whether it is within the circle, or on its edge.
    open func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        Coordinate(center).distance(to: Coordinate(coordinate)) <= radius
    }

    /// As Apple's, for people: its form may change.
    open override var description: String {
        let place = String(format: "<%+.8f,%+.8f>", center.latitude, center.longitude)
        return "CLCircularRegion (identifier:'\(identifier)', center:\(place), "
            + "radius:\(String(format: "%.2f", radius))m)"
    }

    /// Another one with the same values.
    open override func copy(with zone: NSZone? = nil) -> Any {
        CLCircularRegion(center: center, radius: radius, identifier: identifier, notifies.withLock { $0 })
    }

    /// Writes all of it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(center.latitude, forKey: "latitude")
        coder.encode(center.longitude, forKey: "longitude")
        coder.encode(radius, forKey: "radius")
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "radius") else { return nil }
        circle = (
            CLLocationCoordinate2D(
                latitude: coder.decodeDouble(forKey: "latitude"), longitude: coder.decodeDouble(forKey: "longitude")),
            coder.decodeDouble(forKey: "radius")
        )
        super.init(coder: coder)
    }
}

extension CLCircularRegion {
    convenience init(_ region: Region) {
        self.init(
            center: CLLocationCoordinate2D(region.center), radius: region.radius, identifier: region.identifier,
            Notifies(entry: region.notifiesOnEntry, exit: region.notifiesOnExit))
    }

    var model: Region {
        Region(
            identifier, center: Coordinate(center), radius: radius, notifiesOnEntry: notifyOnEntry,
            notifiesOnExit: notifyOnExit)
    }
}
