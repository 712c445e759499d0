internal import DBus
internal import LocationModel

/// The names and values of GeoClue 2.
package enum GeoClue {
    static let name = "org.freedesktop.GeoClue2"
    static let managerPath: DBusObjectPath = "/org/freedesktop/GeoClue2/Manager"
    static let manager = "org.freedesktop.GeoClue2.Manager"
    static let client = "org.freedesktop.GeoClue2.Client"
    static let location = "org.freedesktop.GeoClue2.Location"
    /// Names Greenroom in GeoClue's configuration.
    static let desktopID = "greenroom"
    static let configuration = "/etc/geoclue/geoclue.conf"

    /// How exact GeoClue is asked to be. It turns on only what is needed for that.
    package enum Level: UInt32, Sendable, CaseIterable {
        case country = 1, city = 4, neighborhood = 5
        /// Wi-Fi networks, without any satellites.
        case street = 6
        /// Also the satellites that GeoClue gets from modems and from the network.
        case exact = 8
    }

    /// Metres. GeoClue derives an accuracy from how satellites stand, and says 0 for good constellations.
    static let bestAccuracy = 5.0

    /// `nil` for a location without a place.
    static func fix(_ location: DBusValue, now: Double) -> Fix? {
        guard let latitude = location["Latitude"]?.number, let longitude = location["Longitude"]?.number,
            let accuracy = location["Accuracy"]?.number?.asAmount
        else { return nil }
        var fix = Fix(
            Coordinate(latitude, longitude), accuracy: max(accuracy, bestAccuracy),
            time: time(location["Timestamp"]) ?? now, source: .network)
        // The least of all numbers stands for an unknown altitude, and -1 for an unknown speed or heading.
        fix.altitude = location["Altitude"]?.number
        fix.speed = location["Speed"]?.number
        fix.course = location["Heading"]?.number
        return fix.plausible
    }

    /// Seconds and microseconds since 1970; zero where it is unknown.
    private static func time(_ value: DBusValue?) -> Double? {
        guard case .structure(let parts) = value, parts.count == 2, let seconds = parts[0].int, seconds > 0,
            let microseconds = parts[1].int
        else { return nil }
        return Double(seconds) + Double(microseconds) / 1e6
    }
}
