internal import LocationModel

/// Where the device was at a time, and how well that is known.
///
/// From Apple's *CLLocation*.
// Nothing of it changes.
open class CLLocation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    struct Values: Sendable {
        var coordinate: CLLocationCoordinate2D
        var altitude: CLLocationDistance = 0
        var ellipsoidalAltitude: CLLocationDistance?
        var horizontalAccuracy: CLLocationAccuracy = 0
        var verticalAccuracy: CLLocationAccuracy = -1
        var course: CLLocationDirection = -1
        var courseAccuracy: CLLocationDirectionAccuracy = -1
        var speed: CLLocationSpeed = -1
        var speedAccuracy: CLLocationSpeedAccuracy = -1
        var timestamp: Date
        var source: CLLocationSourceInformation?
    }

    let values: Values

    init(_ values: Values) {
        self.values = values
        super.init()
    }

    /// A place, now, with nothing but its coordinate.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            Values(coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), timestamp: Date()))
    }

    /// A place, without course and speed.
    ///
    /// - Parameters:
    ///   - altitude: metres above the sea.
    ///   - hAccuracy: metres; negative: the coordinate is not valid.
    ///   - vAccuracy: metres; negative: the altitude is not valid.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy:
            CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            Values(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
                verticalAccuracy: vAccuracy, timestamp: timestamp))
    }

    /// A place, with a course in degrees and a speed in metres per second; negative ones are not valid.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy:
            CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        speed: CLLocationSpeed, timestamp: Date
    ) {
        self.init(
            Values(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
                verticalAccuracy: vAccuracy, course: course, speed: speed, timestamp: timestamp))
    }

    /// A place, with how far its course and its speed may be off; negative ones are not valid.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy:
            CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        self.init(
            Values(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
                verticalAccuracy: vAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp))
    }

    /// The same, with what it comes from.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy:
            CLLocationAccuracy, verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, sourceInfo: CLLocationSourceInformation
    ) {
        self.init(
            Values(
                coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy,
                verticalAccuracy: vAccuracy, course: course, courseAccuracy: courseAccuracy, speed: speed,
                speedAccuracy: speedAccuracy, timestamp: timestamp, source: sourceInfo))
    }

    /// Where. Valid if `horizontalAccuracy` is not negative.
    open var coordinate: CLLocationCoordinate2D { values.coordinate }
    /// Metres above the sea. Valid if `verticalAccuracy` is positive.
    open var altitude: CLLocationDistance { values.altitude }
    /// Metres above the ellipsoid. The services of this system say the altitude above the sea only, so it is that one.
    open var ellipsoidalAltitude: CLLocationDistance { values.ellipsoidalAltitude ?? values.altitude }
    /// The floor of a building. Nothing on this system knows it.
    open var floor: CLFloor? { nil }
    /// Metres that the coordinate may be off; negative: the coordinate is not valid.
    open var horizontalAccuracy: CLLocationAccuracy { values.horizontalAccuracy }
    /// Metres that the altitude may be off; negative: the altitude is not valid.
    open var verticalAccuracy: CLLocationAccuracy { values.verticalAccuracy }
    /// Degrees from true north in which the device moves; negative: not known.
    open var course: CLLocationDirection { values.course }
    /// Degrees that the course may be off; negative: not known.
    open var courseAccuracy: CLLocationDirectionAccuracy { values.courseAccuracy }
    /// Metres per second; negative: not known.
    open var speed: CLLocationSpeed { values.speed }
    /// Metres per second that the speed may be off; negative: not known.
    open var speedAccuracy: CLLocationSpeedAccuracy { values.speedAccuracy }
    /// When the device was there.
    open var timestamp: Date { values.timestamp }
    /// What it comes from; `nil` for a location that an app has made.
    open var sourceInformation: CLLocationSourceInformation? { values.source }

    /// Metres on the shortest way on the ellipsoid; altitudes do not count.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        Coordinate(coordinate).distance(to: Coordinate(location.coordinate))
    }

    /// As Apple's, for people: its form may change.
    open override var description: String {
        let place = String(format: "<%+.8f,%+.8f>", coordinate.latitude, coordinate.longitude)
        let motion = String(format: "(speed %.2f mps / course %.2f)", speed, course)
        let formatter = DateFormatter()
        (formatter.dateStyle, formatter.timeStyle) = (.short, .full)
        let accuracy = String(format: "%.2f", horizontalAccuracy)
        return "\(place) +/- \(accuracy)m \(motion) @ \(formatter.string(from: timestamp))"
    }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: NSSecureCoding

    private enum Key {
        static let latitude = "kCLLocationCodingKeyCoordinateLatitude"
        static let longitude = "kCLLocationCodingKeyCoordinateLongitude"
        static let altitude = "kCLLocationCodingKeyAltitude"
        static let ellipsoidalAltitude = "kCLLocationCodingKeyEllipsoidalAltitude"
        static let horizontalAccuracy = "kCLLocationCodingKeyHorizontalAccuracy"
        static let verticalAccuracy = "kCLLocationCodingKeyVerticalAccuracy"
        static let course = "kCLLocationCodingKeyCourse"
        static let courseAccuracy = "kCLLocationCodingKeyCourseAccuracy"
        static let speed = "kCLLocationCodingKeySpeed"
        static let speedAccuracy = "kCLLocationCodingKeySpeedAccuracy"
        static let timestamp = "kCLLocationCodingKeyTimestamp"
        static let source = "kCLLocationCodingKeySourceInformation"
    }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes all of it.
    open func encode(with coder: NSCoder) {
        coder.encode(coordinate.latitude, forKey: Key.latitude)
        coder.encode(coordinate.longitude, forKey: Key.longitude)
        coder.encode(altitude, forKey: Key.altitude)
        if let altitude = values.ellipsoidalAltitude { coder.encode(altitude, forKey: Key.ellipsoidalAltitude) }
        coder.encode(horizontalAccuracy, forKey: Key.horizontalAccuracy)
        coder.encode(verticalAccuracy, forKey: Key.verticalAccuracy)
        coder.encode(course, forKey: Key.course)
        coder.encode(courseAccuracy, forKey: Key.courseAccuracy)
        coder.encode(speed, forKey: Key.speed)
        coder.encode(speedAccuracy, forKey: Key.speedAccuracy)
        coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: Key.timestamp)
        if let source = values.source { coder.encode(source, forKey: Key.source) }
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: Key.latitude), coder.containsValue(forKey: Key.longitude) else { return nil }
        func number(_ key: String, _ otherwise: Double) -> Double {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : otherwise
        }
        values = Values(
            coordinate: CLLocationCoordinate2D(
                latitude: number(Key.latitude, 0), longitude: number(Key.longitude, 0)),
            altitude: number(Key.altitude, 0),
            ellipsoidalAltitude: coder.containsValue(forKey: Key.ellipsoidalAltitude)
                ? coder.decodeDouble(forKey: Key.ellipsoidalAltitude) : nil,
            horizontalAccuracy: number(Key.horizontalAccuracy, 0), verticalAccuracy: number(Key.verticalAccuracy, -1),
            course: number(Key.course, -1), courseAccuracy: number(Key.courseAccuracy, -1),
            speed: number(Key.speed, -1), speedAccuracy: number(Key.speedAccuracy, -1),
            timestamp: Date(timeIntervalSinceReferenceDate: number(Key.timestamp, 0)),
            source: coder.decodeObject(of: CLLocationSourceInformation.self, forKey: Key.source))
        super.init()
    }
}

extension CLLocation {
    convenience init(_ fix: Fix) {
        self.init(
            Values(
                coordinate: CLLocationCoordinate2D(fix.coordinate), altitude: fix.altitude ?? 0,
                horizontalAccuracy: fix.accuracy,
                // An altitude of unknown accuracy is valid: a receiver's is about half as exact as its place.
                verticalAccuracy: fix.altitude == nil ? -1 : fix.altitudeAccuracy ?? max(fix.accuracy * 2, 1),
                course: fix.course ?? -1, courseAccuracy: fix.courseAccuracy ?? -1, speed: fix.speed ?? -1,
                speedAccuracy: fix.speedAccuracy ?? -1, timestamp: Date(timeIntervalSince1970: fix.time),
                source: CLLocationSourceInformation(
                    softwareSimulationState: false, andExternalAccessoryState: false)))
    }
}
