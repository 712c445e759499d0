/// Which beacons are meant: those of a UUID, of a group of it, or one of them.
///
/// From Apple's *CLBeaconIdentityConstraint*. This system has no way to hear beacons.
// Nothing of it changes.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, @unchecked Sendable {
    /// All of them have it.
    public let uuid: UUID
    /// Their group; `nil`: any.
    public let major: CLBeaconMajorValue?
    /// Which one of the group; `nil`: any.
    public let minor: CLBeaconMinorValue?

    fileprivate init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
        (self.uuid, self.major, self.minor) = (uuid, major, minor)
        super.init()
    }

    /// All of a UUID.
    public convenience init(uuid: UUID) { self.init(uuid, nil, nil) }
    /// Those of a group.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major, nil) }
    /// One of a group.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        self.init(uuid, major, minor)
    }

    /// Whether it means the same ones.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? CLBeaconIdentityConstraint else { return false }
        return (uuid, major, minor) == (other.uuid, other.major, other.minor)
    }

    /// Fits `isEqual(_:)`.
    open override var hash: Int {
        var hasher = Hasher()
        hasher.combine(uuid)
        hasher.combine(major)
        hasher.combine(minor)
        return hasher.finalize()
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A beacon that the device hears.
///
/// From Apple's *CLBeacon*. This system has no way to hear beacons, so there are none.
// Nothing of it changes.
open class CLBeacon: NSObject, @unchecked Sendable {
    private let constraint: CLBeaconIdentityConstraint

    init(_ constraint: CLBeaconIdentityConstraint) {
        self.constraint = constraint
        super.init()
    }

    /// By which it is one of a kind.
    open var uuid: UUID { constraint.uuid }
    /// Its group.
    open var major: NSNumber { NSNumber(value: constraint.major ?? 0) }
    /// Which one of its group it is.
    open var minor: NSNumber { NSNumber(value: constraint.minor ?? 0) }
    /// How far away it is.
    open var proximity: CLProximity { .unknown }
    /// Metres, only to compare beacons; negative: not known.
    open var accuracy: CLLocationAccuracy { -1 }
    /// How strong it is heard, in decibels.
    open var rssi: Int { 0 }
    /// When it was heard.
    open var timestamp: Date { .distantPast }
}

/// Around beacons.
///
/// From Apple's *CLBeaconRegion*. Monitoring one fails with `CLError.regionMonitoringFailure`, as this system has no
/// way to hear beacons.
// As its superclass; the rest does not change.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    /// Whose region it is.
    public let beaconIdentityConstraint: CLBeaconIdentityConstraint

    /// Around some beacons.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        self.beaconIdentityConstraint = beaconIdentityConstraint
        super.init(identifier: identifier)
    }

    /// Around all of a UUID.
    public convenience init(uuid: UUID, identifier: String) {
        self.init(beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
    }

    /// Around those of a group.
    public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(
            beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major), identifier: identifier)
    }

    /// Around one of a group.
    public convenience init(
        uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
    ) {
        self.init(
            beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
            identifier: identifier)
    }

    /// Around all of a UUID.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public convenience init(proximityUUID: UUID, identifier: String) {
        self.init(uuid: proximityUUID, identifier: identifier)
    }

    /// What all of them have.
    open var uuid: UUID { beaconIdentityConstraint.uuid }
    /// What all of them have.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { uuid }
    /// Their group; `nil`: any.
    open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
    /// Which one of the group; `nil`: any.
    open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }
    /// Whether the delegate hears of it each time that the screen is turned on. Nothing does here.
    open var notifyEntryStateOnDisplay: Bool {
        get { false }
        set {}
    }

    /// Another one with the same values.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLBeaconRegion(beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
        (copy.notifyOnEntry, copy.notifyOnExit) = (notifyOnEntry, notifyOnExit)
        return copy
    }

    /// Writes all of it.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(uuid.uuidString as NSString, forKey: "uuid")
        if let major = beaconIdentityConstraint.major { coder.encode(Int(major), forKey: "major") }
        if let minor = beaconIdentityConstraint.minor { coder.encode(Int(minor), forKey: "minor") }
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid"),
            let uuid = UUID(uuidString: String(describing: text))
        else { return nil }
        func number(_ key: String) -> UInt16? {
            coder.containsValue(forKey: key) ? UInt16(exactly: coder.decodeInteger(forKey: key)) : nil
        }
        beaconIdentityConstraint = CLBeaconIdentityConstraint(uuid, number("major"), number("minor"))
        super.init(coder: coder)
    }
}
