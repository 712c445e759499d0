/// What a location comes from.
///
/// From Apple's *CLLocationSourceInformation*.
// Nothing of it changes.
open class CLLocationSourceInformation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Whether software made it up. The service does not say that, so it is false for all that it brings.
    public let isSimulatedBySoftware: Bool
    /// Whether an accessory measured it.
    public let isProducedByAccessory: Bool

    /// Says both.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        isSimulatedBySoftware = isSoftware
        isProducedByAccessory = isAccessory
        super.init()
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes both.
    open func encode(with coder: NSCoder) {
        coder.encode(isSimulatedBySoftware, forKey: "isSimulatedBySoftware")
        coder.encode(isProducedByAccessory, forKey: "isProducedByAccessory")
    }

    /// Reads both.
    public required init?(coder: NSCoder) {
        isSimulatedBySoftware = coder.decodeBool(forKey: "isSimulatedBySoftware")
        isProducedByAccessory = coder.decodeBool(forKey: "isProducedByAccessory")
        super.init()
    }
}

/// The floor of a building.
///
/// From Apple's *CLFloor*. Nothing on this system knows it, so no location has one.
// Nothing of it changes.
open class CLFloor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The ground floor is 0.
    public let level: Int

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the level.
    open func encode(with coder: NSCoder) { coder.encode(level, forKey: "level") }

    /// Reads the level.
    public required init?(coder: NSCoder) {
        level = coder.decodeInteger(forKey: "level")
        super.init()
    }
}
