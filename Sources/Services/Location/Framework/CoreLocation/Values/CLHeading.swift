internal import LocationModel

/// Where the device's top edge points.
///
/// From Apple's *CLHeading*.
// Nothing of it changes.
open class CLHeading: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let heading: Heading

    init(_ heading: Heading) {
        self.heading = heading
        super.init()
    }

    /// Degrees from magnetic north, clockwise.
    open var magneticHeading: CLLocationDirection { heading.magnetic }
    /// Degrees from true north, clockwise; negative: not known.
    open var trueHeading: CLLocationDirection { heading.geographic ?? -1 }
    /// Degrees that the heading may be off. A compass that does not say it may be off by any angle: 180.
    open var headingAccuracy: CLLocationDirection { heading.accuracy ?? 180 }
    /// When it was measured.
    open var timestamp: Date { Date(timeIntervalSince1970: heading.time) }
    /// The magnetic field along the device's axes. The service says the direction only, so it is 0.
    open var x: CLHeadingComponentValue { 0 }
    /// The magnetic field along the device's axes. The service says the direction only, so it is 0.
    open var y: CLHeadingComponentValue { 0 }
    /// The magnetic field along the device's axes. The service says the direction only, so it is 0.
    open var z: CLHeadingComponentValue { 0 }

    /// As Apple's, for people: its form may change.
    open override var description: String {
        let angles = String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f", magneticHeading, trueHeading,
            headingAccuracy)
        return "\(angles) x 0.000 y 0.000 z 0.000 @ \(timestamp)"
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes all of it.
    open func encode(with coder: NSCoder) {
        coder.encode(heading.magnetic, forKey: "magneticHeading")
        if let geographic = heading.geographic { coder.encode(geographic, forKey: "trueHeading") }
        if let accuracy = heading.accuracy { coder.encode(accuracy, forKey: "headingAccuracy") }
        coder.encode(heading.time, forKey: "timestamp")
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "magneticHeading") else { return nil }
        func number(_ key: String) -> Double? {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : nil
        }
        heading = Heading(
            magnetic: coder.decodeDouble(forKey: "magneticHeading"), geographic: number("trueHeading"),
            accuracy: number("headingAccuracy"), time: coder.decodeDouble(forKey: "timestamp"))
        super.init()
    }
}
