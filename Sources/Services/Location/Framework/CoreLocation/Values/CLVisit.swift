internal import LocationModel

/// A place where the device stayed for a while.
///
/// From Apple's *CLVisit*.
// Nothing of it changes.
open class CLVisit: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    private let visit: Visit

    init(_ visit: Visit) {
        self.visit = visit
        super.init()
    }

    /// When it came; `Date.distantPast` if that was before visits were monitored.
    open var arrivalDate: Date { visit.arrival.map(Date.init(timeIntervalSince1970:)) ?? .distantPast }
    /// When it left; `Date.distantFuture` while it is there.
    open var departureDate: Date { visit.departure.map(Date.init(timeIntervalSince1970:)) ?? .distantFuture }
    /// About where.
    open var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(visit.coordinate) }
    /// Metres that the coordinate may be off.
    open var horizontalAccuracy: CLLocationAccuracy { visit.accuracy }

    /// Itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// It is read as what it was written.
    open class var supportsSecureCoding: Bool { true }

    /// Writes all of it.
    open func encode(with coder: NSCoder) {
        coder.encode(visit.coordinate.latitude, forKey: "latitude")
        coder.encode(visit.coordinate.longitude, forKey: "longitude")
        coder.encode(visit.accuracy, forKey: "horizontalAccuracy")
        if let arrival = visit.arrival { coder.encode(arrival, forKey: "arrival") }
        if let departure = visit.departure { coder.encode(departure, forKey: "departure") }
    }

    /// Reads it; `nil` if it is not there.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "latitude"), coder.containsValue(forKey: "longitude") else { return nil }
        func number(_ key: String) -> Double? {
            coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : nil
        }
        visit = Visit(
            Coordinate(coder.decodeDouble(forKey: "latitude"), coder.decodeDouble(forKey: "longitude")),
            accuracy: coder.decodeDouble(forKey: "horizontalAccuracy"), arrival: number("arrival"),
            departure: number("departure"))
        super.init()
    }
}
