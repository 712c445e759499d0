internal import LocationModel

/// Degrees of latitude or longitude.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres that a coordinate may be off. Negative: the coordinate is not valid.
public typealias CLLocationAccuracy = Double
/// Metres per second. Negative: not valid.
public typealias CLLocationSpeed = Double
/// Metres per second that a speed may be off. Negative: not valid.
public typealias CLLocationSpeedAccuracy = Double
/// Degrees from north, clockwise, from 0 to less than 360. Negative: not valid.
public typealias CLLocationDirection = Double
/// Degrees that a direction may be off. Negative: not valid.
public typealias CLLocationDirectionAccuracy = Double
/// The number of a group of beacons.
public typealias CLBeaconMajorValue = UInt16
/// The number of a beacon in its group.
public typealias CLBeaconMinorValue = UInt16
/// Microteslas along one axis of the device.
public typealias CLHeadingComponentValue = Double

/// The most exact there is.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// The most exact there is, with the help of other sensors, for navigation while the device is charged.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
/// As rough as an app gets it that may know the location only roughly.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = .greatestFiniteMagnitude
/// Every movement.
public let kCLDistanceFilterNone: CLLocationDistance = -1
/// Every turn.
public let kCLHeadingFilterNone: CLLocationDegrees = -1
/// The greatest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude
/// The longest time.
public let CLTimeIntervalMax: TimeInterval = .greatestFiniteMagnitude

/// A place on the WGS 84 ellipsoid.
///
/// From Apple's *CLLocationCoordinate2D*.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees from -90 to 90; north is positive.
    public var latitude: CLLocationDegrees
    /// Degrees from -180 to 180; east is positive.
    public var longitude: CLLocationDegrees

    /// Where the equator and the prime meridian meet.
    public init() { self.init(latitude: 0, longitude: 0) }

    /// Nothing is checked: `CLLocationCoordinate2DIsValid(_:)` does that.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Makes a coordinate.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Whether the latitude is from -90 to 90, and the longitude from -180 to 180.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool { Coordinate(coord).isValid }

/// No place.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

/// What an app may know of the location.
///
/// From Apple's *CLAuthorizationStatus*.
public enum CLAuthorizationStatus: Int32, Sendable {
    /// The user was not asked yet.
    case notDetermined = 0
    /// The user may not allow it. That does not occur on this system.
    case restricted
    /// The user does not allow it, or the system has no location service.
    case denied
    /// At any time.
    case authorizedAlways
    /// While it is in use.
    case authorizedWhenInUse

    /// At any time.
    @available(*, deprecated, renamed: "authorizedAlways")
    public static var authorized: CLAuthorizationStatus { .authorizedAlways }
}

/// How exactly an app may know the location.
///
/// From Apple's *CLAccuracyAuthorization*.
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As exactly as the device does.
    case fullAccuracy
    /// Within some kilometres.
    case reducedAccuracy
}

/// What the device moves with, by which the service decides when to pause.
///
/// From Apple's *CLActivityType*.
public enum CLActivityType: Int, Sendable {
    /// Anything.
    case other = 1
    /// A car on roads.
    case automotiveNavigation
    /// Feet or a bicycle.
    case fitness
    /// A ship, a train or another vehicle.
    case otherNavigation
    /// An aircraft.
    case airborne
}

/// How the device is held, which decides what its top is.
///
/// From Apple's *CLDeviceOrientation*.
public enum CLDeviceOrientation: Int32, Sendable {
    /// Not known.
    case unknown = 0
    /// Upright, its top above.
    case portrait
    /// Upright, its top below.
    case portraitUpsideDown
    /// On its right side.
    case landscapeLeft
    /// On its left side.
    case landscapeRight
    /// Its screen above.
    case faceUp
    /// Its screen below.
    case faceDown
}

/// Where the device is in relation to a region.
///
/// From Apple's *CLRegionState*.
public enum CLRegionState: Int, Sendable {
    /// Not known.
    case unknown
    /// In it.
    case inside
    /// Not in it.
    case outside
}

/// How far away a beacon is.
///
/// From Apple's *CLProximity*.
public enum CLProximity: Int, Sendable {
    /// Not known.
    case unknown
    /// Beside the device.
    case immediate
    /// Some metres away.
    case near
    /// Further away.
    case far
}

extension Coordinate {
    init(_ coordinate: CLLocationCoordinate2D) { self.init(coordinate.latitude, coordinate.longitude) }
}

extension CLLocationCoordinate2D {
    init(_ coordinate: Coordinate) { self.init(latitude: coordinate.latitude, longitude: coordinate.longitude) }
}

extension LocationActivity {
    init(_ activity: CLActivityType) {
        switch activity {
        case .other: self = .other
        case .automotiveNavigation: self = .automotiveNavigation
        case .fitness: self = .fitness
        case .otherNavigation: self = .otherNavigation
        case .airborne: self = .airborne
        }
    }
}

extension CLRegionState {
    init(_ state: RegionState) {
        switch state {
        case .unknown: self = .unknown
        case .inside: self = .inside
        case .outside: self = .outside
        }
    }
}
