/// A circle that an app wants to know of when the device enters or leaves it.
package struct Region: Hashable, Sendable, Codable {
    package var identifier: String
    package var center: Coordinate
    /// Metres.
    package var radius: Double
    package var notifiesOnEntry: Bool
    package var notifiesOnExit: Bool

    package init(
        _ identifier: String, center: Coordinate, radius: Double, notifiesOnEntry: Bool = true,
        notifiesOnExit: Bool = true
    ) {
        self.identifier = identifier
        self.center = center
        self.radius = radius
        self.notifiesOnEntry = notifiesOnEntry
        self.notifiesOnExit = notifiesOnExit
    }

    package static let longestIdentifier = 512
    /// Metres.
    package static let largestRadius = 1_000_000.0
}

/// Apple's `CLRegionState`.
package enum RegionState: String, Hashable, Sendable, Codable, CaseIterable { case unknown, inside, outside }

/// A place where the device stayed: Apple's `CLVisit`.
package struct Visit: Hashable, Sendable, Codable {
    package var coordinate: Coordinate
    package var accuracy: Double
    /// Seconds since 1970; `nil`: before anybody looked.
    package var arrival: Double?
    /// `nil`: it is there still.
    package var departure: Double?

    package init(_ coordinate: Coordinate, accuracy: Double, arrival: Double?, departure: Double?) {
        self.coordinate = coordinate
        self.accuracy = accuracy
        self.arrival = arrival
        self.departure = departure
    }
}
