/// Where the device is, as one source has it.
package struct Fix: Hashable, Sendable, Codable {
    package var coordinate: Coordinate
    /// Metres: the device is within so far of it.
    package var accuracy: Double
    /// Metres above the sea; `nil`: unknown.
    package var altitude: Double?
    package var altitudeAccuracy: Double?
    /// Metres a second.
    package var speed: Double?
    package var speedAccuracy: Double?
    /// Degrees from north, clockwise.
    package var course: Double?
    package var courseAccuracy: Double?
    /// When it was so, in seconds since 1970.
    package var time: Double
    package var source: FixSource

    package init(
        _ coordinate: Coordinate, accuracy: Double, time: Double, source: FixSource, altitude: Double? = nil,
        altitudeAccuracy: Double? = nil, speed: Double? = nil, speedAccuracy: Double? = nil, course: Double? = nil,
        courseAccuracy: Double? = nil
    ) {
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.time = time
        self.source = source
        self.altitude = altitude
        self.altitudeAccuracy = altitudeAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
    }

    /// A place on earth, with numbers that can be: a source may say anything.
    package var isSound: Bool {
        let others = [altitude, altitudeAccuracy, speed, speedAccuracy, course, courseAccuracy].compactMap(\.self)
        return coordinate.isValid && accuracy.isFinite && accuracy >= 0 && time.isFinite
            && others.allSatisfy(\.isFinite)
    }
}

/// What a fix comes from, the cheapest first.
package enum FixSource: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The cell that the telephone is in, which its modem knows anyway.
    case cell
    /// A service that knows networks or addresses: GeoClue.
    case network
    /// Satellites.
    case gps

    private var order: Int {
        switch self {
        case .cell: 0
        case .network: 1
        case .gps: 2
        }
    }

    package static func < (a: FixSource, b: FixSource) -> Bool { a.order < b.order }
}

/// Whether a source can say anything.
package enum SourceState: Hashable, Sendable, Codable {
    case present
    /// It may come back; the reason is for people.
    case absent(String)

    package var isPresent: Bool { self == .present }
}

/// The cell that a modem is in, as networks name it.
package struct CellTower: Hashable, Sendable, Codable {
    /// `MCC-MNC-LAC-CI`, or whatever tells it from all others.
    package var name: String
    /// Where it stands, where somebody knows.
    package var coordinate: Coordinate?
    /// Metres that it reaches.
    package var reach: Double?

    package init(_ name: String, coordinate: Coordinate? = nil, reach: Double? = nil) {
        self.name = name
        self.coordinate = coordinate
        self.reach = reach
    }
}

/// Where the device's top edge points.
package struct Heading: Hashable, Sendable, Codable {
    /// Degrees from magnetic north, clockwise.
    package var magnetic: Double
    /// Degrees from true north; `nil`: nobody knows where that is.
    package var geographic: Double?
    /// Degrees that it may be off; `nil`: unknown.
    package var accuracy: Double?
    /// Seconds since 1970.
    package var time: Double

    package init(magnetic: Double, geographic: Double? = nil, accuracy: Double? = nil, time: Double) {
        self.magnetic = magnetic
        self.geographic = geographic
        self.accuracy = accuracy
        self.time = time
    }
}
